"""The tree of a session, drawn so that a straight conversation stays straight: only what was left is set in."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from rich.console import Group
from rich.text import Text

from pi_lsp.api.tree import TreeNode, TreeResult
from pi_lsp.cli.plain import clean
from pi_lsp.cli.show.screen import Screen, plural, who

_MAX_INDENT = 24
"""Deeper branches than this are drawn at this column."""


def show_tree(screen: Screen, tree: TreeResult, limit: int | None = None) -> None:
    """All nodes, or the last `limit` with a line that tells how many were before."""
    lines = list(_lines(tree.nodes))
    left = sum(side for _, _, side in lines)
    screen.heading("Session tree", plural(len(lines), "entry"), f"{plural(left, 'branch')} left behind" if left else "")
    if not lines:
        screen.note("Nothing was said yet.")
    cut = max(len(lines) - limit, 0) if limit else 0
    if cut:
        screen.print(Text(f"    … {plural(cut, 'entry')} before", "dim"))
    width = screen.console.width
    screen.print(Group(*(_line(node, indent, node.id == tree.leaf_id, width) for node, indent, _ in lines[cut:])))
    if tree.more:
        screen.print(Text("    … and more", "dim"))


def _lines(nodes: Sequence[TreeNode]) -> Iterator[tuple[TreeNode, str, bool]]:
    """Nodes in drawing order, what stands before each, and whether it begins a branch that was left."""
    children: defaultdict[str | None, list[TreeNode]] = defaultdict(list)
    known = {node.id for node in nodes}
    for node in nodes:
        children[node.parent_id if node.parent_id in known else None].append(node)
    stack = _next(children[None], "")[::-1]
    while stack:
        node, before, side = stack.pop()
        yield node, before + ("├╴" if side else ""), side
        inner = (before + "│ " if side else before)[-_MAX_INDENT:]
        stack += _next(children[node.id], inner)[::-1]


def _next(siblings: Sequence[TreeNode], before: str) -> list[tuple[TreeNode, str, bool]]:
    """What follows an entry: branches that were left first, then where it goes on (the path, else the newest)."""
    if not siblings:
        return []
    main = next((node for node in siblings if node.on_path), siblings[-1])
    return [*((node, before, True) for node in siblings if node is not main), (main, before, False)]


def _line(node: TreeNode, indent: str, is_leaf: bool, width: int) -> Text:
    line = Text().append(" ▸ " if is_leaf else "   ", "bold green")
    line.append(indent, "blue")
    line.append(f"{clean(node.id)}  ", "cyan" if node.on_path else "dim")
    line.append(f"{who(node.type, node.role):<8} ", _style(node))
    if node.label:
        line.append(f"[{clean(node.label)}] ", "magenta")
    line.append(clean(node.preview), "" if node.on_path else "dim")
    line.truncate(width, overflow="ellipsis")
    return line


def _style(node: TreeNode) -> str:
    if not node.on_path:
        return "dim"
    return "bold" if node.role == "user" else "yellow" if node.type in ("compaction", "branch_summary") else ""
