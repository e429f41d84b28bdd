"""The walk that finds rule files and skills below the workspace folders.

Not walked: folders that are ignored, and folders behind links (a link may lead back up). A workspace folder is walked
even where the one around it ignores it.
"""

import os
from collections.abc import Callable, Iterable, Mapping

import msgspec

from pi_lsp.base.files import Files
from pi_lsp.resources.index_ignore import (
    ALWAYS_IGNORED,
    IGNORE_NAMES,
    Rules,
    is_ignored,
    rules_above,
    rules_inside,
)
from pi_lsp.resources.rules import RULE_NAMES, meant_name

SKILL_NAME = "SKILL.md"
MAX_FOLDERS = 200_000

_OF_INTEREST = frozenset(map(str.lower, (*RULE_NAMES, "AGENT.md", SKILL_NAME, ".git", *IGNORE_NAMES)))


class Finds(msgspec.Struct, frozen=True, kw_only=True):
    """What a walk found: by folder the names of its skill and of its rule files, rightly or nearly named.

    `complete` is false where the walk was stopped or met its limit of folders. `problems` tells in words what was
    passed over.
    """

    roots: tuple[str, ...]
    names: Mapping[str, tuple[str, ...]]
    complete: bool
    problems: tuple[str, ...] = ()


def scan(files: Files, roots: Iterable[str], stop: Callable[[], bool] | None = None) -> Finds:
    """Walk the workspace folders; those that lie in each other are walked once.

    Folders are listed on the disk itself, ignore files are read through `files`. `stop` is asked at every folder.
    Changes nothing that others see, so it may run in a thread.
    """
    roots = tuple(roots)
    return walk(files, [(root, rules_above(files, root)) for root in sorted(roots, key=len)], roots, stop)


def walk(
    files: Files,
    starts: Iterable[tuple[str, Rules]],
    roots: tuple[str, ...],
    stop: Callable[[], bool] | None = None,
    max_folders: int = MAX_FOLDERS,
) -> Finds:
    """Walk from some folders, each with the rules that hold for itself, one after the other."""
    names: dict[str, tuple[str, ...]] = {}
    begun: set[str] = set()
    waiting = list(starts)[::-1]
    start_paths = {path for path, _ in waiting}
    folders = 0
    problems: dict[str, None] = {}
    while waiting:
        path, rules = waiting.pop()
        if path in start_paths:
            if path in begun:
                continue
            begun.add(path)
        if folders >= max_folders:
            problems[f"{path}: the workspace has more than {max_folders} folders; the others are not searched"] = None
        if folders >= max_folders or (stop and stop()):
            return Finds(roots=roots, names=names, complete=False, problems=tuple(problems))
        folders += 1
        try:
            entries = list(os.scandir(path))
            inner = [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
        except (OSError, ValueError):
            continue
        interesting = {entry.name for entry in entries if entry.name.lower() in _OF_INTEREST}
        if interesting:
            rules = rules_inside(files, path, interesting, rules)
            problems |= {rule.problem: None for rule in rules if rule.problem}
            if found := watched(files, path, interesting):
                names[path] = found
        for entry in inner:
            name = entry.name
            if name not in ALWAYS_IGNORED and not (rules and is_ignored(rules, entry.path, name)):
                waiting.append((entry.path, rules))
    return Finds(roots=roots, names=names, complete=True, problems=tuple(problems))


def is_watched(name: str) -> bool:
    """Whether a file of this name belongs into the index."""
    return name == SKILL_NAME or meant_name(name) is not None


def watched(files: Files, folder: str, names: Iterable[str]) -> tuple[str, ...]:
    """Those names that belong into the index, sorted; a skill must be a regular file."""
    return tuple(
        sorted(
            name
            for name in names
            if is_watched(name) and (name != SKILL_NAME or files.kind(os.path.join(folder, name)) == "file")
        )
    )


def rules_at(files: Files, root: str, folder: str) -> Rules | None:
    """The rules that hold for a folder in a workspace folder; None where a walk from there does not come to it."""
    rules, path = rules_above(files, root), root
    for name in os.path.relpath(folder, root).split(os.sep) if folder != root else ():
        present = {mark for mark in (".git", *IGNORE_NAMES) if files.kind(os.path.join(path, mark))}
        rules = rules_inside(files, path, present, rules)
        path = os.path.join(path, name)
        if name in ALWAYS_IGNORED or files.is_link(path) or is_ignored(rules, path, name):
            return None
    return rules
