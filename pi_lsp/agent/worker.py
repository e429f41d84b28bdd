"""One thread for everything that touches the window's session.

A session is read, searched and summarised in this thread alone, one call after the other: the state has one owner
and needs no lock, while the event loop stays free for hovers. A call that is cancelled before its turn never runs;
one that runs is told by its `Cancelled` flag, which long loops look at.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Concatenate, ParamSpec, TypeVar

from pi_lsp.base.memory import reading_much

P = ParamSpec("P")
R = TypeVar("R")


class CancelledCallError(Exception):
    """The caller of a long call went away; nothing was changed."""


class Cancel:
    """Tells a running call that nobody waits for it any more."""

    def __init__(self) -> None:
        self._event = Event()

    def set(self) -> None:
        """Ask the call to end."""
        self._event.set()

    def check(self) -> None:
        """Raise CancelledCallError where the call should end."""
        if self._event.is_set():
            raise CancelledCallError


class Worker:
    """The thread of one window; it starts with the first call."""

    def __init__(self, name: str) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._is_closed = False

    async def run(self, call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run a short call in its turn. Once the worker is closed, whoever waits is cancelled."""
        return await self._begin(call, *args, **kwargs)

    async def run_long(self, call: Callable[Concatenate[Cancel, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run a call that takes a `Cancel`; cancelling the awaiting task sets it."""
        cancel = Cancel()
        try:
            return await self.run(lambda: call(cancel, *args, **kwargs))
        except asyncio.CancelledError:
            cancel.set()
            raise

    async def finish(self, call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run a call that must not be left half done: a cancelled caller waits for its end, and is cancelled then."""
        running = self._begin(call, *args, **kwargs)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            await asyncio.wait([running])
            running.exception()  # nobody hears of it any more, and asyncio would complain
            raise

    async def complete(self, call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run a call to its end and give its result: a cancellation that comes meanwhile is too late."""
        running = self._begin(call, *args, **kwargs)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            await asyncio.wait([running])
            return running.result()

    def _begin(self, call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> "asyncio.Future[R]":
        """A future and no task: each task between would cost a step of the event loop."""
        if self._is_closed:
            raise asyncio.CancelledError("the window is closed")

        def work() -> R:
            with reading_much():
                return call(*args, **kwargs)

        return asyncio.get_running_loop().run_in_executor(self._executor, work)

    def close(self) -> None:
        """Take no more calls and drop those that wait; the running one ends by itself."""
        self._is_closed = True
        self._executor.shutdown(wait=False, cancel_futures=True)
