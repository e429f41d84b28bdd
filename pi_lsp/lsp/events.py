"""`pi/event`: what happens in the window, told to a client that wants to know, in the order in which it happened.

Warnings are shown by a message, too, whatever the client knows of us.
"""

import asyncio
import logging
from collections import deque
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from pi_lsp.lsp.language_server import PiServer
from pi_lsp.lsp.protocol import PiProtocol

if TYPE_CHECKING:
    from pi_lsp.agent.events import ContextChanged, Event
    from pi_lsp.agent.window import Window

logger = logging.getLogger(__name__)

QUIET_S = 0.05
"""Changes of resources that follow each other so quickly are told as one: an editor saves many files at a time."""
CONTEXT_S = 0.1
"""So long after a change it is told how full the context is: a turn changes it again and again, and has work to do."""


def register(server: PiServer) -> None:
    """Tell the events to a client that wants them, and warnings to everyone."""
    connection, sender = server.connection, EventSender(server.rpc)

    def hear(event: "Event") -> None:
        from pi_lsp.agent.events import Warned  # noqa: PLC0415  the engine is there by now

        if isinstance(event, Warned):
            connection.screen.message(f"pi: {event.message}", types.MessageType.Warning)
        if connection.wants_events:
            sender.put(connection.window, event)

    async def send(window: "Window") -> None:
        if connection.wants_events:
            await sender.run(window)

    connection.listeners.append(hear)
    connection.beside.append(send)


class EventSender:
    """The events that wait, each with its number, and the one task that sends them. For the event loop's thread."""

    def __init__(self, protocol: PiProtocol) -> None:
        self._protocol = protocol
        self._waiting: deque[tuple[int, Event]] = deque()
        self._put = asyncio.Event()
        self._context: ContextChanged | None = None
        self._looking: asyncio.Task[None] | None = None
        self._look_again = False

    def put(self, window: "Window", event: "Event") -> None:
        """Tell an event when its turn comes."""
        from pi_lsp.agent.events import ContextChanged, ResourcesChanged  # noqa: PLC0415  the engine is there by now

        if isinstance(event, ContextChanged):
            if event == self._context:
                return
            self._context = event
        if self._waiting and isinstance(event, ResourcesChanged):
            seq, last = self._waiting[-1]
            if isinstance(last, ResourcesChanged):
                self._waiting[-1] = seq, last | event
                return
        window.told += 1
        self._waiting.append((window.told, event))
        self._put.set()

    async def run(self, window: "Window") -> None:
        """Send events until this is cancelled."""
        from pi_lsp.agent.events import ResourcesChanged  # noqa: PLC0415  not on the way to the initialize reply
        from pi_lsp.api.events import changes_context, event_params  # noqa: PLC0415  not on the way to the reply

        while True:
            await self._put.wait()
            if isinstance(self._waiting[0][1], ResourcesChanged):
                await asyncio.sleep(QUIET_S)
            seq, event = self._waiting.popleft()
            if not self._waiting:
                self._put.clear()
            try:
                params: Any = await event_params(window, event, seq)
            except Exception:  # the others are told all the same
                logger.exception("%s could not be told", type(event).__name__)
                continue
            self._protocol.notify("pi/event", params)
            if changes_context(event):
                self._look(window)

    def _look(self, window: "Window") -> None:
        """Tell how full the context is, beside the other events: they do not wait for it. Once is enough for many."""
        self._look_again = True
        if self._looking is None:
            self._looking = asyncio.create_task(self._tell_context(window))

    async def _tell_context(self, window: "Window") -> None:
        from pi_lsp.api.events import context_event  # noqa: PLC0415  not on the way to the initialize reply

        try:
            while self._look_again:
                await asyncio.sleep(CONTEXT_S)
                self._look_again = False
                window.emit(await context_event(window))
        finally:
            self._looking = None
