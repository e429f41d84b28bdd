"""`pi/tree { outline }`: the line to the leaf, the branches beside it, and their pages."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.api.shown import Filter
from pi_lsp.api.tree import TreeNode, TreeParams, TreeResult, tree_of
from pi_lsp.session.entries import Entry
from pi_lsp.session.tree import Tree


def entry(entry_id: str, parent_id: str | None, kind: str = "user") -> Entry:
    message = {"role": kind, "content": f"this is {entry_id}"}
    fields: dict[str, Any] = (
        {"type": "message", "message": message} if kind in ("user", "toolResult") else {"type": kind}
    )
    return Entry.of({"id": entry_id, "parentId": parent_id, **fields})


def a_tree(links: str) -> Tree[Entry]:
    """`a ab bc` is a, b behind a, c behind b; `.` marks an entry that the default filter hides."""
    words = [(word.rstrip("."), "custom" if word.endswith(".") else "user") for word in links.split()]
    return Tree(entry(word[-1], word[-2] if len(word) > 1 else None, kind) for word, kind in words)


FORKED = a_tree("a ab bc ad de eh hi. ef fg")
"""a ┬ b ─ c
    └ d ─ e ┬ h ─ (i)
            └ f ─ g"""


def outline(entries: Tree[Entry], leaf_id: str | None, **params: Any) -> TreeResult:
    return tree_of(entries, leaf_id, TreeParams(outline=True, **params))


def said(nodes: list[TreeNode]) -> str:
    return " ".join(f"{node.id}{node.branch or ''}" for node in nodes)


@pytest.mark.parametrize(
    ("leaf_id", "rows"),
    [
        ("g", "a b2 d e h1 f g"),
        ("h", "a b2 d e f2 h"),
        ("i", "a b2 d e f2 h"),
        ("d", "a b2 d e4"),  # behind the leaf there are only branches
        ("c", "a d5 b c"),
        (None, "a8"),
    ],
)
def test_runs_to_the_leaf_and_folds_what_stands_beside_it(leaf_id: str | None, rows: str) -> None:
    assert said(outline(FORKED, leaf_id).nodes) == rows


def test_a_branch_that_was_left_runs_to_its_newest_end() -> None:
    assert said(outline(FORKED, "c", under="d").nodes) == "e h1 f g"
    assert said(outline(FORKED, "c", under="c").nodes) == ""


def test_comes_in_pages_from_the_end() -> None:
    last = outline(FORKED, "g", limit=3)
    assert (said(last.nodes), last.more) == ("h1 f g", True)
    middle = outline(FORKED, "g", limit=3, before="h")
    assert (said(middle.nodes), middle.more) == ("b2 d e", True)
    first = outline(FORKED, "g", limit=3, before="b")
    assert (said(first.nodes), first.more) == ("a", False)
    assert said(outline(FORKED, "c", under="d", before="f").nodes) == "e h1"


def test_a_fork_may_be_wider_than_a_page() -> None:
    wide = a_tree("a " + " ".join(f"a{chr(code)}" for code in range(ord("b"), ord("k"))))
    last = outline(wide, "d", limit=4)
    assert (said(last.nodes), last.more) == ("h1 i1 j1 d", True)
    assert said(outline(wide, "d", before="h").nodes) == "a b1 c1 e1 f1 g1"


def test_hidden_entries_are_looked_through_and_the_leaf_may_be_one() -> None:
    entries = a_tree("a ab. bc bd.")
    assert said(outline(entries, "d").nodes) == "a c1"
    assert [node.parent_id for node in outline(entries, "d").nodes] == [None, "a"]
    assert said(outline(entries, "d", filter="all").nodes) == "a b c1 d"


def test_only_the_first_thousand_entries_of_a_branch_are_counted() -> None:
    chain = [entry("root", None), *(entry(f"n{place}", f"n{place - 1}" if place else "root") for place in range(1500))]
    assert [node.branch for node in outline(Tree(chain), "root").nodes] == [None, 1000]


def test_only_what_is_shown_is_read() -> None:
    """The newest rows of a long session cost what they cost in a short one."""
    read: list[str] = []

    class Told(Entry):
        @property
        def body(self) -> Any:
            read.append(self.id)
            return {"type": "message", "message": {"role": "user", "content": "x"}}

    line = [Told("message", f"n{place}", f"n{place - 1}" if place else None, "", {}) for place in range(5000)]
    assert len(outline(Tree(line), "n4999", limit=10).nodes) == 10
    assert len(set(read)) <= 15


LINKS = st.lists(
    st.tuples(st.integers(0, 100), st.sampled_from(["user", "user", "toolResult", "custom"])), min_size=1, max_size=30
)


@given(links=LINKS, leaf=st.integers(-1, 29), limit=st.integers(1, 4), choice=st.sampled_from(["default", "noTools"]))
def test_every_entry_that_is_shown_stands_in_one_place(
    links: list[tuple[int, str]], leaf: int, limit: int, choice: Filter
) -> None:
    """The line and, opened one after the other, all branches hold the whole tree; pages put together are the list."""
    entries = Tree(entry(str(n), str(up % n) if n and up % 7 else None, kind) for n, (up, kind) in enumerate(links))
    leaf_id = str(leaf) if 0 <= leaf < len(links) else None
    found: list[str] = []
    waiting: list[str | None] = [None]
    while waiting:
        under = waiting.pop()
        whole = outline(entries, leaf_id, under=under, filter=choice).nodes
        assert pages(entries, leaf_id, under=under, filter=choice, limit=limit) == whole
        found += [node.id for node in whole]
        waiting += [node.id for node in whole if node.branch]
    shown = tree_of(entries, leaf_id, TreeParams(filter=choice)).nodes
    assert sorted(found) == sorted(node.id for node in shown)


def pages(entries: Tree[Entry], leaf_id: str | None, **params: Any) -> list[TreeNode]:
    page = outline(entries, leaf_id, **params)
    nodes = page.nodes
    while page.more:
        page = outline(entries, leaf_id, before=nodes[0].id, **params)
        nodes = page.nodes + nodes
    return nodes
