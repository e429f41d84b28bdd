"""Events into an answer, one by one: servers of many makers send a block whole, in pieces, or never end it."""

import json
from typing import Any

import pytest

from pi_lsp.llm.answer import Answer
from pi_lsp.llm.events import EventReader
from pi_lsp.session.messages import Message, usage_of
from tests.support.api_server_client import SONNET

BLOCK = {"type": "tool_use", "id": "t", "name": "read", "input": {"path": "a"}}
START = ("message_start", {"message": {"usage": {"input_tokens": 5, "output_tokens": 1}}})
END = [("message_delta", {"delta": {"stop_reason": "end_turn"}}), ("message_stop", {})]


def read(*events: tuple[str, Any], ended: bool = True) -> Message:
    answer = Answer(SONNET)
    reader = EventReader(answer)
    for name, data in events:
        reader.read(name, json.dumps(data))
    if ended:
        reader.finish()
    return answer.message()


def block(content: dict[str, Any], *deltas: dict[str, Any]) -> list[tuple[str, Any]]:
    return [
        ("content_block_start", {"index": 0, "content_block": content}),
        *(("content_block_delta", {"index": 0, "delta": delta}) for delta in deltas),
        ("content_block_stop", {"index": 0}),
    ]


@pytest.mark.parametrize(
    ("content", "stored"),
    [
        ({"type": "text", "text": "whole"}, {"type": "text", "text": "whole"}),
        (
            {"type": "thinking", "thinking": "hm", "signature": "sig"},
            {"type": "thinking", "thinking": "hm", "thinkingSignature": "sig"},
        ),
        (BLOCK, {"type": "toolCall", "id": "t", "name": "read", "arguments": {"path": "a"}}),
    ],
)
def test_a_block_that_is_whole_at_its_start_is_stored_whole(content: dict[str, Any], stored: dict[str, Any]) -> None:
    message = read(START, *block(content), *END)
    assert message["content"] == [stored]
    assert message["stopReason"] == "stop"


def test_pieces_go_on_where_the_start_left_off() -> None:
    signed = {"type": "signature_delta", "signature": "-b"}
    thinking = block(
        {"type": "thinking", "thinking": "h", "signature": "a"}, {"type": "thinking_delta", "thinking": "m"}, signed
    )
    [stored] = read(START, *thinking, *END)["content"]
    assert (stored["thinking"], stored["thinkingSignature"]) == ("hm", "a-b")
    given = {"type": "input_json_delta", "partial_json": '{"path": "b"}'}
    [stored] = read(START, *block(BLOCK, given), *END)["content"]
    assert stored["arguments"] == {"path": "b"}


def test_what_has_not_ended_counts_as_aborted_and_says_so() -> None:
    message = read(START, *block({"type": "text", "text": "half"})[:1], ended=False)
    assert (message["stopReason"], message["errorMessage"]) == ("aborted", "Request was aborted")
    assert message["content"] == [{"type": "text", "text": "half"}]
    assert "errorMessage" not in read(START, *END)


def test_counts_that_nobody_reported_are_not_stored() -> None:
    told = {"output_tokens": 9, "output_tokens_details": {"thinking_tokens": 4}}
    silent = usage_of(read(START, *END))
    assert not {"reasoning", "cacheWrite1h"} & set(silent)
    assert (silent["input"], silent["output"], silent["totalTokens"]) == (5, 1, 6)
    told_so = usage_of(read(START, ("message_delta", {"usage": told}), *END))
    assert (told_so["input"], told_so["output"], told_so["reasoning"]) == (5, 9, 4)


def test_after_the_end_nothing_is_taken_in() -> None:
    late = [*block({"type": "text", "text": "late"}), ("error", {"error": {"message": "late"}})]
    message = read(START, *block({"type": "text", "text": "on time"}), *END, *late)
    assert message["content"] == [{"type": "text", "text": "on time"}]
    assert message["stopReason"] == "stop"
    failed = read(
        START, ("error", {"error": {"message": "overloaded"}}), *block({"type": "text", "text": "late"}), *END
    )
    assert (failed["stopReason"], failed["content"]) == ("error", [])
    assert "overloaded" in failed["errorMessage"]


@pytest.mark.parametrize(
    ("events", "why"),
    [
        ([], "without a stop reason"),
        ([START], "before message_stop"),
        ([START, END[0]], "before message_stop"),
        ([START, END[1]], "without a stop reason"),
    ],
)
def test_a_stream_that_ends_early_is_a_failure(events: list[tuple[str, Any]], why: str) -> None:
    message = read(*events)
    assert message["stopReason"] == "error"
    assert why in message["errorMessage"]
