"""The ignore files of a scan for skills and templates, as Pi 1.6.0 reads them.

They are gitignore's rules with three differences: case does not matter; what a folder below the scanned one says is
anchored there (`x` hides `x` but not `sub/x`); and `\\!x` in the scanned folder itself is `!x`.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple, cast

from pi_lsp.base.files import Files
from pi_lsp.resources.resource import Note

IGNORE_NAMES = (".gitignore", ".ignore", ".fdignore")
"""The ignore files of one folder, later ones stronger."""

MAX_STARS = 3
"""Stars in a part of a pattern, and `**` in a pattern: each makes matching longer, so a line with more is left out."""

MAX_PATTERNS = 2000
"""Patterns of one folder that are matched, the last (and so the strongest) ones."""


class _Rule(NamedTuple):
    regex: re.Pattern[str]
    ignores: bool

    def matches(self, path: str) -> bool:
        """Whether the rule is about the path itself, and not only about a folder above it."""
        match = self.regex.search(path)
        # pathspec has a group for the "/" that ends a folder; a pattern without it matches all that lies below.
        return match is not None and (match.end() == len(path) or not self.regex.groupindex)


class IgnoreRules:
    """The rules that hold in one folder of a scan: its own and those of the folders above."""

    def __init__(self, prefix: str, rules: Sequence[_Rule], above: "IgnoreRules | None") -> None:
        self._start = len(prefix)
        self._rules = rules
        self._above = above

    def ignores(self, path: str) -> bool:
        """Whether a path is ignored; it is relative to the scanned folder, with "/", and a folder's ends with "/".

        Only the path itself is asked about: a scan has asked about the folders above it before.
        """
        folded = path.lower()
        level: IgnoreRules | None = self
        while level is not None:
            inner = folded[level._start :]
            for rule in reversed(level._rules):
                if rule.matches(inner):
                    return rule.ignores
            level = level._above
        return False


def rules_in(
    files: Files, folder: str, names: Collection[str], prefix: str, above: IgnoreRules | None, note: Note
) -> IgnoreRules | None:
    """The rules in a folder that holds these names; `prefix` is its path in the scan, "" or ending with "/"."""
    patterns = [
        pattern
        for name in IGNORE_NAMES
        if name in names
        for line in _lines(files, f"{folder}/{name}")
        if (pattern := _pattern(line, anchored=prefix != ""))
    ]
    usable = [pattern for pattern in patterns if not has_many_stars(pattern)]
    if problem := left_out(folder, len(patterns) - len(usable), len(usable) - MAX_PATTERNS):
        note(problem)
    if not usable:
        return above
    from pathspec.patterns.gitignore import GitIgnorePatternError  # noqa: PLC0415  30 ms that most scans do not need
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern  # noqa: PLC0415  likewise

    rules: list[_Rule] = []
    for pattern in usable[-MAX_PATTERNS:]:
        try:
            compiled = GitIgnoreSpecPattern(pattern)
        except GitIgnorePatternError:
            continue  # git does not match such a pattern either
        if compiled.include is not None:
            rules.append(_Rule(cast("re.Pattern[str]", compiled.regex), compiled.include))
    return IgnoreRules(prefix, rules, above)


def has_many_stars(pattern: str) -> bool:
    """Whether matching a pattern may take for ever."""
    return pattern.count("**") > MAX_STARS or any(part.count("*") > MAX_STARS for part in pattern.split("/"))


def left_out(folder: str, starry: int, beyond: int) -> str | None:
    """The sentence about patterns that are not used: so many with too many stars, and so many beyond the limit."""
    found = [
        f"{starry} with more than {MAX_STARS} stars in one part" if starry > 0 else "",
        f"{beyond} before the last {MAX_PATTERNS}" if beyond > 0 else "",
    ]
    reasons = " and ".join(filter(None, found))
    return f"{folder}: patterns of its ignore files are not used: {reasons}" if reasons else None


def _lines(files: Files, path: str) -> Iterator[str]:
    try:
        text = files.read(path).decode(errors="replace")
    except OSError:
        return
    yield from text.lower().replace("\r\n", "\n").split("\n")


def _pattern(line: str, *, anchored: bool) -> str | None:
    """The pattern of a line for pathspec; None for a comment and a blank line."""
    line = line.removeprefix("\ufeff")
    stripped = line.strip()
    if not stripped or stripped.startswith("#"):
        return None
    negation, pattern = ("!", line[1:]) if line.startswith("!") else ("", line)
    if not negation and pattern.startswith("\\!"):
        pattern = pattern[1:]
    pattern = pattern.removeprefix("/")
    if not pattern:
        # `/` in a folder below hides all of it; `!` in the scanned folder itself brings everything back.
        return None if anchored == bool(negation) else f"{negation}**"
    return f"{negation}/{pattern}" if anchored else f"{negation}{pattern}"
