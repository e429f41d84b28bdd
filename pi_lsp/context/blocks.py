"""One message made of blocks that the Messages API takes: no empty texts, no NULs, thinking that can be replayed."""

from typing import TypeAlias

from pi_lsp.base.json import Json, as_object, as_str
from pi_lsp.context.clean import clean_json, clean_name, clean_text, is_blank
from pi_lsp.context.trace import Item, Traced, changed, dropped
from pi_lsp.session.messages import Block, Message, blocks_of, role_of, text_of

NO_OUTPUT = "(no output)"

_UNCLEAN = "NULs or halves of characters were taken out"
_EMPTY_TEXT = "an empty text was left out"
_NO_THINKING = "thinking that cannot be replayed was left out"

_Cleaned: TypeAlias = tuple[Block | None, str]
"""The block that may be sent, None for none, and what was done ("" for nothing)."""


def clean_blocks(traced: Traced) -> Traced:
    """The messages with their content repaired; a message without any content is left out."""
    items: list[Item] = []
    changes = list(traced.changes)
    for item in traced.items:
        message, details = _clean(item.message)
        if message is None:
            changes.append(dropped(item, "repair", "it is empty"))
        else:
            changes += [changed(item, "repair", detail) for detail in dict.fromkeys(details)]
            items.append(item.holding(message))
    return Traced(items=items, changes=changes)


def _clean(message: Message) -> tuple[Message | None, list[str]]:
    match role_of(message):
        case "system":
            return _system(message)
        case "toolResult":
            return _result(message)
        case "user" | "assistant":
            content, details = _content(message)
            if not content:
                return None, details
            return ({**message, "content": content} if details else message), details
        case _:
            return None, []


def _content(message: Message) -> tuple[list[Json], list[str]]:
    cleaned = [_block(block, role_of(message)) for block in blocks_of(message)]
    return [block for block, _ in cleaned if block is not None], [detail for _, detail in cleaned if detail]


def _block(block: Block, role: str) -> _Cleaned:
    match role, block.get("type"):
        case _, "text":
            return _text(block)
        case "user" | "toolResult", "image":
            return block, ""
        case "assistant", "thinking":
            return _thinking(block)
        case "assistant", "toolCall":
            return _call(block)
        case _, kind:
            return None, f"a block of type {as_str(kind)!r} was left out"


def _text(block: Block) -> _Cleaned:
    text = block.get("text")
    cleaned = clean_text(as_str(text))
    if is_blank(cleaned):
        return None, _EMPTY_TEXT
    return (block, "") if cleaned == text else ({**block, "text": cleaned}, _UNCLEAN)


def _thinking(block: Block) -> _Cleaned:
    signature, thinking = as_str(block.get("thinkingSignature")), as_str(block.get("thinking"))
    cleaned = clean_text(thinking)
    if is_blank(signature):
        # Without a signature it is sent as text; without that there is nothing to send.
        if block.get("redacted") or is_blank(cleaned):
            return None, _NO_THINKING
        return (block, "") if cleaned == thinking else ({**block, "thinking": cleaned}, _UNCLEAN)
    # A signature holds for the very text that was signed, so neither of them can be cleaned.
    if clean_text(signature) != signature or (cleaned != thinking and not block.get("redacted")):
        return None, _NO_THINKING
    return block, ""


def _call(block: Block) -> _Cleaned:
    arguments = block.get("arguments")
    given = as_object(arguments)
    try:
        cleaned = clean_json(given)
    except RecursionError:
        given, cleaned = {}, {}
        arguments = "nested too deeply"
    repaired: Block = {"name": clean_name(as_str(block.get("name"))), "arguments": cleaned}
    if repaired["name"] != block.get("name"):
        detail = "the name of a tool was rewritten"
    elif arguments is not None and not isinstance(arguments, dict):
        detail = "arguments that are no object, or nested too deeply, were left out"
    elif cleaned is not given:
        detail = _UNCLEAN
    else:
        return block, ""
    return {**block, **repaired}, detail


def _result(message: Message) -> tuple[Message, list[str]]:
    content, details = _content(message)
    if not content:
        content.append({"type": "text", "text": NO_OUTPUT})
        details = ["an empty result was replaced by a note"]
    repaired: Message = {"content": content} if details else {}
    name = as_str(message.get("toolName"))
    if clean_text(name) != name:
        repaired["toolName"] = clean_text(name)
        details.append(_UNCLEAN)
    if not isinstance(message.get("isError", False), bool):
        repaired["isError"] = bool(message["isError"])
        details.append("its error mark was made a boolean")
    return ({**message, **repaired} if repaired else message), details


def _system(message: Message) -> tuple[Message, list[str]]:
    content: list[Json] = [*blocks_of(message)]
    prompt: Json = {"content": content, "sections": as_object(message.get("sections"))}
    cleaned = as_object(clean_json(prompt))
    if is_blank(text_of(cleaned)) and text_of(cleaned):
        return {**message, **cleaned, "content": ""}, [_EMPTY_TEXT]
    return (message, []) if cleaned is prompt else ({**message, **cleaned}, [_UNCLEAN])
