"""The further attempts at one request of a run: how many there were, how long to wait for the next, and who is told.

A failed attempt that is made again is taken out of the context by an edit, as Pi 1.6.0 does.
"""

import asyncio

from pi_lsp.agent.events import RetryAttemptStart, RetryFinished, RetryScheduled
from pi_lsp.agent.recording import omit
from pi_lsp.agent.window import Window
from pi_lsp.llm.failure import Failure, in_short
from pi_lsp.llm.retry import RetryPolicy
from pi_lsp.resources.settings import Settings
from pi_lsp.session.entries import Entry


class Retries:
    """Those of one run; `end` after an answer that needs no other, and at the end of the run."""

    def __init__(self, window: Window, settings: Settings) -> None:
        self._window = window
        self._policy = RetryPolicy.of(settings.retry)
        self._longest_pause_ms = settings.provider_retry.longest_pause_ms
        self._retry_after_ms = 0.0
        self._attempt = 0

    def note(self, failure: Failure | None) -> None:
        """How the last request failed: the provider may have said how long to wait."""
        self._retry_after_ms = min((failure and failure.retry_after_ms) or 0, self._longest_pause_ms)

    async def next(self, failed: Entry, why: str) -> bool:
        """Wait for the next attempt; False where there is none left. `failed` holds the answer that failed.

        Raises:
            SessionError, OSError: the edit that takes it out of the context could not be written.
        """
        window = self._window
        if self._attempt >= self._policy.max_attempts:
            return False
        self._attempt += 1
        delay_ms = max(self._policy.delay_ms(self._attempt), self._retry_after_ms)
        window.emit(
            RetryScheduled(
                operation="chat",
                attempt=self._attempt,
                max_attempts=self._policy.max_attempts,
                delay_ms=delay_ms,
                error=why,
                reason=in_short(why),
            )
        )
        window.operations.phase = "retrying"
        try:
            await window.write(lambda conversation: omit(conversation, failed))
            await asyncio.sleep(delay_ms / 1000)
        finally:
            window.operations.phase = "running"
        window.emit(RetryAttemptStart(operation="chat", attempt=self._attempt))
        return True

    def end(self, *, success: bool) -> None:
        """The attempts are over; told where there were any."""
        if self._attempt:
            self._window.emit(RetryFinished(operation="chat", attempt=self._attempt, success=success))
            self._attempt = 0
