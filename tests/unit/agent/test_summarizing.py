import asyncio
from typing import Any

import pytest

from pi_lsp.agent.events import RetryAttemptStart, RetryFinished, RetryScheduled
from pi_lsp.agent.speaker import Nobody, Speaker
from pi_lsp.agent.summarizing import MAX_OUTPUT, Asking, get_branch_summary, get_summary
from pi_lsp.compaction.navigate import SwitchOptions
from pi_lsp.compaction.plan import Preparation, prepare
from pi_lsp.context.estimate import PI_COUNTER
from pi_lsp.context.model import Model
from pi_lsp.llm.failure import Failure
from pi_lsp.llm.retry import RetryPolicy
from pi_lsp.llm.scripted import ScriptedAnswer, ToolCall
from pi_lsp.resources.settings import CompactionSettings
from tests.support.waiting import until
from tests.unit.agent.talk import SONNET, named, prompt_of, provider_of, speaker, text
from tests.unit.compaction.sessions import assistant, call, chain, result, units, user

USELESS = [
    ScriptedAnswer(text=" \n"),
    ScriptedAnswer(text="## Goal\nhalf of", stop_reason="length"),
    ScriptedAnswer(text="Let me look.", calls=[ToolCall(id="t", name="read")]),
]


def preparation(*more: Any) -> Preparation:
    path = chain(user("Never touch legacy.py. " + units(400)), assistant("fine"), *more, user(units(9)))
    prepared = prepare(path, CompactionSettings(keep_recent_tokens=9))
    assert prepared is not None
    return prepared


def split_turn() -> Preparation:
    steps = [assistant(units(300), call("c", "read", path="p")), result("c"), assistant(units(9))]
    prepared = prepare(
        chain(user("old " + units(200)), assistant("fine"), user("go on"), *steps),
        CompactionSettings(keep_recent_tokens=9),
    )
    assert prepared is not None
    assert prepared.is_split_turn
    return prepared


def asking(
    whom: Speaker | Nobody, events: list[Any] | None = None, *, locally: bool = False, retries: int = 3
) -> Asking:
    return Asking(
        speaker=whom,
        locally=locally,
        operation="compaction",
        policy=RetryPolicy(max_attempts=retries, base_delay_ms=0),
        counter=PI_COUNTER,
        emit=(events if events is not None else []).append,
    )


async def test_the_model_writes_it() -> None:
    asked = speaker([text("THE SUMMARY")])
    gotten = await get_summary(preparation(), asking(asked))
    assert (gotten.summary.text, gotten.summary.summarizer, gotten.error) == ("THE SUMMARY", "model", None)
    assert gotten.summary.usage is not None


@pytest.mark.parametrize("useless", USELESS, ids=["empty", "cut", "tool"])
async def test_C2_an_answer_that_is_no_summary_is_asked_for_again(useless: ScriptedAnswer) -> None:
    events: list[Any] = []
    gotten = await get_summary(preparation(), asking(speaker([useless, text("WHOLE")]), events))
    assert gotten.summary.text == "WHOLE"
    [scheduled] = named(events, RetryScheduled)
    assert (scheduled.operation, scheduled.attempt, scheduled.max_attempts) == ("compaction", 1, 3)
    assert len(named(events, RetryAttemptStart)) == 1
    assert named(events, RetryFinished)[0].success


@pytest.mark.parametrize("useless", USELESS, ids=["empty", "cut", "tool"])
async def test_C2_and_C10_in_the_end_the_summary_is_local_and_says_so(useless: ScriptedAnswer) -> None:
    events: list[Any] = []
    asked = speaker([useless])
    gotten = await get_summary(preparation(), asking(asked, events))
    assert len(provider_of(asked).requests) == 4
    assert gotten.summary.summarizer == "local"
    assert "Never touch legacy.py." in gotten.summary.text
    assert gotten.error is not None
    assert gotten.error.startswith("Summarization failed")
    assert [event.success for event in named(events, RetryFinished)] == [False]


async def test_C3_the_summary_has_its_own_output_limit_and_no_thinking() -> None:
    asked = speaker([text("S")], level="high")
    await get_summary(preparation(), asking(asked))
    [request] = provider_of(asked).requests
    assert (request.max_tokens, request.level, request.cache) == (MAX_OUTPUT, "off", False)

    small = speaker([text("S")], model=Model(id="m", context_window=20_000, max_tokens=32_000))
    await get_summary(preparation(), asking(small))
    assert provider_of(small).requests[0].max_tokens == 5000


async def test_C4_both_parts_of_a_split_turn_get_the_instructions() -> None:
    asked = speaker([text("S")])
    await get_summary(split_turn(), asking(asked), "mind the migrations")
    assert len(provider_of(asked).requests) == 2
    assert all("mind the migrations" in prompt_of(asked, n) for n in range(2))


async def test_L6_what_will_pass_is_tried_again_after_the_pause_that_the_server_asks_for() -> None:
    events: list[Any] = []
    limited = ScriptedAnswer(error="429 rate limit", failure=Failure(kind="status", status=429, retry_after_ms=30))
    gotten = await get_summary(preparation(), asking(speaker([limited, text("S")]), events))
    assert gotten.summary.text == "S"
    [scheduled] = named(events, RetryScheduled)
    assert (scheduled.delay_ms, scheduled.error) == (30, "429 rate limit")


async def test_C10_what_will_not_pass_is_not_tried_again() -> None:
    asked = speaker([ScriptedAnswer(error="invalid x-api-key", failure=Failure(kind="key"))])
    gotten = await get_summary(preparation(), asking(asked))
    assert len(provider_of(asked).requests) == 1
    assert gotten.summary.summarizer == "local"
    assert gotten.error == "Summarization failed: invalid x-api-key"


async def test_C7_a_request_that_is_too_long_is_made_shorter() -> None:
    class Strict:
        refused = 0

        def __call__(self, request: Any) -> ScriptedAnswer:
            if sum(map(PI_COUNTER.message, request.messages)) > 8_000:
                self.refused += 1
                return ScriptedAnswer(error="prompt is too long: 9000 tokens > 8000 maximum")
            return text("S")

    strict = Strict()
    asked = speaker(strict, model=Model(id="m", context_window=20_000, max_tokens=4000))
    many = [body for n in range(40) for body in (user(f"turn {n} {units(400)}"), assistant("ok"))]
    gotten = await get_summary(preparation(*many), asking(asked))
    assert strict.refused
    assert (gotten.summary.text, gotten.error) == ("S", None)


async def test_C9_a_summary_that_is_longer_than_what_it_stands_for_is_not_taken() -> None:
    gotten = await get_summary(preparation(), asking(speaker([text(units(5000))])))
    assert gotten.summary.summarizer == "local"
    assert gotten.error is not None
    assert "no shorter" in gotten.error
    assert gotten.summary.usage is not None  # it was paid for


async def test_without_a_model_or_by_wish_it_is_local() -> None:
    gotten = await get_summary(preparation(), asking(Nobody("no key: set one")))
    assert (gotten.summary.summarizer, gotten.error) == ("local", "no key: set one")
    asked = speaker([text("S")])
    gotten = await get_summary(preparation(), asking(asked, locally=True))
    assert (gotten.summary.summarizer, gotten.error) == ("local", None)
    assert provider_of(asked).requests == []


async def test_C5_an_abort_ends_a_pause_at_once() -> None:
    events: list[Any] = []
    limited = ScriptedAnswer(error="overloaded", failure=Failure(kind="status", retry_after_ms=60_000))
    task = asyncio.create_task(get_summary(preparation(), asking(speaker([limited]), events)))
    await until(lambda: named(events, RetryScheduled))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [event.success for event in named(events, RetryFinished)] == [False]


async def test_a_branch_is_summarised_by_the_model_or_locally() -> None:
    branch = chain(user("Never touch legacy.py."), assistant("", call("c", "edit", path="a.py")), result("c"))
    asked = speaker([text("THE BRANCH")])
    options = SwitchOptions(summarize=True, custom_instructions="mind it")
    gotten = await get_branch_summary(branch, options, asking(asked), 16384)
    assert "THE BRANCH" in gotten.summary.summary
    assert "<modified-files>\na.py" in gotten.summary.summary
    assert "mind it" in prompt_of(asked)

    gotten = await get_branch_summary(branch, options, asking(speaker([text("")])), 16384)
    assert gotten.summary.summarizer == "local"
    assert "Never touch legacy.py." in gotten.summary.summary
    assert gotten.error is not None


async def test_C7_a_branch_whose_newest_message_fills_the_window_is_summarised_locally() -> None:
    branch = chain(user("small"), user("Always run the tests. " + units(300_000)))
    asked = speaker([text("S")], model=SONNET)
    gotten = await get_branch_summary(branch, SwitchOptions(summarize=True), asking(asked), 16384)
    assert gotten.summary.summarizer == "local"
    assert "Always run the tests." in gotten.summary.summary
