"""Positions of LSP in texts: lines end where LSP says, and a column counts what the client and we agreed on.

Python's own `splitlines` knows ten more line ends than editors do, so one form feed would shift every later line.
"""

import re
from itertools import accumulate
from typing import Literal, TypeAlias

from pi_lsp.base.text import slice_head, utf8_length, utf16_length

Encoding: TypeAlias = Literal["utf-8", "utf-16", "utf-32"] | str
"""The unit of a column; whatever else it is counts as UTF-16, the one that every client knows."""

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def split_lines(text: str) -> list[str]:
    """The lines with their ends (`\\n`, `\\r\\n` or `\\r`); a final line end begins no further line."""
    return _LINE.findall(text)


def to_index(line: str, column: int, encoding: Encoding) -> int:
    """The index in a line of a client's column; the end of the line (before its line end) where it is further."""
    end = len(line.rstrip("\r\n"))
    if encoding == "utf-32" or line.isascii():
        return min(column, end)
    if encoding == "utf-8":
        starts = accumulate((utf8_length(char) for char in line[:end]), initial=0)
        return next((index for index, start in enumerate(starts) if start >= column), end)
    return len(slice_head(line[:end], column))


def to_column(line: str, index: int, encoding: Encoding) -> int:
    """The client's column of an index in a line."""
    if encoding == "utf-32" or line.isascii():
        return index
    return utf8_length(line[:index]) if encoding == "utf-8" else utf16_length(line[:index])


def to_offset(lines: list[str], line: int, column: int, encoding: Encoding) -> int:
    """The index in the whole text of a client's position; the end of the text where it is further."""
    before = sum(map(len, lines[:line]))
    return before + to_index(lines[line], column, encoding) if line < len(lines) else before
