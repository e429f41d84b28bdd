"""Which folders the ignore files of a tree keep out of the index, by the semantics of gitignore.

Only folders are asked about: an agent loads an ignored rule file like any other. Most patterns are plain names or
`*.suffix`; these are compared as texts, so that a tree of thousands of folders costs little and pathspec is loaded
only where a pattern needs it.
"""

import os
import re
from collections.abc import Callable, Container, Iterable, Sequence
from typing import TypeAlias

from pi_lsp.base.files import Files
from pi_lsp.resources.gitignore import Pattern, compile_pattern, has_many_stars
from pi_lsp.resources.ignore import MAX_PATTERNS, left_out

IGNORE_NAMES = (".gitignore", ".ignore")
"""The ignore files of a folder, the weaker first."""

ALWAYS_IGNORED = frozenset({".git", ".hg", ".svn", ".jj", ".venv", "node_modules", "__pycache__"})
"""Folders that are never looked into."""

_PLAIN = re.compile(r"(?:\*\*/)?([^/*?\[\]\\!#][^/*?\[\]\\]*)/?")
_SUFFIX = re.compile(r"\*(\.[^/*?\[\]\\]+)/?")
_ALL = re.compile(r"^(!?)(?:\*|/?\*\*)/?$")
_ALL_BELOW = re.compile(r"/\*\*/?$")
_Verdict: TypeAlias = Callable[[str], bool | None]


class IgnoreFile:
    """The patterns of one ignore file, or of several in one folder, later ones stronger."""

    def __init__(self, folder: str, lines: Iterable[str]) -> None:
        self._prefix = len(folder.rstrip(os.sep)) + 1
        self._lines = [line for line in map(_trim, lines) if line and not line.startswith("#")]
        positive = [line for line in self._lines if not line.startswith("!")]
        self._negates = len(positive) < len(self._lines)
        self._names = frozenset(match[1] for line in positive if (match := _PLAIN.fullmatch(line)))
        self._suffixes = tuple(match[1] for line in positive if (match := _SUFFIX.fullmatch(line)))
        rest = [line for line in positive if not _PLAIN.fullmatch(line) and not _SUFFIX.fullmatch(line)]
        starry = sum(map(has_many_stars, self._lines))
        self.problem = left_out(folder, starry, len(self._lines if self._negates else rest) - starry - MAX_PATTERNS)
        """What of the patterns is not used."""
        self._rest = _compile(rest)
        self._all: _Verdict | None = None

    def ignores(self, path: str, name: str, ignored: bool) -> bool:
        """Whether the folder `path` (its last part is `name`) is ignored, if weaker files say `ignored`."""
        if name in self._names or name.endswith(self._suffixes) or self._rest(self._relative(path)):
            return self._exact(path, True) if self._negates else True
        return self._exact(path, ignored) if ignored and self._negates else ignored

    def _exact(self, path: str, ignored: bool) -> bool:
        """What all patterns say in their order; `ignored` where none says anything."""
        if self._all is None:
            self._all = _compile(self._lines)
        verdict = self._all(self._relative(path))
        return ignored if verdict is None else verdict

    def _relative(self, path: str) -> str:
        return path[self._prefix :].replace(os.sep, "/") + "/"


Rules: TypeAlias = tuple[IgnoreFile, ...]
"""The ignore files that hold for a folder, the weaker (outer) first."""


def is_ignored(rules: Rules, path: str, name: str) -> bool:
    """Whether a folder is kept out of the index."""
    ignored = False
    for rule in rules:
        ignored = rule.ignores(path, name, ignored)
    return ignored


def rules_inside(files: Files, folder: str, names: Container[str], rules: Rules) -> Rules:
    """The rules for what lies in a folder, of which `rules` are those for itself.

    `names` need hold no more than `.git` and the ignore files, where it has them. At a repository inside another the
    outer one's rules end.
    """
    return (rules_above(files, folder) if ".git" in names else rules) + _own_rules(files, folder, names)


def rules_above(files: Files, folder: str) -> Rules:
    """The rules that the folders above bring into one that lies in a git repository; none where it does not."""
    rules: list[Rules] = []
    while files.kind(os.path.join(folder, ".git")) is None:
        parent = os.path.dirname(folder)
        if parent == folder:
            return ()
        folder = parent
        rules.append(_own_rules(files, folder, IGNORE_NAMES))
    exclude = _read(files, folder, [os.path.join(folder, ".git", "info", "exclude")])
    return sum(reversed(rules), exclude)


def _own_rules(files: Files, folder: str, names: Container[str]) -> Rules:
    return _read(files, folder, [os.path.join(folder, name) for name in IGNORE_NAMES if name in names])


def _read(files: Files, folder: str, paths: Sequence[str]) -> Rules:
    lines: list[str] = []
    for path in paths:
        if files.kind(path) == "file":
            try:
                lines += files.read(path).decode(errors="replace").removeprefix("\ufeff").split("\n")
            except OSError:
                continue
    return (IgnoreFile(folder, lines),) if lines else ()


def _trim(line: str) -> str:
    line = line.removesuffix("\r")
    return line if line.endswith("\\ ") else line.rstrip(" ")


def _compile(lines: Sequence[str]) -> _Verdict:
    """A function from a relative path that ends in `/` to what the last matching pattern says, None where none does.

    A pattern must match the folder itself, not one above it: those have been asked about on the way down.
    """
    if not lines:
        return _no_verdict
    patterns: list[Pattern] = []
    for line in reversed(lines):
        if len(patterns) == MAX_PATTERNS:
            break
        if not has_many_stars(line) and (pattern := compile_pattern(_spelled_out(line))):
            patterns.append(pattern)
    return lambda path: next((ignores for regex, ignores in patterns if regex.fullmatch(path)), None)


def _spelled_out(line: str) -> str:
    """The pattern in a form for which pathspec gives the whole expression, not one for the start of what it matches."""
    return _ALL_BELOW.sub("/**/?*", _ALL.sub(r"\1?*", line))


def _no_verdict(_path: str) -> None:
    return None
