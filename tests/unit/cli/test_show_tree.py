import time

from pi_lsp.api.tree import TreeNode, TreeResult
from pi_lsp.cli.show.tree import show_tree
from tests.unit.cli.screens import screen, shown


def node(name: str, parent: str | None, *, on_path: bool = False, preview: str = "") -> TreeNode:
    return TreeNode(
        id=name,
        parent_id=parent,
        type="message",
        role="user",
        preview=preview or f"says {name}",
        time="2026-05-04T08:12:03.000Z",
        children=0,
        on_path=on_path,
        bytes=1,
    )


def drawn(nodes: list[TreeNode], leaf: str | None = None, limit: int | None = None) -> list[str]:
    page = screen()
    show_tree(page, TreeResult(leaf_id=leaf, roots=[], nodes=nodes, more=False), limit)
    return shown(page)


def test_a_straight_conversation_is_straight() -> None:
    lines = drawn([node("a", None, on_path=True), node("b", "a", on_path=True)], leaf="b")
    assert lines == ["Session tree  ·  2 entries", "   a  you      says a", " ▸ b  you      says b"]


def test_what_was_left_is_set_in_before_the_path_goes_on() -> None:
    nodes = [
        node("a", None, on_path=True),
        node("path", "a", on_path=True),
        node("x", "a"),
        node("x1", "x"),
        node("x2", "x"),
    ]
    lines = [line.replace("  you      ", " ") for line in drawn(nodes, leaf="path")]
    assert lines == [
        "Session tree  ·  5 entries  ·  2 branches left behind",
        "   a says a",
        "   ├╴x says x",
        "   │ ├╴x1 says x1",
        "   │ x2 says x2",
        " ▸ path says path",
    ]


def test_of_a_long_tree_the_end_is_shown_and_the_rest_counted() -> None:
    nodes = [node(str(i), str(i - 1) if i else None, on_path=True) for i in range(10)]
    lines = drawn(nodes, leaf="9", limit=3)
    assert lines[1].strip() == "… 7 entries before"
    assert [line.split()[-1] for line in lines[2:]] == ["7", "8", "9"]


def test_nodes_whose_parent_is_not_shown_are_not_lost() -> None:
    assert len(drawn([node("b", "filtered away"), node("c", "b")])) == 3


def test_deep_branches_of_branches_take_linear_time_and_stay_on_the_screen() -> None:
    nodes = [node("0", None)]
    for i in range(1, 5_000):
        nodes += [node(f"{i}", f"{i - 1}"), node(f"{i}-end", f"{i - 1}")]
    begun = time.process_time()
    lines = drawn(nodes)
    assert time.process_time() - begun < 20
    assert len(lines) == len(nodes) + 1
    assert max(map(len, lines)) <= 80


def test_wide_characters_do_not_run_over_the_edge() -> None:
    from rich.cells import cell_len

    lines = drawn([node("a", None, preview="日本語" * 60)])
    assert cell_len(lines[1]) <= 80
    assert lines[1].endswith("…")
