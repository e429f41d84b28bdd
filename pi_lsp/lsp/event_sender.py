"""The events of a window on their way to the client: together, in their order, each with its number."""

import asyncio
import logging
from collections import deque

from pi_lsp.agent.events import ContextChanged, Event, MessageDelta, ResourcesChanged, SessionChanged
from pi_lsp.agent.window import Window
from pi_lsp.api.events import EventParams, changes_context, context_event, event_params, told_as_it_is
from pi_lsp.lsp.protocol import PiProtocol

logger = logging.getLogger(__name__)

QUIET_S = 0.05
"""Changes of resources that follow each other so quickly are told as one: an editor saves many files at a time."""
TOGETHER_S = 0.005
"""So long what happens may wait to be told, with what else happens: a turn tells a dozen things while it has work to
do. What the model says waits for nothing, and no answer overtakes what led to it."""
CONTEXT_S = 0.1
"""So long after a change it is told how full the context is: a turn changes it again and again, and has work to do."""


class EventSender:
    """The events that wait, and what sends them. For the event loop's thread."""

    def __init__(self, protocol: PiProtocol) -> None:
        self._protocol = protocol
        self._waiting: deque[tuple[Window, int, Event]] = deque()
        self._due = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._context: ContextChanged | None = None
        self._looking: asyncio.Task[None] | None = None
        self._look_again = False

    def put(self, window: Window, event: Event) -> None:
        """Tell an event when its turn comes."""
        if isinstance(event, ContextChanged):
            if event == self._context:
                return
            self._context = event
        if self._waiting and isinstance(event, ResourcesChanged):
            _, seq, last = self._waiting[-1]
            if isinstance(last, ResourcesChanged):
                self._waiting[-1] = window, seq, last | event
                return
        window.told += 1
        self._waiting.append((window, window.told, event))
        if isinstance(event, MessageDelta):
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(TOGETHER_S, self._wake)

    def flush(self) -> None:
        """Send what waits, up to an event that has to be looked into or waits for others of its kind."""
        while self._waiting:
            window, seq, event = self._waiting[0]
            if isinstance(event, ResourcesChanged | SessionChanged):
                self._due.set()
                return
            self._send_first(told_as_it_is(window, event, seq))

    async def run(self) -> None:
        """Send events until this is cancelled."""
        while True:
            await self._due.wait()
            self._due.clear()
            self.flush()
            while self._waiting:
                await self._send_next()
                self.flush()

    async def _send_next(self) -> None:
        """Send the first one, at which `flush` has stopped."""
        if isinstance(self._waiting[0][2], ResourcesChanged):
            await asyncio.sleep(QUIET_S)
        window, seq, event = self._waiting[0]
        try:
            params = await event_params(window, event, seq)
        except Exception:  # the others are told all the same
            logger.exception("%s could not be told", type(event).__name__)
            self._waiting.popleft()
        else:
            self._send_first(params)

    def _wake(self) -> None:
        self._timer = None
        self._due.set()

    def _send_first(self, params: EventParams) -> None:
        window, _, event = self._waiting.popleft()
        self._protocol.notify("pi/event", params)
        if changes_context(event):
            self._look(window)

    def _look(self, window: Window) -> None:
        """Tell how full the context is, beside the other events: they do not wait for it. Once is enough for many."""
        self._look_again = True
        if self._looking is None:
            self._looking = asyncio.create_task(self._tell_context(window))

    async def _tell_context(self, window: Window) -> None:
        try:
            while self._look_again:
                await asyncio.sleep(CONTEXT_S)
                self._look_again = False
                window.emit(await context_event(window))
        finally:
            self._looking = None
