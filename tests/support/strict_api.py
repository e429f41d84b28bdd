"""What the Anthropic Messages API refuses of a request's body: a checker much stricter than any double needs to be.

`violations` is written against public documentation and bug reports, not against our code: it shares nothing with the
product but the record of a model. Each finding begins with the name of its rule.
"""

from collections.abc import Iterator
from typing import Any

from pi_lsp.context.model import Model
from tests.support import strict_api_blocks, strict_api_body, strict_api_images
from tests.support.strict_api_parts import Body

RULES = [*strict_api_body.RULES, *strict_api_blocks.RULES, *strict_api_images.RULES]

_STRINGS = {"text": ("text",), "tool_use": ("id", "name"), "tool_result": ("tool_use_id",), "thinking": ("thinking",)}


def violations(body: Body, model: Model) -> list[str]:
    """All broken rules, as `rule: where`."""
    found = [f"types: {where}" for where in _wrong_types(body)]
    if found:  # the other rules read the parts
        return found
    return [f"{rule.__name__}: {where}" for rule in RULES for where in rule(body, model)]


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
        for key in _STRINGS.get(block["type"], ()):
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
