"""Reading a session file line by line, going on later where the last reading stopped.

A line that holds no record is skipped and remembered with its number; whatever it holds stays in the file.
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeVar

import msgspec

from pi_lsp.base.json import Json, JsonError, JsonObject, decode, to_utf8
from pi_lsp.base.text import JS_SPACE
from pi_lsp.session.codec import is_header
from pi_lsp.session.errors import InvalidSessionError
from pi_lsp.session.lines import Line, Read, read_lines, reader

T = TypeVar("T")

MAX_PROBLEMS: Final = 1000

_BOM = b"\xef\xbb\xbf"


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """A line that was skipped."""

    line: int
    """Its number, from 1."""
    reason: str


class Index:
    """How far a file has been read, and which of its lines hold no record."""

    def __init__(self, read: Read) -> None:
        """`read` as for `read_lines`."""
        self.position = 0
        """Up to here, in bytes, every line has been read or skipped for good."""
        self.skipped = 0
        """How many lines were skipped, blank ones aside."""
        self._read: Final = read
        self._problems: Final[list[Problem]] = []
        self._newlines = 0  # before the position
        self._torn = False

    @property
    def line(self) -> int:
        """The number of the line at the position."""
        return self._newlines + 1

    @property
    def problems(self) -> list[Problem]:
        """The lines that were skipped, the first 1,000 of them, and the last one where it is incomplete."""
        torn = [Problem(line=self.line, reason="the last line is incomplete")] if self._torn else []
        return self._problems + torn

    def records(self, decode: Callable[[bytes], T]) -> Iterator[tuple[Line, T]]:
        """The records from the position to the end of the file; the position moves with them.

        `decode` raises JsonError for a line that is none. A last line without a newline is a record if it decodes;
        else it is left for the next reading, since its rest may be on its way.
        """
        self._torn = False
        for line in read_lines(self._read, self.position):
            record: tuple[Line, T] | None = None
            try:
                if line.data is None:
                    raise JsonError("longer than 256 MiB")
                record = line, decode(line.data if line.offset else line.data.removeprefix(_BOM))
            except JsonError as error:
                if not _is_blank(line):
                    if not line.complete:
                        self._torn = True
                        return
                    self._skip(str(error))
            self.position = line.offset + line.length + line.complete
            self._newlines += line.complete
            if record:
                yield record

    def _skip(self, reason: str) -> None:
        self.skipped += 1
        if len(self._problems) < MAX_PROBLEMS:
            self._problems.append(Problem(line=self.line, reason=reason))


class HeaderLine(NamedTuple):
    """The header of a session, and the line it stands on."""

    line: Line
    header: JsonObject


def read_header(index: Index, path: str) -> HeaderLine:
    """The header of a session: its first record that is something (null, false, 0 and "" are nothing).

    Raises:
        InvalidSessionError: there is no record, or it is no header.
    """
    for line, value in index.records(decode):
        if isinstance(value, dict) and is_header(value):
            return HeaderLine(line, value)
        if _is_something(value):
            raise InvalidSessionError(path, index.line - line.complete, "its first record is no session header")
    raise InvalidSessionError(path, 1, "it has no session header")


def read_values(index: Index) -> list[Json]:
    """The values of all records from the position on; null, false, 0 and "" are nothing."""
    return [value for _, value in index.records(decode) if _is_something(value)]


def parse_lines(content: bytes | str) -> list[Json]:
    """The values on the lines of a text, whatever they are; white space and a BOM around the text mean nothing."""
    text = content.decode(errors="replace") if isinstance(content, bytes) else content
    return [value for _, value in Index(reader(to_utf8(text.strip(JS_SPACE)))).records(decode)]


def _is_blank(line: Line) -> bool:
    return line.data is not None and not (line.data if line.offset else line.data.removeprefix(_BOM)).strip()


def _is_something(value: Json) -> bool:
    return bool(value) or isinstance(value, dict | list)
