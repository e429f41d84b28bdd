"""The body of a request: its prefix, its breakpoints, its thinking."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.context.finish import finish
from pi_lsp.context.model import Model
from pi_lsp.llm.body import request_body
from pi_lsp.llm.models import models
from pi_lsp.llm.thinking import LEVELS, nearest_level, supported_levels
from tests.support.strict_api import violations

PLAIN = Model(id="m", max_tokens=8192)
MANUAL = Model(id="m", reasoning=True, max_tokens=64_000)
ADAPTIVE = Model(id="m", reasoning=True, adaptive_thinking=True, thinking_levels={"off": None, "xhigh": "xhigh"})
PROMPT = {
    "role": "system",
    "content": "",
    "sections": {"preamble": "Be good."},
    "toolsAdded": [
        {"name": "read", "description": "Reads.", "parameters": {"type": "object", "properties": {"path": {}}}},
        {"name": "bash", "description": "Runs.", "parameters": {"type": "object", "anyOf": [{}]}},
    ],
}  # fmt: skip


def user(words: str) -> dict[str, Any]:
    return {"role": "user", "content": words}


def answer(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": list(blocks),
        "provider": "anthropic",
        "api": "anthropic-messages",
        "model": "m",
    }


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(call_id: str) -> dict[str, Any]:
    return {"type": "toolCall", "id": call_id, "name": "read", "arguments": {}}


def result(call_id: str) -> dict[str, Any]:
    return {"role": "toolResult", "toolCallId": call_id, "toolName": "read", "content": [text("x")], "isError": False}


def body_of(*messages: dict[str, Any], model: Model = PLAIN, **options: Any) -> dict[str, Any]:
    body = request_body(finish(messages, model).messages, model, **options)
    assert violations(body, model) == []
    return body


def marked(body: dict[str, Any]) -> list[str]:
    """The places of the breakpoints."""
    places = [key for key in ("system", "tools") if "cache_control" in body.get(key, [{}])[-1]]
    return places + [
        str(place)
        for place, message in enumerate(body["messages"])
        if isinstance(message["content"], list) and "cache_control" in message["content"][-1]
    ]


def unmarked(value: Any) -> Any:
    return json.loads(json.dumps(value).replace(', "cache_control": {"type": "ephemeral"}', ""))


def as_blocks(messages: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    return [[text(m["content"])] if isinstance(m["content"], str) else m["content"] for m in messages]


def test_system_and_tools_come_from_the_messages() -> None:
    body = body_of(PROMPT, user("hi"), cache=False)
    assert body["system"] == [text("Be good.")]
    assert [tool["name"] for tool in body["tools"]] == ["read", "bash"]
    assert body["tools"][1]["input_schema"] == {"type": "object", "properties": {}, "required": []}
    assert body["messages"] == [user("hi")]
    assert body["max_tokens"] == PLAIN.max_tokens
    assert "thinking" not in body


def test_breakpoints_stand_on_the_present_and_the_previous_end() -> None:
    assert marked(body_of(PROMPT, user("1"))) == ["system", "tools", "0"]
    history = [PROMPT, user("1"), answer(call("a")), result("a")]
    assert marked(body_of(*history)) == ["system", "tools", "0", "2"]
    assert marked(body_of(*history, answer(text("ok")), user("2"))) == ["system", "tools", "2", "4"]


TURNS = st.lists(st.sampled_from(["text", "call", "calls", "thinking", "two"]), min_size=1, max_size=6)


@given(TURNS, st.sampled_from([PLAIN, MANUAL, ADAPTIVE]))
def test_each_request_repeats_the_one_before(turns: list[str], model: Model) -> None:
    history: list[dict[str, Any]] = [PROMPT, user("start")]
    previous = body_of(*history, model=model)
    for number, turn in enumerate(turns):
        thought = {"type": "thinking", "thinking": "t", "thinkingSignature": "s"}
        match turn:
            case "text":
                history += [answer(text("ok ")), user("next")]
            case "call" | "calls":
                ids = [f"c{number}-{n}" for n in range(1 + (turn == "calls"))]
                history += [answer(text("x"), *map(call, ids)), *map(result, ids)]
            case "thinking":
                history += [answer(thought, call(f"t{number}")), result(f"t{number}")]
            case _:
                history += [answer(text("a")), user("b"), user("c")]
        body = body_of(*history, model=model)
        for key in ("system", "tools"):
            assert json.dumps(body[key]) == json.dumps(previous[key])
        repeated = as_blocks(unmarked(body["messages"]))[: len(previous["messages"])]
        assert json.dumps(repeated) == json.dumps(as_blocks(unmarked(previous["messages"])))
        previous = body


@pytest.mark.parametrize(
    ("level", "budget"), [("minimal", 1024), ("low", 2048), ("medium", 8192), ("high", 16_384), ("max", 16_384)]
)
def test_a_budget_for_models_that_take_one(level: str, budget: int) -> None:
    assert body_of(user("x"), model=MANUAL, level=level)["thinking"]["budget_tokens"] == budget


def test_a_budget_leaves_room_for_the_answer_or_there_is_none() -> None:
    assert body_of(user("x"), model=MANUAL, level="high", max_tokens=4096)["thinking"]["budget_tokens"] == 3072
    assert body_of(user("x"), model=MANUAL, level="high", max_tokens=2000)["thinking"] == {"type": "disabled"}


def test_an_effort_for_models_that_decide_themselves() -> None:
    body = body_of(user("x"), model=ADAPTIVE, level="xhigh")
    assert (body["thinking"]["type"], body["output_config"]) == ("adaptive", {"effort": "xhigh"})
    assert body_of(user("x"), model=ADAPTIVE, level="off")["output_config"] == {"effort": "low"}


def test_a_turn_that_began_without_thinking_goes_on_without() -> None:
    body = body_of(user("x"), answer(call("a")), result("a"), model=MANUAL, level="high")
    assert body["thinking"] == {"type": "disabled"}
    body = body_of(user("x"), answer(call("a")), result("a"), answer(text("y")), user("z"), model=MANUAL, level="high")
    assert body["thinking"]["type"] == "enabled"


def test_the_nearest_level_is_a_supported_one() -> None:
    for model in (PLAIN, MANUAL, ADAPTIVE):
        for level in (*LEVELS, "odd"):
            assert nearest_level(model, level) in supported_levels(model)
    assert nearest_level(MANUAL, "max") == "high"
    assert nearest_level(ADAPTIVE, "max") == "xhigh"
    assert nearest_level(ADAPTIVE, "off") == "minimal"


@pytest.mark.parametrize("model", models().values(), ids=models())
def test_every_model_of_the_table_gets_a_valid_request_at_every_level(model: Model) -> None:
    for level in LEVELS:
        body_of(PROMPT, user("x"), model=model, level=level)
