"""What a window does at the moment: one thing at a time, and how it is ended.

A run, a compaction and a switch exclude each other. Whoever asked for one waits for its result; going away (a
cancelled request) ends it like `pi/abort` does, and it still answers: work ends by returning what came of it.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Literal, TypeAlias, TypeVar

R = TypeVar("R")
Phase: TypeAlias = Literal["idle", "running", "compacting", "switching", "retrying"]


class BusyError(Exception):
    """Something else is going on; the message says what."""

    def __init__(self, phase: Phase) -> None:
        super().__init__(f"the window is {phase}; wait for it, or abort it")


class Operations:
    """The one piece of work of a window, if there is any."""

    def __init__(self) -> None:
        self.phase: Phase = "idle"
        self.begun_as: Phase = "idle"
        """What the piece of work is; its phase changes as it goes on."""
        self._task: asyncio.Task[Any] | None = None
        self._is_ending = False

    @property
    def is_idle(self) -> bool:
        """Whether nothing is going on."""
        return self._task is None

    async def run(self, phase: Phase, work: Callable[[], Coroutine[Any, Any, R]]) -> R:
        """Do a piece of work and give its result.

        The work gets CancelledError where it is ended; it cleans up and returns what it has, or lets it through.

        Raises:
            BusyError: something else is going on.
        """
        if self._task is not None:
            raise BusyError(self.phase)
        self.phase = self.begun_as = phase
        task = asyncio.create_task(work())
        self._task = task
        task.add_done_callback(self._done)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if not task.done():  # else it may be another's work that goes on by now
                await self.abort()
            return await task

    async def abort(self) -> None:
        """End what is going on, and wait until it has ended; nothing is written by it after this.

        Asked twice, it waits twice: a second cancellation would interrupt the cleaning up after the first.
        """
        if self._task and not self._is_ending:
            self._is_ending = True
            self._task.cancel()
        await self.ended()

    async def ended(self) -> None:
        """Wait until nothing is going on."""
        if self._task:
            await asyncio.wait([self._task])

    def _done(self, task: asyncio.Task[Any]) -> None:
        if self._task is task:
            self._task = None
            self._is_ending = False
            self.phase = self.begun_as = "idle"
