"""Standard input and output, kept for JSON-RPC alone.

A stray `print` of a library or a hook, or a child process that inherits the streams, would corrupt the protocol. So
the real streams move to descriptors of their own: what else writes to standard output reaches standard error, and
what else reads standard input finds it empty.
"""

import asyncio
import logging
import os
import select
import stat
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import TYPE_CHECKING, BinaryIO

from pygls.io_ import StdinAsyncReader

if TYPE_CHECKING:
    from pygls.io_ import AsyncReader

logger = logging.getLogger(__name__)

MOST_WAITING = 64 << 20
"""Bytes. While the client leaves more unread, nothing more is read of what it sends."""
_AT_ONCE: int = getattr(select, "PIPE_BUF", 0)
"""Bytes. A pipe that takes anything takes so many without waiting."""
_LONGEST_LINE = 1 << 20
"""Bytes. What is longer is no header, and part of no message."""


def claim() -> tuple[BinaryIO, BinaryIO]:
    """Take standard input and output for the protocol; call it once, before anything is printed.

    What is written to the output is not buffered.
    """
    sys.stdout.flush()
    reader = os.fdopen(os.dup(0), "rb")
    writer = os.fdopen(os.dup(1), "wb", buffering=0)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    return reader, writer


class Outlet:
    """The output stream as pygls uses it: what is written in one step of the event loop leaves in one piece.

    A turn tells a dozen things, most of them together, and each on its own would wake the client up. What the client
    is not ready to take waits for a thread that writes it, so a client that does not read holds nothing else up.
    """

    def __init__(self, stream: BinaryIO, *, most_waiting: int = MOST_WAITING) -> None:
        """`stream` is not buffered."""
        self._stream = stream
        self._most_waiting = most_waiting
        self._step: list[bytes] = []
        """Written in this step of the loop."""
        self._is_due = False
        self._pieces: SimpleQueue[bytes | None] = SimpleQueue()
        self._waiting = 0
        """Bytes that the thread has still to write."""
        self._changed = threading.Condition()
        self._is_broken = False
        self._thread: threading.Thread | None = None

    def write(self, data: bytes) -> int:
        """Take a message."""
        self._step.append(data)
        return len(data)

    def flush(self) -> None:
        """Let what was taken leave: at the end of this step of the loop, at once outside of a loop."""
        if self._is_due:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._leave()
        else:
            self._is_due = True
            loop.call_soon(self._leave)

    @property
    def is_full(self) -> bool:
        """Whether the client leaves too much unread."""
        return self._waiting > self._most_waiting

    def is_same_file(self, stream: BinaryIO) -> bool:
        """Whether a stream is this one's other end as well, as with one socket for both."""
        return os.path.samestat(os.fstat(stream.fileno()), os.fstat(self._stream.fileno()))

    def wait_for_room(self) -> None:
        """Wait while the client leaves too much unread. Not in the event loop."""
        with self._changed:
            self._changed.wait_for(lambda: not self.is_full)

    def close(self, patience_s: float = 5.0) -> None:
        """Let everything leave, and wait for that; a client that does not read is not waited for any longer."""
        self._leave()
        self._pieces.put(None)
        if self._thread:
            self._thread.join(patience_s)

    def _leave(self) -> None:
        self._is_due = False
        data, self._step = b"".join(self._step), []
        if not data:
            return
        if self._waiting == 0 and len(data) <= _AT_ONCE and _takes_more(self._stream):
            self._put(data)
            return
        with self._changed:
            self._waiting += len(data)
        self._pieces.put(data)
        if self._thread is None:
            self._thread = threading.Thread(target=self._write_on, name="pi-lsp-output", daemon=True)
            self._thread.start()

    def _write_on(self) -> None:
        while (data := self._pieces.get()) is not None:
            self._put(data)
            with self._changed:
                self._waiting -= len(data)
                self._changed.notify_all()

    def _put(self, data: bytes) -> None:
        """Write all of it; nothing any more once the client is gone."""
        left = memoryview(data)
        try:
            while left and not self._is_broken:
                left = left[self._stream.write(left) :]
        except (OSError, ValueError) as error:
            self._is_broken = True
            logger.warning("the client does not listen any more: %s", error)


class Inlet:
    """The input stream as pygls reads it: header lines and bodies, none while the client leaves too much unread.

    Where it can, the event loop itself waits for input: each thread between would cost a message a tenth of a
    millisecond, and much more while another thread computes.
    """

    def __init__(self, stream: BinaryIO, outlet: Outlet) -> None:
        """`stream` is used by nobody else. Nothing is read before the first call, in the event loop."""
        self._stream = stream
        self._outlet = outlet
        self._reader: AsyncReader | None = None

    async def readline(self) -> bytes:
        """The next header line, once the client has taken enough of what it was sent; empty at the end."""
        if self._outlet.is_full:
            await asyncio.to_thread(self._outlet.wait_for_room)
        return await (await self._open()).readline()

    async def readexactly(self, n: int) -> bytes:
        """A body of so many bytes; empty where the input ends before."""
        try:
            return await (await self._open()).readexactly(n)
        except asyncio.IncompleteReadError:
            return b""

    async def _open(self) -> "AsyncReader":
        if self._reader is None:
            if _is_pipe(self._stream) and not self._outlet.is_same_file(self._stream):
                self._reader = reader = _WatchedReader(limit=_LONGEST_LINE)
                loop = asyncio.get_running_loop()
                await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), self._stream)
            else:  # what is watched does not block, and then one stream for both would not when it is written, either
                self._reader = StdinAsyncReader(self._stream, ThreadPoolExecutor(1, "pi-lsp-input"))
        return self._reader


class _WatchedReader(asyncio.StreamReader):
    async def readline(self) -> bytes:
        while True:
            try:
                return await super().readline()
            except ValueError:  # it was too long, and is dropped
                continue


def _is_pipe(stream: BinaryIO) -> bool:
    """Whether an event loop can wait for it, as for no file, and on Windows for nothing of the kind."""
    mode = os.fstat(stream.fileno()).st_mode
    return sys.platform != "win32" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))


def _takes_more(stream: BinaryIO) -> bool:
    """Whether a small piece can be written without waiting; False also where that cannot be told (Windows)."""
    try:
        return bool(select.select([], [stream], [], 0)[1])
    except (OSError, ValueError):
        return False
