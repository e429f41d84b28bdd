"""What the Anthropic Messages API refuses of a request's body: a checker much stricter than any double needs to be.

`violations` is written against public documentation and bug reports, not against our code: it shares nothing with the
product but the record of a model. Each finding begins with the name of its rule.
"""

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from pi_lsp.context.model import Model

Body: TypeAlias = dict[str, Any]
Rule: TypeAlias = Callable[[Body, Model], Iterator[str]]

RULES: list[Rule] = []

_TOP = {
    "model", "max_tokens", "messages", "system", "tools", "tool_choice", "thinking", "output_config", "metadata",
    "stream", "stop_sequences",
}  # fmt: skip
_BLOCK_KEYS = {
    "text": {"type", "text", "cache_control"},
    "image": {"type", "source", "cache_control"},
    "tool_use": {"type", "id", "name", "input", "cache_control"},
    "tool_result": {"type", "tool_use_id", "content", "is_error", "cache_control"},
    "thinking": {"type", "thinking", "signature"},
    "redacted_thinking": {"type", "data"},
}
_STRINGS = {"text": ("text",), "tool_use": ("id", "name"), "tool_result": ("tool_use_id",), "thinking": ("thinking",)}
_BLOCKS_OF = {
    "user": {"text", "image", "tool_result"},
    "assistant": {"text", "tool_use", "thinking", "redacted_thinking"},
    "system": {"text"},
}
_SURROGATE = re.compile("[\ud800-\udfff]")
_MEDIA = {"image/png", "image/jpeg", "image/gif", "image/webp"}


def violations(body: Body, model: Model) -> list[str]:
    """All broken rules, as `rule: where`."""
    found = [f"types: {where}" for where in _wrong_types(body)]
    if found:  # the other rules read the parts
        return found
    return [f"{rule.__name__}: {where}" for rule in RULES for where in rule(body, model)]


def rule(check: Rule) -> Rule:
    RULES.append(check)
    return check


def _wrong_types(body: Body) -> Iterator[str]:
    for key in ("model", "max_tokens", "messages"):
        if key not in body:
            yield f"{key}: Field required"
            return
    if (
        not isinstance(body["model"], str)
        or type(body["max_tokens"]) is not int
        or not isinstance(body["messages"], list)
    ):
        yield "model, max_tokens or messages"
    for index, message in enumerate(body["messages"]):
        if not isinstance(message, dict) or set(message) != {"role", "content"}:
            yield f"messages.{index}"
        elif not isinstance(message["content"], str | list):
            yield f"messages.{index}.content"
        elif isinstance(message["content"], list):
            yield from (f"messages.{index}.{place}" for place in _wrong_blocks(message["content"]))
    for key in ("tools", "system"):
        if not all(isinstance(item, dict) for item in body.get(key, [])):
            yield key


def _wrong_blocks(blocks: list[Any]) -> Iterator[str]:
    for place, block in enumerate(blocks):
        if not isinstance(block, dict) or not isinstance(block.get("type"), str):
            yield str(place)
            continue
        strings = {
            "text": ["text"],
            "tool_use": ["id", "name"],
            "tool_result": ["tool_use_id"],
            "thinking": ["thinking"],
        }
        for key in strings.get(block["type"], []):
            if not isinstance(block.get(key), str):
                yield f"{place}.{key}"
        if block["type"] == "tool_result":
            if not isinstance(block.get("is_error", False), bool):
                yield f"{place}.is_error"
            content = block.get("content", "")
            if not isinstance(content, str | list):
                yield f"{place}.content"
            elif isinstance(content, list):
                yield from (f"{place}.content.{inner}" for inner in _wrong_blocks(content))
        if block["type"] == "image":
            source = block.get("source")
            fields = source if isinstance(source, dict) else {}
            if set(fields) != {"type", "media_type", "data"} or not all(isinstance(x, str) for x in fields.values()):
                yield f"{place}.source"


def _blocks(body: Body) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every block with its place and the role of its message, those inside tool results too."""
    for index, message in enumerate(body["messages"]):
        for place, block in enumerate(_list(message)):
            yield f"messages.{index}.content.{place}", message["role"], block
            if block["type"] == "tool_result" and isinstance(block.get("content"), list):
                for inner, part in enumerate(block["content"]):
                    yield f"messages.{index}.content.{place}.content.{inner}", "tool_result", part


def _list(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _strings(value: Any) -> Iterator[str]:
    todo = [value]
    while todo:
        match todo.pop():
            case str() as text:
                yield text
            case dict() as fields:
                yield from fields
                todo += fields.values()
            case list() as items:
                todo += items
            case _:
                pass


@rule
def surrogates(body: Body, model: Model) -> Iterator[str]:
    if any(_SURROGATE.search(text) for text in _strings(body)):
        yield "no low surrogate in string"


@rule
def nul(body: Body, model: Model) -> Iterator[str]:
    if any("\0" in text for text in _strings(body)):
        yield "a NUL in a string"


@rule
def body_size(body: Body, model: Model) -> Iterator[str]:
    if len(json.dumps(body)) > 32_000_000:
        yield "over 32 MB"


@rule
def extra(body: Body, model: Model) -> Iterator[str]:
    yield from set(body) - _TOP
    for place, _, block in _blocks(body):
        yield from (f"{place}.{key}" for key in set(block) - _BLOCK_KEYS.get(block["type"], set(block)))
    for tool in body.get("tools", []):
        yield from set(tool) - {"name", "description", "input_schema", "cache_control", "type"}


@rule
def max_tokens(body: Body, model: Model) -> Iterator[str]:
    if not 0 <= body["max_tokens"] <= model.max_tokens:
        yield str(body["max_tokens"])


@rule
def budget(body: Body, model: Model) -> Iterator[str]:
    thinking = body.get("thinking", {})
    if thinking.get("type") == "enabled" and not 1024 <= thinking["budget_tokens"] < body["max_tokens"]:
        yield f"{thinking['budget_tokens']} of {body['max_tokens']}"


@rule
def thinking_type(body: Body, model: Model) -> Iterator[str]:
    kind = body.get("thinking", {}).get("type", "disabled")
    allowed = {"adaptive", "disabled"} if model.adaptive_thinking else {"enabled", "disabled"}
    if kind not in allowed or (kind != "disabled" and not model.reasoning):
        yield kind
    if kind == "disabled" and "thinking" in body and model.thinking_levels.get("off", "off") is None:
        yield "this model cannot be kept from thinking"


@rule
def tool_name(body: Body, model: Model) -> Iterator[str]:
    for tool in body.get("tools", []):
        if not re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", tool["name"]):
            yield tool["name"]


@rule
def tool_unique(body: Body, model: Model) -> Iterator[str]:
    names = [tool["name"] for tool in body.get("tools", [])]
    if len(names) != len(set(names)):
        yield "Tool names must be unique."


@rule
def tool_schema(body: Body, model: Model) -> Iterator[str]:
    for tool in body.get("tools", []):
        schema = tool.get("input_schema", {})
        if schema.get("type") != "object":
            yield f"{tool['name']}: type"
        if {"oneOf", "allOf", "anyOf"} & set(schema):
            yield f"{tool['name']}: a union at the top"
        if not all(isinstance(item, dict | bool) for item in schema.get("properties", {}).values()):
            yield f"{tool['name']}: properties"
        if not all(isinstance(item, str) for item in schema.get("required", [])):
            yield f"{tool['name']}: required"


@rule
def messages_empty(body: Body, model: Model) -> Iterator[str]:
    if not body["messages"]:
        yield "at least one message is required"


@rule
def messages_max(body: Body, model: Model) -> Iterator[str]:
    if len(body["messages"]) > 100_000:
        yield str(len(body["messages"]))


@rule
def role(body: Body, model: Model) -> Iterator[str]:
    roles = {"user", "assistant"} | ({"system"} if model.system_messages else set())
    yield from {message["role"] for message in body["messages"]} - roles


@rule
def system_role(body: Body, model: Model) -> Iterator[str]:
    """After a person's message, and before an answer or at the end."""
    roles = [message["role"] for message in body["messages"]]
    for index, one in enumerate(roles):
        before, after = roles[max(0, index - 1)], roles[index + 1 : index + 2]
        if one == "system" and (before != "user" or after not in ([], ["assistant"])):
            yield f"messages.{index}"


@rule
def first_user(body: Body, model: Model) -> Iterator[str]:
    if body["messages"] and body["messages"][0]["role"] != "user":
        yield "first message must use the user role"


@rule
def empty_content(body: Body, model: Model) -> Iterator[str]:
    yield from (f"messages.{index}" for index, message in enumerate(body["messages"]) if not message["content"])


@rule
def prefill(body: Body, model: Model) -> Iterator[str]:
    """Some models take a final answer, none takes white space or thinking at its end; we send none."""
    if body["messages"] and body["messages"][-1]["role"] == "assistant":
        yield "a final assistant message"


@rule
def block_type(body: Body, model: Model) -> Iterator[str]:
    for place, one, block in _blocks(body):
        if block["type"] not in ({"text", "image"} if one == "tool_result" else _BLOCKS_OF.get(one, set())):
            yield f"{place}: {block['type']} in {one}"


@rule
def blank_text(body: Body, model: Model) -> Iterator[str]:
    """Covers empty_text."""
    for place, _, block in _blocks(body):
        if block["type"] == "text" and not block["text"].strip():
            yield place
    for block in body.get("system", []):
        if not block["text"].strip():
            yield "system"


@rule
def blank_result(body: Body, model: Model) -> Iterator[str]:
    """A result of nothing but white space was refused as well."""
    for place, _, block in _blocks(body):
        if block["type"] == "tool_result" and isinstance(block["content"], str) and not block["content"].strip():
            yield place


@rule
def tool_id(body: Body, model: Model) -> Iterator[str]:
    for place, _, block in _blocks(body):
        used = block.get("id") if block["type"] == "tool_use" else block.get("tool_use_id", "x")
        if not re.fullmatch(r"[a-zA-Z0-9_-]+", str(used)):
            yield f"{place}: {used!r}"


@rule
def tool_input(body: Body, model: Model) -> Iterator[str]:
    for place, _, block in _blocks(body):
        if block["type"] == "tool_use" and not isinstance(block["input"], dict):
            yield place


@rule
def tool_results(body: Body, model: Model) -> Iterator[str]:
    """tool_unanswered, tool_orphan, tool_result_dup: the results are the first blocks of the turn that follows."""
    turns: list[tuple[str, list[dict[str, Any]]]] = []
    for message in body["messages"]:
        if turns and turns[-1][0] == message["role"]:
            turns[-1][1].extend(_list(message))
        else:
            turns.append((message["role"], list(_list(message))))
    called: list[str] = []
    for index, (one, blocks) in enumerate(turns):
        results: list[str] = []
        leading = True
        for block in blocks:
            if block["type"] != "tool_result":
                leading = False
            elif not leading:
                yield f"turn {index}: a result behind something else"
            else:
                results.append(block["tool_use_id"])
        if len(results) != len(set(results)):
            yield f"turn {index}: each tool_use must have a single result"
        if set(results) - set(called):
            yield f"turn {index}: unexpected tool_use_id {set(results) - set(called)}"
        if set(called) - set(results):
            yield f"turn {index}: unanswered {set(called) - set(results)}"
        called = [block["id"] for block in blocks if block["type"] == "tool_use"] if one == "assistant" else []
    if called:
        yield "unanswered at the end"


@rule
def tool_use_dup(body: Body, model: Model) -> Iterator[str]:
    ids = [block["id"] for _, _, block in _blocks(body) if block["type"] == "tool_use"]
    if len(ids) != len(set(ids)):
        yield "tool_use ids must be unique"


@rule
def error_text_only(body: Body, model: Model) -> Iterator[str]:
    for place, _, block in _blocks(body):
        if block["type"] == "tool_result" and block.get("is_error") and not isinstance(block["content"], str):
            yield from (place for part in block["content"] if part["type"] != "text")


@rule
def signature_missing(body: Body, model: Model) -> Iterator[str]:
    for place, _, block in _blocks(body):
        if block["type"] == "thinking" and not str(block.get("signature", "")).strip():
            yield place
        if block["type"] == "redacted_thinking" and not str(block.get("data") or "").strip():
            yield place


@rule
def thinking_first(body: Body, model: Model) -> Iterator[str]:
    if body.get("thinking", {}).get("type") != "enabled":
        return
    for message in reversed(body["messages"]):
        kinds = [block["type"] for block in _list(message)]
        if message["role"] == "user" and "tool_result" not in kinds:
            return
        if message["role"] == "assistant" and "tool_use" in kinds and not kinds[0].endswith("thinking"):
            yield "Expected `thinking`, but found " + kinds[0]


@rule
def images(body: Body, model: Model) -> Iterator[str]:
    """image_media, _base64, _mismatch, _unreadable, _bytes, _8000, _2000, _count, and models that take none."""
    found = [(place, block["source"]) for place, _, block in _blocks(body) if block["type"] == "image"]
    if found and not model.takes_images:
        yield "the model takes no images"
    if len(found) > 100:
        yield f"image_count: {len(found)}"
    most = 2000 if len(found) > 20 else 8000
    for place, source in found:
        if source["media_type"] not in _MEDIA:
            yield f"{place}: image_media {source['media_type']}"
        if len(source["data"]) > 10 * 1024 * 1024:
            yield f"{place}: image_bytes"
        try:
            raw = base64.b64decode(source["data"], validate=True)
        except (binascii.Error, ValueError):
            yield f"{place}: image_base64"
            continue
        kind, sides = _look(raw)
        if kind != source["media_type"]:
            yield f"{place}: image_mismatch {kind}"
        if not min(sides):
            yield f"{place}: image_unreadable"
        if max(sides) > most:
            yield f"{place}: image_{most} {sides}"


def _look(raw: bytes) -> tuple[str, tuple[int, int]]:
    """PNG and GIF are measured; JPEG and WebP are only recognised."""
    if raw[:4] == b"\x89PNG" and len(raw) >= 24:
        return "image/png", (int.from_bytes(raw[16:20], "big"), int.from_bytes(raw[20:24], "big"))
    if raw[:4] == b"GIF8" and len(raw) >= 10:
        return "image/gif", (int.from_bytes(raw[6:8], "little"), int.from_bytes(raw[8:10], "little"))
    if raw[:2] == b"\xff\xd8":
        return "image/jpeg", (1, 1)
    if raw[:4] == b"RIFF" and raw[8:12] == b"WEBP":
        return "image/webp", (1, 1)
    return "nothing known", (0, 0)


@rule
def cache(body: Body, model: Model) -> Iterator[str]:
    """cache_max, cache_type, cache_empty."""
    marked = [block for _, _, block in _blocks(body)] + body.get("system", []) + body.get("tools", [])
    marked = [block for block in marked if "cache_control" in block]
    if len(marked) > 4:
        yield f"A maximum of 4 blocks with cache_control may be provided. Found {len(marked)}."
    for block in marked:
        if block["cache_control"].get("type") != "ephemeral" or set(block["cache_control"]) - {"type", "ttl"}:
            yield "cache_type"
        if block.get("type") == "text" and not block["text"].strip():
            yield "cache_empty"
