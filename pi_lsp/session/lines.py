"""A file cut into lines, in pieces of 1 MiB, so that a file of any size costs the memory of its longest line."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

import msgspec

Read: TypeAlias = Callable[[int, int], bytes]
"""`read(offset, length)` gives at most `length` bytes, none at the end of the file."""

PIECE_BYTES = 1 << 20
MAX_LINE_BYTES = 256 << 20
"""A longer line is no record of ours (JavaScript cannot read it either) and is not held in memory."""


class Line(msgspec.Struct, frozen=True, gc=False):
    """One line of a file."""

    offset: int
    """Where it begins, in bytes."""
    length: int
    """Its length in bytes, without the newline."""
    data: bytes | None
    """Its bytes; None where it is longer than `MAX_LINE_BYTES`."""
    complete: bool
    """Whether a newline ends it."""


def reader(data: bytes) -> Read:
    """Reads from memory."""
    return lambda offset, length: data[offset : offset + length]


def read_lines(read: Read, offset: int) -> Iterator[Line]:
    """The lines from an offset (the begin of a line) to the end of the file.

    What follows the last newline is the last line, incomplete; where nothing follows, there is none.
    """
    held: list[bytes] = []  # the begin of a line that goes on in the next piece
    held_bytes = 0
    position = offset
    while piece := read(position, PIECE_BYTES):
        position += len(piece)
        begin = 0
        # Line by line, not by `split`: a line is gone before the next one needs its place in the processor's cache.
        while (end := piece.find(b"\n", begin)) >= 0:
            data = piece[begin:end]
            begin = end + 1
            if held_bytes:
                line = _line(offset, [*held, data], held_bytes + len(data), complete=True)
                held, held_bytes = [], 0
            else:
                line = Line(offset, len(data), data, True)
            yield line
            offset += line.length + 1
        held_bytes += len(piece) - begin
        if held_bytes <= MAX_LINE_BYTES:
            held.append(piece[begin:])
    if held_bytes:
        yield _line(offset, held, held_bytes, complete=False)


def _line(offset: int, parts: list[bytes], length: int, *, complete: bool) -> Line:
    return Line(offset, length, b"".join(parts) if length <= MAX_LINE_BYTES else None, complete)
