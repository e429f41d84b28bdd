"""Paths that a Markdown line mentions, and which lines are the head of a file. Pure functions over text."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import unquote

_REACH = 512
"""Characters around an index that are looked at: a line may be as long as a file."""
_MOST_HEAD_LINES = 200

_LINK = re.compile(r"\[[^\[\]]*\]\(<?([^()<>\s]+)>?[^()]*\)")
_CODE = re.compile(r"(`+)([^`]+)\1(?!`)")
_WORD = re.compile(r"[^\s`'\"“”„‘’«»()\[\]{}<>|,;*]+")
_PLACE_IN_FILE = re.compile(r"(?::\d+)+$|#.*$")
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")


class Mention(NamedTuple):
    """What may be a path: its indices in the line, its text, and whether an `@` asks to import it."""

    start: int
    end: int
    text: str
    is_import: bool = False


def mentions(line: str, index: int) -> Iterator[Mention]:
    """What may be a path at an index of a line: a link's target, a code span, a word; the likeliest first.

    Whether it is one only the disk can tell.
    """
    begin = max(index - _REACH, 0)
    near, at = line[begin : index + _REACH], index - begin
    for match in _LINK.finditer(near):
        if match.start() <= at <= match.end():
            yield from _readings(begin + match.start(1), begin + match.end(1), unquote(match[1]))
            return
    in_code = False
    for match in _CODE.finditer(near):
        if match.start() <= at <= match.end():
            in_code = True
            yield from _readings(begin + match.start(2), begin + match.end(2), match[2])
    for match in _WORD.finditer(near):
        text = match[0].rstrip(".:!?")
        if match.start() <= at <= match.start() + len(text) and (in_code or _looks_like_path(text)):
            yield from _readings(begin + match.start(), begin + match.start() + len(text), text)


def is_head(lines: Sequence[str], number: int, *, has_frontmatter: bool) -> bool:
    """Whether a line belongs to the head of a file.

    That is the frontmatter, where the file may have one, or else the first line that is not blank with the blank ones
    above it; and the first heading, unless a code fence comes first.
    """
    top = next((at for at, line in enumerate(lines) if line.strip()), 0)
    if has_frontmatter and lines and lines[0].strip() == "---":
        top = next((at for at, line in enumerate(lines[1:_MOST_HEAD_LINES], 1) if line.strip() == "---"), top)
    if number <= top:
        return True
    return bool(_HEADING.match(lines[number])) and not any(
        _HEADING.match(line) or _FENCE.match(line) for line in lines[top:number]
    )


def _readings(start: int, end: int, text: str) -> Iterator[Mention]:
    """As it stands, then without a line number or fragment behind it."""
    is_import = text.startswith("@")
    text = text.strip().removeprefix("@")
    for reading in dict.fromkeys((text, _PLACE_IN_FILE.sub("", text))):
        if any(map(str.isalnum, reading)):
            yield Mention(start, end, reading, is_import)


def _looks_like_path(word: str) -> bool:
    return "/" in word or "\\" in word or word.startswith("@") or "." in word.strip(".")
