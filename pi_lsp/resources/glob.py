"""Glob patterns of settings, matched against paths with "/".

The language is that of the library minimatch as Pi uses it: `*` and `?` within a part, `**` as a part for any number
of parts, `[abc]`, `{a,b}`, backslash escapes; a leading dot is matched by a dot only; `!` in front negates; a pattern
that begins with `#` matches nothing. Its extended groups such as `+(a|b)` are not understood.
"""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import pairwise

_MAX_ALTERNATIVES = 500
"""Patterns that the braces of one pattern may make; the rest is left out."""
_SLASHES = re.compile("/+")
_ESCAPE = re.compile(r"\\(.)")


def matches(path: str, pattern: str) -> bool:
    """Whether a pattern matches the whole path."""
    bare = pattern.lstrip("!")
    if bare.startswith("#") and bare == pattern:
        return False
    parts = _SLASHES.split(path)
    matched = any(_match_parts(parts, alternative) for alternative in _alternatives(bare))
    return matched != ((len(pattern) - len(bare)) % 2 == 1)


@lru_cache(maxsize=256)
def _alternatives(pattern: str) -> tuple[list[str], ...]:
    """The pattern without braces, once for every way to read them, in parts."""
    done: list[str] = []
    todo = [pattern]
    while todo and len(done) + len(todo) <= _MAX_ALTERNATIVES:
        text = todo.pop()
        group = _first_group(text)
        if group is None:
            done.append(text)
        else:
            start, end, choices = group
            todo += [text[:start] + choice + text[end:] for choice in reversed(choices)]
    return tuple([_translate(part) for part in _SLASHES.split(text)] for text in done)


def _first_group(text: str) -> tuple[int, int, list[str]] | None:
    """The first `{a,b}` of a text: where it begins and ends, and its choices, which may hold further ones."""
    depth = start = 0
    commas: list[int] = []
    for index, char in _unescaped(text):
        if char == "{":
            if depth == 0:
                start, commas = index, [index]
            depth += 1
        elif char == "," and depth == 1:
            commas.append(index)
        elif char == "}" and depth:
            depth -= 1
            if depth == 0 and len(commas) > 1:
                edges = [*commas, index]
                return start, index + 1, [text[a + 1 : b] for a, b in pairwise(edges)]
    return None


def _unescaped(text: str) -> Iterator[tuple[int, str]]:
    escaped = False
    for index, char in enumerate(text):
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = True
        else:
            yield index, char


def _translate(part: str) -> str:
    """A part in the language of fnmatch."""
    return _ESCAPE.sub(lambda match: f"[{match[1]}]" if match[1] in "*?[" else match[1], part).replace("[^", "[!")


def _match_parts(parts: list[str], pattern: list[str]) -> bool:
    """Match part by part. A `**` takes as little as it can and, on a failure behind it, one part more."""
    at = index = 0
    retry: tuple[int, int] | None = None
    while at < len(parts):
        if index < len(pattern) and pattern[index] == "**":
            index += 1
            retry = (at, index)
        elif index < len(pattern) and _match_part(parts[at], pattern[index]):
            at, index = at + 1, index + 1
        elif retry is not None and not parts[retry[0]].startswith("."):
            retry = (retry[0] + 1, retry[1])
            at, index = retry
        else:
            return False
    return all(part == "**" for part in pattern[index:])


def _match_part(part: str, pattern: str) -> bool:
    if part == pattern:
        return True
    if part.startswith(".") and not pattern.startswith("."):
        return False
    return part != "" and fnmatchcase(part, pattern)
