"""Deltas on their way to a client: the first at once, then bundled, at most 30 bundles a second."""

import asyncio
from collections.abc import Callable
from typing import Literal, TypeAlias

DeltaKind: TypeAlias = Literal["text", "thinking", "toolArguments"]
Send: TypeAlias = Callable[[int, DeltaKind, str], object]

INTERVAL_S = 1 / 30


class DeltaBundler:
    """Bundles the deltas of one message. `send` gets block, kind and text; call `flush` before the message ends."""

    def __init__(self, send: Send, interval_s: float = INTERVAL_S) -> None:
        self._send = send
        self._interval_s = interval_s
        self._block: tuple[int, DeltaKind] | None = None
        self._texts: list[str] = []
        self._timer: asyncio.TimerHandle | None = None

    def add(self, block: int, kind: DeltaKind, delta: str) -> None:
        """Take in one delta."""
        if self._block != (block, kind):
            self._send_bundle()
            self._block = (block, kind)
        self._texts.append(delta)
        if self._timer is None:
            self._send_bundle()
            self._timer = asyncio.get_running_loop().call_later(self._interval_s, self._tick)

    def flush(self) -> None:
        """Send what is left, and wait for nothing more."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
        self._send_bundle()
        self._block = None

    def _tick(self) -> None:
        self._timer = None
        if self._texts:
            self._send_bundle()
            self._timer = asyncio.get_running_loop().call_later(self._interval_s, self._tick)

    def _send_bundle(self) -> None:
        if self._block and self._texts:
            self._send(*self._block, "".join(self._texts))
        self._texts = []
