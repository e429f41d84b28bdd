"""`pi/event`: what happens in a window, as clients are told."""

from typing import TypeAlias

from pi_lsp.agent.events import (
    ContextChanged,
    EntryAppended,
    Event,
    ForeignAppend,
    ResourcesChanged,
    SessionChanged,
    ToldAsItIs,
)
from pi_lsp.agent.window import Window
from pi_lsp.api.state import State, state
from pi_lsp.base.wire import Wire


class SessionChangedEvent(Wire, frozen=True, kw_only=True, tag_field="type", tag="session_changed"):
    """The window has another session, or its leaf moved."""

    state: State


WireEvent: TypeAlias = ToldAsItIs | SessionChangedEvent


class EventParams(Wire, frozen=True, kw_only=True):
    """The params of `pi/event`. `seq` grows by one with each."""

    session_id: str
    seq: int
    event: WireEvent


async def event_params(window: Window, event: Event, seq: int) -> EventParams:
    """An event with what a client wants to know beside it."""
    if not isinstance(event, SessionChanged):
        return told_as_it_is(window, event, seq)
    told = SessionChangedEvent(state=await state(window, None))
    return EventParams(session_id=window.session_id, seq=seq, event=told)


def told_as_it_is(window: Window, event: ToldAsItIs, seq: int) -> EventParams:
    """An event that says all that a client wants to know."""
    return EventParams(session_id=window.session_id, seq=seq, event=event)


def changes_context(event: Event) -> bool:
    """Whether an event may have changed what the next request holds."""
    return isinstance(event, SessionChanged | EntryAppended | ForeignAppend | ResourcesChanged)


async def context_event(window: Window) -> ContextChanged:
    """How full the model's window is now."""
    now = (await state(window, None)).context
    return ContextChanged(tokens=now.tokens, percent=now.percent, source=now.source)
