"""Which entries of a session tree are shown."""

from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

from pi_lsp.base.json import Json, as_str
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import role_of, texts_of
from pi_lsp.session.tree import Tree

Filter: TypeAlias = Literal["default", "noTools", "userOnly", "labeled", "all"]

BOOKKEEPING = frozenset({"label", "context_edit", "custom", "model_change", "thinking_level_change", "session_info"})
"""Types that the default filter leaves out, as Pi 1.6.0 does."""


class Shown:
    """Which entries a filter shows, of those only the ones with all words of the query.

    What was found out about an entry is kept, since it is asked from above too. `check` is called at every new one,
    and raises once nobody waits for the answer.
    """

    def __init__(
        self,
        entries: Tree[Entry],
        leaf_id: str | None,
        choice: Filter = "default",
        query: str | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self.labels = entries.labels()
        self._entries = entries
        self._leaf_id = leaf_id
        self._filter = choice
        self._words = (query or "").lower().split()
        self._check = check
        self._known: dict[str, bool] = {}

    def shows(self, entry: Entry) -> bool:
        """Whether the entry passes."""
        known = self._known.get(entry.id)
        if known is None:
            self._check()
            known = self._known[entry.id] = self._passes(entry)
        return known

    def below(self, entry_id: str | None) -> Iterator[Entry]:
        """The nearest entries below that are shown, siblings by time; entries that are not shown are looked through."""
        stack = self._entries.children(entry_id)[::-1]
        while stack:
            entry = stack.pop()
            if self.shows(entry):
                yield entry
            else:
                stack += self._entries.children(entry.id)[::-1]

    def above(self, entry: Entry) -> Entry | None:
        """The nearest entry above that is shown."""
        return next((one for one in self._entries.ancestors(entry.parent_id) if self.shows(one)), None)

    def ends(self) -> Iterator[tuple[Entry, str | None]]:
        """The entries that are shown with nothing shown below, the last written first; and the id of the one above."""
        seen: set[str] = set()
        for tip in reversed(self._entries):
            if self._entries.children(tip.id):
                continue
            end = tip if self.shows(tip) else self.above(tip)
            if end is None or end.id in seen:
                continue
            seen.add(end.id)
            if next(self.below(end.id), None) is None:
                above = self.above(end)
                yield end, above.id if above else None

    def _passes(self, entry: Entry) -> bool:
        label = self.labels.get(entry.id)
        match self._filter:
            case "all":
                passes = True
            case "labeled":
                passes = label is not None
            case "userOnly":
                passes = entry.type == "message" and role_of(entry.message) == "user"
            case _:
                passes = entry.type not in BOOKKEEPING and self._says_something(entry)
        if not passes or not self._words:
            return passes
        text = f"{entry.type} {label or ''} {_searchable(entry)}".lower()
        return all(word in text for word in self._words)

    def _says_something(self, entry: Entry) -> bool:
        """Not an answer that only calls tools (failed ones and the leaf are shown all the same, as in Pi 1.6.0)."""
        if entry.type != "message":
            return True
        message = entry.message
        match role_of(message):
            case "toolResult":
                return self._filter != "noTools"
            case "assistant":
                stopped = as_str(message.get("stopReason"))
                spoke = any(text.strip() for text in texts_of(message))
                return spoke or stopped not in ("", "stop", "toolUse") or entry.id == self._leaf_id
            case _:
                return True


def _searchable(entry: Entry) -> str:
    """All strings of an entry."""
    parts: list[str] = []
    stack: list[Json] = [entry.body]
    while stack:
        match stack.pop():
            case str() as text:
                parts.append(text)
            case dict() as value:
                stack += [item for key, item in value.items() if key != "data"]  # images
            case list() as items:
                stack += items
            case _:
                pass
    return " ".join(parts)
