"""The simple YAML that nearly all frontmatter is made of, read without a YAML parser.

That is keys at the left edge, with scalars on one line (plain ones that begin with a letter, quoted ones with no
escapes but those of quotes), and below a key, all indented alike, a list or a mapping of such scalars or the lines of
a block scalar. What is read here is read as the parser would read it; for everything else there is the parser.
"""

import re
from collections.abc import Sequence

from pi_lsp.base.json import Json, JsonObject
from pi_lsp.resources.yaml_values import WORDS

_LINE = re.compile(r"([A-Za-z][A-Za-z0-9_-]*):(?: +(.*))?")
_ITEM = re.compile(r"- +(.*)")
_LETTER = re.compile("[A-Za-z]")
_SINGLE = re.compile(r"'((?:[^']|'')*)'")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\["\\])*)"')
_ESCAPE = re.compile(r'\\(["\\])')
_BLOCKS = frozenset({"|", "|-", ">", ">-"})


class _NotPlainError(Exception):
    """The text needs the parser."""


def read_plain(yaml: str) -> tuple[JsonObject, dict[str, int]] | None:
    """The mapping, and the line (from 0) of every key; None where the text needs the parser."""
    # What Python calls printable holds no control character, no other line end and no byte order mark.
    if not yaml.replace("\n", "").isprintable():
        return None
    rows = yaml.split("\n") if yaml else []
    fields: JsonObject = {}
    lines: dict[str, int] = {}
    row = 0
    try:
        while row < len(rows):
            key, value = _match(_LINE, rows[row]).group(1, 2)
            if key in fields or key in WORDS:
                return None
            lines[key] = row
            row = first = row + 1
            while row < len(rows) and rows[row].startswith(" "):
                row += 1
            fields[key] = _value((value or "").rstrip(" "), rows[first:row])
    except _NotPlainError:
        return None
    return fields, lines


def _value(text: str, rows: Sequence[str]) -> Json:
    """The value of a key, of the text beside it and the indented rows below. Raises _NotPlainError."""
    if not rows:
        return _scalar(text)
    lines = [row.lstrip(" ") for row in rows]
    indents = {len(row) - len(line) for row, line in zip(rows, lines, strict=True)}
    if len(indents) > 1 or any(not line or line.endswith(" ") for line in lines):
        raise _NotPlainError
    if text in _BLOCKS:
        return ("\n" if text[0] == "|" else " ").join(lines) + ("" if text.endswith("-") else "\n")
    if text:
        raise _NotPlainError
    if lines[0].startswith("-"):
        return [_scalar(_match(_ITEM, line)[1]) for line in lines]
    mapping: JsonObject = {}
    for line in lines:
        key, value = _match(_LINE, line).group(1, 2)
        if key in mapping or key in WORDS:
            raise _NotPlainError
        mapping[key] = _scalar(value or "")
    return mapping


def _match(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    match = pattern.fullmatch(text)
    if match is None:
        raise _NotPlainError
    return match


def _scalar(text: str) -> Json:
    if _LETTER.match(text):
        if ": " in text or " #" in text or text.endswith(":"):
            raise _NotPlainError
        return WORDS.get(text, text)
    if quoted := _DOUBLE.fullmatch(text):
        return _ESCAPE.sub(r"\1", quoted[1])
    if quoted := _SINGLE.fullmatch(text):
        return quoted[1].replace("''", "'")
    raise _NotPlainError
