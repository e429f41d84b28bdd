"""`pi/tree`: what a node says beside its place."""

from typing import Any

from pi_lsp.api.tree import TreeParams, tree_of
from pi_lsp.session.entries import Entry
from pi_lsp.session.tree import Tree


def said(entry_id: str, parent_id: str | None, role: str, **message: Any) -> Entry:
    content = [{"type": "text", "text": "x"}]
    return Entry.of(
        {
            "type": "message",
            "id": entry_id,
            "parentId": parent_id,
            "message": {"role": role, "content": content} | message,
        }
    )


def test_answers_that_failed_are_marked() -> None:
    entries = [
        said("a", None, "user"),
        said("b", "a", "assistant", stopReason="error", errorMessage="529 overloaded"),
        said("c", "b", "assistant", stopReason="aborted"),
        said("d", "c", "assistant", stopReason="stop"),
    ]
    nodes = tree_of(Tree(entries), "d", TreeParams()).nodes
    assert [(node.id, node.failed) for node in nodes] == [("a", False), ("b", True), ("c", True), ("d", False)]
