"""The messages of a request to the Anthropic Messages API, from paired messages, as Pi 1.6.0 writes them."""

from collections.abc import Sequence
from itertools import groupby

from pi_lsp.base.json import Json, JsonObject, as_str, objects, without_none
from pi_lsp.base.text import without_surrogates
from pi_lsp.context.clean import is_blank
from pi_lsp.context.pairing import without_images
from pi_lsp.context.prompt_state import render_update
from pi_lsp.session.messages import Block, Message, blocks_of, role_of

_IMAGE_BELOW = "(image attached after the tool results)"
_IMAGE_ALONE = "(see attached image)"
_MARKABLE = frozenset({"text", "image", "tool_result"})


def anthropic_messages(
    messages: Sequence[Message], *, mark_last: bool = False, allow_empty_signature: bool = False
) -> list[JsonObject]:
    """The `messages` of a request. A leading system message is left to the request's own `system`.

    Later system messages are sent directly before the next answer: nothing may stand between a call and its result.

    Args:
        messages: system, user, assistant and toolResult messages, as `finish` or `transform` gives them.
        mark_last: put a cache breakpoint on the last message, unless it is an answer.
        allow_empty_signature: thinking without a signature is sent as such, not as text.
    """
    if messages and role_of(messages[0]) == "system":
        messages = messages[1:]
    sent: list[JsonObject] = []
    updates: list[JsonObject] = []
    for role, group in groupby(messages, role_of):
        match role:
            case "system":
                updates += filter(None, map(_system, group))
            case "user":
                sent += filter(None, map(_user, group))
            case "toolResult":
                sent.append(_results(list(group)))
            case "assistant":
                for message in group:
                    if blocks := _answer(message, allow_empty_signature):
                        sent += updates
                        updates.clear()
                        sent.append({"role": "assistant", "content": blocks})
            case _:
                pass
    sent += updates
    if mark_last and sent and sent[-1]["role"] != "assistant":
        sent[-1] = marked(sent[-1])
    return sent


def marked(message: JsonObject) -> JsonObject:
    """A message of a request with a cache breakpoint on its last block, where that can bear one."""
    blocks = blocks_of(message)
    if not blocks or blocks[-1].get("type") not in _MARKABLE:
        return message
    return {**message, "content": [*blocks[:-1], {**blocks[-1], "cache_control": {"type": "ephemeral"}}]}


def _system(message: Message) -> JsonObject | None:
    text = without_surrogates(render_update(message))
    return {"role": "system", "content": [{"type": "text", "text": text}]} if text else None


def _user(message: Message) -> JsonObject | None:
    content = message.get("content")
    if isinstance(content, str):
        return {"role": "user", "content": without_surrogates(content)} if not is_blank(content) else None
    blocks: list[Json] = [block for block in map(_text_or_image, objects(content)) if not _is_blank(block)]
    return {"role": "user", "content": blocks} if blocks else None


def _answer(message: Message, allow_empty_signature: bool) -> list[Json]:
    blocks: list[Json] = []
    for block in blocks_of(message):
        match block.get("type"):
            case "text":
                if not is_blank(as_str(block.get("text"))):
                    blocks.append(_text(block.get("text")))
            case "thinking":
                blocks += _thinking(block, allow_empty_signature)
            case "toolCall":
                arguments = block.get("arguments")
                call: JsonObject = {"type": "tool_use", "id": block.get("id"), "name": block.get("name")}
                blocks.append({**without_none(call), "input": {} if arguments is None else arguments})
            case _:
                pass
    return blocks


def _thinking(block: Block, allow_empty_signature: bool) -> list[Json]:
    signature = as_str(block.get("thinkingSignature"))
    if block.get("redacted"):
        return [without_none({"type": "redacted_thinking", "data": block.get("thinkingSignature")})]
    thinking = as_str(block.get("thinking"))
    text = without_surrogates(thinking)
    if not is_blank(signature):
        return [{"type": "thinking", "thinking": text, "signature": signature}]
    if is_blank(thinking):
        return []
    return [{"type": "thinking", "thinking": text, "signature": ""} if allow_empty_signature else _text(text)]


def _results(messages: list[Message]) -> JsonObject:
    """All results of one answer in one user message: the API wants them together and first."""
    results: list[Json] = []
    images: list[Json] = []
    for message in messages:
        content: list[Json] = [*blocks_of(message)]
        shown = [_image(block) for block in objects(content) if block.get("type") == "image"]
        if shown and message.get("isError"):
            # The result of a call that failed may hold text only.
            content = without_images(content, _IMAGE_BELOW)
            call = f"{as_str(message.get('toolCallId'))} ({as_str(message.get('toolName'))})"
            images += [_text(f"Images from the error result of tool call {call}:"), *shown]
        result: JsonObject = {
            "type": "tool_result",
            "tool_use_id": message.get("toolCallId"),
            "content": _result_content(content),
            "is_error": message.get("isError"),
        }
        results.append(without_none(result))
    return {"role": "user", "content": results + images}


def _result_content(content: list[Json]) -> Json:
    blocks = list(objects(content))
    if not any(block.get("type") == "image" for block in blocks):
        return without_surrogates("\n".join(as_str(block.get("text")) for block in blocks))
    sent: list[Json] = [_text_or_image(block) for block in blocks]
    if not any(block.get("type") == "text" for block in blocks):
        sent.insert(0, _text(_IMAGE_ALONE))
    return sent


def _text_or_image(block: Block) -> JsonObject:
    return _text(block.get("text")) if block.get("type") == "text" else _image(block)


def _text(text: Json) -> JsonObject:
    return {"type": "text", "text": without_surrogates(as_str(text))}


def _image(block: Block) -> JsonObject:
    source: JsonObject = {"type": "base64", "media_type": block.get("mimeType"), "data": block.get("data")}
    return {"type": "image", "source": without_none(source)}


def _is_blank(block: JsonObject) -> bool:
    return block["type"] == "text" and is_blank(as_str(block["text"]))
