"""One editor window: its folders, its session, its settings. The one owner of this state.

The resources half (`workspace`) only reads, so any thread may ask it; the session half (`conversation`) is used in the
worker thread alone, reached by `in_session`. What waits for the client's settings or for the session awaits `ready`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Concatenate, Literal, ParamSpec, TypeAlias, TypeVar

import msgspec

from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.counting import Counting
from pi_lsp.agent.events import Emit, Event, ResourcesChanged
from pi_lsp.agent.keeper import Keeper
from pi_lsp.agent.opening import Opening, open_first
from pi_lsp.agent.operations import Operations
from pi_lsp.agent.queue import Queue
from pi_lsp.agent.session_rules import SessionRules
from pi_lsp.agent.snapshot import Snapshot
from pi_lsp.agent.talk import Talk
from pi_lsp.agent.touched import NOTHING
from pi_lsp.agent.worker import Worker
from pi_lsp.agent.workspace import Trust, Workspace
from pi_lsp.base.json import JsonObject
from pi_lsp.context.prompt import PromptParts
from pi_lsp.resources.settings import Settings
from pi_lsp.session.actions import append_name
from pi_lsp.session.catalogue import Catalogue, Listing
from pi_lsp.session.entries import Entry
from pi_lsp.session.location import session_dir, sessions_root
from pi_lsp.session.store import Session

if TYPE_CHECKING:
    from pi_lsp.agent.compacting import Compactor
    from pi_lsp.agent.run import Run
    from pi_lsp.agent.switching import Switcher

P = ParamSpec("P")
R = TypeVar("R")
Policy: TypeAlias = Literal["continue", "new"]


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """What a window is started with. Paths are absolute."""

    folders: tuple[str, ...]
    agent_dir: str
    trusted: bool | None = None
    settings: JsonObject = {}
    session: Policy | str = "continue"
    """A policy, or the path of a session file."""


class Window:
    """The state of one window. Made without touching the disk; `begin` opens the session."""

    def __init__(self, start: Start, emit: Emit) -> None:
        self.start = start
        self.workspace = Workspace(start.folders, start.agent_dir, trust_override=start.trusted)
        self.workspace.initialization = start.settings
        self.cwd: str | None = start.folders[0] if start.folders else None
        """The working directory; None without a folder, and then no session is written."""
        self.counting = Counting()
        self.emit = emit
        self._worker = Worker("pi-session")
        self._keeper = Keeper(self.counting, self._emit)
        self._catalogue = Catalogue()
        self._catalogue_lock = Lock()
        self._ready = asyncio.Event()
        self._index_lock = asyncio.Lock()
        self.operations = Operations()
        self.queue = Queue()
        self.talk = Talk(self.workspace, self.settings, self._emit)
        self.run: Run | None = None
        """The run that goes on."""
        self.told = 0
        """How many events the client was told of."""

    # --- life ---------------------------------------------------------------------------------------------------

    async def begin(self, client_settings: Awaitable[JsonObject]) -> Opening:
        """Take the client's settings, open the first session, and let those go on who wait for `ready`."""
        try:
            self.workspace.client_settings = await client_settings
            return await self._worker.run(self._open_first)
        finally:
            self._ready.set()

    async def ready(self) -> None:
        """Wait until the settings are known and the session is open."""
        await self._ready.wait()

    @cached_property
    def compactor(self) -> "Compactor":
        """Keeps the conversation within its model's window."""
        from pi_lsp.agent.compacting import Compactor  # noqa: PLC0415  it needs this module
        from pi_lsp.agent.hook_seams import seams_of  # noqa: PLC0415

        return Compactor(self, seams_of(self.talk.hooks))

    @cached_property
    def switcher(self) -> "Switcher":
        """Goes to other places of the session tree."""
        from pi_lsp.agent.hook_seams import seams_of  # noqa: PLC0415  it needs this module
        from pi_lsp.agent.switching import Switcher  # noqa: PLC0415

        return Switcher(self, seams_of(self.talk.hooks))

    async def load_hooks(self, now: Snapshot | None = None) -> None:
        """Use the hooks that there are now; `now` is a look that was taken already."""
        now = now or self.now()
        await self.talk.load_hooks(self.cwd, now.settings, trusted=now.trust.trusted)

    async def aclose(self) -> None:
        """End what goes on, close all connections, then `close`."""
        await self.operations.abort()
        await self.talk.speaking.aclose()
        self.close()

    def close(self) -> None:
        """End the worker; the window is of no use afterwards."""
        self._worker.close()
        self._keeper.release()

    # --- resources ----------------------------------------------------------------------------------------------

    @property
    def place(self) -> str:
        """The working directory, or the agent folder where there is none."""
        return self.cwd or self.workspace.agent_dir

    def now(self) -> Snapshot:
        """What stands in files and buffers now, for a step that needs several things of it."""
        return Snapshot(self.workspace, self.cwd)

    def trust(self) -> Trust:
        """Whether the working directory is trusted."""
        return self.now().trust

    def settings(self) -> Settings:
        """The settings in force now."""
        return self.now().settings

    def prompt_parts(self, now: Snapshot | None = None) -> PromptParts:
        """What a system prompt would be made of now."""
        return msgspec.structs.replace((now or self.now()).parts, sections=self.talk.sections)

    def set_buffer(self, path: str, text: str) -> None:
        """A document was opened or changed in the editor."""
        self._tell_resources(self.workspace.set_buffer(path, text))

    def close_buffer(self, path: str) -> None:
        """A document was closed; the disk counts again."""
        self._tell_resources(self.workspace.close_buffer(path))

    def changed_on_disk(self, paths: Iterable[str]) -> None:
        """Files were made, changed or deleted."""
        self._tell_resources(self.workspace.changed(paths))

    def set_folders(self, folders: Iterable[str]) -> None:
        """Workspace folders came or went. The working directory stays that of the start."""
        self.workspace.set_folders(folders)
        self._tell_resources(ResourcesChanged(rules=True, skills=False, settings=False))

    def set_client_settings(self, settings: JsonObject) -> None:
        """The client's settings changed."""
        self.workspace.client_settings = settings
        self._tell_resources(ResourcesChanged(rules=False, skills=True, settings=True))

    async def indexed(self) -> None:
        """Wait until the index of the workspace folders can be relied on."""
        async with self._index_lock:
            if not self.workspace.is_indexed:
                roots = self.workspace.begin_index()
                self.workspace.adopt_index(await asyncio.to_thread(self.workspace.walk, roots))

    def _tell_resources(self, changed: ResourcesChanged) -> None:
        if changed != NOTHING:
            self.emit(changed)

    # --- session ------------------------------------------------------------------------------------------------

    async def in_session(self, call: Callable[Concatenate[Conversation, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run a call in the worker thread, over the session as it stands in its file now."""
        await self.ready()
        return await self._worker.run(lambda: call(self._keeper.followed(), *args, **kwargs))

    async def in_session_long(
        self, call: Callable[Concatenate[Conversation, Callable[[], None], P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """As `in_session`, for a call that may take long: it gets a function that raises once nobody waits."""
        await self.ready()
        return await self._worker.run_long(lambda cancel: call(self._keeper.followed(), cancel.check, *args, **kwargs))

    async def write(self, call: Callable[[Conversation], Iterable[Entry]]) -> list[Entry]:
        """Run a call that appends entries, and tell them. It is not left half done: a cancelled caller waits for it.

        Raises:
            StaleTipError, FileReplacedError, OSError: as `Session.append`; what had been appended before is told.
        """
        await self.ready()
        return await self._worker.finish(self._keeper.write, call)

    def end_run(self) -> None:
        """A run is over, which stayed on its own branch: whoever visits the session next sees what others wrote."""
        self._keeper.end_run()

    async def replace_session(self, make: Callable[[Conversation], Session]) -> Conversation:
        """Go over to the session that `make` gives, and tell it. Raises what `make` raises.

        It is given the present one, in the worker thread. A cancellation that comes once it has begun is too late.
        """
        await self.ready()
        return await self._worker.complete(lambda: self._keeper.replace(make))

    async def session_rules(self) -> SessionRules:
        """The rules that the session has now."""
        return await self.in_session(self._session_rules)

    async def session_rules_within(self, seconds: float) -> SessionRules | None:
        """The rules that the session had when it was last looked at; None where that takes longer to find out."""
        if known := self._keeper.last_rules:
            return known
        try:
            return await asyncio.wait_for(self.session_rules(), seconds)
        except TimeoutError:
            return None

    @property
    def session_id(self) -> str:
        """The id of the session; empty before there is one. For any thread."""
        return self._keeper.session_id

    @property
    def leaf_id(self) -> str | None:
        """The leaf as it was last known here. For any thread."""
        return self._keeper.leaf_id

    @property
    def session_file(self) -> str | None:
        """The path of the session's file, whether it is written yet or not. For any thread."""
        return self._keeper.session_file

    @property
    def foreign_moves(self) -> int:
        """How often other programs have moved the leaf. For any thread."""
        return self._keeper.foreign_moves

    def begin_session(self, name: str | None = None) -> Session:
        """A new session of the working directory, unsaved; one without a working directory is never written."""
        folder = self._sessions_folder() if self.cwd else None
        session = Session.new(folder, self.place)
        if name:
            append_name(session, name)
        return session

    def list_sessions(self, *, everywhere: bool) -> Listing:
        """The sessions of the working directory, or of all. Reads files; run it in a thread."""
        with self._catalogue_lock:
            if everywhere:
                return self._catalogue.everywhere(sessions_root(self.workspace.agent_dir))
            return self._catalogue.in_folder(self._sessions_folder())

    def session_folders(self) -> list[str]:
        """Where sessions are kept; some lie in folders of their own in these. Reads files; run it in a thread."""
        return [sessions_root(self.workspace.agent_dir), self._sessions_folder()]

    async def follow(self) -> None:
        """Look whether other programs wrote into the session, and tell it."""
        await self.in_session(lambda _: None)

    def _session_rules(self, conversation: Conversation) -> SessionRules:
        return self._keeper.rules(conversation, self.place, self.workspace.agent_dir)

    def _emit(self, event: Event) -> None:
        self.emit(event)

    def _sessions_folder(self) -> str:
        return session_dir(self.place, self.workspace.agent_dir, setting=self.settings().session_dir)

    def _open_first(self) -> Opening:
        opening = open_first(self.start.session, self.cwd, self.workspace.agent_dir, self.settings().session_dir)
        self._keeper.adopt(opening.session)
        return opening
