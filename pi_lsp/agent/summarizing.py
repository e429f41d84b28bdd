"""How a summary is gotten: from the model, asked again where that helps, or else from the entries alone.

What a model gives is only taken where it is whole: an empty answer, one cut at its limit and a call of a tool are
failures like any other. When nothing helps, the local summary takes its place and the user is told why, so that a
session is never stuck.
"""

import asyncio
import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec

from pi_lsp.agent.events import Emit, RetryAttemptStart, RetryFinished, RetryOperation, RetryScheduled
from pi_lsp.agent.speaker import Nobody, Speaker
from pi_lsp.base.json import as_str
from pi_lsp.compaction.branch import BranchSummary, summarize_branch
from pi_lsp.compaction.fit import MAX_HALVINGS, RequestTooLongError, summarize_in_passes
from pi_lsp.compaction.local import summarize_branch_locally, summarize_locally
from pi_lsp.compaction.navigate import SwitchOptions
from pi_lsp.compaction.plan import Preparation
from pi_lsp.compaction.reply import SummaryError, read_reply
from pi_lsp.compaction.result import Summary, saved_tokens
from pi_lsp.context.estimate import TokenCounter
from pi_lsp.context.model import Model
from pi_lsp.llm import retry
from pi_lsp.llm.complete import completer
from pi_lsp.llm.contract import CompletionRequest
from pi_lsp.llm.failure import Failure, in_short
from pi_lsp.llm.retry import RetryPolicy, with_retries
from pi_lsp.llm.retry_errors import is_overflow, is_retryable
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import Message

MAX_OUTPUT = 16_384
"""Tokens that a model may write for one summary. It does not think about it: that would come out of the same tokens."""

_UNKNOWN_WINDOW = 128_000
_MARGIN = 4096
"""Tokens: what a provider keeps free where it limits the answer to what its window has left."""
_TASK = "Summarization"

Report: TypeAlias = Callable[[str], object]
"""Tells the user in a word what is being done now."""


class Asking(msgspec.Struct, frozen=True, kw_only=True):
    """Whom to ask for a summary, and how."""

    speaker: Speaker | Nobody
    locally: bool = False
    """No model is wanted."""
    operation: RetryOperation
    policy: RetryPolicy
    longest_pause_ms: float = math.inf
    """No longer pause is made, whatever the server asks for."""
    counter: TokenCounter
    emit: Emit
    report: Report = lambda _: None


class Gotten(msgspec.Struct, frozen=True, kw_only=True):
    """A summary of a compaction; `error` says why no model wrote it though one was to."""

    summary: Summary
    error: str | None = None


class GottenBranch(msgspec.Struct, frozen=True, kw_only=True):
    """A summary of a branch; `error` as in `Gotten`."""

    summary: BranchSummary
    error: str | None = None


async def get_summary(preparation: Preparation, asking: Asking, instructions: str | None = None) -> Gotten:
    """The summary of a compaction. It may be longer than what it stands for: that is for the caller to refuse."""
    error: str | None = None
    usage = None
    if not asking.locally:
        try:
            asker = Asker(asking)
            asking.report(f"{asker.model.name or asker.model.id} writes the summary")
            summary = await summarize_in_passes(preparation, asker, room=asker.room, instructions=instructions)
            if await asyncio.to_thread(saved_tokens, preparation, summary.text) > 0:
                return Gotten(summary=summary)
            error, usage = "the summary of the model is no shorter than what it stands for", summary.usage
        except SummaryError as failure:
            error = str(failure)
    asking.report("the summary is made without a model")
    local = await asyncio.to_thread(summarize_locally, preparation, counter=asking.counter)
    return Gotten(summary=msgspec.structs.replace(local, usage=usage), error=error)


async def get_branch_summary(
    entries: Sequence[Entry], options: SwitchOptions, asking: Asking, reserve_tokens: float
) -> GottenBranch:
    """The summary of a branch that is left. `reserve_tokens` of the model's window stay free.

    It is empty where there is nothing to tell, and then none is stored.
    """
    error: str | None = None
    if not asking.locally:
        try:
            asker = Asker(asking)
            asking.report(f"{asker.model.name or asker.model.id} writes the summary")
            summary = await _ask_for_branch(entries, options, asker, reserve_tokens)
            if summary.files is not None:
                return GottenBranch(summary=summary)
        except SummaryError as failure:
            error = str(failure)
    asking.report("the summary is made without a model")
    local = await asyncio.to_thread(summarize_branch_locally, entries, counter=asking.counter)
    if local.files is None:
        return GottenBranch(summary=BranchSummary(summary=""))
    return GottenBranch(summary=local, error=error)


async def _ask_for_branch(
    entries: Sequence[Entry], options: SwitchOptions, asker: "Asker", reserve_tokens: float
) -> BranchSummary:
    """Ask with as much of the branch as fits; with half of that where it does not fit after all."""
    window = asker.window
    budget = max(1, min(window - reserve_tokens, asker.room))
    for _ in range(MAX_HALVINGS):
        try:
            return await _summarize_branch(entries, options, asker, window - budget)
        except RequestTooLongError:
            budget /= 2
    return await _summarize_branch(entries, options, asker, window - budget)


async def _summarize_branch(
    entries: Sequence[Entry], options: SwitchOptions, asker: "Asker", reserve_tokens: float
) -> BranchSummary:
    return await summarize_branch(
        entries,
        asker,
        context_window=asker.window,
        reserve_tokens=reserve_tokens,
        instructions=options.custom_instructions,
        replace_instructions=options.replace_instructions,
    )


class Asker:
    """Asks a model for the texts of one summary: a `Complete` whose answers are whole and say something.

    Raises:
        RequestTooLongError: the model's window does not hold the request.
        SummaryError: there is no model, or no usable answer after all retries.
    """

    def __init__(self, asking: Asking) -> None:
        if isinstance(asking.speaker, Nobody):
            raise SummaryError(asking.speaker.why)
        self._speaker = asking.speaker
        self._asking = asking
        self._complete = completer(
            asking.speaker.provider, self.model, max_tokens=self._max_output, on_failure=self._note
        )
        self._attempt = 0
        self._retry_after_ms = 0.0

    @property
    def model(self) -> Model:
        """The model that is asked."""
        return self._speaker.model

    @property
    def window(self) -> int:
        """The tokens of its window."""
        return self.model.context_window or _UNKNOWN_WINDOW

    @property
    def room(self) -> int:
        """The tokens that a request may have, so that the answer fits as well."""
        return max(0, self.window - self._max_output - _MARGIN)

    async def __call__(self, request: CompletionRequest) -> Message:
        """Ask, again and again where the policy says so."""
        self._attempt = 0

        async def ask() -> Message:
            self._retry_after_ms = 0.0  # what an earlier answer asked for was waited for
            return await self._complete(request)

        try:
            answer = await with_retries(
                ask,
                self._asking.policy,
                pause=self._pause,
                on_event=self._tell,
                worth=self._is_worth_another_try,
            )
        except asyncio.CancelledError:
            if self._attempt:
                self._tell(retry.RetryFinished(success=False, attempt=self._attempt))
            raise
        if self._is_overflow(answer):
            raise RequestTooLongError(
                f"{_TASK} failed: {as_str(answer.get('errorMessage')) or 'the request is too long'}"
            )
        if fault := fault_of(answer):
            raise SummaryError(fault)
        return answer

    @property
    def _max_output(self) -> int:
        return min(MAX_OUTPUT, self.model.max_tokens, self.window // 4)

    def _note(self, failure: Failure) -> None:
        self._retry_after_ms = min(failure.retry_after_ms or 0.0, self._asking.longest_pause_ms)

    async def _pause(self, delay_ms: float) -> bool:
        await asyncio.sleep(max(delay_ms, self._retry_after_ms) / 1000)
        return True

    def _is_worth_another_try(self, answer: Message) -> bool:
        if self._is_overflow(answer):
            return False
        return is_retryable(answer) if answer.get("stopReason") == "error" else fault_of(answer) is not None

    def _is_overflow(self, answer: Message) -> bool:
        return is_overflow(answer, self.model.context_window)

    def _tell(self, event: retry.RetryEvent) -> None:
        operation, emit = self._asking.operation, self._asking.emit
        match event:
            case retry.RetryScheduled():
                self._attempt = event.attempt
                delay_ms = max(event.delay_ms, self._retry_after_ms)
                why = event.error_message or "the answer was no summary"
                emit(
                    RetryScheduled(
                        operation=operation,
                        attempt=event.attempt,
                        max_attempts=event.max_attempts,
                        delay_ms=delay_ms,
                        error=why,
                        reason=in_short(why),
                    )
                )
                self._asking.report(f"attempt {event.attempt + 1} in {delay_ms / 1000:.0f} s")
            case retry.RetryAttemptStart():
                emit(RetryAttemptStart(operation=operation, attempt=event.attempt))
            case retry.RetryFinished():
                emit(RetryFinished(operation=operation, attempt=event.attempt, success=event.success))


def fault_of(answer: Message) -> str | None:
    """Why an answer is no summary; None where it is one."""
    if answer.get("stopReason") == "aborted":
        return f"{_TASK} failed: the request was aborted"
    try:
        reply = read_reply(answer, _TASK)
    except SummaryError as error:
        return str(error)
    return None if reply.text.strip() else f"{_TASK} failed: the answer of the model was empty"
