"""What the step records; what it does is compared with Pi by the conformance tests."""

from typing import Any

from pi_lsp.context.model import Model
from pi_lsp.context.pairing import normalize_id, transform
from pi_lsp.context.trace import Traced

MODEL = Model(id="m")
BLIND = Model(id="m", input=("text",))


def answer(*blocks: dict[str, Any], model: str = "m", **fields: Any) -> dict[str, Any]:
    source = {"provider": "anthropic", "api": "anthropic-messages", "model": model}
    return {"role": "assistant", "content": list(blocks)} | source | fields


def records(model: Model, *messages: dict[str, Any]) -> list[tuple[int, str]]:
    return [(change.index, change.fate) for change in transform(Traced.of(messages), model).changes]


def test_a_failed_answer_is_recorded_as_absent() -> None:
    assert records(MODEL, answer(stopReason="error"), answer(stopReason="aborted")) == [(0, "absent"), (1, "absent")]


def test_lost_thinking_and_images_are_recorded() -> None:
    thinking = {"type": "thinking", "thinking": "t", "thinkingSignature": "s"}
    image = {"type": "image", "mimeType": "image/png", "data": ""}
    assert records(MODEL, answer(thinking), answer(thinking, model="other")) == [(1, "changed")]
    assert records(BLIND, {"role": "user", "content": [image]}) == [(0, "changed")]


def test_an_added_result_names_the_answer_that_called() -> None:
    traced = transform(
        Traced.of([{"role": "user", "content": ""}, answer({"type": "toolCall", "id": "a", "name": "read"})]),
        MODEL,
        now=7,
    )
    added = traced.items[-1]
    assert (added.source, added.made, added.message["timestamp"]) == (1, True, 7)
    assert [change.index for change in traced.changes] == [1]


def test_a_message_of_an_unknown_role_does_not_end_a_turn() -> None:
    calling = answer({"type": "toolCall", "id": "a", "name": "read"})
    result = {"role": "toolResult", "toolCallId": "a", "content": []}
    for odd in ({"role": "notification", "content": []}, {"content": []}):
        messages = [calling, odd, result]
        assert transform(Traced.of(messages), MODEL).messages == messages


def test_a_result_that_is_added_says_what_its_call_says() -> None:
    added = transform(Traced.of([answer({"type": "toolCall", "id": "a"})]), MODEL).messages[-1]
    assert (added["toolCallId"], "toolName" in added) == ("a", False)


def test_an_id_counts_utf16_units() -> None:
    assert normalize_id("a😀b") == "a__b"
    assert normalize_id("😀" * 40) == "_" * 64
