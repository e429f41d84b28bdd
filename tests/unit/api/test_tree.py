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
    assert [(node.id, node.failed) for node in nodes] == [("a", None), ("b", "error"), ("c", "aborted"), ("d", None)]


def test_the_ends_alone_the_last_written_first() -> None:
    entries = [
        said("a", None, "user"),
        said("b", "a", "assistant"),
        said("c", "a", "user"),
        Entry.of({"type": "label", "id": "l", "parentId": "b", "targetId": "a", "label": "start"}),
        Entry.of({"type": "custom", "id": "x", "parentId": "c"}),
        said("d", "x", "toolResult"),
        Entry.of({"type": "custom", "id": "y", "parentId": "c"}),
        Entry.of({"type": "custom", "id": "z", "parentId": None}),
    ]

    def ends(**params: Any) -> tuple[list[tuple[str, str | None, bool]], bool]:
        drawn = tree_of(Tree(entries), "d", TreeParams(ends=True, **params))
        return [(node.id, node.parent_id, node.on_path) for node in drawn.nodes], drawn.more

    assert ends() == ([("d", "c", True), ("b", "a", False)], False)
    assert ends(limit=1) == ([("d", "c", True)], True)
    assert ends(filter="noTools") == ([("c", "a", True), ("b", "a", False)], False)
    assert ends(filter="labeled") == ([("a", None, True)], False)
    assert ends(query="nothing holds this") == ([], False)
