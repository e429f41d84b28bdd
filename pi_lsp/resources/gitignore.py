"""One pattern of gitignore as a regular expression: pathspec's, with git's own reading of what stands in brackets.

In brackets git knows the classes of POSIX by their names, lets a backslash take the meaning from any member, and drops
a range that runs backwards; a bracket that is never closed makes the whole pattern match nothing.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

MAX_STARS = 3
"""Stars in a part of a pattern, and `**` in a pattern: each makes matching longer, so a line with more is left out."""

_CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": " \\t", "cntrl": "\\x00-\\x1f\\x7f", "digit": "0-9",
    "graph": "!-.0-~", "lower": "a-z", "print": " -.0-~", "punct": "!-.:-@\\[-`{-\\~", "space": " \\t\\n\\r",
    "upper": "A-Z", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_CLASS = re.compile(r"\[:([^\]]*):\]")
_STAND_IN = "\0"
"""Stands for a bracket while pathspec translates the rest: no path holds it."""


class Pattern(NamedTuple):
    """A compiled pattern, and whether it ignores what it matches or brings it back."""

    regex: re.Pattern[str]
    ignores: bool


def has_many_stars(pattern: str) -> bool:
    """Whether matching a pattern may take for ever."""
    return pattern.count("**") > MAX_STARS or any(part.count("*") > MAX_STARS for part in pattern.split("/"))


def compile_pattern(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> Pattern | None:
    """Compile a pattern as pathspec understands it, relative to its folder; None where it matches nothing."""
    from pathspec.patterns.gitignore import GitIgnorePatternError  # noqa: PLC0415  30 ms that most folders do not need
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern  # noqa: PLC0415  likewise

    brackets = list(_brackets(pattern))
    if _STAND_IN in pattern or None in brackets:
        return None
    marked, end = "", 0
    for bracket in filter(None, brackets):
        marked += pattern[end : bracket.start] + _STAND_IN
        end = bracket.end
    marked += pattern[end:]
    if "/" in pattern.rstrip("/") and "/" not in marked.rstrip("/"):  # a slash in brackets anchors as any other does
        marked = f"!/{marked[1:]}" if marked.startswith("!") else f"/{marked}"
    try:
        source, ignores = GitIgnoreSpecPattern.pattern_to_regex(marked)
    except GitIgnorePatternError:
        return None  # git does not match such a pattern either
    if source is None or ignores is None:
        return None
    classes = iter([bracket.regex for bracket in filter(None, brackets)])
    return Pattern(re.compile(re.sub(_STAND_IN, lambda _: next(classes), source), flags), ignores)


class _Bracket(NamedTuple):
    start: int
    end: int
    regex: str


def _brackets(pattern: str) -> Iterator[_Bracket | None]:
    """The brackets of a pattern; None for one that makes it match nothing."""
    index = 0
    while index < len(pattern):
        if pattern[index] == "\\":
            index += 1
        elif pattern[index] == "[":
            bracket = _bracket(pattern, index)
            yield bracket
            if bracket is None:
                return
            index = bracket.end - 1
        index += 1


def _bracket(pattern: str, start: int) -> _Bracket | None:
    """The bracket that begins at `start`, read as git's matcher reads it."""
    index = start + 1
    negated = pattern[index : index + 1] in ("!", "^")
    index += negated
    members: list[str] = []
    low = ""  # the member that a "-" behind it makes the start of a range
    while True:
        if named := _CLASS.match(pattern, index):
            if named[1] not in _CLASSES:
                return None
            members.append(_CLASSES[named[1]])
            low, index = "", named.end()
        else:
            is_range = (
                low != "" and pattern[index : index + 1] == "-" and pattern[index + 1 : index + 2] not in ("", "]")
            )
            index += is_range
            index += pattern[index : index + 1] == "\\"
            if index >= len(pattern):
                return None
            member = pattern[index]
            if not is_range:
                members.append(re.escape(member))
            elif low <= member:
                members.append(f"-{re.escape(member)}")
            low, index = "" if is_range else member, index + 1
        if pattern[index : index + 1] == "]":
            body = "".join(members)
            return _Bracket(start, index + 1, f"[^/{body}]" if negated else f"(?!/)[{body}]")
