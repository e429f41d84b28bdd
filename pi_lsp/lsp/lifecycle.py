"""From `initialize` to `exit`: the window of the connection, its settings and its events.

`initialize` is answered before the engine is imported: the window is made at its first use.
"""

import asyncio
import importlib
import logging
import threading
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

import msgspec
from lsprotocol import types
from pygls.lsp.server import LanguageServer

from pi_lsp.base.json import JsonObject, as_object
from pi_lsp.base.paths import resolve, uri_to_path
from pi_lsp.base.wire import Wire
from pi_lsp.lsp.showing import Screen

if TYPE_CHECKING:
    from pi_lsp.agent.events import Event
    from pi_lsp.agent.window import Window

logger = logging.getLogger(__name__)

SETTINGS_TIMEOUT_S = 2.0
"""So long session methods wait for the client's settings at most."""

END_TIMEOUT_S = 5.0
"""So long `shutdown` waits for what is going on."""

OPEN_IT = "Open It"


class SessionFile(Wire, frozen=True, kw_only=True):
    """A session to begin with, by its path or URI."""

    file: str


class Options(Wire, frozen=True, kw_only=True):
    """The options of `initialize` (protocol.md, Start)."""

    agent_dir: str | None = None
    trusted: bool | None = None
    session: str | SessionFile = "continue"
    settings: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])


class PiClient(Wire, frozen=True, kw_only=True):
    """What a client of ours says it can do, under `experimental.pi`."""

    events: bool = False
    approvals: bool = False
    save: bool = False
    editor_context: bool = False


class Connection:
    """What is known of the client, and the window it has."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._window: Window | None = None
        self.screen = Screen(server)
        self.listeners: list[Callable[[Event], object]] = []
        """Those who hear what happens in the window."""
        self.beside: list[Callable[[Window], Coroutine[Any, Any, None]]] = []
        """What runs beside the requests, from `initialized` on."""
        self._counts = False
        self._has_begun = False
        self._engine: asyncio.Future[Any] | None = None
        """The import of what answers, once it has begun."""
        self._params: types.InitializeParams | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self.client: PiClient | None = None
        """None for a client that does not know us."""

    @property
    def window(self) -> "Window":
        """The window, made at its first use."""
        if self._window is None:
            self._window = self._make_window()
        return self._window

    @property
    def wants_events(self) -> bool:
        """Whether the client listens to `pi/event`."""
        return self.client is not None and self.client.events

    def initialize(self, params: types.InitializeParams) -> None:
        """Remember what the client said."""
        self._params = params
        experimental = as_object(_plain(params.capabilities.experimental))
        if isinstance(pi := experimental.get("pi"), dict):
            self.client = _lenient(pi, PiClient, "experimental.pi") or PiClient()

    def begin(self) -> None:
        """Open the window's session, in the background. To be told again changes nothing."""
        if not self._has_begun:
            self._has_begun = True
            self.spawn(self._begin())

    async def end(self) -> None:
        """End what goes on in the window and let go of it; what arrived of an answer is stored."""
        if self._window:
            try:
                await asyncio.wait_for(self._window.aclose(), END_TIMEOUT_S)
            except TimeoutError:
                logger.warning("what was going on did not end in time")
        self.close()

    def close(self) -> None:
        """Let go of the window at once. May be called again."""
        for task in self._tasks:
            task.cancel()
        self.screen.close()
        if self._window:
            self._window.close()

    async def load_engine(self) -> None:
        """Import what answers the pi/ methods: a tenth of a second, and in a thread, so that hovers do not wait."""
        if self._engine is None:
            self._engine = asyncio.ensure_future(asyncio.to_thread(importlib.import_module, "pi_lsp.lsp.methods"))
        await asyncio.shield(self._engine)

    def count_tokens(self) -> None:
        """Load the vocabulary, in the background: the first request that may show a number of tokens asks for it."""
        if not self._counts:
            self._counts = True
            self.spawn(self._count())

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run a coroutine beside the requests; it ends with the connection."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    async def attempt(self, work: Coroutine[Any, Any, object]) -> None:
        """Do what the person asked for; why it is refused is shown."""
        from pi_lsp.api.errors import ParamsError, RefusedError  # noqa: PLC0415  not on the way to the initialize reply
        from pi_lsp.session.errors import SessionError  # noqa: PLC0415  likewise

        try:
            await work
        except (RefusedError, ParamsError, SessionError, OSError) as error:
            self.screen.message(f"pi: {error}", types.MessageType.Error)

    def _done(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            logger.error("background work failed", exc_info=error)

    def _make_window(self) -> "Window":
        from pi_lsp.agent.window import Start, Window  # noqa: PLC0415  not on the way to the initialize reply
        from pi_lsp.session.location import agent_dir  # noqa: PLC0415  likewise

        if self._params is None:
            raise RuntimeError("initialize comes first")
        options = _lenient(_plain(self._params.initialization_options), Options, "initializationOptions") or Options()
        session = options.session
        start = Start(
            folders=tuple(folders_of(self._params)),
            agent_dir=_path(options.agent_dir) if options.agent_dir else agent_dir(),
            trusted=options.trusted,
            settings=options.settings,
            session=session if isinstance(session, str) else _path(session.file),
        )
        loop, own_thread = asyncio.get_running_loop(), threading.get_ident()

        def emit(event: "Event") -> None:
            # Both keep the order; to wake the loop up from its own thread would cost more than the event does.
            put = loop.call_soon if threading.get_ident() == own_thread else loop.call_soon_threadsafe
            put(self._happened, event)

        return Window(start, emit)

    def _happened(self, event: "Event") -> None:
        """Pass on an event, in the thread of the event loop."""
        for listener in list(self.listeners):
            listener(event)

    async def _begin(self) -> None:
        await self.load_engine()
        for work in self.beside:
            self.spawn(work(self.window))
        opening = await self.window.begin(self.fetch_settings())
        if opening.problem:
            self.screen.message(opening.problem)
        if opening.offered:
            await self.attempt(self._offer(opening.offered))

    async def _offer(self, path: str) -> None:
        """Offer the session that was left alone; it is opened as by `pi/session/open`."""
        from pi_lsp.api.sessions import OpenParams, open_session  # noqa: PLC0415  not on the way to the initialize reply

        what = "The newest Pi session of this folder may be in use elsewhere, so a new one was begun."
        if await self.screen.offer(what, OPEN_IT, otherwise=f"{what} Its file: {path}"):
            await open_session(self.window, OpenParams(file=path))

    async def _count(self) -> None:
        from pi_lsp.api.events import context_event  # noqa: PLC0415  not on the way to the initialize reply

        await self.window.counting.load()
        self.window.emit(await context_event(self.window))

    async def fetch_settings(self, pushed: Any = None) -> JsonObject:
        """The client's section `pi`; empty where it cannot tell, or not in time.

        `pushed` are settings that the client sent by itself; they count where it cannot be asked.
        """
        workspace = self._params and self._params.capabilities.workspace
        if not workspace or not workspace.configuration:
            return as_object(as_object(_plain(pushed)).get("pi"))
        item = types.ConfigurationItem(section="pi")
        request = self._server.workspace_configuration_async(types.ConfigurationParams(items=[item]))
        try:
            answer = await asyncio.wait_for(request, SETTINGS_TIMEOUT_S)
        except Exception as error:
            logger.warning("the client did not tell its settings: %s", error)
            return {}
        return as_object(_plain(answer[0])) if answer else {}


def folders_of(params: types.InitializeParams) -> list[str]:
    """The paths of the workspace folders; of an older client the root alone."""
    uris = [folder.uri for folder in params.workspace_folders or ()] or [params.root_uri or ""]
    paths = [path for uri in uris if uri and (path := uri_to_path(uri))]
    return paths or ([params.root_path] if params.root_path else [])


def _path(text: str) -> str:
    return uri_to_path(text) or resolve(text)


def _lenient(value: Any, kind: type[Any], name: str) -> Any:
    """The value as its type, or None with a word in the log: a client must be able to start with a typo."""
    try:
        return msgspec.convert(value if value is not None else {}, kind, strict=True)
    except msgspec.ValidationError as error:
        logger.warning("%s: %s; ignored", name, error)
        return None


def _plain(value: Any) -> Any:
    """A value that pygls made from JSON, as JSON again."""
    return msgspec.to_builtins(value)
