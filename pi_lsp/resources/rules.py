"""Rule files: what an agent started in a folder loads, and why it does not load the others.

As Pi 1.6.0 does: of each folder the first regular file of `RULE_NAMES`, the agent folder's first, then from the file
system's root down to the working directory. Later is closer. Folders are told apart by their path text alone, so a
file reached by two paths is loaded twice. Trust plays no part.
"""

import os
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

import msgspec

from pi_lsp.base.files import Files, Kind
from pi_lsp.base.paths import resolve
from pi_lsp.resources.rule_text import RuleText, decode_rule
from pi_lsp.resources.worktree import nested_worktree

RULE_NAMES = ("AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD")
"""The names Pi knows, the stronger first."""

_BY_LETTERS = {name.lower(): name for name in ("AGENTS.override.md", "AGENTS.md", "CLAUDE.md")}
_LIKELY = frozenset({*_BY_LETTERS, "agent.md"})

Scope: TypeAlias = Literal["global", "ancestor", "directory", "nested"]
Reason: TypeAlias = Literal["shadowed", "notAFile", "unreadable", "otherCase", "duplicate", "belowCwd", "worktree"]


class ContextFile(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A loaded rule file as the system prompt carries it: its path as it was found, and its text."""

    path: str
    content: str


class Loaded(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The rule files of a working directory in reading order, and a line for each that could not be read."""

    files: tuple[ContextFile, ...]
    warnings: tuple[str, ...]


class RuleFile(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A rule file, loaded or not.

    `reason` says why it is not loaded; the one reason that a loaded file can have is `duplicate`: the model gets the
    same text twice, as it would from Pi. `by` is the path of the file that is read instead, or, of a duplicate, was
    read before. `detail` explains in words where the reason alone does not. `real_path` has every link resolved. The
    text of a file that is no regular file, or cannot be read, is empty.
    """

    path: str
    real_path: str
    scope: Scope
    loaded: bool
    reason: Reason | None = None
    by: str | None = None
    detail: str | None = None
    text: RuleText = RuleText()


def load(files: Files, cwd: str, agent_dir: str) -> Loaded:
    """What an agent started in `cwd` loads: the loaded files of `chain`."""
    records = chain(files, cwd, agent_dir)
    return Loaded(
        files=tuple(ContextFile(path=record.path, content=record.text.content) for record in records if record.loaded),
        warnings=tuple(
            f"Could not read {record.path}: {record.detail}" for record in records if record.reason == "unreadable"
        ),
    )


def load_folder(files: Files, folder: str) -> ContextFile | None:
    """The rule file of one folder, if it has one."""
    winner = _winner(_folder(files, folder, "directory", folder))
    return ContextFile(path=winner.path, content=winner.text.content) if winner else None


def chain(files: Files, directory: str, agent_dir: str) -> list[RuleFile]:
    """Every rule file of the folders an agent started in `directory` looks into, in reading order.

    Files that are not loaded stand where they would have stood. The folders may begin with `~`; they need not exist.
    """
    directory, agent_dir = resolve(directory), resolve(agent_dir)
    records = _folder(files, agent_dir, "global", files.realpath(agent_dir))
    copied = _copied_in_worktree(files, directory)
    real = ""
    for folder in lineage(directory):
        # Folder by folder: a whole realpath for each would ask for every folder above again and again.
        is_plain = real and not files.is_link(folder)
        real = os.path.join(real, os.path.basename(folder)) if is_plain else files.realpath(folder)
        if folder != agent_dir:
            found = _folder(files, folder, "directory" if folder == directory else "ancestor", real)
            records += (_without_original(record, real, copied) for record in found) if copied else found
    return list(_mark_duplicates(records))


def survey(files: Files, cwd: str, agent_dir: str, folders: Iterable[str]) -> list[RuleFile]:
    """The chain of `cwd`, then the rule files of all other `folders`, parents before children.

    Of the latter none is loaded: what would be, in an agent started there, has the reason `belowCwd`.
    """
    records = chain(files, cwd, agent_dir)
    known = {resolve(agent_dir), *lineage(resolve(cwd))}
    for folder in sorted(set(folders) - known, key=lambda path: path.split(os.sep)):
        records += (_not_below(record) for record in _folder(files, folder, "nested", files.realpath(folder)))
    return records


def meant_name(name: str) -> str | None:
    """The name in `RULE_NAMES` that a file's name is, or that somebody meant who spelled it otherwise.

    Nobody means a rule file by `agent.md` in small letters: that is a page about agents.
    """
    if name in RULE_NAMES:
        return name
    return "AGENTS.md" if name == "AGENT.md" else _BY_LETTERS.get(name.lower())


def lineage(directory: str) -> list[str]:
    """The folders from the file system's root down to an absolute path, by its text."""
    folders = [directory]
    while (parent := os.path.dirname(folders[-1])) != folders[-1]:
        folders.append(parent)
    return folders[::-1]


def _folder(files: Files, folder: str, scope: Scope, real_folder: str) -> list[RuleFile]:
    """The rule files of one folder, the strongest name first; at most one of them is loaded."""
    names = files.names(folder)
    alike = [name for name in names if name.lower() in _LIKELY and meant_name(name)]
    if names and not alike:  # mostly so
        return []
    records: list[RuleFile] = []
    winner: RuleFile | None = None
    for name in (known := _known_names(files, folder, names, alike)):
        record = _examine(files, os.path.join(folder, name), os.path.join(real_folder, name), scope)
        if winner and record.reason != "notAFile":
            record = _not_loaded(record, "shadowed", by=winner.path)
        elif record.loaded:
            winner = record
        records.append(record)
    # On a disk that ignores case a file may be known by a name that is not quite the one in the listing.
    other_spellings = {name.lower() for name in known if name not in alike}
    for name in alike:
        if name not in RULE_NAMES and name.lower() not in other_spellings:
            record = _examine(files, os.path.join(folder, name), os.path.join(real_folder, name), scope)
            if record.reason != "notAFile":
                detail = f"Pi would read it under the name {meant_name(name)}"
                records.append(_not_loaded(record, "otherCase", detail=detail))
    return records


def _known_names(files: Files, folder: str, names: list[str], alike: list[str]) -> list[str]:
    """Those of `RULE_NAMES` at which something stands, each thing once.

    A folder that may be entered but not listed has no `names`, and a disk that ignores case finds a file by more
    names than it lists: both are asked name by name.
    """
    known: list[str] = []
    spelled = {name.lower() for name in alike}
    for name in RULE_NAMES:
        may_exist = not names or name.lower() in spelled - {name.lower() for name in known}
        if name in alike or (may_exist and files.kind(os.path.join(folder, name))):
            known.append(name)
    return known


def _examine(files: Files, path: str, path_in_real_folder: str, scope: Scope) -> RuleFile:
    """The record of one file, loaded if nothing about the file itself stands against it."""
    is_link = files.is_link(path)
    real_path = files.realpath(path) if is_link else path_in_real_folder
    record = RuleFile(path=path, real_path=real_path, scope=scope, loaded=True)
    kind = files.kind(path)
    if kind != "file":
        return _not_loaded(record, "notAFile", detail=_what_it_is(files, record, kind, is_link))
    try:
        return msgspec.structs.replace(record, text=decode_rule(files.read(path)))
    except OSError as error:
        return _not_loaded(record, "unreadable", detail=error.strerror or str(error))


def _what_it_is(files: Files, record: RuleFile, kind: Kind | None, is_link: bool) -> str:
    match kind:
        case "dir":
            return f"a link to the folder {record.real_path}" if is_link else "a folder"
        case None if is_link:
            loop = files.is_link(record.real_path)
            return "a link that leads back to itself" if loop else f"a link to {record.real_path}, which does not exist"
        case _:
            return "neither a file nor a folder"


def _copied_in_worktree(files: Files, directory: str) -> tuple[str, str] | None:
    """The real path of the main repository's rule file that a nested worktree has a copy of, and the copy's path."""
    worktree = nested_worktree(files, directory)
    copy = load_folder(files, worktree.root) if worktree else None
    return (os.path.join(worktree.main, os.path.basename(copy.path)), copy.path) if worktree and copy else None


def _without_original(record: RuleFile, real_folder: str, copied: tuple[str, str]) -> RuleFile:
    original, copy = copied
    # The folder's real path, not the file's: a worktree's file may itself be a link to the original.
    if record.loaded and os.path.join(real_folder, os.path.basename(record.path)) == original:
        return _not_loaded(record, "worktree", by=copy)
    return record


def _mark_duplicates(records: Iterable[RuleFile]) -> Iterator[RuleFile]:
    """Say of a loaded file that the same file was loaded before, by another path."""
    first: dict[str, str] = {}
    for record in records:
        if record.loaded and (earlier := first.setdefault(record.real_path, record.path)) != record.path:
            yield msgspec.structs.replace(record, reason="duplicate", by=earlier)
        else:
            yield record


def _not_below(record: RuleFile) -> RuleFile:
    return _not_loaded(record, "belowCwd") if record.loaded else record


def _not_loaded(record: RuleFile, reason: Reason, by: str | None = None, detail: str | None = None) -> RuleFile:
    return msgspec.structs.replace(record, loaded=False, reason=reason, by=by, detail=detail)


def _winner(records: Iterable[RuleFile]) -> RuleFile | None:
    return next((record for record in records if record.loaded), None)
