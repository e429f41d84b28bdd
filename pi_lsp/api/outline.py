"""The outline of a session tree: one line of talk, and of every branch beside it the first entry.

The line goes on from an entry (from the start of the session for None): to the leaf where that lies there, else to the
newest end. It is read from its end upwards, so the newest part of a long session costs what a short session costs.
"""

from collections.abc import Iterator
from itertools import chain, takewhile
from typing import NamedTuple

from pi_lsp.api.shown import Shown
from pi_lsp.session.entries import Entry
from pi_lsp.session.tree import Tree

COUNTED = 1000
"""So many entries of a branch are counted at most."""


class Row(NamedTuple):
    """An entry of the line, or the first one of a branch beside it."""

    entry: Entry
    parent_id: str | None
    is_branch: bool


class Outline:
    """What is shown of a tree, as rows."""

    def __init__(self, entries: Tree[Entry], shown: Shown, leaf_id: str | None) -> None:
        self.path = frozenset(entry.id for entry in entries.ancestors(leaf_id))
        """The ids of the entries from the root to the leaf."""
        self._entries = entries
        self._shown = shown
        self._leaf_id = leaf_id

    def upwards(self, under: str | None, before: str | None) -> Iterator[Row]:
        """The rows below `under`, the last one first, and of them only those that stand before the entry `before`.

        The branches of a fork stand before the entry that goes on; behind the leaf there are only branches.
        """
        came_from: str | None = None
        for place in chain(self._line(under, before), [under]):
            siblings = list(self._shown.below(place))
            if came_from is None and before is not None:
                siblings = self._preceding(before, siblings)
            yield from (Row(entry, place, False) for entry in siblings if entry.id == came_from)
            yield from (Row(entry, place, True) for entry in reversed(siblings) if entry.id != came_from)
            came_from = place

    def size(self, head: Entry) -> int:
        """How many entries of a branch are shown, its first one too; those past 1,000 are not counted."""
        size, waiting = 0, [head]
        while waiting and size < COUNTED:
            size += 1
            waiting += self._shown.below(waiting.pop().id)
        return size

    def _line(self, under: str | None, before: str | None) -> Iterator[str]:
        """The entries of the line, from its end upwards: above `before`, below `under`."""
        if before is None and under is not None and under not in self.path:
            return reversed(self._to_newest_end(under))
        end = self._leaf_id if before is None else before
        line = takewhile(lambda entry: entry.id != under, self._entries.ancestors(end))
        return (entry.id for entry in line if entry.id != before and self._shown.shows(entry))

    def _to_newest_end(self, entry_id: str) -> list[str]:
        line: list[str] = []
        while below := list(self._shown.below(line[-1] if line else entry_id)):
            line.append(below[-1].id)
        return line

    def _preceding(self, entry_id: str, siblings: list[Entry]) -> list[Entry]:
        """Those that stand before one of them: the one that goes on stands last."""
        goes_on = next((entry for entry in siblings if entry.id in self.path), siblings[-1] if siblings else None)
        return list(takewhile(lambda entry: entry.id != entry_id, (one for one in siblings if one is not goes_on)))
