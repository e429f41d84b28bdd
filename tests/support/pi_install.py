"""The real Pi of the version that we follow, with a Node to run it, fetched once from npm into the ignored cache."""

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock

NODE = "node@22.23.3"
PI = "@earendil-works/pi-coding-agent@1.6.0"

CACHE = Path(__file__).parents[2] / ".cache"
_FETCH_S = 600


class Pi(NamedTuple):
    """An installed Pi."""

    node: Path
    """The Node to run it with."""
    modules: Path
    """The folder of its compiled modules; they can be imported one by one, by path."""


class NoPiError(Exception):
    """Pi cannot be fetched here; the message says why."""


def install(folder: Path = CACHE / "pi") -> Pi:
    """Give the Pi in a folder, fetched now where it is not there yet. Two processes may call this at once.

    Raises NoPiError.
    """
    pi = Pi(
        node=folder / "node_modules" / "node" / "bin" / "node",
        modules=folder / "node_modules" / PI.rpartition("@")[0] / "dist",
    )
    ready = folder / ".ready"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not _holds(ready):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            _fetch(folder)
            if not pi.node.exists():
                raise NoPiError(f"npm installed {NODE} without its binary: are install scripts switched off?")
            ready.write_text(_WANTED)
    return pi


_WANTED = f"{NODE} {PI}"


def _holds(ready: Path) -> bool:
    return ready.exists() and ready.read_text() == _WANTED


def _fetch(folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise NoPiError("there is no npm to fetch Pi with")
    command = [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", NODE, PI]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_FETCH_S, check=False)
    except subprocess.TimeoutExpired:
        raise NoPiError(f"npm did not fetch {PI} within {_FETCH_S} s") from None
    if done.returncode:
        raise NoPiError(f"npm could not fetch {PI}: {done.stderr.strip()[-500:]}")
