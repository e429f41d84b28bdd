"""The index of rule and skill files in all workspace folders, kept up to date change by change.

It has one owner, who calls it from one thread; only `scan` may run elsewhere:

    index.begin(roots)
    finds = await asyncio.to_thread(scan, files, index.roots, stop)
    index.adopt(finds)

What `refresh` is told meanwhile is looked at again when the finds are in. The index knows names, not texts: these are
read when they are asked for, so an edited file needs no refresh, only one that comes, goes or is opened unsaved.
"""

import os
from collections.abc import Iterable

from pi_lsp.base.files import Files
from pi_lsp.base.paths import is_within
from pi_lsp.resources.index_ignore import IGNORE_NAMES, rules_above
from pi_lsp.resources.index_scan import SKILL_NAME, Finds, is_watched, rules_at, scan, walk, watched
from pi_lsp.resources.rules import lineage


class Index:
    """Where rule and skill files are, in and above the workspace folders."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._names: dict[str, tuple[str, ...]] = {}
        self._roots: tuple[str, ...] = ()
        self._complete = False
        self._walked = False
        self._problems: tuple[str, ...] = ()
        self._noted: dict[str, None] | None = None  # what was reported since `begin`, until `adopt`

    @property
    def roots(self) -> tuple[str, ...]:
        """The workspace folders, each once, in the client's order."""
        return self._roots

    @property
    def complete(self) -> bool:
        """Whether the folders were walked to the end; false before the first `adopt`."""
        return self._complete

    @property
    def walked(self) -> bool:
        """Whether the finds of a walk of these folders are in, be they complete or not: another walk finds no more."""
        return self._walked

    @property
    def problems(self) -> tuple[str, ...]:
        """What the walk of the folders passed over, in words."""
        return self._problems

    def begin(self, roots: Iterable[str]) -> None:
        """Set the workspace folders (absolute, normalised); what is known of folders that stay is kept."""
        self._roots = tuple(dict.fromkeys(roots))
        self._complete = self._walked = False
        self._noted = {}
        for folder in list(self._names):
            if self._root_of(folder) is None:
                del self._names[folder]

    def adopt(self, finds: Finds) -> None:
        """Take over what a walk of the present workspace folders found; finds for other folders are dropped."""
        if finds.roots != self._roots:
            return
        before, self._names = self._names, dict(finds.names)
        self._complete = finds.complete
        self._walked = True
        self._problems = finds.problems
        self._recheck(before)
        for path in self._noted or ():
            self._look_at(path)
        self._noted = None

    def refresh(self, path: str) -> None:
        """Look again at a file or folder that was made, changed, deleted, opened or closed."""
        if self._noted is not None:
            self._noted[path] = None
        self._look_at(path)

    def rule_folders(self) -> list[str]:
        """The folders that may have rule files: those found, and all above the workspace folders."""
        above = {folder for root in self._roots for folder in lineage(root)}
        return _in_order(above | {folder for folder, names in self._names.items() if names != (SKILL_NAME,)})

    def skill_files(self) -> list[str]:
        """The paths of all SKILL.md."""
        return _in_order(
            os.path.join(folder, SKILL_NAME) for folder, names in self._names.items() if SKILL_NAME in names
        )

    def _look_at(self, path: str) -> None:
        folder, name = os.path.split(path)
        if self._files.kind(path) == "dir":
            self._walk_again(path)
        elif name in IGNORE_NAMES:
            self._walk_again(folder)
        else:
            self._forget(path)  # it may have been a folder
            if is_watched(name):
                self._list_again(folder)

    def _walk_again(self, folder: str) -> None:
        before = self._forget(folder)
        starts = [(root, rules_above(self._files, root)) for root in self._roots if is_within(folder, root)]
        root = self._root_of(folder)
        rules = None if root is None else rules_at(self._files, root, folder)
        if rules is not None:
            starts.insert(0, (folder, rules))
        self._names |= walk(self._files, starts, self._roots).names
        self._recheck(before)

    def _list_again(self, folder: str) -> None:
        root = self._root_of(folder)
        names = self._files.names(folder)
        found = watched(self._files, folder, names) if root and rules_at(self._files, root, folder) is not None else ()
        if found:
            self._names[folder] = found
        else:
            self._names.pop(folder, None)

    def _recheck(self, before: Iterable[str]) -> None:
        """A walk sees the disk: look through `Files` where something was known that it did not see."""
        for folder in before:
            if folder not in self._names:
                self._list_again(folder)

    def _forget(self, path: str) -> list[str]:
        """Drop a folder and all below it, and give those that were known."""
        known = [folder for folder in self._names if folder == path or folder.startswith(path.rstrip(os.sep) + os.sep)]
        for folder in known:
            del self._names[folder]
        return known

    def _root_of(self, path: str) -> str | None:
        """The innermost workspace folder that a path lies in."""
        return max((root for root in self._roots if is_within(root, path)), key=len, default=None)


def build_index(files: Files, roots: Iterable[str]) -> Index:
    """A complete index, made at once."""
    index = Index(files)
    index.begin(roots)
    index.adopt(scan(files, index.roots))
    return index


def _in_order(paths: Iterable[str]) -> list[str]:
    """Parents before children, else by name."""
    return sorted(paths, key=lambda path: path.split(os.sep))
