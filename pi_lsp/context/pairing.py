"""Pairing: a history of any models becomes one that the present model can read, as Pi 1.6.0 makes it.

Thinking and ids of other models, images for a model without eyes, failed answers, calls without a result. What Pi
leaves as it is (orphan results, duplicates) stays here as well; `valid.py` behind it takes care of those.
"""

import re
from collections.abc import Iterator

from pi_lsp.base.json import Json, JsonObject, as_object, as_str
from pi_lsp.base.text import JS_SPACE, utf16_length
from pi_lsp.context.fate import Change
from pi_lsp.context.model import Model
from pi_lsp.context.trace import Item, Traced, changed, dropped
from pi_lsp.session.messages import Block, Message, role_of, tool_calls_of

MAX_ID_UNITS = 64
NO_RESULT = "No result provided"

_NO_IMAGE = "(image omitted: model does not support images)"
_NO_TOOL_IMAGE = "(tool image omitted: model does not support images)"
_FORBIDDEN_IN_ID = re.compile(r"[^A-Za-z0-9_-]")


def transform(traced: Traced, model: Model, *, normalize: bool = True, now: int = 0) -> Traced:
    """The messages (system, user, assistant, toolResult) as `model` can read them.

    Args:
        traced: the messages after conversion.
        model: the model that is asked.
        normalize: rewrite the tool call ids of other models.
        now: the time, in ms since 1970, that added results bear.
    """
    renamed: dict[str, str] = {}
    items: list[Item] = []
    changes = list(traced.changes)
    for item in traced.items:
        message, details = _readable(item.message, model, renamed, normalize)
        items.append(item.holding(message))
        changes += [changed(item, "convert", detail) for detail in details]
    return _answered(items, changes, now)


def normalize_id(call_id: str) -> str:
    """A tool call id in the form that Anthropic takes: other UTF-16 units become `_`, at most 64 of them."""
    return _FORBIDDEN_IN_ID.sub(lambda match: "_" * utf16_length(match.group()), call_id)[:MAX_ID_UNITS]


def no_result(call: Block, now: int = 0) -> Message:
    """The result that stands in for a missing one."""
    names = (("toolCallId", "id"), ("toolName", "name"))
    return {
        "role": "toolResult",
        **{name: call[key] for name, key in names if key in call},
        "content": [{"type": "text", "text": NO_RESULT}],
        "isError": True,
        "timestamp": now,
    }


def without_images(content: list[Json], placeholder: str) -> list[Json]:
    """The blocks with each run of images replaced by one text."""
    blocks: list[Json] = []
    stands_there = False
    for block in content:
        if as_object(block).get("type") != "image":
            blocks.append(block)
            stands_there = as_object(block).get("text") == placeholder
        elif not stands_there:
            blocks.append({"type": "text", "text": placeholder})
            stands_there = True
    return blocks


def _readable(message: Message, model: Model, renamed: dict[str, str], normalize: bool) -> tuple[Message, list[str]]:
    """One message, and what was done to it; `renamed` collects the ids by their old names."""
    if message.get("content") is None:
        message = {**message, "content": []}
    role = role_of(message)
    details: list[str] = []
    content = message["content"]
    if role in ("user", "toolResult") and isinstance(content, list) and not model.takes_images:
        placeholder = _NO_IMAGE if role == "user" else _NO_TOOL_IMAGE
        if any(as_object(block).get("type") == "image" for block in content):
            message = {**message, "content": without_images(content, placeholder)}
            details.append("its images were left out: the model takes none")
    if role == "toolResult" and (new_id := renamed.get(as_str(message.get("toolCallId")))):
        message = {**message, "toolCallId": new_id}
    if role == "assistant" and isinstance(content, list):
        same = (message.get("provider"), message.get("api"), message.get("model")) == (
            model.provider,
            model.api,
            model.id,
        )
        blocks = list(_own(content) if same else _foreign(content, renamed, normalize))
        if len(blocks) < len(content):
            details.append("empty thinking was left out" if same else "the thinking of another model was left out")
        message = {**message, "content": blocks}
    return message, details


def _own(content: list[Json]) -> Iterator[Json]:
    for block in content:
        fields = as_object(block)
        if fields.get("type") == "thinking" and not (fields.get("redacted") or fields.get("thinkingSignature")):
            if as_str(fields.get("thinking")).strip(JS_SPACE):
                yield block
        else:
            yield block


def _foreign(content: list[Json], renamed: dict[str, str], normalize: bool) -> Iterator[Json]:
    for block in content:
        fields = as_object(block)
        match fields.get("type"):
            case "thinking":
                pass
            case "text":
                yield {key: fields[key] for key in ("type", "text") if key in fields}
            case "toolCall":
                yield _foreign_call(fields, renamed, normalize)
            case _:
                yield block


def _foreign_call(call: JsonObject, renamed: dict[str, str], normalize: bool) -> JsonObject:
    if call.get("thoughtSignature"):
        call = {key: value for key, value in call.items() if key != "thoughtSignature"}
    old = as_str(call.get("id"))
    if normalize and (new := normalize_id(old)) != old:
        renamed[old] = new
        call = {**call, "id": new}
    return call


def _answered(items: list[Item], changes: list[Change], now: int) -> Traced:
    """The messages without failed answers, every call with a result before the next turn of anybody."""
    result: list[Item] = []
    calling: Item | None = None
    answered: set[str] = set()
    held: list[Item] = []

    def close() -> None:
        if calling is not None:
            missing = [call for call in tool_calls_of(calling.message) if as_str(call.get("id")) not in answered]
            result.extend(Item(calling.source, no_result(call, now), made=True) for call in missing)
            if missing:
                changes.append(changed(calling, "convert", f"a result was added for {len(missing)} of its calls"))
        result.extend(held)
        held.clear()

    for item in items:
        match role_of(item.message):
            case "assistant":
                close()
                calling = None
                if item.message.get("stopReason") in ("error", "aborted"):
                    changes.append(dropped(item, "convert", f"an answer that ended as {item.message['stopReason']}"))
                    continue
                if any(tool_calls_of(item.message)):
                    calling, answered = item, set()
            case "toolResult":
                answered.add(as_str(item.message.get("toolCallId")))
            case "system":
                if calling is not None:
                    held.append(item)
                    continue
            case "user":
                close()
                calling = None
            case _:
                pass
        result.append(item)
    close()
    return Traced(items=result, changes=changes)
