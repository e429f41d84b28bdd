"""What is written with the help of the last request is what is written anew."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.context.finish import finish
from pi_lsp.llm import repeating
from pi_lsp.llm.messages import anthropic_messages
from pi_lsp.llm.repeating import Repeating
from tests.support.histories import HISTORIES, MODELS

SYSTEM = {"role": "system", "content": "", "sections": {"rules": "R"}}


def user(words: str = "go on") -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": words}]}


def answer(*calls: str) -> dict[str, Any]:
    blocks = [{"type": "toolCall", "id": call, "name": "read", "arguments": {}} for call in calls]
    return {"role": "assistant", "content": [{"type": "text", "text": "yes"}, *blocks]}


def result(call: str) -> dict[str, Any]:
    return {"role": "toolResult", "toolCallId": call, "toolName": "read", "content": [{"type": "text", "text": "x"}]}


@given(st.lists(HISTORIES, min_size=1, max_size=4), st.sampled_from(MODELS), st.booleans())
def test_any_conversation_that_goes_on(pieces: list[list[dict[str, Any]]], model: Any, allow: bool) -> None:
    repeated, said = Repeating(), list[dict[str, Any]]()
    for piece in pieces:
        said = [*said, *piece]
        for messages in (said, finish(said, model).messages, [SYSTEM, *said]):
            for allow_empty in (allow, not allow):
                expected = anthropic_messages(messages, allow_empty_signature=allow_empty)
                assert repeated(messages, allow_empty_signature=allow_empty) == expected
                assert repeated(messages, allow_empty_signature=allow_empty) == expected


TURN = [user(), answer("a"), result("a")]


@pytest.mark.parametrize(
    ("later", "anew"),
    [([answer(), user()], False), ([user(), answer("b"), result("b")], False), ([], False), ([result("b")], True)],
)
def test_what_stands_alone_is_written_alone(later: list[Any], anew: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    repeated = Repeating()
    repeated([SYSTEM, *TURN])
    written: list[int] = []
    monkeypatch.setattr(
        repeating,
        "anthropic_messages",
        lambda messages, **options: written.append(len(messages)) or anthropic_messages(messages, **options),
    )
    messages = [{**SYSTEM}, *TURN, *later]
    assert repeated(messages) == anthropic_messages(messages)
    assert written == ([len(messages)] if anew else [len(later)])


def test_what_is_done_to_the_list_is_forgotten() -> None:
    repeated = Repeating()
    repeated(TURN)[0] = {}
    assert repeated(TURN) == anthropic_messages(TURN)
