"""The ignore files of a scan for skills and templates, as Pi 1.6.0 reads them.

They are gitignore's rules with three differences: case does not matter; what a folder below the scanned one says is
anchored there (`x` hides `x` but not `sub/x`); and `\\!x` in the scanned folder itself is `!x`.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from pi_lsp.base.files import Files
from pi_lsp.base.text import JS_SPACE
from pi_lsp.resources.gitignore import MAX_STARS, Pattern, compile_pattern, has_many_stars
from pi_lsp.resources.resource import Note

IGNORE_NAMES = (".gitignore", ".ignore", ".fdignore")
"""The ignore files of one folder, later ones stronger."""

MAX_PATTERNS = 2000
"""Patterns of one folder that are matched, the last (and so the strongest) ones."""


class IgnoreRules:
    """The rules that hold in one folder of a scan: its own and those of the folders above."""

    def __init__(self, rules: Sequence[Pattern], above: "IgnoreRules | None") -> None:
        self._rules = rules
        self._above = above

    def ignores(self, path: str) -> bool:
        """Whether a path is ignored; it is relative to the scanned folder, with "/", and a folder's ends with "/".

        Only the path itself is asked about: a scan has asked about the folders above it before.
        """
        level: IgnoreRules | None = self
        while level is not None:
            for rule in reversed(level._rules):
                if _matches(rule.regex, path):
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
        if (pattern := _pattern(line, prefix))
    ]
    usable = [pattern for pattern in patterns if not has_many_stars(pattern)]
    if problem := left_out(folder, len(patterns) - len(usable), len(usable) - MAX_PATTERNS):
        note(problem)
    if not usable:
        return above
    compiled = (compile_pattern(pattern, re.IGNORECASE) for pattern in usable[-MAX_PATTERNS:])
    return IgnoreRules([rule for rule in compiled if rule], above)


def left_out(folder: str, starry: int, beyond: int) -> str | None:
    """The sentence about patterns that are not used: so many with too many stars, and so many beyond the limit."""
    found = [
        f"{starry} with more than {MAX_STARS} stars in one part" if starry > 0 else "",
        f"{beyond} before the last {MAX_PATTERNS}" if beyond > 0 else "",
    ]
    reasons = " and ".join(filter(None, found))
    return f"{folder}: patterns of its ignore files are not used: {reasons}" if reasons else None


def _matches(regex: re.Pattern[str], path: str) -> bool:
    """Whether a pattern is about the path itself, and not only about a folder above it."""
    match = regex.search(path)
    # pathspec has a group for the "/" that ends a folder; a pattern without it matches all that lies below.
    return match is not None and (match.end() == len(path) or not regex.groupindex)


def _lines(files: Files, path: str) -> Iterator[str]:
    try:
        text = files.read(path).decode(errors="replace")
    except OSError:
        return
    yield from text.replace("\r\n", "\n").split("\n")


def _pattern(line: str, prefix: str) -> str | None:
    """The pattern of a line for pathspec; None for a comment and a blank line.

    The folder's path becomes a part of it as it is: in `a[1]/` a pattern means what lies in `a1/`.
    """
    stripped = line.strip(JS_SPACE)
    if not stripped or stripped.startswith("#"):
        return None
    negation, pattern = ("!", line[1:]) if line.startswith("!") else ("", line)
    if not negation and pattern.startswith("\\!"):
        pattern = pattern[1:]
    pattern = pattern.removeprefix("/")
    if not prefix and pattern.startswith("\ufeff"):  # below it stays, behind the prefix, and spoils the pattern
        pattern = pattern[1:].replace("!", "\\!", 1) if pattern.startswith("\ufeff!") else pattern[1:]
    if not pattern:
        # `/` in a folder below hides all of it; `!` in the scanned folder itself brings everything back.
        return None if bool(prefix) == bool(negation) else f"{negation}{prefix}**"
    return f"{negation}{prefix}{pattern}"
