"""Standard input and output, kept for JSON-RPC alone.

A stray `print` of a library or a hook, or a child process that inherits the streams, would corrupt the protocol. So
the real streams move to descriptors of their own: what else writes to standard output reaches standard error, and
what else reads standard input finds it empty.
"""

import asyncio
import os
import sys
from typing import BinaryIO


def claim() -> tuple[BinaryIO, BinaryIO]:
    """Take standard input and output for the protocol; call it once, before anything is printed."""
    sys.stdout.flush()
    reader = os.fdopen(os.dup(0), "rb")
    writer = os.fdopen(os.dup(1), "wb")
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    return reader, writer


class Outlet:
    """The output stream as pygls uses it: what is written in one step of the event loop leaves in one piece.

    A turn tells a dozen things, most of them together, and each on its own would wake the client up.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._is_due = False

    def write(self, data: bytes) -> int:
        """Take a message."""
        return self._stream.write(data)

    def flush(self) -> None:
        """Let what was taken leave: at the end of this step of the loop, at once outside of a loop."""
        if self._is_due:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._stream.flush()
        else:
            self._is_due = True
            loop.call_soon(self._leave)

    def close(self) -> None:
        """Let everything leave, and close."""
        self._stream.close()

    def _leave(self) -> None:
        self._is_due = False
        if not self._stream.closed:
            self._stream.flush()
