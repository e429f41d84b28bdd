from typing import Any

import msgspec

from pi_lsp.api.tree import TreeNode
from pi_lsp.lsp.page import Page
from pi_lsp.lsp.tree_text import DEEPEST, tree_lines, who

PAGE = Page(markdown=True, folders=(), home="/home/u")


def node(node_id: str, parent: str | None, *, on_path: bool = False, **more: Any) -> TreeNode:
    fields: dict[str, Any] = {"type": "message", "role": "user", "preview": node_id.upper(), "time": "", "bytes": 1}
    return TreeNode(id=node_id, parent_id=parent, on_path=on_path, children=0, **{**fields, **more})


def lines(*nodes: TreeNode) -> str:
    return "\n".join(tree_lines(PAGE, nodes))


def test_branches_that_were_left_are_set_in_before_the_line_goes_on() -> None:
    drawn = lines(
        node("a", None, on_path=True),
        node("b", "a"),
        node("b2", "b"),
        node("b3", "b"),  # where the left branch itself goes on
        node("c", "a", on_path=True),
        node("c2", "c", on_path=True),
        node("d", "a"),
        node("d2", "d"),
    )
    assert drawn == (
        "- **you**: `A` `a`\n"
        "  - you: `B` `b`\n"
        "      - you: `B2` `b2`\n"
        "    - you: `B3` `b3`\n"
        "  - you: `D` `d`\n"
        "    - you: `D2` `d2`\n"
        "- **you**: `C` `c`\n"
        "- **you**: `C2` `c2`"
    )


def test_without_a_path_the_newest_is_the_line() -> None:
    drawn = lines(node("a", None), node("a2", "a"), node("b", "elsewhere"))
    assert drawn == "- you: `A` `a`\n  - you: `A2` `a2`\n- you: `B` `b`"


def test_a_deep_tree_is_drawn_at_the_margin() -> None:
    nodes = [node("0", None, on_path=True)]
    for number in range(1, 3000):
        above = str(number - 1)
        nodes += [node(str(number), above), node(f"{number}x", above)]
    drawn = lines(*nodes)
    assert max(len(line) - len(line.lstrip()) for line in drawn.splitlines()) == 2 * DEEPEST


def test_what_stands_in_a_file_is_inert() -> None:
    evil = "<img src=x> [a](http://b) `c`"
    text = lines(
        node("a", None, role=evil, label=evil, preview=evil), node(evil, "a", role=None, type=evil, failed="error")
    )
    inert = PAGE.code(evil)
    assert text.replace(inert, "") == f"-  ():  {PAGE.code('a')}\n-  (error): {PAGE.code(evil.upper())} "
    assert who(PAGE, "toolResult") == "tool"
    assert who(msgspec.structs.replace(PAGE, markdown=False), "my_note") == "my_note"
