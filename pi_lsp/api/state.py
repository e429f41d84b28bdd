"""`pi/state`: what the window is doing."""

import asyncio

import msgspec

from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.events import Source
from pi_lsp.agent.operations import Phase
from pi_lsp.agent.view import View
from pi_lsp.agent.window import Window
from pi_lsp.api.look import view_of
from pi_lsp.base.json import JsonObject, as_str
from pi_lsp.base.wire import Wire
from pi_lsp.context.estimate import TokenCounter
from pi_lsp.context.model import Model

DEFAULT_POLICY = "ask"


class SessionState(Wire, frozen=True, kw_only=True):
    """The window's session. `file` is missing until something was written; `entries` counts those in it."""

    id: str
    file: str | None = None
    name: str | None = None
    cwd: str
    entries: int
    leaf_id: str | None


class ModelState(Wire, frozen=True, kw_only=True):
    """The model of the next request; `context_window` in tokens."""

    provider: str
    id: str
    name: str | None = None
    context_window: int


class ContextState(Wire, frozen=True, kw_only=True):
    """How full the window is. `tokens` is null where nobody knows (after a compaction, until an answer)."""

    tokens: int | None
    window: int
    percent: float | None
    source: Source


class Cost(Wire, frozen=True, kw_only=True):
    """US dollars."""

    total: float


class Queue(Wire, frozen=True, kw_only=True):
    """Texts that wait for the running turn."""

    steer: list[str]
    follow_up: list[str]


class Running(Wire, frozen=True, kw_only=True):
    """What a client that comes to a run needs to follow it.

    `message` is the answer so far; it holds all deltas up to the event `seq` and none after it. `tools` and
    `approvals` are those that are open.
    """

    seq: int
    message: JsonObject | None = None
    tools: list[JsonObject]
    approvals: list[JsonObject]


class State(Wire, frozen=True, kw_only=True):
    """The result of `pi/state`."""

    session: SessionState
    phase: Phase
    running: Running | None = None
    model: ModelState | None = None
    thinking_level: str
    context: ContextState
    cost: Cost
    queue: Queue
    trusted: bool
    tool_policy: str


async def state(window: Window, _params: object) -> State:
    """What the window is doing now."""
    now = await window.in_session(_state, window)
    return msgspec.structs.replace(now, running=await _running(window))


def context_state(view: View, counter: TokenCounter) -> ContextState:
    """How full the model's window would be, by the one function behind every meter."""
    size = view.size(counter)
    tokens = size.tokens if size.known else None
    limit = view.model.context_window
    return ContextState(
        tokens=tokens,
        window=limit,
        percent=None if tokens is None or limit <= 0 else round(100 * tokens / limit, 1),
        source="measured" if size.measured else "estimated",
    )


def queue_of(window: Window) -> Queue:
    """What waits to be said."""
    return Queue(steer=window.queue.steer, follow_up=window.queue.follow_up)


async def _running(window: Window) -> Running | None:
    if window.run is None:
        return None
    message = window.run.partial()
    # Events reach the client's side in the order in which they were emitted, each as a callback of the loop: behind
    # those of the message, and before any other, the number of the last one is that of the last delta in it.
    loop = asyncio.get_running_loop()
    told: asyncio.Future[int] = loop.create_future()
    loop.call_soon(lambda: told.set_result(window.told))
    return Running(seq=await told, message=message, tools=[], approvals=[])


def _state(conversation: Conversation, window: Window) -> State:
    view = view_of(window, conversation)
    return State(
        session=_session(conversation),
        phase=window.operations.phase,
        model=_model(view.model),
        thinking_level=view.level,
        context=context_state(view, window.counting.counter),
        cost=Cost(total=round(conversation.cost(), 6)),
        queue=queue_of(window),
        trusted=window.trust().trusted,
        tool_policy=as_str(window.settings().values.get("toolPolicy")) or DEFAULT_POLICY,
    )


def _session(conversation: Conversation) -> SessionState:
    session = conversation.session
    return SessionState(
        id=conversation.id,
        file=session.path if session.is_saved else None,
        name=session.tree.name,
        cwd=conversation.cwd,
        entries=len(session.tree),
        leaf_id=conversation.leaf_id,
    )


def _model(model: Model) -> ModelState:
    return ModelState(
        provider=model.provider, id=model.id, name=model.name or None, context_window=model.context_window
    )
