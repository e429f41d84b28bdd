"""One run of the conversation: from the user's words to the end of the last turn.

Whatever is said is in the file before it is sent. An answer is stored as it came, also a failed or an aborted one;
a failed attempt that is made again is taken out of the context by an edit, as Pi 1.6.0 does. The run ends by
returning: an abort reaches it as a cancellation, and what had arrived by then is stored.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Literal, TypeAlias

import msgspec

from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.deltas import DeltaBundler, DeltaKind
from pi_lsp.agent.events import (
    AgentEnd,
    AgentStart,
    CompactionReason,
    MessageDelta,
    MessageEnd,
    MessageStart,
    QueueChanged,
    RetryAttemptStart,
    RetryFinished,
    RetryScheduled,
    StopReason,
    TurnEnd,
    TurnStart,
)
from pi_lsp.agent.recording import MovedError, begin_prompt, omit, tool_refusals
from pi_lsp.agent.recovery import verdict
from pi_lsp.agent.requesting import NothingToSendError, Requests
from pi_lsp.agent.snapshot import Snapshot
from pi_lsp.agent.speaker import Speaker
from pi_lsp.agent.window import Window
from pi_lsp.base.json import JsonObject, as_str
from pi_lsp.compaction.reply import add_usage
from pi_lsp.llm.contract import Stream
from pi_lsp.llm.retry import RetryPolicy
from pi_lsp.session.actions import append_message
from pi_lsp.session.entries import Entry
from pi_lsp.session.errors import SessionError
from pi_lsp.session.messages import Message, usage_of

MAX_TURNS = 50
"""So many requests one run may make: a model that calls tools without end is stopped."""

Compact: TypeAlias = Callable[[CompactionReason], Awaitable[bool]]
"""Compacts the conversation within the run; says whether the context is smaller now."""
NeedsCompaction: TypeAlias = Callable[[Conversation, Snapshot], bool]


class RunResult(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ended. `usage` is the sum over its requests; `error` why it failed."""

    stop_reason: StopReason
    usage: JsonObject | None = None
    error: str | None = None


class _Ended(msgspec.Struct, frozen=True):
    stop_reason: StopReason
    error: str | None = None


_Step: TypeAlias = "Literal['again', 'tools', 'answered'] | _Ended"
"""What a turn came to: the same request once more, one with the results of tools, or nothing for now."""


class Run:
    """One run; made for one prompt and used once."""

    def __init__(
        self,
        window: Window,
        speaker: Speaker,
        requests: Requests,
        compact: Compact,
        full: NeedsCompaction,
        now: Snapshot,
    ) -> None:
        """`compact` and `full` keep the context within the model's window; `now` is the look for the first turn."""
        self._window = window
        self._speaker = speaker
        self._requests = requests
        self._compact = compact
        self._full = full
        self._now = now
        """Taken for each turn: what is said, the request, and what becomes of the answer."""
        self._policy = RetryPolicy.of(now.settings.retry)
        self._longest_pause_ms = now.settings.provider_retry.max_retry_delay_ms or math.inf
        self._usage: JsonObject | None = None
        self._stream: Stream | None = None
        self._bundler = DeltaBundler(self._send_delta)
        self._retry_after_ms = 0.0
        self._attempt = 0
        self._recovered = False
        self._is_full = False
        """Whether the last answer filled the context."""

    def partial(self) -> Message | None:
        """The answer that is arriving, as far as it has: all of it has been told by events when this returns."""
        self._bundler.flush()
        return self._stream.message() if self._stream else None

    async def go(self, prompt: Message, moves: int, *, is_full: bool) -> RunResult:
        """Say the prompt and go on until nothing is left to do.

        `moves`: how often other programs had moved the leaf (`Window.foreign_moves`) when the user sent the prompt;
        `is_full`: whether the context has to be compacted before it.

        Raises:
            MovedError: they have moved it since; nothing was said.
            SessionError, OSError: the prompt could not be written; nothing was said.
        """
        window = self._window
        window.emit(AgentStart())
        ended = _Ended("error")
        try:
            if is_full:
                await self._compact_now("threshold")
            await self._say([prompt], moves)
            ended = await self._turns()
        except asyncio.CancelledError:
            ended = _Ended("cancelled")
        finally:
            window.queue.is_open = False
            window.end_run()
            window.emit(AgentEnd(stop_reason=ended.stop_reason))
        return RunResult(stop_reason=ended.stop_reason, usage=self._usage, error=ended.error)

    async def _turns(self) -> _Ended:
        """Turns until the model and the user have nothing more to say. What cannot be stored or sent ends them."""
        try:
            for _ in range(MAX_TURNS):
                self._window.emit(TurnStart())
                try:
                    step = await self._turn()
                finally:
                    self._window.emit(TurnEnd())
                match step:
                    case _Ended():
                        return step
                    case "tools":
                        await self._say(self._take_steering())
                    case "answered":
                        if not await self._go_on():
                            return _Ended("done")
                    case "again":
                        self._look()
        except (NothingToSendError, SessionError, OSError) as error:
            return _Ended("error", str(error))
        return _Ended("maxTurns")

    async def _turn(self) -> _Step:
        answer, entry = await self._ask()
        match verdict(answer, self._speaker.model, recovered=self._recovered):
            case "retry":
                return "again" if await self._try_again(answer, entry) else _Ended("error", _why(answer))
            case "compactAndRetry":
                await self._window.write(lambda conversation: omit(conversation, entry))
                self._recovered = True
                return "again" if await self._compact_now("overflow") else _Ended("error", _why(answer))
            case "failed":
                self._end_retries(success=False)
                return _Ended("error", _why(answer))
            case "aborted":
                return _Ended("cancelled")
            case "tools":
                self._end_retries(success=True)
                await self._window.write(lambda conversation: tool_refusals(conversation, answer))
                return "tools"
            case "compact":
                self._end_retries(success=True)
                await self._compact_now("overflow")
                return "answered"
            case "done":
                self._end_retries(success=True)
                return "answered"

    async def _go_on(self) -> bool:
        """After an answer: a compaction where the context is full, and what the user has said meanwhile."""
        messages = self._take_steering()
        if not messages and self._is_full:
            await self._compact_now("threshold")
        messages = messages or self._take_steering() or self._take_follow_ups()
        if not messages:
            self._window.queue.is_open = False  # from here on nobody looks into it
            return False
        await self._say(messages)
        return True

    async def _ask(self) -> tuple[Message, Entry]:
        request = await self._requests.build(self._now)
        self._stream = stream = self._speaker.provider.open(request)
        self._window.emit(MessageStart(role="assistant"))
        try:
            async for delta in stream:
                self._bundler.add(delta.block, delta.kind, delta.delta)
        except asyncio.CancelledError:
            await self._store(stream)
            raise
        finally:
            self._stream = None
            await stream.aclose()
        return await self._store(stream)

    async def _store(self, stream: Stream) -> tuple[Message, Entry]:
        self._bundler.flush()
        answer, failure = stream.message(), stream.failure
        self._retry_after_ms = min((failure and failure.retry_after_ms) or 0, self._longest_pause_ms)
        self._usage = add_usage(self._usage, usage_of(answer) or None)

        def append(conversation: Conversation) -> Iterator[Entry]:
            yield append_message(conversation.session, answer)
            self._is_full = self._full(conversation, self._now)  # with one visit to the worker thread

        [entry] = await self._window.write(append)
        self._requests.answered(entry)
        self._window.emit(MessageEnd(message=answer, entry_id=entry.id))
        return answer, entry

    async def _try_again(self, answer: Message, entry: Entry) -> bool:
        """Wait for the next attempt; False where there is none left."""
        if self._attempt >= self._policy.max_attempts:
            self._end_retries(success=False)
            return False
        self._attempt += 1
        delay_ms = max(self._policy.delay_ms(self._attempt), self._retry_after_ms)
        self._window.emit(
            RetryScheduled(
                operation="chat",
                attempt=self._attempt,
                max_attempts=self._policy.max_attempts,
                delay_ms=delay_ms,
                error=_why(answer),
            )
        )
        self._window.operations.phase = "retrying"
        try:
            await self._window.write(lambda conversation: omit(conversation, entry))
            await asyncio.sleep(delay_ms / 1000)
        except asyncio.CancelledError:
            self._end_retries(success=False)
            raise
        finally:
            self._window.operations.phase = "running"
        self._window.emit(RetryAttemptStart(operation="chat", attempt=self._attempt))
        return True

    def _end_retries(self, *, success: bool) -> None:
        if self._attempt:
            self._window.emit(RetryFinished(operation="chat", attempt=self._attempt, success=success))
            self._attempt = 0

    async def _say(self, messages: Sequence[Message], moves: int | None = None) -> None:
        """Append what the user says, with whatever has to stand before it; `moves` as in `go`, for the prompt alone."""
        if not messages:
            return
        window, speaker = self._window, self._speaker
        if moves is None:
            self._look()
        now = self._now

        def append(conversation: Conversation) -> Iterator[Entry]:
            if moves is not None and window.foreign_moves != moves:
                raise MovedError
            conversation.session.running = True
            yield from begin_prompt(conversation, messages, window.prompt_parts(now), speaker)
            self._requests.foresee(conversation, now)

        self._recovered = False
        for entry in await window.write(append):
            if entry.type == "message":
                message = entry.message
                window.emit(MessageStart(role=as_str(message.get("role"))))
                window.emit(MessageEnd(message=message, entry_id=entry.id))
        if moves is None:
            window.emit(QueueChanged(steer=window.queue.steer, follow_up=window.queue.follow_up))
        else:
            window.talk.speaking.said(speaker)

    def _take_steering(self) -> list[Message]:
        return self._window.queue.take_steering(self._now.settings.steering_mode)

    def _take_follow_ups(self) -> list[Message]:
        return self._window.queue.take_follow_ups(self._now.settings.follow_up_mode)

    def _look(self) -> None:
        self._now = self._window.now()

    async def _compact_now(self, reason: CompactionReason) -> bool:
        """Takes a while, so everything is looked at anew."""
        is_shorter = await self._compact(reason)
        self._look()
        return is_shorter

    def _send_delta(self, block: int, kind: DeltaKind, delta: str) -> None:
        self._window.emit(MessageDelta(block=block, kind=kind, delta=delta))


def _why(answer: Message) -> str:
    return as_str(answer.get("errorMessage")) or f"the answer ended with {answer.get('stopReason')}"
