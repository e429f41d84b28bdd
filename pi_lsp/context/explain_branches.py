"""Where an entry stands that is not on the current path, and what stands for it there."""

from collections.abc import Mapping

from pi_lsp.base.json import as_str
from pi_lsp.context.fate import Fate
from pi_lsp.session.entries import Entry
from pi_lsp.session.tree import Tree


class Branches:
    """The branches that leave the path to a leaf. Every entry is walked over once, however many are asked for."""

    def __init__(self, tree: Tree[Entry], leaf_id: str | None, fates: Mapping[str, Fate]) -> None:
        """`fates` are those of the entries on the path."""
        self._tree = tree
        self._leaf_id = leaf_id
        self._fates = fates
        self._forks: dict[str, str | None] = {}
        self._summaries = self._summarized()

    def fate(self, entry: Entry) -> Fate:
        """The fate of an entry that is not on the path. `by` is the branch summary that stands for it, if any."""
        if summary := self._summaries.get(entry.id):
            fate = self._fates[summary]
            if fate.fate == "absent":
                detail = f"on a branch that was left, and its branch summary is not sent either: {fate.detail}"
            else:
                detail = "on a branch that was left; a branch summary stands for it"
            return Fate(fate="absent", stage="path", by=summary, detail=detail)
        return Fate(fate="absent", stage="path", detail=self._where(self._fork(entry)))

    def _where(self, fork: str | None) -> str:
        if self._leaf_id is None:
            return "the session stands before its first entry, so nothing of it is sent"
        if fork is None:
            return "on another conversation of this file; only the path to the entry where the session stands is sent"
        if fork == self._leaf_id:
            return "it comes after the entry where the session stands now"
        return f"on another branch, which leaves the current one after entry {fork}; no summary of it is on the path"

    def _fork(self, entry: Entry) -> str | None:
        """The nearest entry above that is on the path."""
        trail: list[str] = []
        fork: str | None = None
        for above in self._tree.ancestors(entry.id):
            if above.id in self._fates:
                fork = above.id
                break
            if above.id in self._forks:
                fork = self._forks[above.id]
                break
            trail.append(above.id)
        self._forks |= dict.fromkeys(trail, fork)
        return fork

    def _summarized(self) -> dict[str, str]:
        """The branch summary on the path that covers an entry: the latest."""
        covered: dict[str, str] = {}
        for summary in self._tree.ancestors(self._leaf_id):
            if summary.type != "branch_summary":
                continue
            for entry in self._tree.ancestors(as_str(summary.get("fromId"))):
                if entry.id in self._fates or entry.id in covered:
                    break
                covered[entry.id] = summary.id
        return covered
