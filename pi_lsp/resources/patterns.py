"""The patterns that a list of skills or templates in the settings holds beside its paths.

`!glob` takes away, `+path` puts back, `-path` takes away for good; a glob without a sign keeps only what it matches.
A pattern is compared with a file's path below the folder that the list is about, its name and its full path, and for
a SKILL.md with those of its folder, as Pi 1.6.0 does.
"""

import os
from collections.abc import Iterable, Sequence

import msgspec

from pi_lsp.base.paths import FileUrlError, from_input
from pi_lsp.resources.glob import matches
from pi_lsp.resources.scan import SKILL_NAME


class Patterns(msgspec.Struct, frozen=True, kw_only=True):
    """The patterns of a list, by their sign."""

    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    put_back: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()

    def allow(self, path: str, base: str) -> bool:
        """Whether a file counts."""
        allowed = not self.only or _matches_glob(path, self.only, base)
        if allowed and self.without:
            allowed = not _matches_glob(path, self.without, base)
        if not allowed and self.put_back:
            allowed = _is_named(path, self.put_back, base)
        return allowed and not (self.taken and _is_named(path, self.taken, base))


def is_signed(entry: str) -> bool:
    """Whether an entry begins with `!`, `+` or `-`."""
    return entry.startswith(("!", "+", "-"))


def is_glob(entry: str) -> bool:
    """Whether an entry is a glob."""
    return "*" in entry or "?" in entry


def parse_patterns(entries: Iterable[str]) -> Patterns:
    """Sort patterns by their sign."""
    by_sign: dict[str, list[str]] = {"": [], "!": [], "+": [], "-": []}
    for entry in entries:
        sign = entry[0] if is_signed(entry) else ""
        by_sign[sign].append(entry[len(sign) :])
    return Patterns(
        only=tuple(by_sign[""]), without=tuple(by_sign["!"]), put_back=tuple(by_sign["+"]), taken=tuple(by_sign["-"])
    )


def last_word(entries: Iterable[str], path: str, base: str) -> bool | None:
    """What the last entry that matches a file says of it, each taken for itself; None where none matches."""
    verdict = None
    for entry in entries:
        target = entry[1:] if is_signed(entry) else entry
        is_exact = entry.startswith(("+", "-"))
        if _is_named(path, [target], base) if is_exact else _matches_glob(path, [target], base):
            verdict = not entry.startswith(("!", "-"))
    return verdict


def _matches_glob(path: str, globs: Sequence[str], base: str) -> bool:
    names = [*_paths(path, base), os.path.basename(path)]
    if os.path.basename(path) == SKILL_NAME:
        folder = os.path.dirname(path)
        names += [*_paths(folder, base), os.path.basename(folder)]
    return any(matches(name, _typed(glob)) for glob in globs for name in names)


def _is_named(path: str, exact: Sequence[str], base: str) -> bool:
    names = _paths(path, base)
    if os.path.basename(path) == SKILL_NAME:
        names += _paths(os.path.dirname(path), base)
    return any(_typed(name.removeprefix("./")) in names for name in exact)


def _paths(path: str, base: str) -> list[str]:
    """The path as seen from the base, and as a whole."""
    relative = os.path.relpath(path, base)
    return ["" if relative == "." else relative.replace(os.sep, "/"), path.replace(os.sep, "/")]


def _typed(pattern: str) -> str:
    """A pattern as it was meant: `~` is the home folder."""
    try:
        return from_input(pattern).replace(os.sep, "/")
    except FileUrlError:
        return pattern
