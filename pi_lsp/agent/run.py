"""One run of the conversation: from the user's words to the end of the last turn.

Whatever is said is in the file before it is sent. An answer is stored as it came, also a failed or an aborted one.
The run ends by returning: an abort reaches it as a cancellation, and what had arrived by then is stored.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
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
    StopReason,
    TurnEnd,
    TurnStart,
)
from pi_lsp.agent.queue import Queued, QueueMode
from pi_lsp.agent.recording import omit, tool_refusals
from pi_lsp.agent.recovery import verdict
from pi_lsp.agent.requesting import NothingToSendError, Requests
from pi_lsp.agent.retrying import Retries
from pi_lsp.agent.saying import Saying
from pi_lsp.agent.snapshot import Snapshot
from pi_lsp.agent.speaker import Speaker
from pi_lsp.agent.window import Window
from pi_lsp.base.json import JsonObject, as_str
from pi_lsp.compaction.reply import add_usage
from pi_lsp.llm.contract import Stream
from pi_lsp.session.actions import append_message
from pi_lsp.session.entries import Entry
from pi_lsp.session.errors import SessionError
from pi_lsp.session.messages import Message, usage_of

MAX_TURNS = 50
"""So many requests one run may make: a model that calls tools without end is stopped."""

Meet: TypeAlias = Callable[[Conversation, Snapshot], Speaker]
"""Finds whom the prompt goes to."""
Compact: TypeAlias = Callable[[Speaker, CompactionReason], Awaitable[bool]]
"""Compacts the conversation within the run; says whether the context is smaller now."""
NeedsCompaction: TypeAlias = Callable[[Speaker, Conversation, Snapshot], bool]


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

    def __init__(self, window: Window, meet: Meet, compact: Compact, full: NeedsCompaction, now: Snapshot) -> None:
        """`compact` and `full` keep the context within the model's window; `now` is the look for the first turn."""
        self._window = window
        self._meet = meet
        self._met: Speaker | None = None
        self._has_begun = False
        self._requests = Requests(window)
        self._saying = Saying(window, self._requests)
        self._compact = compact
        self._full = full
        self._now = now
        """Taken for each turn: what is said, the request, and what becomes of the answer."""
        self._retries = Retries(window, now.settings)
        self._usage: JsonObject | None = None
        self._stream: Stream | None = None
        self._bundler = DeltaBundler(self._send_delta)
        self._recovered = False
        self._is_full = False
        """Whether the prompt or the last answer found the context filled."""

    @property
    def _speaker(self) -> Speaker:
        if self._met is None:
            raise RuntimeError("nobody was asked yet")
        return self._met

    def partial(self) -> Message | None:
        """The answer that is arriving, as far as it has: all of it has been told by events when this returns."""
        self._bundler.flush()
        return self._stream.message() if self._stream else None

    async def go(self, prompt: Message, moves: int) -> RunResult:
        """Say the prompt and go on until nothing is left to do.

        `moves`: how often other programs had moved the leaf (`Window.foreign_moves`) when the user sent the prompt.

        Raises:
            NoModelError: there is nobody to ask.
            MovedError: they have moved it since.
            SessionError, OSError: the prompt could not be written. In all these cases nothing was said.
        """
        window = self._window
        ended = _Ended("error")
        try:
            await self._open(prompt, moves)
            if self._is_full:
                await self._compact_now("threshold")
                await self._say(prompt, moves)
            ended = await self._turns()
        except asyncio.CancelledError:
            ended = _Ended("cancelled")
        finally:
            self._retries.end(success=False)
            window.queue.is_open = False
            window.end_run()
            if self._has_begun:
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
                        await self._deliver(self._window.queue.steering, self._now.settings.steering_mode)
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
                return "again" if await self._retries.next(entry, _why(answer)) else _Ended("error", _why(answer))
            case "compactAndRetry":
                await self._window.write(lambda conversation: omit(conversation, entry))
                self._recovered = True
                return "again" if await self._compact_now("overflow") else _Ended("error", _why(answer))
            case "failed":
                return _Ended("error", _why(answer))
            case "aborted":
                return _Ended("cancelled")
            case "tools":
                self._retries.end(success=True)
                await self._window.write(lambda conversation: tool_refusals(conversation, answer))
                return "tools"
            case "compact":
                self._retries.end(success=True)
                await self._compact_now("overflow")
                return "answered"
            case "done":
                self._retries.end(success=True)
                return "answered"

    async def _go_on(self) -> bool:
        """After an answer: a compaction where the context is full, and what the user has said meanwhile."""
        queue = self._window.queue
        if self._is_full and not queue.steering:
            await self._compact_now("threshold")
        settings = self._now.settings
        said = await self._deliver(queue.steering, settings.steering_mode)
        said = said or await self._deliver(queue.follow_ups, settings.follow_up_mode)
        if not said:
            queue.is_open = False  # from here on nobody looks into it
        return said

    async def _ask(self) -> tuple[Message, Entry]:
        request = await self._requests.build(self._speaker, self._now)
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
        """Store what arrived, and tell that its message ends: also where it could not be stored."""
        self._bundler.flush()
        answer = stream.message()
        self._retries.note(stream.failure)
        self._usage = add_usage(self._usage, usage_of(answer) or None)
        stored: list[Entry] = []

        def append(conversation: Conversation) -> Iterator[Entry]:
            stored.append(append_message(conversation.session, answer))
            yield from stored
            self._is_full = self._full(self._speaker, conversation, self._now)  # with one visit to the worker thread

        try:
            await self._window.write(append)
        finally:
            for entry in stored:
                self._requests.answered(entry)
            self._window.emit(MessageEnd(message=answer, entry_id=stored[0].id if stored else None))
        return answer, stored[0]

    async def _deliver(self, line: list[Queued], mode: QueueMode) -> bool:
        """Say what waits, the first text or all; one that cannot be written goes on waiting. False where none waits."""
        if not line:
            return False
        while line:
            queued = line.pop(0)
            try:
                await self._say(queued.message)
            except (SessionError, OSError):
                line.insert(0, queued)
                raise
            finally:
                self._window.emit(QueueChanged(steer=self._window.queue.steer, follow_up=self._window.queue.follow_up))
            if mode == "one-at-a-time":
                break
        return True

    async def _open(self, prompt: Message, moves: int) -> None:
        """Meet whom to ask and say the prompt, unless the context is too full for it: one visit to the worker thread.

        Raises what `go` raises.
        """

        def append(conversation: Conversation) -> Iterator[Entry]:
            self._met = speaker = self._meet(conversation, self._now)
            self._has_begun = self._is_full = self._full(speaker, conversation, self._now)
            try:
                if not self._is_full:
                    for entry in self._saying.words(conversation, prompt, speaker, self._now, moves):
                        self._has_begun = True
                        yield entry
            finally:
                if self._has_begun:
                    self._window.emit(AgentStart())  # in front of what was written, which is told next

        await self._write(append)

    async def _say(self, message: Message, moves: int | None = None) -> None:
        """Append what the user says; `moves` as in `go`, for the prompt alone.

        Raises:
            MovedError, SessionError, OSError: it was not said.
        """
        if moves is None:
            self._look()
        speaker, now = self._speaker, self._now
        await self._write(lambda conversation: self._saying.words(conversation, message, speaker, now, moves))

    async def _write(self, append: Callable[[Conversation], Iterator[Entry]]) -> None:
        self._recovered = False
        if await self._saying.write(append):
            self._window.talk.speaking.said(self._speaker)

    def _look(self) -> None:
        self._now = self._window.now()

    async def _compact_now(self, reason: CompactionReason) -> bool:
        """Takes a while, so everything is looked at anew."""
        is_shorter = await self._compact(self._speaker, reason)
        self._look()
        return is_shorter

    def _send_delta(self, block: int, kind: DeltaKind, delta: str) -> None:
        self._window.emit(MessageDelta(block=block, kind=kind, delta=delta))


def _why(answer: Message) -> str:
    return as_str(answer.get("errorMessage")) or f"the answer ended with {answer.get('stopReason')}"
