"""Whether the demonstration goes on in an editor, in which one, and why in none."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

EDITORS = ("code", "codium")


class Found(NamedTuple):
    """What is on this machine; an empty command where there is none."""

    editor: tuple[str, ...] = ()
    server: tuple[str, ...] = ()
    """code-server: VS Code for a browser."""


class Choice(NamedTuple):
    """Where it goes on. `why` says why not in an editor."""

    where: Literal["editor", "browser", "terminal"]
    command: tuple[str, ...] = ()
    why: str = ""


def find(checkout: Path) -> Found:
    """Look on the PATH, for code-server also where the tests of a checkout keep theirs."""
    editor = next(filter(None, map(shutil.which, EDITORS)), None)
    server = shutil.which("code-server")
    return Found(editor=(editor,) if editor else (), server=(server,) if server else _server_of(checkout))


def _server_of(checkout: Path) -> tuple[str, ...]:
    kept = checkout / ".cache" / "vscode"
    node = kept / "node" / "node_modules" / ".bin" / "node"
    entry = kept / "server" / "node_modules" / "code-server" / "out" / "node" / "entry.js"
    return (str(node), str(entry)) if node.exists() and entry.exists() else ()


def choose(found: Found, environ: Mapping[str, str], *, platform: str = sys.platform, attended: bool) -> Choice:
    """Choose; `attended`: somebody sits at the terminal."""
    if environ.get("CI"):
        return _stay("this is a CI run")
    if not attended:
        return _stay("nobody sits at this terminal")
    if environ.get("VSCODE_IPC_HOOK_CLI"):
        return _stay("the command line of a remote window would use your own profile")
    if not _has_desktop(environ, platform):
        return _stay("there is no desktop here")
    if found.editor:
        return Choice("editor", found.editor)
    if found.server:
        return Choice("browser", found.server)
    return _stay("neither code, codium nor code-server is on the PATH")


def _stay(why: str) -> Choice:
    return Choice("terminal", why=why)


def _has_desktop(environ: Mapping[str, str], platform: str) -> bool:
    if platform in {"darwin", "win32"}:
        return not environ.get("SSH_CONNECTION")
    return any(environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"))


def is_attended() -> bool:
    """Whether somebody sits at this process's terminal."""
    return all(os.isatty(stream) for stream in (0, 1))
