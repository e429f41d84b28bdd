"""`pi/tree`: the session tree, filtered, in reading order."""

from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.window import Window
from pi_lsp.base.json import Json, as_str
from pi_lsp.base.wire import Wire
from pi_lsp.context.refs import preview_of
from pi_lsp.session.codec import encode_line
from pi_lsp.session.entries import Entry
from pi_lsp.session.errors import EntryNotFoundError
from pi_lsp.session.messages import role_of, texts_of
from pi_lsp.session.source import StoredEntry
from pi_lsp.session.tree import Tree

Filter: TypeAlias = Literal["default", "noTools", "userOnly", "labeled", "all"]

BOOKKEEPING = frozenset({"label", "context_edit", "custom", "model_change", "thinking_level_change", "session_info"})
"""Types that the default filter leaves out, as Pi 1.6.0 does."""
DEFAULT_LIMIT = 1000


class TreeParams(Wire, frozen=True, kw_only=True):
    """`under`: only what follows this entry; `depth`: so many levels; `query`: only entries with all its words."""

    under: str | None = None
    depth: int | None = None
    limit: int = DEFAULT_LIMIT
    filter: Filter = "default"
    query: str | None = None


class TreeNode(Wire, frozen=True, kw_only=True):
    """An entry. `parent_id` is the nearest one above that the filter shows, `children` counts those shown below.

    `failed`: an answer that failed or was aborted.
    """

    id: str
    parent_id: str | None
    type: str
    role: str | None = None
    preview: str
    label: str | None = None
    time: str
    children: int
    on_path: bool
    bytes: int
    failed: bool = False


class TreeResult(Wire, frozen=True, kw_only=True):
    """Nodes in reading order: each before those that follow it, siblings by time. `more`: the limit cut the list."""

    leaf_id: str | None
    roots: list[str]
    nodes: list[TreeNode]
    more: bool


async def tree(window: Window, params: TreeParams) -> TreeResult:
    """The tree of the window's session."""
    return await window.in_session_long(_tree, params)


def _tree(conversation: Conversation, check: Callable[[], None], params: TreeParams) -> TreeResult:
    if params.under is not None and params.under not in conversation.session.tree:
        raise EntryNotFoundError(params.under)
    return tree_of(conversation.session.tree, conversation.leaf_id, params, check)


def tree_of(
    entries: Tree[Entry], leaf_id: str | None, params: TreeParams, check: Callable[[], None] = lambda: None
) -> TreeResult:
    """The filtered tree. `check` is called at every entry, and raises once nobody waits for the answer."""
    shown = _Shown(entries, leaf_id, params, check)
    on_path = {entry.id for entry in entries.ancestors(leaf_id)}
    nodes: list[TreeNode] = []
    top = list(shown.below(params.under))
    stack: list[tuple[Entry, str | None, int]] = [(entry, params.under, 1) for entry in reversed(top)]
    while stack and len(nodes) < params.limit:
        entry, parent_id, level = stack.pop()
        children = list(shown.below(entry.id))
        nodes.append(_node(entry, parent_id, len(children), shown.labels.get(entry.id), entry.id in on_path))
        if params.depth is None or level < params.depth:
            stack += [(child, entry.id, level + 1) for child in reversed(children)]
    return TreeResult(
        leaf_id=leaf_id,
        roots=[entry.id for entry in (top if params.under is None else shown.below(None))],
        nodes=nodes,
        more=bool(stack),
    )


class _Shown:
    """Which entries a filter shows. What was found out about an entry is kept, since it is asked from above too."""

    def __init__(
        self, entries: Tree[Entry], leaf_id: str | None, params: TreeParams, check: Callable[[], None]
    ) -> None:
        self.labels = entries.labels()
        self._entries = entries
        self._leaf_id = leaf_id
        self._filter = params.filter
        self._words = (params.query or "").lower().split()
        self._check = check
        self._known: dict[str, bool] = {}

    def below(self, entry_id: str | None) -> Iterator[Entry]:
        """The nearest entries below that are shown, siblings by time; entries that are not shown are looked through."""
        stack = self._entries.children(entry_id)[::-1]
        while stack:
            entry = stack.pop()
            if self._is_shown(entry):
                yield entry
            else:
                stack += self._entries.children(entry.id)[::-1]

    def _is_shown(self, entry: Entry) -> bool:
        known = self._known.get(entry.id)
        if known is None:
            self._check()
            known = self._known[entry.id] = self._passes(entry)
        return known

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


def _node(entry: Entry, parent_id: str | None, children: int, label: str | None, on_path: bool) -> TreeNode:
    held = Entry(entry.type, entry.id, entry.parent_id, entry.timestamp, entry.body)
    return TreeNode(
        id=entry.id,
        parent_id=parent_id,
        type=entry.type,
        role=role_of(held.message) or None,
        preview=preview_of(held),
        label=label,
        time=entry.timestamp,
        children=children,
        on_path=on_path,
        bytes=entry.length if isinstance(entry, StoredEntry) else len(encode_line(held.body)) - 1,
        failed=held.message.get("stopReason") in ("error", "aborted"),
    )
