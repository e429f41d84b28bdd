"""`pi/chat`, `pi/abort`, `pi/queue/set`: talking to the model, and what waits to be said."""

import asyncio
from typing import Literal

from pi_lsp.agent.chat import Mode, UserInput, submit
from pi_lsp.agent.events import QueueChanged
from pi_lsp.agent.prompting import Image, Reference, user_prompt
from pi_lsp.agent.queue import Queued
from pi_lsp.agent.window import Window
from pi_lsp.api.refusals import refusals
from pi_lsp.api.state import Cost, Queue, queue_of
from pi_lsp.base.json import Json, JsonObject, as_int, as_object
from pi_lsp.base.wire import Wire


class ChatParams(Wire, frozen=True, kw_only=True):
    """What the user says. `steer` and `followUp` wait for a run that goes on, and are prompts where none does."""

    text: str
    images: tuple[Image, ...] = ()
    references: tuple[Reference, ...] = ()
    mode: Mode = "prompt"


class Usage(Wire, frozen=True, kw_only=True):
    """Tokens and US dollars of all requests of a run, as the provider billed them."""

    input: int
    output: int
    cache_read: int
    cache_write: int
    total_tokens: int
    cost: Cost


class ChatResult(Wire, frozen=True, kw_only=True):
    """How the run ended, and the leaf it left. `queue`: what was to be said in it and was not."""

    stop_reason: Literal["done", "cancelled", "error", "maxTurns", "queued"]
    leaf_id: str | None = None
    usage: Usage | None = None
    error: str | None = None
    queue: Queue | None = None


class AbortResult(Wire, frozen=True, kw_only=True):
    """The texts that were not delivered."""

    queue: Queue


class QueueParams(Wire, frozen=True, kw_only=True):
    """The texts that shall wait, in order, instead of those that do."""

    steer: list[str]
    follow_up: list[str]


async def chat(window: Window, params: ChatParams) -> ChatResult:
    """Say something, and answer when the run that it began has ended; at once where it waits for another.

    Raises:
        RefusedError: something else is going on, there is no model, another program has moved the leaf, or the
            session cannot be written.
        ParamsError: there is nothing to send, or a file or an image cannot be used.
    """
    given = UserInput(text=params.text, images=params.images, references=params.references)
    try:
        with refusals():
            ended = await submit(window, given, params.mode)
    except asyncio.CancelledError:
        return ChatResult(stop_reason="cancelled")
    if ended is None:
        return ChatResult(stop_reason="queued")
    left = _take_queue(window)
    return ChatResult(
        stop_reason=ended.stop_reason,
        leaf_id=window.leaf_id,
        usage=_usage(ended.usage or {}),
        error=ended.error,
        queue=left if left.steer or left.follow_up else None,
    )


async def abort(window: Window, _params: object) -> AbortResult:
    """End what is going on, and give back what was still to be said. Nothing is written after the answer."""
    queue = _take_queue(window)
    await window.operations.abort()
    return AbortResult(queue=queue)


async def set_queue(window: Window, params: QueueParams) -> AbortResult:
    """Put other texts in place of those that wait. What was delivered meanwhile does not wait anew."""
    queue = window.queue
    known = {text: queue.find(text) for text in (*params.steer, *params.follow_up)}
    with refusals():
        new = {
            text: Queued(text=text, message=await user_prompt(window, text)) for text, one in known.items() if not one
        }
    waiting = [*queue.steering, *queue.follow_ups]
    kept = {text: one for text, one in known.items() if one in waiting} | new
    queue.set(
        *([one for text in texts if (one := kept.get(text)) is not None] for texts in (params.steer, params.follow_up))
    )
    _tell_queue(window)
    return AbortResult(queue=queue_of(window))


def _take_queue(window: Window) -> Queue:
    """What waits, which then waits no more."""
    queue = queue_of(window)
    if queue.steer or queue.follow_up:
        window.queue.set([], [])
        _tell_queue(window)
    return queue


def _tell_queue(window: Window) -> None:
    window.emit(QueueChanged(steer=window.queue.steer, follow_up=window.queue.follow_up))


def _usage(usage: JsonObject) -> Usage:
    total: Json = as_object(usage.get("cost")).get("total")
    return Usage(
        input=as_int(usage.get("input")),
        output=as_int(usage.get("output")),
        cache_read=as_int(usage.get("cacheRead")),
        cache_write=as_int(usage.get("cacheWrite")),
        total_tokens=as_int(usage.get("totalTokens")),
        cost=Cost(total=round(total, 6) if isinstance(total, int | float) else 0),
    )
