"""A prompt from the user to its end: who is asked, what is said first, and what becomes of words during a run."""

import asyncio
from collections.abc import Coroutine, Sequence
from functools import partial
from typing import Any, Literal, TypeAlias

import msgspec

from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.events import CompactionReason, QueueChanged
from pi_lsp.agent.prompting import Image, Reference, user_prompt
from pi_lsp.agent.queue import Queued
from pi_lsp.agent.requesting import view_of
from pi_lsp.agent.run import Run, RunResult
from pi_lsp.agent.snapshot import Snapshot
from pi_lsp.agent.speaker import Speaker
from pi_lsp.agent.window import Window
from pi_lsp.session.messages import Message

Mode: TypeAlias = Literal["prompt", "steer", "followUp"]


class UserInput(msgspec.Struct, frozen=True, kw_only=True):
    """What the user sent."""

    text: str
    images: Sequence[Image] = ()
    references: Sequence[Reference] = ()


async def submit(window: Window, given: UserInput, mode: Mode = "prompt") -> RunResult | None:
    """Say something and give how the run ended; None where it waits now for a run that goes on.

    Raises:
        BusyError: something else is going on.
        PromptError: it cannot be sent as it is.
        NoModelError: there is nobody to ask.
        MovedError: another program has moved the leaf.
        SessionError, OSError: it could not be written. In all these cases nothing was said.
    """
    moves = window.foreign_moves
    await window.ready()
    if mode != "prompt" and await _wait_in_queue(window, given, mode):
        return None

    def begin() -> Coroutine[Any, Any, RunResult]:
        window.queue.is_open = True  # at once: what is said right behind the prompt belongs to its run
        return _run(window, given, moves)

    return await window.operations.run("running", begin)


async def _wait_in_queue(window: Window, given: UserInput, mode: Mode) -> bool:
    """Whether it waits now for the run that goes on; False where there is none (any more)."""
    message: Message | None = None
    while window.operations.begun_as == "running":
        if not window.queue.is_open:
            await window.operations.ended()  # it has looked into the queue for the last time
        elif message is None:
            message = await user_prompt(window, given.text, given.images, given.references)
        else:
            _enqueue(window, Queued(text=given.text, message=message), mode)
            return True
    return False


def _enqueue(window: Window, queued: Queued, mode: Mode) -> None:
    queue = window.queue
    (queue.steering if mode == "steer" else queue.follow_ups).append(queued)
    window.emit(QueueChanged(steer=queue.steer, follow_up=queue.follow_up))


async def speaker_of(window: Window, now: Snapshot | None = None) -> Speaker:
    """Whom the next request goes to; `now` is a look that was taken already. Raises NoModelError."""
    look = now or window.now()

    return await window.in_session(lambda conversation: _speaker(window, conversation, look))


def _speaker(window: Window, conversation: Conversation, now: Snapshot) -> Speaker:
    return window.talk.speaking.speaker(view_of(window, conversation, now=now), now.settings)


async def _run(window: Window, given: UserInput, moves: int) -> RunResult:
    try:
        now = window.now()
        await window.load_hooks(now)
        prompt = await user_prompt(window, given.text, given.images, given.references)
        await window.talk.ask_sections(window.place, window.prompt_parts)
        window.run = Run(window, partial(_speaker, window), partial(_compact, window), window.compactor.is_full, now)
        return await window.run.go(prompt, moves)
    except asyncio.CancelledError:  # before the run began; it ends by itself otherwise
        return RunResult(stop_reason="cancelled")
    finally:
        window.run = None
        window.queue.is_open = False


async def _compact(window: Window, speaker: Speaker, reason: CompactionReason) -> bool:
    window.operations.phase = "compacting"
    try:
        return await window.compactor.in_run(speaker, reason)
    finally:
        window.operations.phase = "running"
