"""How many tokens a message or a whole context has, from its characters and from what a provider has billed.

The rule is Pi 1.6.0's: four UTF-16 units are one token, an image is 1,200 tokens, and the last usage that a provider
reported is worth more than any count of ours. Other counters (`tokens.py`) take the place of the first half only.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

import msgspec

from pi_lsp.base.json import JsonObject, as_int, as_object, as_str, encode, objects
from pi_lsp.base.text import utf16_length
from pi_lsp.session.messages import Block, Message, blocks_of, role_of, usage_of

IMAGE_TOKENS = 1200
"""What one image is taken for."""

_UNITS_PER_TOKEN = 4
_MOST_UNITS_PER_TOKEN = 32
"""Ordinary text has 3 to 5 UTF-16 units a token; no real context reaches this."""

_FAILED = ("aborted", "error")
_DOUBT = "The model's last answer was billed {tokens:,} tokens, {why}: these numbers are estimates."


class TokenCounter(Protocol):
    """Counts tokens; every number of tokens in this program comes from one of these or from a provider."""

    def message(self, message: Message) -> int:
        """The tokens of one message of a session; 0 for a role that no model is shown."""
        ...

    def text(self, text: str) -> int:
        """The tokens of a text."""
        ...


class Counted(NamedTuple):
    """What of a message weighs."""

    texts: list[str]
    images: int


class ContextEstimate(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The tokens of a context: what the provider billed up to one message, and an estimate of what came after."""

    tokens: int
    usage_tokens: int
    trailing_tokens: int
    last_usage_index: int | None
    """Index of the message whose usage was believed; None where all is estimated."""

    doubt: str | None = None
    """Why a usage that was there is not believed."""


class _CharacterCounter:
    """Characters/4, rounded up once per message."""

    def message(self, message: Message) -> int:
        texts, images = counted(message)
        return -(-sum(map(utf16_length, texts)) // _UNITS_PER_TOKEN) + images * IMAGE_TOKENS

    def text(self, text: str) -> int:
        return -(-utf16_length(text) // _UNITS_PER_TOKEN)


PI_COUNTER: TokenCounter = _CharacterCounter()
"""Pi's own rule: what decides where a compaction cuts, so that both programs cut at the same place."""


def counted(message: Message) -> Counted:
    """The texts of a message that reach a model, and the number of its images.

    As in Pi 1.6.0: thinking counts, signatures do not; the arguments of a call count as JSON; a tool that was removed
    costs nothing; a user's command counts even where it is kept from the model.
    """
    match role_of(message):
        case "assistant":
            # An assistant's content is blocks or nothing: Pi neither counts nor sends a plain string here.
            return Counted([text for block in objects(message.get("content")) for text in _said(block)], 0)
        case "user" | "toolResult" | "custom":
            return _content(message)
        case "system":
            texts, images = _content(message)
            texts += map(as_str, as_object(message.get("sections")).values())
            if (tools := message.get("toolsAdded")) is not None:
                texts.append(encode(tools))
            return Counted(texts, images)
        case "bashExecution":
            return Counted([as_str(message.get("command")), as_str(message.get("output"))], 0)
        case "branchSummary" | "compactionSummary":
            return Counted([as_str(message.get("summary"))], 0)
        case _:
            return Counted([], 0)


def usage_tokens(usage: JsonObject) -> int:
    """The tokens of the context after an answer: the total that the provider names, else the sum of its parts."""
    return as_int(usage.get("totalTokens")) or prompt_tokens(usage) + as_int(usage.get("output"))


def prompt_tokens(usage: JsonObject) -> int:
    """The tokens that were sent: uncached, read from the cache and written to it."""
    return sum(as_int(usage.get(key)) for key in ("input", "cacheRead", "cacheWrite"))


def last_usage_index(messages: Sequence[Message]) -> int | None:
    """The last answer whose usage counts: not aborted, not failed, more than nothing."""
    for index in range(len(messages) - 1, -1, -1):
        if _reports_usage(messages[index]):
            return index
    return None


def estimate_context(
    messages: Sequence[Message],
    counter: TokenCounter = PI_COUNTER,
    window: int | None = None,
    most_units: int | None = None,
) -> ContextEstimate:
    """The tokens of the messages: the last usage that counts, plus an estimate of the messages after it.

    With a `window` (tokens) a usage that cannot be is left aside, the reason given and everything estimated;
    without one every usage is believed, as Pi 1.6.0 does. `most_units` is as in `doubt_usage`.
    """
    index, doubt = believed_usage(messages, window, most_units)
    if index is None:
        tokens = sum(map(counter.message, messages))
        return ContextEstimate(
            tokens=tokens, usage_tokens=0, trailing_tokens=tokens, last_usage_index=None, doubt=doubt
        )
    billed = usage_tokens(usage_of(messages[index]))
    trailing = sum(map(counter.message, messages[index + 1 :]))
    return ContextEstimate(
        tokens=billed + trailing, usage_tokens=billed, trailing_tokens=trailing, last_usage_index=index
    )


def believed_usage(
    messages: Sequence[Message], window: int | None = None, most_units: int | None = None
) -> tuple[int | None, str | None]:
    """The index of the last answer whose usage counts, None where there is none to be believed; and then why.

    `window` is as in `estimate_context`, `most_units` as in `doubt_usage`.
    """
    index = last_usage_index(messages)
    if index is None or window is None:
        return index, None
    doubt = doubt_usage(usage_of(messages[index]), messages[:index], window, most_units)
    return (None, doubt) if doubt else (index, None)


def doubt_usage(usage: JsonObject, sent: Iterable[Message], window: int, most_units: int | None = None) -> str | None:
    """Why a usage cannot be true, or None.

    Args:
        usage: as a provider reported it.
        sent: the messages before the answer that carries it.
        window: the model's context window in tokens; 0 where it is not known.
        most_units: so many UTF-16 units of text `sent` has at most, where that is known; it may save counting them.
    """
    tokens = usage_tokens(usage)
    if 0 < window < tokens:
        return _DOUBT.format(tokens=tokens, why=f"more than its window of {window:,}")
    if most_units is not None and most_units <= tokens * _MOST_UNITS_PER_TOKEN:
        return None
    units = 0
    for message in sent:
        # Images stay out: a small one costs next to nothing.
        units += sum(map(utf16_length, counted(message).texts))
        if units > tokens * _MOST_UNITS_PER_TOKEN:
            return _DOUBT.format(tokens=tokens, why="fewer than the text that was sent can have")
    return None


def _reports_usage(message: Message) -> bool:
    return (
        role_of(message) == "assistant"
        and message.get("stopReason") not in _FAILED
        and usage_tokens(usage_of(message)) > 0
    )


def _content(message: Message) -> Counted:
    blocks = blocks_of(message)
    return Counted(
        [as_str(block.get("text")) for block in blocks if block.get("type") == "text"],
        sum(block.get("type") == "image" for block in blocks),
    )


def _said(block: Block) -> Iterator[str]:
    match block.get("type"):
        case "text":
            yield as_str(block.get("text"))
        case "thinking":
            yield as_str(block.get("thinking"))
        case "toolCall":
            yield as_str(block.get("name"))
            if "arguments" in block:
                yield encode(block["arguments"])
        case _:
            pass
