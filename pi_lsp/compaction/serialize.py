"""A conversation as one text, for a model that is to summarise it and not to carry it on.

The format is Pi 1.6.0's: labelled parts joined by blank lines. Thinking, images and system messages are left out.
"""

from collections.abc import Iterable

from pi_lsp.base.json import as_object, as_str, encode, javascript_fields
from pi_lsp.base.text import slice_head, utf16_length
from pi_lsp.session.messages import Block, Message, role_of, text_of, texts_of, tool_calls_of

TOOL_RESULT_CAP = 2000
"""UTF-16 units of a tool result that a summary gets to see."""


def serialize(messages: Iterable[Message]) -> str:
    """The text of messages that are already converted for a model (`context.convert.to_llm`); other roles give none."""
    return "\n\n".join(part for message in messages for part in _parts(message))


def call_text(call: Block) -> str:
    """A tool call on one line: `name(key=JSON, ...)`."""
    arguments = as_object(call.get("arguments"))
    given = (f"{name}={encode(value, javascript_fields)}" for name, value in javascript_fields(arguments))
    return f"{as_str(call.get('name'))}({', '.join(given)})"


def _parts(message: Message) -> Iterable[str]:
    match role_of(message):
        case "user":
            if text := text_of(message, ""):
                yield f"[User]: {text}"
        case "assistant":
            texts = texts_of(message)
            if texts:
                yield "[Assistant]: " + "\n".join(texts)
            calls = [call_text(call) for call in tool_calls_of(message)]
            if calls:
                yield "[Assistant tool calls]: " + "; ".join(calls)
        case "toolResult":
            if text := text_of(message, ""):
                yield f"[Tool result]: {_capped(text)}"
        case _:
            return


def _capped(text: str) -> str:
    excess = utf16_length(text) - TOOL_RESULT_CAP
    if excess <= 0:
        return text
    return f"{slice_head(text, TOOL_RESULT_CAP)}\n\n[... {excess} more characters truncated]"
