"""The session tree as a Markdown list: a straight conversation stays straight, only what was left is set in."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from pi_lsp.api.tree import TreeNode
from pi_lsp.lsp.page import Page

DEEPEST = 20
"""Branches within branches are set in so many times at most."""

_WHO = {
    "user": "you",
    "assistant": "model",
    "system": "prompt",
    "toolResult": "tool",
    "bashExecution": "you ran",
    "custom": "note",
    "custom_message": "note",
    "branchSummary": "summary of a branch",
    "branch_summary": "summary of a branch",
    "compactionSummary": "summary",
    "compaction": "summary",
}


def who(page: Page, role: str) -> str:
    """Who speaks in an entry, by its role or type."""
    return _WHO.get(role) or page.prose(role)


def tree_lines(page: Page, nodes: Sequence[TreeNode]) -> Iterator[str]:
    """A line for each node; a branch that was left stands below its first entry, before the line goes on."""
    children: defaultdict[str | None, list[TreeNode]] = defaultdict(list)
    known = {node.id for node in nodes}
    for node in nodes:
        children[node.parent_id if node.parent_id in known else None].append(node)
    stack = _next(children[None], 0, 0)[::-1]
    while stack:
        node, depth, inner = stack.pop()
        yield "  " * min(depth, DEEPEST) + f"- {_line(page, node)}"
        stack += _next(children[node.id], inner, inner + 1)[::-1]


def _next(siblings: Sequence[TreeNode], depth: int, side: int) -> list[tuple[TreeNode, int, int]]:
    """What follows an entry, with its depth and that of what follows it: the branches that were left, then the line."""
    if not siblings:
        return []
    main = next((node for node in siblings if node.on_path), siblings[-1])
    return [*((node, side, side + 1) for node in siblings if node is not main), (main, depth, depth)]


def _line(page: Page, node: TreeNode) -> str:
    mark = "**" if node.on_path else ""
    notes = [page.code(node.label)] if node.label else []
    notes += [node.failed] if node.failed else []
    about = f" ({', '.join(notes)})" if notes else ""
    return f"{mark}{who(page, node.role or node.type)}{mark}{about}: {page.code(node.preview)} {page.code(node.id)}"
