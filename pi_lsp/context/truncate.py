"""Cutting tool output to what a model is shown: whole lines from the start or the end, within two limits.

The rules and figures are Pi 1.6.0's. Lines end at `\\n` alone; a final newline begins no further line. Limits and
totals are lines and UTF-8 bytes (a lone surrogate counts 3); with a limit below 0 nothing fits. The work done depends
on the limits, not on the number of lines, so a log of 100 MB costs no more than counting its newlines and bytes.
"""

from typing import Literal, NamedTuple

import msgspec

from pi_lsp.base.json import to_utf8
from pi_lsp.base.text import slice_head, utf8_length

MAX_LINES = 2000
MAX_BYTES = 50 * 1024
MAX_LINE_UNITS = 500
"""UTF-16 units of one line that a search shows."""

_KIB, _MIB = 1024, 1024 * 1024


class Truncation(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What was kept of a text, and how much there was."""

    content: str
    truncated: bool
    truncated_by: Literal["lines", "bytes"] | None
    """The limit that was met first; `lines` as well where only the final newline had to go."""
    total_lines: int
    total_bytes: int
    output_lines: int
    output_bytes: int
    last_line_partial: bool
    """The last line alone is over the byte limit, and `content` is its end."""
    first_line_exceeds_limit: bool
    """The first line alone is over the byte limit, and `content` is empty."""
    max_lines: int
    max_bytes: int


class CutLine(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A line, and whether it is only the beginning of the line that was given."""

    text: str
    was_truncated: bool


class _Measured(NamedTuple):
    text: str
    lines: int
    bytes: int
    end: int
    """Where the last line ends: the final newline is left out."""
    max_lines: int
    max_bytes: int

    @property
    def fits(self) -> bool:
        return self.lines <= self.max_lines and self.bytes <= self.max_bytes

    @property
    def fits_without_final_newline(self) -> bool:
        return self.bytes - (len(self.text) - self.end) <= self.max_bytes


def truncate_head(text: str, max_lines: int = MAX_LINES, max_bytes: int = MAX_BYTES) -> Truncation:
    """The first lines of a text that keep both limits; never a part of a line."""
    whole = _measure(text, max_lines, max_bytes)
    if whole.fits:
        return _unchanged(whole)
    # A character has at least one byte, so this much holds all that can be kept, and one byte of what cannot.
    start = _to_bytes(text[: min(whole.end, max_bytes + 1)])
    if len(start.partition(b"\n")[0]) > max_bytes:
        return _cut(whole, b"", lines=0, by="bytes", first_line_exceeds_limit=True)
    kept = start if whole.fits_without_final_newline else start[: start.rindex(b"\n", 0, max_bytes + 1)]
    lines = kept.count(b"\n") + 1
    if lines < max_lines:
        return _cut(whole, kept, lines=lines, by="lines" if lines == whole.lines else "bytes")
    lines = max(0, max_lines)
    return _cut(whole, b"\n".join(kept.split(b"\n", lines)[:lines]), lines=lines, by="lines")


def truncate_tail(text: str, max_lines: int = MAX_LINES, max_bytes: int = MAX_BYTES) -> Truncation:
    """The last lines of a text that keep both limits; of a last line over the byte limit, its end."""
    whole = _measure(text, max_lines, max_bytes)
    if whole.fits:
        return _unchanged(whole)
    if max_lines <= 0 or not text:
        return _cut(whole, b"", lines=0, by="lines")
    end = _to_bytes(text[max(0, whole.end - max_bytes - 1) : whole.end])
    if whole.fits_without_final_newline:
        kept = end
    else:
        before, newline, kept = end[-max_bytes - 1 :].partition(b"\n")
        if not newline:
            by = "lines" if max_lines == 1 and max_bytes >= 0 else "bytes"
            return _cut(whole, _whole_characters(before[1:]), lines=1, by=by, last_line_partial=True)
    lines = kept.count(b"\n") + 1
    if lines < max_lines:
        return _cut(whole, kept, lines=lines, by="lines" if lines == whole.lines else "bytes")
    return _cut(whole, b"\n".join(kept.rsplit(b"\n", max_lines)[-max_lines:]), lines=max_lines, by="lines")


def truncate_line(line: str, max_units: int = MAX_LINE_UNITS) -> CutLine:
    """At most `max_units` UTF-16 units of a line, and a mark where there was more."""
    head = slice_head(line, max_units)
    if len(head) == len(line) and max_units >= 0:
        return CutLine(text=line, was_truncated=False)
    return CutLine(text=f"{head}... [truncated]", was_truncated=True)


def format_size(size: int) -> str:
    """A number of bytes for people: `12B`, `50.0KB`, `1.3MB`."""
    if size < _KIB:
        return f"{size}B"
    unit, name = (_KIB, "KB") if size < _MIB else (_MIB, "MB")
    tenths = (size * 20 + unit) // (2 * unit)  # in integers: halves go up, as JavaScript's toFixed does
    return f"{tenths // 10}.{tenths % 10}{name}"


def _measure(text: str, max_lines: int, max_bytes: int) -> _Measured:
    end = len(text) - text.endswith("\n")
    lines = text.count("\n", 0, end) + 1 if text else 0
    return _Measured(text, lines, utf8_length(text), end, max_lines, max_bytes)


def _unchanged(whole: _Measured) -> Truncation:
    return Truncation(
        content=whole.text,
        truncated=False,
        truncated_by=None,
        total_lines=whole.lines,
        total_bytes=whole.bytes,
        output_lines=whole.lines,
        output_bytes=whole.bytes,
        last_line_partial=False,
        first_line_exceeds_limit=False,
        max_lines=whole.max_lines,
        max_bytes=whole.max_bytes,
    )


def _cut(
    whole: _Measured,
    kept: bytes,
    *,
    lines: int,
    by: Literal["lines", "bytes"],
    last_line_partial: bool = False,
    first_line_exceeds_limit: bool = False,
) -> Truncation:
    return Truncation(
        content=kept.decode("utf-8", "surrogatepass"),
        truncated=True,
        truncated_by=by,
        total_lines=whole.lines,
        total_bytes=whole.bytes,
        output_lines=lines,
        output_bytes=len(kept),
        last_line_partial=last_line_partial,
        first_line_exceeds_limit=first_line_exceeds_limit,
        max_lines=whole.max_lines,
        max_bytes=whole.max_bytes,
    )


def _to_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _whole_characters(raw: bytes) -> bytes:
    """The bytes without the tail of a character that begins before them, lone surrogates replaced as Pi does here."""
    start = 0
    while start < len(raw) and raw[start] & 0xC0 == 0x80:
        start += 1
    return to_utf8(raw[start:].decode("utf-8", "surrogatepass"))
