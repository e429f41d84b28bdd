"""Every request is one that the API takes, whatever the history holds (pitfalls L1 to L5)."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_lsp.context.finish import finish
from pi_lsp.context.images import MANY_IMAGES, MAX_IMAGES
from pi_lsp.context.model import Model
from pi_lsp.context.trace import Traced
from pi_lsp.context.valid import make_valid
from pi_lsp.llm.body import request_body
from pi_lsp.llm.thinking import LEVELS
from tests.support.histories import HISTORIES, MODELS, PLAIN, image, png
from tests.support.strict_api import violations

NOTHING_SAID = ["messages_empty: at least one message is required"]


def user(content: Any = "hi") -> dict[str, Any]:
    return {"role": "user", "content": content}


def answer(*blocks: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "role": "assistant", "content": list(blocks), "provider": "anthropic", "api": "anthropic-messages", "model": "m"
    } | fields  # fmt: skip


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(call_id: str) -> dict[str, Any]:
    return {"type": "toolCall", "id": call_id, "name": "read", "arguments": {"path": "a"}}


def result(call_id: str, *blocks: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"role": "toolResult", "toolCallId": call_id, "toolName": "read", "content": list(blocks)} | fields


def repaired(*messages: dict[str, Any], model: Model = PLAIN) -> Traced:
    finished = finish(messages, model)
    assert violations(request_body(finished.messages, model), model) == []
    return finished


@given(HISTORIES, st.sampled_from(MODELS), st.sampled_from(LEVELS))
@settings(max_examples=400)
def test_any_history_gives_a_valid_request(history: list[dict[str, Any]], model: Model, level: str) -> None:
    body = request_body(finish(history, model).messages, model, level=level)
    assert violations(body, model) in ([], NOTHING_SAID)


@given(HISTORIES, st.sampled_from(MODELS))
@settings(max_examples=300)
def test_repair_alone_suffices_and_is_idempotent(history: list[dict[str, Any]], model: Model) -> None:
    once = make_valid(Traced.of(history), model)
    assert violations(request_body(once.messages, model), model) in ([], NOTHING_SAID)
    twice = make_valid(Traced.of(once.messages), model)
    assert (twice.messages, twice.changes) == (once.messages, [])


@given(HISTORIES, st.sampled_from(MODELS))
@settings(max_examples=300)
def test_every_message_is_sent_or_its_loss_is_recorded(history: list[dict[str, Any]], model: Model) -> None:
    finished = finish(history, model)
    sent = {item.source for item in finished.items if not item.made}
    recorded = {change.index for change in finished.changes}
    assert {*range(len(history))} - sent <= recorded
    assert {change.index for change in finished.changes if change.fate == "absent"}.isdisjoint(sent)


def test_a_valid_history_is_not_touched() -> None:
    history = [
        user(),
        answer({"type": "thinking", "thinking": "t", "thinkingSignature": "s"}, text("I look."), call("a"), call("b")),
        result("b", text("one")),
        result("a", text("two"), image()),
        answer(text("done ")),
        user([text("look"), image()]),
    ]
    finished = repaired(*history)
    assert finished.messages == history
    assert finished.changes == []


def test_L1_interrupted_calls_are_answered() -> None:
    finished = repaired(user(), answer(call("a"), call("b")), result("b", text("x")), user("and?"))
    results = [m for m in finished.messages if m["role"] == "toolResult"]
    assert [one["toolCallId"] for one in results] == ["b", "a"]
    assert results[1]["isError"] is True
    assert [item.made for item in finished.items] == [False, False, False, True, False]


def test_L2_a_result_whose_call_was_dropped_is_not_sent() -> None:
    finished = repaired(user(), answer(call("a"), stopReason="aborted"), result("a", text("x")), user("go"))
    assert [m["role"] for m in finished.messages] == ["user", "user"]
    assert [(c.index, c.fate, c.stage) for c in finished.changes] == [(1, "absent", "convert"), (2, "absent", "repair")]


def test_L2_a_late_result_takes_the_place_of_the_note() -> None:
    finished = repaired(user(), answer(call("a")), user("wait"), result("a", text("late")))
    assert [m["role"] for m in finished.messages] == ["user", "assistant", "toolResult", "user"]
    assert finished.messages[2]["content"] == [text("late")]
    assert (3, "changed") in [(change.index, change.fate) for change in finished.changes]


def test_L2_a_second_result_is_not_sent() -> None:
    finished = repaired(user(), answer(call("a")), result("a", text("1")), result("a", text("2")))
    assert [m.get("content") for m in finished.messages if m["role"] == "toolResult"] == [[text("1")]]
    assert [(c.index, c.fate) for c in finished.changes] == [(3, "absent")]


def test_L2_an_id_used_twice_names_two_calls() -> None:
    turn = [answer(call("a")), result("a", text("x"))]
    finished = repaired(user(), *turn, *turn)
    ids = [m["toolCallId"] for m in finished.messages if m["role"] == "toolResult"]
    assert ids == ["a", "a_2"]


@pytest.mark.parametrize("blank", ["", " \n", "\ufeff", "\x85", "\0"])
def test_L3_blank_texts_are_left_out(blank: str) -> None:
    finished = repaired(user([text(blank), text("hi")]), answer(text(blank), call("a")), result("a", text(blank)))
    assert finished.messages[0]["content"] == [text("hi")]
    assert finished.messages[1]["content"] == [call("a")]
    assert finished.messages[2]["content"] == [text("(no output)")]
    assert [change.index for change in finished.changes] == [0, 1, 2]


def test_L3_nothing_ends_or_begins_with_an_answer() -> None:
    finished = repaired(answer(text("hello ")))
    assert [m["role"] for m in finished.messages] == ["user", "assistant", "user"]
    assert [item.made for item in finished.items] == [True, False, True]


def test_L4_an_old_large_image_gives_way_past_twenty() -> None:
    large = user([image(3000, 10)])
    assert repaired(large).changes == []
    finished = repaired(large, user([image() for _ in range(MANY_IMAGES)]))
    assert finished.messages[0]["content"][0]["type"] == "text"
    assert [change.index for change in finished.changes] == [0]


def test_L4_the_oldest_images_go_by_twenties() -> None:
    def left(count: int) -> list[bool]:
        finished = repaired(*[user([image()]) for _ in range(count)])
        return [m["content"][0]["type"] == "image" for m in finished.messages]

    assert left(MAX_IMAGES) == [True] * MAX_IMAGES
    assert left(MAX_IMAGES + 1) == left(MAX_IMAGES + 20)[:-19] == [False] * 20 + [True] * (MAX_IMAGES - 19)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("", "no PNG"),
        ("%%%", "not base64"),
        ("aGVsbG8=", "no PNG"),
        (png(8001, 1), "8000"),
        (png(0, 1), "cannot be read"),
        (png(5, 5)[:-20] + "AAAA", "cannot be read"),
        ("iVBORw0KGgo=", "no PNG"),
        ("/9j/4AAQ", "cannot be read"),
        ("A" * (11 << 20), "10 MB"),
    ],
)
def test_L4_an_image_that_would_be_refused_becomes_a_note(data: str, reason: str) -> None:
    finished = repaired(user([{"type": "image", "mimeType": "image/png", "data": data}]))
    note = finished.messages[0]["content"][0]
    assert note["type"] == "text"
    assert reason in note["text"]
    assert reason in finished.changes[0].detail


def test_L4_a_wrong_media_type_is_put_right() -> None:
    finished = repaired(user([image(mime_type="image/jpg")]))
    assert finished.messages[0]["content"] == [image()]


def test_L4_the_images_of_a_request_stay_under_its_size() -> None:
    data = png(10, 10)
    heavy = {"type": "image", "mimeType": "image/png", "data": data[:-16] + "A" * (9 << 20) + data[-16:]}
    finished = repaired(*[user([heavy]) for _ in range(4)])
    assert [m["content"][0]["type"] for m in finished.messages] == ["text", "text", "image", "image"]


def test_L5_half_characters_and_nuls_are_taken_out_everywhere() -> None:
    bad = "a\ud83db\0c"
    arguments = {"path": bad, "deep": [{bad: bad}], "kept": "\\u0000 \\ud800"}
    finished = repaired(
        {
            "role": "system",
            "content": bad,
            "sections": {"s": bad},
            "toolsAdded": [{"name": "read", "description": bad}],
        },
        user(bad),
        answer(text(bad), call("a") | {"arguments": arguments}),
        result("a", text(bad)),
    )
    assert finished.messages[2]["content"][1]["arguments"] == {
        "path": "abc", "deep": [{"abc": "abc"}], "kept": "\\u0000 \\ud800"
    }  # fmt: skip


def test_signed_thinking_is_sent_as_it_is_or_not_at_all() -> None:
    whole = {"type": "thinking", "thinking": "", "thinkingSignature": "s"}
    broken = {"type": "thinking", "thinking": "a\0", "thinkingSignature": "s"}
    finished = repaired(user(), answer(whole, broken, text("x")), user())
    assert finished.messages[1]["content"] == [whole, text("x")]


def test_system_messages_stand_between_a_question_and_its_answer() -> None:
    def update(words: str) -> dict[str, Any]:
        return {"role": "system", "content": words}

    model = Model(id="m", system_messages=True)
    history = [user(), update("1"), answer(text("x")), update("2"), update("3"), user(), answer(text("y")), update("4")]
    finished = repaired(*history, model=model)
    assert [m["role"] for m in finished.messages] == [
        "system", "user", "assistant", "user", "system", "assistant", "user", "system"
    ]  # fmt: skip
    assert finished.messages[4]["content"] == [text("2"), text("3")]


def test_arguments_nested_too_deeply_are_left_out() -> None:
    deep: Any = {}
    for _ in range(100_000):
        deep = {"a": deep}
    finished = repaired(user(), answer(call("a") | {"arguments": deep}), result("a", text("x")))
    assert finished.messages[1]["content"][0]["arguments"] == {}


def test_long_histories_stay_linear() -> None:
    many = [call(f"c{i}") for i in range(20_000)]
    finished = finish([user(), answer(*many), *[result(f"c{i}", text("x")) for i in range(20_000)]], PLAIN)
    assert finished.changes == []
    same = [message for _ in range(5000) for message in (answer(call("a")), result("a", text("x")))]
    assert len(finish([user(), *same], PLAIN).messages) == 10_001
