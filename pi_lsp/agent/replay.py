"""Thinking that goes back to the model: only behind the very words behind which it was thought.

A provider signs thinking, and newer models bind the signature to everything that was sent before it. So it is
remembered, for each answer that this process got, what stood before it; where something else stands there now, and
for every answer of another process, the thinking is left out. The rest of the answer stays, and so does the session.
"""

import hashlib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

import msgspec

from pi_lsp.base.json import Json
from pi_lsp.context.trace import Item
from pi_lsp.session.codec import encode_line
from pi_lsp.session.messages import Block, Message, blocks_of

_SAID = ("role", "content", "sections", "toolsAdded", "toolsRemoved", "toolCallId", "toolName", "isError")
"""The fields of a message that reach a provider."""


class Prefix:
    """What stands before a place of a request, as a digest that grows message by message."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._hash = hashlib.blake2b(digest_size=16)
        for message in messages:
            self.add(message)

    def add(self, message: Message) -> None:
        """Go on behind a message."""
        said = {key: message[key] for key in _SAID if key in message}
        try:
            self._hash.update(msgspec.json.encode(said))
        except UnicodeEncodeError:  # a lone surrogate
            self._hash.update(encode_line(said))

    @property
    def digest(self) -> bytes:
        """Equal for equal messages."""
        return self._hash.digest()


def stale_thinking(
    prompt: Message, items: Sequence[Item], owners: Sequence[str], thought_behind: Mapping[str, bytes]
) -> set[int]:
    """The sources (`Item.source`) of the answers whose thinking must not be sent.

    Args:
        prompt: the system message of the request.
        items: the messages behind it.
        owners: the ids of the entries behind the sources.
        thought_behind: the digest of what was sent before an answer, by the id of its entry.
    """
    if not any(thinks(item.message) for item in items):
        return set()
    prefix = Prefix([prompt])
    stale: set[int] = set()
    for item in items:
        message = item.message
        if thinks(message) and thought_behind.get(owners[item.source]) != prefix.digest:
            stale.add(item.source)
            message = without_thinking(message)
            if not blocks_of(message):
                continue  # nothing is left to send of it
        prefix.add(message)
    return stale


def without_thinking(message: Message) -> Message:
    """An answer without the thinking that its provider signed; other thinking is sent as text."""
    kept: list[Json] = [block for block in blocks_of(message) if not _is_signed_thinking(block)]
    return {**message, "content": kept}


def without_stale(messages: Iterable[Message], stale: Container[int]) -> Iterator[Message]:
    """The messages, those at stale places without thinking."""
    return (without_thinking(message) if place in stale else message for place, message in enumerate(messages))


def thinks(message: Message) -> bool:
    """Whether a message is an answer with thinking that its provider signed."""
    if message.get("role") != "assistant":  # asked of every message before each request, so without a detour
        return False
    return any(map(_is_signed_thinking, blocks_of(message)))


def _is_signed_thinking(block: Block) -> bool:
    return block.get("type") == "thinking" and bool(block.get("thinkingSignature") or block.get("redacted"))
