"""Thinking that goes back to the model that thought it.

A provider signs it, and newer models bind the signature to all that was sent before it. Whether that still holds
only the provider can tell, so thinking is sent until it is refused; from then on that thinking is left out, which
keeps the prefix of later requests the same.
"""

from collections.abc import Container, Iterable

from pi_lsp.base.json import Json, as_str, objects
from pi_lsp.session.messages import Block, Message, blocks_of, role_of


def signatures(messages: Iterable[Message]) -> set[str]:
    """The signatures of all thinking in the answers."""
    return {
        as_str(block.get("thinkingSignature"))
        for message in messages
        if role_of(message) == "assistant"
        for block in objects(message.get("content"))
        if block.get("type") == "thinking" and block.get("thinkingSignature")
    }


def without_thinking(messages: Iterable[Message], refused: Container[str]) -> list[Message]:
    """The messages without the thinking of these signatures."""
    return [_without(message, refused) if role_of(message) == "assistant" else message for message in messages]


def refuses_thinking(error: str) -> bool:
    """Whether the text of a 400 is about thinking that was sent back."""
    return "thinking" in error and ("signature" in error or "cannot be modified" in error)


def _without(message: Message, refused: Container[str]) -> Message:
    blocks = blocks_of(message)
    kept: list[Json] = [block for block in blocks if not _is_refused(block, refused)]
    return message if len(kept) == len(blocks) else {**message, "content": kept}


def _is_refused(block: Block, refused: Container[str]) -> bool:
    return block.get("type") == "thinking" and as_str(block.get("thinkingSignature")) in refused
