"""The session of a window: its tree, its leaf, and what other programs write into it meanwhile.

Everything here runs in the window's worker thread. Nothing of it writes a file.
"""

from collections.abc import Sequence

import msgspec

from pi_lsp.agent.projecting import Projector
from pi_lsp.agent.view import Outlook, View
from pi_lsp.base.json import as_str
from pi_lsp.context.model import Model
from pi_lsp.context.prompt import PromptParts
from pi_lsp.session.cost import cost_of
from pi_lsp.session.entries import Entry
from pi_lsp.session.errors import EntryNotFoundError
from pi_lsp.session.store import Session


class Followed(msgspec.Struct, frozen=True, kw_only=True):
    """What other programs appended, and whether the window's leaf went along."""

    entries: tuple[Entry, ...]
    leaf_moved: bool


class Conversation:
    """One session as a window sees it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._path: tuple[tuple[str, int], Sequence[Entry]] | None = None
        self._projector = Projector()
        self._cost: dict[str, float] = {}
        self._costed = 0

    @property
    def id(self) -> str:
        """The session's id."""
        return as_str(self.session.header.get("id"))

    @property
    def cwd(self) -> str:
        """The working directory that the session was begun in."""
        return as_str(self.session.header.get("cwd"))

    @property
    def leaf_id(self) -> str | None:
        """The entry that the next one will follow."""
        return self.session.leaf_id

    def entry(self, entry_id: str) -> Entry:
        """An entry by its id. Raises EntryNotFoundError."""
        entry = self.session.tree.get(entry_id)
        if entry is None:
            raise EntryNotFoundError(entry_id)
        return entry

    def path(self, leaf_id: str | None) -> Sequence[Entry]:
        """The entries from the root to a leaf, none for None; the same object as long as it is the same path.

        Raises EntryNotFoundError for an unknown one.
        """
        if leaf_id is None:
            return ()
        tree = self.session.tree
        place = leaf_id, tree.version
        if self._path is None or self._path[0] != place:
            self.entry(leaf_id)
            self._path = place, tree.path(leaf_id)
        return self._path[1]

    def view(
        self,
        leaf_id: str | None,
        parts: PromptParts,
        model: Model | None = None,
        default: Model | None = None,
        outlook: Outlook | None = None,
    ) -> View:
        """What a request from that leaf would hold: to `model`, else to the one the path speaks to, else to `default`.

        Raises EntryNotFoundError.
        """
        projector = self._projector
        return View(self.path(leaf_id), parts, model, default, outlook, projector, projector.finish)

    def follow(self) -> Followed:
        """Take in what other programs appended.

        The leaf goes along where it was the tip of the file and the new entries go on from it; a window that stands
        on another branch stays there, and so does a turn that is running.

        Raises:
            FileReplacedError: the file is not the one that was opened.
        """
        entries = self.session.follow()
        moved = bool(entries) and not self.session.running and self._was_at_tip(entries)
        if moved:
            self.session.move(self.session.tree.leaf_id)
        return Followed(entries=tuple(entries), leaf_moved=moved)

    def _was_at_tip(self, told: Sequence[Entry]) -> bool:
        """Whether the leaf was the tip before these entries came, and they go on from it."""
        tree, leaf_id = self.session.tree, self.leaf_id
        new = {entry.id for entry in told}
        tip_id = next((entry.id for entry in reversed(tree) if entry.id not in new), None)
        return leaf_id == tip_id and (
            leaf_id is None or any(entry.id == leaf_id for entry in tree.ancestors(tree.leaf_id))
        )

    def cost(self) -> float:
        """US dollars that the whole session has cost, on all branches, as the providers' usage says.

        Only what was added since the last call is read.
        """
        entries = list(self.session.tree)
        for entry in entries[self._costed :] if self._costed <= len(entries) else entries:
            if cost := cost_of(entry):
                self._cost[entry.id] = cost
        self._costed = len(entries)
        return sum(self._cost.values())
