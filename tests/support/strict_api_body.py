"""What is refused of a body as a whole: its fields, its tools, and the order of its messages."""

import json
import re
from collections.abc import Iterator
from typing import Any

from pi_lsp.context.model import Model
from tests.support.strict_api_parts import Body, Rules, blocks_of

RULES = Rules()

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
_SURROGATE = re.compile("[\ud800-\udfff]")


@RULES.add
def surrogates(body: Body, model: Model) -> Iterator[str]:
    if any(_SURROGATE.search(text) for text in _strings(body)):
        yield "no low surrogate in string"


@RULES.add
def nul(body: Body, model: Model) -> Iterator[str]:
    if any("\0" in text for text in _strings(body)):
        yield "a NUL in a string"


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


@RULES.add
def body_size(body: Body, model: Model) -> Iterator[str]:
    if len(json.dumps(body)) > 32_000_000:
        yield "over 32 MB"


@RULES.add
def extra(body: Body, model: Model) -> Iterator[str]:
    yield from set(body) - _TOP
    for place, _, block in blocks_of(body):
        yield from (f"{place}.{key}" for key in set(block) - _BLOCK_KEYS.get(block["type"], set(block)))
    for tool in body.get("tools", []):
        yield from set(tool) - {"name", "description", "input_schema", "cache_control", "type"}


@RULES.add
def max_tokens(body: Body, model: Model) -> Iterator[str]:
    if not 0 <= body["max_tokens"] <= model.max_tokens:
        yield str(body["max_tokens"])


@RULES.add
def budget(body: Body, model: Model) -> Iterator[str]:
    thinking = body.get("thinking", {})
    if thinking.get("type") == "enabled" and not 1024 <= thinking["budget_tokens"] < body["max_tokens"]:
        yield f"{thinking['budget_tokens']} of {body['max_tokens']}"


@RULES.add
def thinking_type(body: Body, model: Model) -> Iterator[str]:
    kind = body.get("thinking", {}).get("type", "disabled")
    allowed = {"adaptive", "disabled"} if model.adaptive_thinking else {"enabled", "disabled"}
    if kind not in allowed or (kind != "disabled" and not model.reasoning):
        yield kind
    if kind == "disabled" and "thinking" in body and model.thinking_levels.get("off", "off") is None:
        yield "this model cannot be kept from thinking"


@RULES.add
def tool_name(body: Body, model: Model) -> Iterator[str]:
    for tool in body.get("tools", []):
        if not re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", tool["name"]):
            yield tool["name"]


@RULES.add
def tool_unique(body: Body, model: Model) -> Iterator[str]:
    names = [tool["name"] for tool in body.get("tools", [])]
    if len(names) != len(set(names)):
        yield "Tool names must be unique."


@RULES.add
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


@RULES.add
def messages_empty(body: Body, model: Model) -> Iterator[str]:
    if not body["messages"]:
        yield "at least one message is required"


@RULES.add
def messages_max(body: Body, model: Model) -> Iterator[str]:
    if len(body["messages"]) > 100_000:
        yield str(len(body["messages"]))


@RULES.add
def role(body: Body, model: Model) -> Iterator[str]:
    roles = {"user", "assistant"} | ({"system"} if model.system_messages else set())
    yield from {message["role"] for message in body["messages"]} - roles


@RULES.add
def system_role(body: Body, model: Model) -> Iterator[str]:
    """After a person's message, and before an answer or at the end."""
    roles = [message["role"] for message in body["messages"]]
    for index, one in enumerate(roles):
        before, after = roles[max(0, index - 1)], roles[index + 1 : index + 2]
        if one == "system" and (before != "user" or after not in ([], ["assistant"])):
            yield f"messages.{index}"


@RULES.add
def first_user(body: Body, model: Model) -> Iterator[str]:
    if body["messages"] and body["messages"][0]["role"] != "user":
        yield "first message must use the user role"


@RULES.add
def empty_content(body: Body, model: Model) -> Iterator[str]:
    yield from (f"messages.{index}" for index, message in enumerate(body["messages"]) if not message["content"])


@RULES.add
def prefill(body: Body, model: Model) -> Iterator[str]:
    """Some models take a final answer, none takes white space or thinking at its end; we send none."""
    if body["messages"] and body["messages"][-1]["role"] == "assistant":
        yield "a final assistant message"
