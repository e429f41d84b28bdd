"""The tree of a session: entries linked to their parents, several roots, built from any file without failing.

A session file may have been written by two programs at once or edited by hand. So: of entries with one id the last
one wins, an entry whose parent is missing is a root, and of a cycle the entry that stands first in the file becomes
a root (`cut` names it). Every operation is linear at most and none recurses: one path may hold 100,000 entries.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, TypeVar

from pi_lsp.base.json import as_str
from pi_lsp.base.text import JS_SPACE
from pi_lsp.session.entries import Node
from pi_lsp.session.times import to_milliseconds

N = TypeVar("N", bound=Node)


class Tree(Generic[N]):
    """Entries by id and by parent. Grows by `add`; nothing is ever taken out."""

    def __init__(self, entries: Iterable[N] = ()) -> None:
        self.leaf_id: str | None = None
        """The id of the last entry added, None for an empty tree. It is where a reader of the file resumes."""
        self.version = 0
        """Grows when entries come: what was found out of the tree holds as long as it stays."""
        self._by_id: dict[str, N] = {}
        self._awaited: set[str] = set()  # parent ids that were unknown when a child named them
        self._cut: frozenset[str] | None = frozenset()  # None: links may have closed a cycle since
        self._children: dict[str | None, list[N]] | None = None
        self.extend(entries)

    def __len__(self) -> int:
        return len(self._by_id)

    def __contains__(self, entry_id: object) -> bool:
        return entry_id in self._by_id

    def __iter__(self) -> Iterator[N]:
        """The entries in file order, one per id."""
        return iter(self._by_id.values())

    def __reversed__(self) -> Iterator[N]:
        return reversed(self._by_id.values())

    def add(self, entry: N) -> None:
        """Take in the next entry of the file; it becomes the leaf."""
        self.extend((entry,))

    def extend(self, entries: Iterable[N]) -> list[N]:
        """Take in the next entries of the file, and give them as a list; the last becomes the leaf.

        They may be made from what is in the tree by then.
        """
        known, awaited, added = self._by_id, self._awaited, list[N]()
        try:
            for entry in entries:
                entry_id, parent_id = entry.id, entry.parent_id
                # A link to an entry that came earlier closes no cycle, unless the entry replaces one or was awaited.
                # The last one of an id wins, and stands where it stands in the file.
                if entry_id in known or entry_id in awaited or parent_id == entry_id:
                    known.pop(entry_id, None)
                    self._cut = None
                if parent_id is not None and parent_id not in known:
                    awaited.add(parent_id)
                known[entry_id] = entry
                added.append(entry)
        finally:  # also of a file that cannot be read to its end
            if added:
                self.version += 1
                self.leaf_id = added[-1].id
                self._children = None
        return added

    @property
    def by_id(self) -> Mapping[str, N]:
        """The entries in file order, by id; they change with the tree."""
        return self._by_id

    def get(self, entry_id: str) -> N | None:
        """The entry of that id."""
        return self._by_id.get(entry_id)

    def parent(self, entry: N) -> N | None:
        """The entry that this one follows; None for a root."""
        if not entry.parent_id or entry.id in self.cut:
            return None
        return self._by_id.get(entry.parent_id)

    def ancestors(self, entry_id: str | None) -> Iterator[N]:
        """The entry of that id and those above it, up to its root. Nothing for None or an unknown id."""
        by_id, cut = self._by_id, self.cut  # not by `parent`: every look at a session climbs the whole path
        entry = None if entry_id is None else by_id.get(entry_id)
        while entry is not None:
            yield entry
            parent_id = entry.parent_id
            entry = by_id.get(parent_id) if parent_id and entry.id not in cut else None

    def path(self, leaf_id: str | None) -> list[N]:
        """The entries from a root to the leaf: none for None; up to the last entry where the id is unknown."""
        if leaf_id is not None and leaf_id not in self._by_id:
            leaf_id = self.leaf_id
        return list(self.ancestors(leaf_id))[::-1]

    def children(self, entry_id: str | None) -> list[N]:
        """The entries that follow this one, oldest first; the roots, in file order, for None."""
        if self._children is None:
            self._children = self._sorted_children()
        return list(self._children.get(entry_id, ()))

    @property
    def roots(self) -> list[N]:
        """The entries that follow none, in file order."""
        return self.children(None)

    @property
    def cut(self) -> frozenset[str]:
        """The ids of entries that are roots only because their link would have closed a cycle."""
        if self._cut is None:
            self._cut = self._cycle_heads()
        return self._cut

    def common_ancestor(self, a: str | None, b: str | None) -> str | None:
        """The id of the deepest entry on both paths (it may be `a` or `b`); None where the paths share nothing."""
        above = {entry.id for entry in self.ancestors(a)}
        return next((entry.id for entry in self.ancestors(b) if entry.id in above), None)

    def label_entries(self) -> dict[str, N]:
        """The label entry that counts for each labelled entry: the latest one; an empty label clears."""
        latest: dict[str, N] = {}
        for entry in self:
            if entry.type != "label":
                continue
            target = as_str(entry.get("targetId"))
            if as_str(entry.get("label")):
                latest[target] = entry
            else:
                latest.pop(target, None)
        return latest

    def labels(self) -> dict[str, str]:
        """The label of each labelled entry."""
        return {target: as_str(entry.get("label")) for target, entry in self.label_entries().items()}

    @property
    def name(self) -> str | None:
        """The session's name: that of the latest `session_info` entry; an empty one clears."""
        for entry in reversed(self):
            if entry.type == "session_info":
                return as_str(entry.get("name")).strip(JS_SPACE) or None
        return None

    def _sorted_children(self) -> dict[str | None, list[N]]:
        children: dict[str | None, list[N]] = {}
        for entry in self:
            parent = self.parent(entry)
            children.setdefault(parent.id if parent else None, []).append(entry)
        for parent_id, siblings in children.items():
            if parent_id is not None and len(siblings) > 1:
                siblings.sort(key=lambda entry: to_milliseconds(entry.timestamp) or 0)
        return children

    def _cycle_heads(self) -> frozenset[str]:
        """Of each cycle the entry that stands first in the file."""
        position = {entry_id: index for index, entry_id in enumerate(self._by_id)}
        heads: set[str] = set()
        settled: set[str] = set()
        for entry_id in self._by_id:
            trail: dict[str, None] = {}
            current: str | None = entry_id
            while current and current in self._by_id and current not in settled and current not in trail:
                trail[current] = None
                current = self._by_id[current].parent_id
            if current in trail:
                steps = list(trail)
                heads.add(min(steps[steps.index(current) :], key=position.__getitem__))
            settled.update(trail)
        return frozenset(heads)
