"""Waiting for what will happen, however slow the machine is: the deadline only ends a test that has failed."""

import asyncio
import time
from collections.abc import Callable, Iterator

PATIENCE_S = 30.0


async def until(check: Callable[[], object]) -> None:
    """Wait until something has happened."""
    for pause_s in _pauses():
        if check():
            return
        await asyncio.sleep(pause_s)
    raise AssertionError("it did not happen")


def wait_until(check: Callable[[], object], told: Callable[[], object] = lambda: "it did not happen") -> None:
    """The same outside an event loop; `told` is what to say when it has not happened."""
    for pause_s in _pauses():
        if check():
            return
        time.sleep(pause_s)
    raise AssertionError(told())


def _pauses() -> Iterator[float]:
    end = time.monotonic() + PATIENCE_S
    pause_s = 0.001
    while time.monotonic() < end:
        yield pause_s
        pause_s = min(pause_s * 1.2, 0.02)
