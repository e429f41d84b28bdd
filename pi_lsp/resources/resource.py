"""What skills and prompt templates have in common: where they come from, and what is wrong with them."""

import os
from collections.abc import Callable
from typing import Literal, TypeAlias

import msgspec

Scope: TypeAlias = Literal["user", "project", "temporary"]
SkipReason: TypeAlias = Literal[
    "shadowed", "duplicate", "noDescription", "invalid", "unreadable", "ignored", "excluded", "untrusted"
]


class Source(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Where a resource comes from, as Pi 1.6.0 records it.

    `source` is "auto" for what a convention found, "local" for what a setting or an argument named, else the package.
    `base_dir` is the folder that patterns in settings are relative to.
    """

    path: str
    source: str
    scope: Scope
    origin: Literal["top-level", "package"]
    base_dir: str | None = None


class Collision(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Two skills of one name; the first one found wins."""

    resource_type: Literal["skill"]
    name: str
    winner_path: str
    loser_path: str


class Diagnostic(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Something that the user should know about a file, as Pi reports it. `line` (from 1) is ours."""

    type: Literal["warning", "collision"]
    message: str
    path: str
    collision: Collision | None = None
    line: int | None = None


class Skipped(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A file that would be a skill or a template, and why it is none.

    - shadowed, duplicate: another one has its name, or is the same file; `by` is its path
    - noDescription, invalid, unreadable: what stands (or cannot be read) in it; `detail` and `line` (from 1) say more
    - ignored: by a rule of .gitignore, .ignore or .fdignore
    - excluded: by a pattern of the settings
    - untrusted: it belongs to a project that the user has not trusted
    """

    path: str
    name: str
    reason: SkipReason
    by: str | None = None
    detail: str | None = None
    line: int | None = None


SourceOf: TypeAlias = Callable[[str], Source]
"""Gives the source of a file by its path."""

Note: TypeAlias = Callable[[str], object]
"""Hears of what was left out of a search because of a limit, in a sentence that names the place."""


def local_source(scope: Scope, source: str = "local") -> SourceOf:
    """The source of files that a folder or a name led to; patterns do not apply, so `base_dir` is the file's folder."""
    return lambda path: Source(
        path=path, source=source, scope=scope, origin="top-level", base_dir=os.path.dirname(path)
    )


def collision(name: str, winner: str, loser: str) -> Diagnostic:
    """The report of two skills with one name."""
    return Diagnostic(
        type="collision",
        message=f'name "{name}" collision',
        path=loser,
        collision=Collision(resource_type="skill", name=name, winner_path=winner, loser_path=loser),
    )


def skipped_file(path: str, reason: SkipReason) -> Skipped:
    """A file that was not opened; it goes by the name of its folder, a loose one by its own."""
    folder, file_name = os.path.split(path)
    name = os.path.basename(folder) if file_name == "SKILL.md" else file_name.removesuffix(".md")
    return Skipped(path=path, name=name, reason=reason)
