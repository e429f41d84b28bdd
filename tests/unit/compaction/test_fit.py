"""C7: a summary of what is longer than the window of the model that is asked."""

import asyncio
from collections.abc import Sequence

import pytest

from pi_lsp.base.json import JsonObject
from pi_lsp.base.text import utf8_length
from pi_lsp.compaction.fit import BYTES_PER_TOKEN, MAX_HALVINGS, RequestTooLongError, summarize_in_passes
from pi_lsp.compaction.plan import Preparation, prepare
from pi_lsp.compaction.result import Summary
from pi_lsp.llm.contract import CompletionRequest
from pi_lsp.resources.settings import CompactionSettings
from pi_lsp.session.messages import Message
from tests.unit.compaction.sessions import assistant, call, chain, compaction, result, units, user

ROOM = 4000
"""Tokens of a request; the frame of one takes about 800 of them."""


class Model:
    """Takes so many bytes and no more; answers S1, S2 ... and remembers what it was asked."""

    def __init__(self, window: int = ROOM * BYTES_PER_TOKEN) -> None:
        self.window = window
        self.prompts: list[str] = []

    async def __call__(self, request: CompletionRequest) -> Message:
        await asyncio.sleep(0)
        if utf8_length(request.system + request.prompt) > self.window:
            raise RequestTooLongError("prompt is too long")
        self.prompts.append(request.prompt)
        text: JsonObject = {"type": "text", "text": f"S{len(self.prompts)}"}
        usage: JsonObject = {"input": 1, "output": 1, "totalTokens": 2}
        return {"role": "assistant", "content": [text], "stopReason": "stop", "usage": usage}


def prepared(*bodies: JsonObject, keep: int = 5) -> Preparation:
    preparation = prepare(chain(*bodies), CompactionSettings(keep_recent_tokens=keep))
    assert preparation is not None
    return preparation


def turns(count: int, tokens: int = 300) -> Sequence[JsonObject]:
    return [body for n in range(count) for body in (user(f"turn {n} {units(tokens)}"), assistant(f"done {n}"))]


async def summarize(preparation: Preparation, model: Model, **options: str) -> Summary:
    return await summarize_in_passes(preparation, model, room=ROOM, **options)


async def test_what_fits_is_asked_for_once() -> None:
    model = Model()
    summary = await summarize(prepared(user("old"), assistant("fine"), user(units(5))), model)
    assert summary.text == "S1"
    assert len(model.prompts) == 1


async def test_C7_more_than_fits_goes_in_passes_each_taking_the_one_before_in() -> None:
    model = Model()
    summary = await summarize(prepared(*turns(18), user(units(5))), model, instructions="mind the tests")
    assert len(model.prompts) > 1
    assert summary.text == f"S{len(model.prompts)}"
    assert summary.usage is not None
    assert summary.usage["totalTokens"] == 2 * len(model.prompts)
    for number, prompt in enumerate(model.prompts[1:], 1):
        assert f"<previous-summary>\nS{number}\n</previous-summary>" in prompt
    for turn in range(18):
        assert sum(f"turn {turn} " in prompt for prompt in model.prompts) == 1
    assert all("mind the tests" in prompt for prompt in model.prompts)


async def test_C7_an_estimate_that_was_wrong_is_halved() -> None:
    model = Model(window=ROOM * BYTES_PER_TOKEN * 2 // 3)
    summary = await summarize(prepared(*turns(18), user(units(5))), model)
    assert summary.text == f"S{len(model.prompts)}"
    assert "turn 0 " in model.prompts[0]


async def test_C7_there_is_an_end_to_trying() -> None:
    class Never(Model):
        async def __call__(self, request: CompletionRequest) -> Message:
            self.prompts.append(request.prompt)
            raise RequestTooLongError("prompt is too long")

    model = Never()
    with pytest.raises(RequestTooLongError):
        await summarize_in_passes(prepared(*turns(18), user(units(5))), model, room=100_000)
    assert len(model.prompts) == MAX_HALVINGS + 1


async def test_C7_what_is_older_than_a_few_passes_is_summarised_without_a_model() -> None:
    model = Model()
    bodies = [user("You must never touch legacy.py."), assistant("ok"), *turns(120), user(units(5))]
    await summarize(prepared(*bodies), model)
    assert len(model.prompts) <= 8
    assert "You must never touch legacy.py." in model.prompts[0]
    assert "turn 119 " in model.prompts[-1]


async def test_C7_one_entry_longer_than_a_request_is_cut_between_characters() -> None:
    model = Model()
    written = assistant("", call("c", "write", path="a.py", content="😀" * 9000))
    bodies = [user("begin " + "é" * 60_000 + " end"), written, result("c", "x" * 60_000), assistant("ok")]
    await summarize(prepared(*bodies, user(units(5))), model)
    said = "".join(model.prompts)
    assert "begin é" in said
    assert "é end" in said
    assert 'write(path="a.py", content="😀' in said
    assert "characters left out" in said
    said.encode()  # no half of a character


async def test_C7_a_split_turn_that_is_too_long_is_told_as_history() -> None:
    model = Model()
    steps = [
        step
        for n in range(30)
        for step in (assistant(f"step {n} {units(200)}", call(f"c{n}", "read", path="p")), result(f"c{n}"))
    ]
    preparation = prepared(user("the request"), *steps, assistant(units(9)), keep=9)
    assert preparation.is_split_turn
    summary = await summarize(preparation, model)
    assert "**Turn Context (split turn):**" in summary.text
    assert "the request" in model.prompts[0]
    assert "# Conversation" in model.prompts[-1]
    assert "step 29 " in model.prompts[-1]
    for step in range(30):
        assert sum(f"step {step} " in prompt for prompt in model.prompts) == 1


async def test_C7_an_earlier_summary_that_fills_the_request_is_cut() -> None:
    model = Model()
    preparation = prepared(user("old"), compaction("begin " + units(9000), "e1"), *turns(3), user(units(5)))
    await summarize(preparation, model)
    assert "<previous-summary>\nbegin x" in model.prompts[0]


async def test_a_window_that_holds_no_conversation_is_refused_before_anything_is_sent() -> None:
    model = Model()
    with pytest.raises(RequestTooLongError, match="too small"):
        await summarize_in_passes(prepared(*turns(2), user(units(5))), model, room=500)
    assert model.prompts == []
