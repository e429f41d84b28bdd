"""The command line as somebody types it: a real process."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "pi_lsp")
Run: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]
"""Runs `pi-lsp` with these arguments on the sample."""


def environ(**changes: str) -> dict[str, str]:
    """This process's environment with the package in reach, nothing of the person's, and these changes."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PI_", "COLUMNS", "NO_COLOR"))}
    return {**kept, "PYTHONPATH": str(ROOT), **changes}


def run(
    *arguments: str, cwd: str | Path, env: Mapping[str, str], timeout: float = 60
) -> subprocess.CompletedProcess[str]:
    """Run `pi-lsp` to its end. No answer of it may ever be a traceback."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        cwd=cwd,
        env={**env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=timeout,
        check=False,
    )
    assert "Traceback" not in done.stderr + done.stdout, done.stderr
    return done


def tree_hash(folder: Path) -> str:
    """Of every name, kind, content and time of change below a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        digest.update(f"{path.relative_to(folder)}\0{status.st_mode}\0{status.st_mtime_ns}\0".encode())
        if path.is_file() and not path.is_symlink():
            digest.update(path.read_bytes())
    return digest.hexdigest()
