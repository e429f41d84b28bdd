"""Messages of a session, as they are stored: plain JSON objects, asked through these functions.

A message may come from any version of any program, so none of these trusts a shape: what is missing or of a wrong
type reads as empty. Roles: user, assistant, toolResult, system, custom, bashExecution, branchSummary,
compactionSummary (the last two are made by the projection, never stored).
"""

from collections.abc import Iterator, Sequence
from operator import is_
from typing import TypeAlias

from pi_lsp.base.json import JsonObject, as_object, as_str, objects

Message: TypeAlias = JsonObject
Block: TypeAlias = JsonObject


def role_of(message: Message) -> str:
    """The role, or the empty string."""
    return as_str(message.get("role"))


def begins_with(messages: Sequence[Message], before: Sequence[Message]) -> bool:
    """Whether messages begin with these very objects: they may be a conversation that goes on."""
    return len(messages) >= len(before) and all(map(is_, before, messages))


def blocks_of(message: Message) -> list[Block]:
    """The content as blocks: a string becomes one text block; anything but objects is left out."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return list(objects(content))


def texts_of(message: Message) -> list[str]:
    """The texts of the text blocks, in order."""
    return [as_str(block.get("text")) for block in blocks_of(message) if block.get("type") == "text"]


def text_of(message: Message, separator: str = "\n") -> str:
    """The texts of the text blocks, joined."""
    return separator.join(texts_of(message))


def tool_calls_of(message: Message) -> Iterator[Block]:
    """The toolCall blocks of an assistant message."""
    return (block for block in objects(message.get("content")) if block.get("type") == "toolCall")


def usage_of(message: Message) -> JsonObject:
    """The usage that the provider reported; empty where there is none."""
    return as_object(message.get("usage"))
