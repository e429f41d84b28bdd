"""`pi/tree`: the session tree, filtered, in reading order."""

from collections.abc import Callable
from itertools import islice
from typing import Literal, TypeAlias

from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.window import Window
from pi_lsp.api.outline import Outline, Row
from pi_lsp.api.shown import Filter, Shown
from pi_lsp.base.json import as_str
from pi_lsp.base.wire import Wire
from pi_lsp.context.refs import preview_of
from pi_lsp.session.codec import encode_line
from pi_lsp.session.entries import Entry
from pi_lsp.session.errors import EntryNotFoundError
from pi_lsp.session.messages import role_of
from pi_lsp.session.source import StoredEntry
from pi_lsp.session.tree import Tree

DEFAULT_LIMIT = 1000

Failed: TypeAlias = Literal["error", "aborted"]


class TreeParams(Wire, frozen=True, kw_only=True):
    """`under`: only what follows this entry; `depth`: so many levels; `query`: only entries with all its words.

    `outline`: only the entries on the way to the leaf (off the path: to the newest end), and of each branch beside them
    the first; the last `limit` of these, or of those that stand before the entry `before`. `depth` does not apply.
    `ends`: only entries that nothing follows, the last written first; nothing else than `filter`, `query` and `limit`
    applies.
    """

    under: str | None = None
    depth: int | None = None
    outline: bool = False
    ends: bool = False
    before: str | None = None
    limit: int = DEFAULT_LIMIT
    filter: Filter = "default"
    query: str | None = None


class TreeNode(Wire, frozen=True, kw_only=True):
    """An entry. `parent_id` is the nearest one above that the filter shows, `children` counts those shown below.

    `failed`: an answer that failed, or was aborted. `branch`, in an outline: a branch begins here that was left, of so
    many entries; those past 1,000 are not counted.
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
    failed: Failed | None = None
    branch: int | None = None


class TreeResult(Wire, frozen=True, kw_only=True):
    """Nodes in reading order: each before those that follow it, siblings by time (in an outline the line's own last).
    The ends alone: the last written first.

    `more`: the limit cut the list, an outline at its beginning.
    """

    leaf_id: str | None
    roots: list[str]
    nodes: list[TreeNode]
    more: bool


async def tree(window: Window, params: TreeParams) -> TreeResult:
    """The tree of the window's session."""
    return await window.in_session_long(_tree, params)


def _tree(conversation: Conversation, check: Callable[[], None], params: TreeParams) -> TreeResult:
    entries = conversation.session.tree
    if params.under is not None and params.under not in entries:
        raise EntryNotFoundError(params.under)
    if params.before is not None and not _is_below(entries, params.before, params.under):
        raise EntryNotFoundError(params.before)
    return tree_of(entries, conversation.leaf_id, params, check)


def _is_below(entries: Tree[Entry], entry_id: str, under: str | None) -> bool:
    above = (entry.id for entry in entries.ancestors(entry_id) if entry.id != entry_id)
    return entry_id in entries and (under is None or under in above)


def tree_of(
    entries: Tree[Entry], leaf_id: str | None, params: TreeParams, check: Callable[[], None] = lambda: None
) -> TreeResult:
    """The filtered tree. `check` is called at every entry, and raises once nobody waits for the answer."""
    drawn = _Drawn(entries, leaf_id, params, check)
    draw = drawn.ends if params.ends else drawn.outline if params.outline else drawn.whole
    nodes, more = draw(params)
    return TreeResult(leaf_id=leaf_id, roots=[entry.id for entry in drawn.shown.below(None)], nodes=nodes, more=more)


class _Drawn:
    """What is shown of a tree, as nodes."""

    def __init__(
        self, entries: Tree[Entry], leaf_id: str | None, params: TreeParams, check: Callable[[], None]
    ) -> None:
        self.shown = Shown(entries, leaf_id, params.filter, params.query, check)
        self._outline = Outline(entries, self.shown, leaf_id)

    def whole(self, params: TreeParams) -> tuple[list[TreeNode], bool]:
        """Every entry, and whether there are more."""
        nodes: list[TreeNode] = []
        stack = [(entry, params.under, 1) for entry in reversed(list(self.shown.below(params.under)))]
        while stack and len(nodes) < params.limit:
            entry, parent_id, level = stack.pop()
            children = list(self.shown.below(entry.id))
            nodes.append(self._node(entry, parent_id, len(children)))
            if params.depth is None or level < params.depth:
                stack += [(child, entry.id, level + 1) for child in reversed(children)]
        return nodes, bool(stack)

    def outline(self, params: TreeParams) -> tuple[list[TreeNode], bool]:
        """The rows of the outline, and whether others stand before them."""
        rows = self._outline.upwards(params.under, params.before)
        last = list(islice(rows, max(params.limit, 0)))[::-1]
        return [self._row(row) for row in last], next(rows, None) is not None

    def ends(self, params: TreeParams) -> tuple[list[TreeNode], bool]:
        """The entries that nothing follows, and whether there are more."""
        ends = self.shown.ends()
        return [self._node(*end, 0) for end in islice(ends, max(params.limit, 0))], next(ends, None) is not None

    def _row(self, row: Row) -> TreeNode:
        children = sum(1 for _ in self.shown.below(row.entry.id))
        return self._node(row.entry, row.parent_id, children, self._outline.size(row.entry) if row.is_branch else None)

    def _node(self, entry: Entry, parent_id: str | None, children: int, branch: int | None = None) -> TreeNode:
        held = Entry(entry.type, entry.id, entry.parent_id, entry.timestamp, entry.body)
        return TreeNode(
            id=entry.id,
            parent_id=parent_id,
            type=entry.type,
            role=role_of(held.message) or None,
            preview=preview_of(held),
            label=self.shown.labels.get(entry.id),
            time=entry.timestamp,
            children=children,
            on_path=entry.id in self._outline.path,
            bytes=entry.length if isinstance(entry, StoredEntry) else len(encode_line(held.body)) - 1,
            failed=_failed(as_str(held.message.get("stopReason"))),
            branch=branch,
        )


def _failed(stopped: str) -> Failed | None:
    return stopped if stopped == "error" or stopped == "aborted" else None
