"""Standard input and output, kept for JSON-RPC alone.

A stray `print` of a library or a hook, or a child process that inherits the streams, would corrupt the protocol. So
the real streams move to descriptors of their own: what else writes to standard output reaches standard error, and
what else reads standard input finds it empty.
"""

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
