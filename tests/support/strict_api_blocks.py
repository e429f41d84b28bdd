"""What is refused of blocks: their texts, tool calls with their results, thinking."""

import re
from collections.abc import Iterator
from typing import Any

from pi_lsp.context.model import Model
from tests.support.strict_api_parts import Body, Rules, blocks_of, content_of

RULES = Rules()

_BLOCKS_OF = {
    "user": {"text", "image", "tool_result"},
    "assistant": {"text", "tool_use", "thinking", "redacted_thinking"},
    "system": {"text"},
}


@RULES.add
def block_type(body: Body, model: Model) -> Iterator[str]:
    for place, one, block in blocks_of(body):
        if block["type"] not in ({"text", "image"} if one == "tool_result" else _BLOCKS_OF.get(one, set())):
            yield f"{place}: {block['type']} in {one}"


@RULES.add
def blank_text(body: Body, model: Model) -> Iterator[str]:
    """Covers empty_text."""
    for place, _, block in blocks_of(body):
        if block["type"] == "text" and not block["text"].strip():
            yield place
    for block in body.get("system", []):
        if not block["text"].strip():
            yield "system"


@RULES.add
def blank_result(body: Body, model: Model) -> Iterator[str]:
    """A result of nothing but white space was refused as well."""
    for place, _, block in blocks_of(body):
        if block["type"] == "tool_result" and isinstance(block["content"], str) and not block["content"].strip():
            yield place


@RULES.add
def tool_id(body: Body, model: Model) -> Iterator[str]:
    for place, _, block in blocks_of(body):
        used = block.get("id") if block["type"] == "tool_use" else block.get("tool_use_id", "x")
        if not re.fullmatch(r"[a-zA-Z0-9_-]+", str(used)):
            yield f"{place}: {used!r}"


@RULES.add
def tool_input(body: Body, model: Model) -> Iterator[str]:
    for place, _, block in blocks_of(body):
        if block["type"] == "tool_use" and not isinstance(block["input"], dict):
            yield place


@RULES.add
def tool_results(body: Body, model: Model) -> Iterator[str]:
    """tool_unanswered, tool_orphan, tool_result_dup: the results are the first blocks of the turn that follows."""
    turns: list[tuple[str, list[dict[str, Any]]]] = []
    for message in body["messages"]:
        if turns and turns[-1][0] == message["role"]:
            turns[-1][1].extend(content_of(message))
        else:
            turns.append((message["role"], list(content_of(message))))
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


@RULES.add
def tool_use_dup(body: Body, model: Model) -> Iterator[str]:
    ids = [block["id"] for _, _, block in blocks_of(body) if block["type"] == "tool_use"]
    if len(ids) != len(set(ids)):
        yield "tool_use ids must be unique"


@RULES.add
def error_text_only(body: Body, model: Model) -> Iterator[str]:
    for place, _, block in blocks_of(body):
        if block["type"] == "tool_result" and block.get("is_error") and not isinstance(block["content"], str):
            yield from (place for part in block["content"] if part["type"] != "text")


@RULES.add
def signature_missing(body: Body, model: Model) -> Iterator[str]:
    for place, _, block in blocks_of(body):
        if block["type"] == "thinking" and not str(block.get("signature", "")).strip():
            yield place
        if block["type"] == "redacted_thinking" and not str(block.get("data") or "").strip():
            yield place


@RULES.add
def thinking_first(body: Body, model: Model) -> Iterator[str]:
    if body.get("thinking", {}).get("type") != "enabled":
        return
    for message in reversed(body["messages"]):
        kinds = [block["type"] for block in content_of(message)]
        if message["role"] == "user" and "tool_result" not in kinds:
            return
        if message["role"] == "assistant" and "tool_use" in kinds and not kinds[0].endswith("thinking"):
            yield "Expected `thinking`, but found " + kinds[0]
