"""Changes on disk: the client tells those in the workspace where it can, a watcher of ours tells the others.

What is asked is read anew whatever happens here; watching serves the events and the live view of the session. The
session's file is looked at now and then: a watch would wake four threads up for every line that we write ourselves.
"""

import asyncio
import logging
import os
from typing import TYPE_CHECKING

from lsprotocol import types

from pi_lsp.base.paths import uri_to_path
from pi_lsp.lsp.language_server import PiServer

if TYPE_CHECKING:
    from pi_lsp.agent.events import Event
    from pi_lsp.agent.window import Window

logger = logging.getLogger(__name__)

PAUSE_S = 0.5
"""The folders to watch are worked out at most so often."""
FOLLOW_S = 0.5
"""So often it is looked whether others wrote into the session."""


def _any_case(name: str) -> str:
    return "".join(f"[{char.lower()}{char.upper()}]" if char.isalpha() else char for char in name)


_RULES = "{" + ",".join(map(_any_case, ("agent", "agents", "agents.override", "claude"))) + "}"

GLOBS = (
    f"**/{_RULES}.{_any_case('md')}",
    "**/SKILL.md",
    "**/{.pi,.agents}/**/*.md",
    "**/.pi/settings.json",
    "**/{.gitignore,.ignore,.fdignore}",
)
"""What the client watches for us in the workspace folders."""


class Watching:
    """Keeps what is watched in step with the window."""

    def __init__(self, server: PiServer) -> None:
        self._server = server
        self._stale = asyncio.Event()
        self._complained = False

    def heard(self, event: "Event") -> None:
        """What happened may ask for other folders to be watched."""
        from pi_lsp.agent.events import ResourcesChanged, SessionChanged  # noqa: PLC0415  the engine is there by now

        if isinstance(event, SessionChanged | ResourcesChanged):
            self._stale.set()

    async def run(self, window: "Window") -> None:
        """Watch until this is cancelled."""
        from pi_lsp.agent.events import ResourcesChanged  # noqa: PLC0415  not on the way to the initialize reply
        from pi_lsp.base.watch import Watcher  # noqa: PLC0415  likewise

        loop = asyncio.get_running_loop()

        def changed(paths: frozenset[str]) -> None:
            loop.call_soon_threadsafe(window.changed_on_disk, paths)

        def failed(problem: str) -> None:
            loop.call_soon_threadsafe(self._failed, problem)

        watcher = Watcher(changed, failed)
        try:
            inside = not await self._client_watches()
            await window.ready()
            watched: list[str] | None = None
            while True:
                self._stale.clear()
                folders = await asyncio.to_thread(_folders, window, inside)
                if folders != watched:
                    await asyncio.to_thread(watcher.watch, folders)
                    if watched is None:  # nobody has seen what happened before
                        window.emit(ResourcesChanged(rules=True, skills=True, settings=True))
                    watched = folders
                await asyncio.sleep(PAUSE_S)
                await self._stale.wait()
        finally:
            watcher.close()

    async def _client_watches(self) -> bool:
        """Ask the client to watch the workspace folders; whether it will."""
        workspace = self._server.client_capabilities.workspace
        files = workspace and workspace.did_change_watched_files
        if not files or not files.dynamic_registration:
            return False
        options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(glob) for glob in GLOBS])
        return await self._server.register_with_client(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)

    def _failed(self, problem: str) -> None:
        """Tell the user once that changes come late, and everything else to the log."""
        logger.warning("%s", problem)
        if not self._complained:
            self._complained = True
            self._server.connection.screen.message(f"pi-lsp: {problem}.", types.MessageType.Warning)


def register(server: PiServer) -> None:
    """Watch, beside the requests, and listen to what the client saw."""
    watching = Watching(server)
    server.connection.listeners.append(watching.heard)
    server.connection.beside += [watching.run, _follow]

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def _(params: types.DidChangeWatchedFilesParams) -> None:
        paths = (uri_to_path(change.uri) for change in params.changes)
        server.connection.window.changed_on_disk(path for path in paths if path is not None)


async def _follow(window: "Window") -> None:
    """Take in what others write into the session, until this is cancelled."""
    await window.ready()
    seen: object = None
    while True:
        state = await asyncio.to_thread(_state_of, window.session_file)
        if state != seen:
            seen = state
            await window.follow()
        await asyncio.sleep(FOLLOW_S)


def _state_of(path: str | None) -> tuple[str | None, int, int, int]:
    """What tells that a file is another one, or has grown; zeros where there is none."""
    try:
        status = os.stat(path or "")
    except (OSError, ValueError):
        return path, 0, 0, 0
    return path, status.st_ino, status.st_size, status.st_mtime_ns


def _folders(window: "Window", inside: bool) -> list[str]:
    from pi_lsp.agent.watched import folders_to_watch  # noqa: PLC0415  the engine is there by now

    return folders_to_watch(
        window.workspace,
        window.place,
        trusted=window.trust().trusted,
        inside=inside,
    )
