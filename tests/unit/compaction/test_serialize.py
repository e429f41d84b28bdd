import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.base.json import Json
from pi_lsp.base.text import utf16_length
from pi_lsp.compaction.serialize import TOOL_RESULT_CAP, call_text, serialize
from pi_lsp.session.messages import Block, Message
from tests.unit.compaction.sessions import call


def text(value: str) -> Block:
    return {"type": "text", "text": value}


def test_labelled_parts_and_nothing_else() -> None:
    messages: list[Message] = [
        {"role": "system", "content": "prompt"},
        {
            "role": "user",
            "content": [{"type": "text", "text": "look"}, {"type": "image"}, {"type": "text", "text": "!"}],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm"},
                text("one"),
                text("two"),
                call("a", "read", path="a.py", limit=5),
                call("b", "ls"),
            ],
        },
        {"role": "toolResult", "content": [text("x = 1")]},
        {"role": "toolResult", "content": []},
        {"role": "user", "content": ""},
    ]
    assert serialize(messages) == (
        "[User]: look!\n\n[Assistant]: one\ntwo\n\n"
        '[Assistant tool calls]: read(path="a.py", limit=5); ls()\n\n[Tool result]: x = 1'
    )


@pytest.mark.parametrize("value", ["é\u2028\ud83d", 1e21, 1e-7, -0.0, None, [True, {"b": 1, "a": 2}]])
def test_arguments_are_printed_as_javascript_prints_them(value: Json) -> None:
    expected = {"é\u2028\ud83d": '"é\u2028\\ud83d"', 1e21: "1e+21", 1e-7: "1e-7", 0.0: "0", None: "null"}
    printed = expected.get(value) if not isinstance(value, list) else '[true,{"b":1,"a":2}]'
    assert call_text(call("a", "f", k=value)) == f"f(k={printed})"


@pytest.mark.parametrize("arguments", [None, "text", [1], 5])
def test_arguments_of_a_wrong_type_are_none(arguments: Json) -> None:
    assert call_text({"type": "toolCall", "name": None, "arguments": arguments}) == "()"


def test_arguments_have_javascripts_order() -> None:
    arguments: Json = {"b": 1, "10": [{"x": 1, "0": 2}], "9": 3, "07": 4, "-1": 5, "4294967294": 6, "4294967295": 7}
    assert call_text({"type": "toolCall", "name": "f", "arguments": arguments}) == (
        'f(9=3, 10=[{"0":2,"x":1}], 4294967294=6, b=1, 07=4, -1=5, 4294967295=7)'
    )


def test_a_long_result_says_how_much_is_left_out() -> None:
    messages: list[Message] = [{"role": "toolResult", "content": "x" * (TOOL_RESULT_CAP + 7)}]
    assert serialize(messages).endswith("x\n\n[... 7 more characters truncated]")
    messages = [{"role": "toolResult", "content": "x" * TOOL_RESULT_CAP}]
    assert "truncated" not in serialize(messages)


@given(st.text(alphabet="a😀é", min_size=900, max_size=2100), st.integers(0, 3))
def test_C12_no_character_is_cut_in_half(piece: str, shift: int) -> None:
    content = "x" * shift + piece * 3
    kept = serialize([{"role": "toolResult", "content": content}]).removeprefix("[Tool result]: ").split("\n\n[...")[0]
    assert content.startswith(kept)
    assert utf16_length(kept) >= min(TOOL_RESULT_CAP - 1, utf16_length(content))
    assert utf16_length(kept) <= TOOL_RESULT_CAP
