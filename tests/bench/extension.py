"""The extension as it is shipped: its scripts, its page in a Chromium, its start in a real VS Code."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.bench.rows import Row, missing, times
from tests.bench.stage import Stage

ROOT = Path(__file__).parents[2]
EXTENSION = ROOT / "vscode-extension"
VSIX = EXTENSION / "pi-lsp.vsix"
VSCODE = ROOT / ".cache" / "vscode"
PARTS = ("extension.js", "connection.js", "chat.js")
BUILT_IN = "Merge Conflict"
"""An extension of VS Code's own that is started at the same moment as ours."""
_LONGEST_S = 600


def size(_stage: Stage) -> Iterator[Row]:
    """The scripts of the extension."""
    name = "scripts of the extension"
    if why := _unbuilt():
        yield missing(name, why)
        return
    for part in PARTS:
        yield Row(name=part, unit="kB", ours=(EXTENSION / "dist" / part).stat().st_size / 1000)
    whole = sum(script.stat().st_size for script in (EXTENSION / "dist").glob("*.js"))
    yield Row(name=name, unit="kB", ours=whole / 1000, limit="≤ 600 kB", allowed=600)


def page(_stage: Stage) -> Iterator[Row]:
    """The chat's page: how soon a long conversation stands there, and what it keeps of what streams by."""
    name = "2,000 messages on the screen"
    chromium = _chromium()
    if why := "no Chromium on this machine" if chromium is None else _unbuilt():
        yield missing(name, why)
        return
    figures = _figures(["node", "tests/bench/extension_page.mjs", str(EXTENSION), str(chromium)])
    ours, plain = figures["paint"], figures["plain"]
    against = "the same texts, plain paragraphs"
    yield Row(name=name, unit="ms", ours=ours, baseline=plain, against=against, limit="≤ 100 ms", allowed=100)
    early, late = figures["heap"]
    yield times("heap of the page after 10,000 deltas", "MB", late, early, "after 2,000", 1.2)


def activation(_stage: Stage) -> Iterator[Row]:
    """What VS Code itself says that our start takes."""
    name = "activation, by VS Code's own figure"
    chromium = _chromium()
    node = VSCODE / "node" / "node_modules" / ".bin" / "node"
    if chromium is None:
        yield missing(name, "no Chromium on this machine")
    elif not (VSCODE / ".ready").exists():
        yield missing(name, "no code-server here (make test-vscode fetches it)")
    elif not VSIX.exists():
        yield missing(name, "no packaged extension (make vsix)")
    else:
        loads = _figures([str(node), "tests/bench/extension_activation.mjs"], CHROMIUM=str(chromium))
        ours = min(load["Pi"] for load in loads)
        built_in = min((load[BUILT_IN] for load in loads if BUILT_IN in load), default=None)
        yield Row(
            name=name,
            unit="ms",
            ours=ours,
            baseline=built_in,
            against=f"{BUILT_IN}, built in",
            limit="≤ 150 ms",
            allowed=150,
        )


def _unbuilt() -> str:
    """Why there are no scripts to look at; they are built here where they can be."""
    if not (EXTENSION / "node_modules").exists():
        return "no packages of the extension (make check-vscode fetches them)"
    if shutil.which("node") is None:
        return "no Node on this machine"
    subprocess.run(["node", "esbuild.mjs"], cwd=EXTENSION, check=False, capture_output=True)  # too large is told below
    scripts = [EXTENSION / "dist" / part for part in PARTS]
    return next((f"{script.name} was not built" for script in scripts if not script.exists()), "")


def _chromium() -> str | None:
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def _figures(command: Sequence[str], **environ: str) -> Any:
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environ}, check=True, stdout=subprocess.PIPE, timeout=_LONGEST_S
    )
    return json.loads(done.stdout)
