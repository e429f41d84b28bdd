"""Trying a request to a model again after a failure that will pass, with growing pauses.

A failed answer is a value: an assistant message with stop reason `error`. What the loop does is told by events as it
goes; the pauses come from outside, so a test needs no time and an abort ends one at once.
"""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import msgspec

from pi_lsp.base.json import as_str
from pi_lsp.llm.retry_errors import is_retryable
from pi_lsp.resources.settings import RetrySettings
from pi_lsp.session.messages import Message

_MAX_DELAY_MS = 2**53 - 1


class RetryPolicy(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How often and how long: at most `max_attempts` retries (0 is none), delays in ms."""

    max_attempts: int = 3
    base_delay_ms: float = 2000
    max_delay_ms: float = 60_000
    backoff_multiplier: float = 2

    @classmethod
    def of(cls, settings: RetrySettings) -> "RetryPolicy":
        """The policy that Pi's settings ask for."""
        return cls(
            max_attempts=settings.max_retries if settings.enabled else 0,
            base_delay_ms=settings.base_delay_ms,
            max_delay_ms=settings.max_agent_delay_ms,
        )

    def delay_ms(self, attempt: int) -> float:
        """The pause before a retry, which are counted from 1: base x multiplier ^ (attempt - 1), up to the maximum."""
        try:
            delay = self.base_delay_ms * self.backoff_multiplier ** max(attempt - 1, 0)
        except OverflowError:
            delay = _MAX_DELAY_MS
        return min(delay, _MAX_DELAY_MS, self.max_delay_ms)


class RetryScheduled(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A retry will follow after a pause; `error_message` is why."""

    attempt: int
    max_attempts: int
    delay_ms: float
    error_message: str


class RetryAttemptStart(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The pause is over, the request goes out again."""

    attempt: int


class RetryFinished(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The last event after one or more retries were scheduled. An abort is no success and may have no error."""

    success: bool
    attempt: int
    final_error: str | None = None


RetryEvent: TypeAlias = RetryScheduled | RetryAttemptStart | RetryFinished
Pause: TypeAlias = Callable[[float], Awaitable[bool]]
"""Waits so many ms and says true; says false as soon as the work was aborted."""


async def with_retries(
    call: Callable[[], Awaitable[Message]],
    policy: RetryPolicy,
    *,
    pause: Pause,
    on_event: Callable[[RetryEvent], None] = lambda _: None,
    worth: Callable[[Message], bool] = is_retryable,
) -> Message:
    """The answer of `call`, called again while it fails in a way that will pass (`worth` trying again).

    Whoever cares about overflow looks for it first: the text of such an error may match both. An abort during a pause
    gives the last failure as an aborted message, without its error.
    """
    answer = await call()
    attempt = 0
    while attempt < policy.max_attempts and worth(answer):
        attempt += 1
        error = as_str(answer.get("errorMessage"))
        delay = policy.delay_ms(attempt)
        on_event(RetryScheduled(attempt=attempt, max_attempts=policy.max_attempts, delay_ms=delay, error_message=error))
        if not await pause(delay):
            on_event(RetryFinished(success=False, attempt=attempt, final_error=error))
            return {key: value for key, value in answer.items() if key != "errorMessage"} | {"stopReason": "aborted"}
        on_event(RetryAttemptStart(attempt=attempt))
        answer = await call()
    if attempt:
        on_event(_finished(answer, attempt, failed=worth(answer)))
    return answer


def _finished(answer: Message, attempt: int, *, failed: bool) -> RetryFinished:
    error = answer.get("errorMessage")
    failed = failed or answer.get("stopReason") == "error"
    return RetryFinished(
        success=not failed and answer.get("stopReason") != "aborted",
        attempt=attempt,
        final_error=error if failed and isinstance(error, str) else None,
    )
