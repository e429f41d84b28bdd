import asyncio
import time
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.base.json import JsonObject
from pi_lsp.llm import provider_retry
from pi_lsp.llm.provider_retry import ServerDelayError
from pi_lsp.llm.retry import (
    RetryAttemptStart,
    RetryEvent,
    RetryFinished,
    RetryPolicy,
    RetryScheduled,
    with_retries,
)
from pi_lsp.llm.retry_errors import is_overflow, is_recoverable_length, is_retryable
from pi_lsp.resources.settings import RetrySettings
from tests.support.waiting import until


def failure(text: str, **fields: Any) -> JsonObject:
    return {"role": "assistant", "content": [], "stopReason": "error", "errorMessage": text, **fields}


DONE: JsonObject = {"role": "assistant", "content": [], "stopReason": "stop"}


class Model:
    """Answers in turn and stops the pauses."""

    def __init__(self, *answers: JsonObject, pauses: Sequence[bool] = ()) -> None:
        self.answers = list(answers)
        self.pauses = list(pauses)
        self.waited: list[float] = []
        self.events: list[RetryEvent] = []

    async def call(self) -> JsonObject:
        return self.answers.pop(0)

    async def pause(self, delay_ms: float) -> bool:
        self.waited.append(delay_ms)
        return self.pauses.pop(0) if self.pauses else True

    async def run(self, policy: RetryPolicy) -> JsonObject:
        return await with_retries(self.call, policy, pause=self.pause, on_event=self.events.append)


async def test_L6_a_failure_that_passes_is_retried_and_told() -> None:
    model = Model(failure("overloaded"), failure("503"), DONE)
    assert await model.run(RetryPolicy(base_delay_ms=10)) == DONE
    assert model.waited == [10, 20]
    assert model.events == [
        RetryScheduled(attempt=1, max_attempts=3, delay_ms=10, error_message="overloaded"),
        RetryAttemptStart(attempt=1),
        RetryScheduled(attempt=2, max_attempts=3, delay_ms=20, error_message="503"),
        RetryAttemptStart(attempt=2),
        RetryFinished(success=True, attempt=2),
    ]


async def test_L6_retries_are_bounded() -> None:
    model = Model(*[failure("timeout")] * 9)
    assert await model.run(RetryPolicy(max_attempts=2)) == failure("timeout")
    assert len(model.answers) == 6
    assert model.events[-1] == RetryFinished(success=False, attempt=2, final_error="timeout")


@pytest.mark.parametrize("answer", [DONE, failure("invalid api key"), failure("429 quota exceeded")])
async def test_what_will_not_pass_is_given_back_at_once(answer: JsonObject) -> None:
    model = Model(answer)
    assert await model.run(RetryPolicy()) == answer
    assert model.events == []


async def test_an_abort_in_the_pause_gives_the_failure_as_aborted() -> None:
    answer = failure("overloaded", usage={"input": 1})
    model = Model(answer, DONE, pauses=[False])
    assert await model.run(RetryPolicy()) == {
        "role": "assistant",
        "content": [],
        "stopReason": "aborted",
        "usage": {"input": 1},
    }
    assert answer["errorMessage"] == "overloaded"
    assert model.events[-1] == RetryFinished(success=False, attempt=1, final_error="overloaded")
    assert len(model.answers) == 1


async def test_switched_off_in_the_settings_there_is_no_retry() -> None:
    model = Model(failure("overloaded"))
    await model.run(RetryPolicy.of(RetrySettings(enabled=False)))
    assert model.events == []


def test_the_policy_of_the_settings() -> None:
    read = RetrySettings(max_retries=7, base_delay_ms=5, max_agent_delay_ms=9)
    assert RetryPolicy.of(read) == RetryPolicy(max_attempts=7, base_delay_ms=5, max_delay_ms=9, backoff_multiplier=2)


def test_the_multiplier_is_the_policys() -> None:
    policy = RetryPolicy(base_delay_ms=100, backoff_multiplier=1.5)
    assert [policy.delay_ms(attempt) for attempt in (1, 2, 3)] == [100, 150, 225]


@given(
    st.floats(0, 1e300),
    st.floats(0, 1e300),
    st.floats(1, 100),
    st.integers(-10, 10**6),
)
def test_no_delay_passes_the_maximum(base: float, maximum: float, multiplier: float, attempt: int) -> None:
    policy = RetryPolicy(base_delay_ms=base, max_delay_ms=maximum, backoff_multiplier=multiplier)
    assert 0 <= policy.delay_ms(attempt) <= policy.delay_ms(attempt + 1) <= min(maximum, 2**53 - 1)


async def test_a_cancelled_task_is_not_swallowed() -> None:
    pauses: list[float] = []

    async def forever(delay_ms: float) -> bool:
        pauses.append(delay_ms)
        await asyncio.sleep(60)
        return True

    task = asyncio.create_task(with_retries(Model(failure("503")).call, RetryPolicy(), pause=forever))
    await until(lambda: pauses)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize(
    "text", ["service\tunavailable", "RATE-LIMIT", "x 504.", "timed out", "timeout", "_429_", 'code:"1308" overloaded']
)
def test_texts_that_are_retried(text: str) -> None:
    assert is_retryable(failure(text))


@pytest.mark.parametrize(
    "text", ["time-out", "rate\nlimit", "request to  failed, reason:", "\u017ferver error", "4290"]
)
def test_texts_that_are_not(text: str) -> None:
    assert not is_retryable(failure(text))


@pytest.mark.parametrize(
    "message", [{}, {"stopReason": "error", "errorMessage": 5}, {"stopReason": None, "usage": "x"}]
)
def test_messages_of_any_shape_are_neither(message: JsonObject) -> None:
    assert not is_retryable(message)
    assert not is_overflow(message, 10)
    assert not is_recoverable_length(message, 10)


@pytest.mark.parametrize(
    ("text", "provider", "expected"),
    [
        ("400 (no body)", "cerebras", True),
        ("413 status code (no body)", "cerebras", True),
        ("400 (no body)", "anthropic", False),
        ("invalid key", "cerebras", False),
    ],
)
def test_one_provider_tells_an_overflow_by_saying_nothing(text: str, provider: str, expected: bool) -> None:
    assert is_overflow({**failure(text), "provider": provider}) is expected


def test_C6_overflow_by_usage_needs_a_window() -> None:
    answer: JsonObject = {"stopReason": "stop", "usage": {"input": 150, "cacheRead": 60, "output": 1}}
    assert [is_overflow(answer, window) for window in (0, 209, 210)] == [False, True, False]
    full: JsonObject = {"stopReason": "length", "usage": {"input": 198, "output": 0}}
    assert [is_overflow(full, window) for window in (200, 201)] == [True, False]


def test_a_long_error_text_is_searched_in_no_time() -> None:
    text = "input token count " * 20_000 + "request to " * 20_000 + "x" * 100_000
    start = time.process_time()
    assert not is_retryable(failure(text))
    is_overflow(failure(text))
    assert time.process_time() - start < 5


def test_a_count_and_its_limit_stand_on_one_line_however_long() -> None:
    assert is_overflow(failure("The INPUT token count (" + "9" * 1000 + ") exceeds the maximum"))
    for separator in ("\n", "\r", "\u2028", "\u2029"):
        assert not is_overflow(failure(f"input token count{separator}exceeds the maximum"))
    assert not is_overflow(failure("exceeds the maximum input token count"))
    assert is_overflow(failure("x\ninput token count, exceeds the maximum"))


@pytest.mark.parametrize("space", ["\u00a0", "\ufeff", "\u2003", "\t", ""])
def test_white_space_is_javascripts(space: str) -> None:
    assert is_overflow(failure(f"exceeds maximum context length{space}(5)"))
    assert is_overflow(failure(f"413{space or ':'}x"))
    assert not is_retryable(failure(f'overloaded "code"{space}:1308'))


def test_the_address_of_a_request_ends_at_any_white_space() -> None:
    assert is_retryable(failure("request to http://x failed, reason:"))
    assert not is_retryable(failure("request to http://x\u00a0y failed, reason:"))


def test_the_server_asks_by_date() -> None:
    headers = {"Retry-After": "Sun, 30 Nov 2025 10:53:30 GMT"}
    now = 1_764_500_000.0
    assert provider_retry.server_delay_ms(headers, now=lambda: now) == 10_000
    assert provider_retry.server_delay_ms(headers, now=lambda: now + 60) == 0


@pytest.mark.parametrize("text", ["", "abc", "Infinity", "NaN", "Sun, 99 Nov 2025", "\0", "--1"])
def test_a_header_that_says_nothing(text: str) -> None:
    assert provider_retry.server_delay_ms({"retry-after": text, "retry-after-ms": text}) is None
    assert 375 <= provider_retry.delay_ms({"retry-after": text}, 0) <= 500


def test_a_server_delay_above_the_limit_is_left_to_the_agents_own_retry() -> None:
    with pytest.raises(ServerDelayError) as caught:
        provider_retry.delay_ms({"retry-after": "61"}, 0, error="boom")
    assert is_retryable(failure(str(caught.value)))
    assert provider_retry.delay_ms({"retry-after": "61"}, 0, max_delay_ms=0) == 61_000


def test_the_server_overrules_the_status() -> None:
    assert provider_retry.is_retryable_status(400, {"X-Should-Retry": "true"})
    assert provider_retry.is_retryable_status(400, {"x-should-retry": " true\t"})
    assert not provider_retry.is_retryable_status(503, {"x-should-retry": "false"})
    assert provider_retry.is_retryable_status(None)


@given(st.integers(0, 10**9))
def test_backoff_grows_to_eight_seconds(index: int) -> None:
    shortest, longest = provider_retry.backoff_range_ms(index)
    assert shortest == longest * 0.75
    assert 500 <= longest <= 8000
