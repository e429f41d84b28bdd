"""Summaries of conversations that are longer than the model's window: in passes, each with as much as fits.

Each pass takes the summary of the one before in, as a later compaction would. What is older than a few passes can
carry is summarised without a model first, so that neither cost nor time grows without bounds and nothing is dropped.
"""

import asyncio
from collections.abc import Iterable, Sequence
from itertools import accumulate

import msgspec

from pi_lsp.base.json import JsonObject
from pi_lsp.base.text import cut_middle, utf8_length
from pi_lsp.compaction.local import summarize_locally
from pi_lsp.compaction.model_summary import summarize
from pi_lsp.compaction.plan import Preparation
from pi_lsp.compaction.reply import SummaryError, add_usage
from pi_lsp.compaction.requests import history_request, turn_prefix_request
from pi_lsp.compaction.result import Summary
from pi_lsp.compaction.serialize import call_text, serialize
from pi_lsp.context.convert import to_llm
from pi_lsp.context.select import Selected
from pi_lsp.context.wording import WORDING
from pi_lsp.llm.contract import Complete, CompletionRequest
from pi_lsp.session.messages import Message, role_of, texts_of, tool_calls_of

BYTES_PER_TOKEN = 3
"""UTF-8 bytes that are taken for a token here: few, since a request that is too long costs more than one too many."""

MAX_PASSES = 4
"""So many requests of full length one summary may take, where the estimate of their length holds."""

MAX_HALVINGS = 2
"""How often half as much is tried after a request was too long all the same."""

MIN_ROOM = 3000
"""UTF-8 bytes of a conversation below which a request is not worth making."""

_SEPARATOR = len("\n\n")


class RequestTooLongError(SummaryError):
    """The model's window does not hold the request."""


async def summarize_in_passes(
    preparation: Preparation,
    complete: Complete,
    *,
    room: int,
    instructions: str | None = None,
) -> Summary:
    """Ask a model for the summary of a preparation of any length.

    Args:
        preparation: what is to be summarised.
        complete: how to ask; it raises RequestTooLongError where the window does not hold the request.
        room: the tokens that a request may have.
        instructions: as for `model_summary.summarize`, in every pass.

    Raises:
        SummaryError: an answer is unusable, or no request is short enough.
    """
    requests = _Requests(room * BYTES_PER_TOKEN, instructions)
    rest: Preparation | None = await _without_the_oldest(preparation, requests.room)
    text = ""
    usage: JsonObject | None = None
    halvings = 0
    while rest is not None:
        now, later = requests.next(rest)
        try:
            summary = await summarize(now, complete, instructions=instructions)
        except RequestTooLongError:
            if halvings == MAX_HALVINGS:
                raise
            halvings += 1
            requests.room //= 2
            continue
        text, usage = summary.text, add_usage(usage, summary.usage)
        rest = later and msgspec.structs.replace(later, previous_summary=text)
    return Summary(text=text, usage=usage)


def _bytes_of(messages: Iterable[Message]) -> int:
    """UTF-8 bytes of messages in a request for a summary."""
    return utf8_length(serialize(to_llm(list(messages))))


class _Requests:
    """Divides a preparation into what the next requests can carry and what has to wait."""

    def __init__(self, room: int, instructions: str | None) -> None:
        self.room = room
        """UTF-8 bytes of one request."""
        self._instructions = instructions

    def next(self, preparation: Preparation) -> tuple[Preparation, Preparation | None]:
        """What is summarised now, and what is left; None where that is nothing."""
        preparation = self._with_short_prefix(self._with_short_summary(preparation))
        asked = history_request([], preparation.previous_summary, self._instructions, None, WORDING)
        room = self._left(asked)
        entries = preparation.summarized
        count = _fitting(map(self._weight, entries), room)
        if count >= len(entries):
            return preparation, None
        now = entries[:count] or (self._shortened(entries[0], room),)
        first = msgspec.structs.replace(preparation, summarized=now, turn_prefix=(), is_split_turn=False)
        return first, msgspec.structs.replace(preparation, summarized=entries[len(now) :])

    def _with_short_summary(self, preparation: Preparation) -> Preparation:
        """An earlier summary may take half of the room."""
        previous = preparation.previous_summary or ""
        if utf8_length(previous) <= self.room // 2:
            return preparation
        return msgspec.structs.replace(preparation, previous_summary=_cut(previous, self.room // 2))

    def _with_short_prefix(self, preparation: Preparation) -> Preparation:
        """The first part of a split turn has one request: what does not fit goes to the turns before."""
        prefix = preparation.turn_prefix
        room = self._left(turn_prefix_request([], self._instructions, None, WORDING))
        count = _fitting(map(self._weight, reversed(prefix)), room)
        if count >= len(prefix):
            return preparation
        kept = prefix[len(prefix) - count :] or (self._shortened(prefix[-1], room),)
        return msgspec.structs.replace(
            preparation,
            summarized=(*preparation.summarized, *prefix[: len(prefix) - len(kept)]),
            turn_prefix=kept,
        )

    def _left(self, empty: CompletionRequest) -> int:
        """What a request without a conversation leaves for one."""
        left = self.room - utf8_length(empty.system) - utf8_length(empty.prompt)
        if left < MIN_ROOM:
            raise RequestTooLongError("Summarization failed: the window of the model is too small for the request")
        return left

    def _weight(self, selected: Selected) -> int:
        return _bytes_of(selected.messages) + _SEPARATOR * len(selected.messages)

    def _shortened(self, selected: Selected, room: int) -> Selected:
        """An entry that is too long for a request of its own: the two ends of what it says."""
        messages = [message for message in to_llm(list(selected.messages)) if _said(message)]
        each = room // max(1, len(messages))
        return msgspec.structs.replace(selected, messages=tuple(_shorter(message, each) for message in messages))


async def _without_the_oldest(preparation: Preparation, room: int) -> Preparation:
    """The newest entries, enough for `MAX_PASSES` requests, and a summary of those before that no model wrote."""
    entries = (*preparation.summarized, *preparation.turn_prefix)
    weights = (min(_bytes_of(selected.messages), room) for selected in reversed(entries))
    newest = _fitting(weights, MAX_PASSES * room)
    oldest = len(entries) - newest
    if oldest <= 0:
        return preparation
    old = msgspec.structs.replace(preparation, summarized=entries[:oldest], turn_prefix=(), is_split_turn=False)
    turn = max(oldest, len(preparation.summarized))
    return msgspec.structs.replace(
        preparation,
        summarized=entries[oldest:turn],
        turn_prefix=entries[turn:],
        previous_summary=(await asyncio.to_thread(summarize_locally, old)).text,
    )


def _fitting(weights: Iterable[int], room: int) -> int:
    """How many of the weights, from the first on, fit into the room. No more of them are asked for than that."""
    count = 0
    for total in accumulate(weights):
        if total > room:
            break
        count += 1
    return count


def _shorter(message: Message, room: int) -> Message:
    text = "\n".join(_said(message))
    return {"role": role_of(message), "content": [{"type": "text", "text": _cut(text, room)}]}


def _said(message: Message) -> Sequence[str]:
    return [*texts_of(message), *map(call_text, tool_calls_of(message))]


def _cut(text: str, room: int) -> str:
    """The two ends of a text, in so many bytes at most, the note between them not counted."""
    return cut_middle(text, room // 3)  # a UTF-16 unit has 3 bytes at most
