"""What the server answers: replies as tests write them, and the events they become."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tests.support.api_server_cache import digest_of, pieces
from tests.support.api_server_rules import Signatures

Event: TypeAlias = tuple[str, dict[str, Any]]


@dataclass(kw_only=True)
class Reply:
    """One reply. By default the whole answer, at once; the fields below say how it goes wrong.

    `*_after` counts events that are sent before.
    """

    text: str = ""
    thinking: str = ""
    redacted: bool = False
    """The thinking is not shown."""
    tools: list[dict[str, Any]] = field(default_factory=list)
    """Each `{id, name, input}`; a string as `input` is sent as it is."""
    stop_reason: str | None = None
    stop_details: dict[str, Any] | None = None
    usage: dict[str, Any] = field(default_factory=dict)
    """Fields that replace the computed ones."""
    model: str | None = None
    """The model that is said to have answered."""
    chunk: int = 12
    """Characters of a delta."""
    delay_s: float = 0
    """Before each event."""

    status: int = 200
    error: str = "scripted failure"
    """The message for another status than 200."""
    body: str | None = None
    """The whole body for another status, in place of the API's JSON."""
    headers: dict[str, str] = field(default_factory=dict)
    wait_s: float = 0
    """Before the head of the response."""
    cut_after: int | None = None
    """The connection breaks."""
    end_after: int | None = None
    """The stream ends, as if all were well."""
    stall_after: int | None = None
    """Nothing more comes, until the client goes."""
    error_after: int | None = None
    """An `error` event of type `error_type`, then the end."""
    error_type: str = "overloaded_error"
    raw: str | None = None
    """The whole stream, in place of events."""
    drop_stop_reason: bool = False


def message_of(reply: Reply, body: Mapping[str, Any], input_usage: Mapping[str, int], signatures: Signatures) -> Any:
    """The whole message, as without streaming."""
    content: list[dict[str, Any]] = []
    prefix = ([""] + [piece.digest for piece in pieces(dict(body))])[-1]
    if reply.thinking:
        content.append(_thinking(reply, body["model"], prefix, signatures))
    if reply.text:
        content.append({"type": "text", "text": reply.text})
    content += [{"type": "tool_use", **tool} for tool in reply.tools]
    written = sum(len(json.dumps(block)) for block in content) // 4
    return {
        "id": "msg_" + digest_of(prefix, reply.text)[:24],
        "type": "message",
        "role": "assistant",
        "model": reply.model or body["model"],
        "content": content,
        "stop_reason": reply.stop_reason or ("tool_use" if reply.tools else "end_turn"),
        "stop_sequence": None,
        "usage": {**input_usage, "output_tokens": max(1, written), **reply.usage},
    }


def events_of(reply: Reply, message: dict[str, Any]) -> list[Event]:
    """The events of a message as the API streams it."""
    start = {**message, "content": [], "stop_reason": None, "usage": {**message["usage"], "output_tokens": 1}}
    events: list[Event] = [("message_start", {"type": "message_start", "message": start})]
    for index, block in enumerate(message["content"]):
        events += _block_events(index, block, reply.chunk)
        if index == 0:
            events.append(("ping", {"type": "ping"}))
    delta = {"stop_reason": message["stop_reason"], "stop_sequence": None, "stop_details": reply.stop_details}
    if reply.drop_stop_reason:
        delta["stop_reason"] = None
    usage = {"output_tokens": message["usage"]["output_tokens"]}
    usage |= {key: value for key, value in reply.usage.items() if key not in message["usage"] or key in usage}
    events.append(("message_delta", {"type": "message_delta", "delta": delta, "usage": usage}))
    return [*events, ("message_stop", {"type": "message_stop"})]


def encode_event(event: Event) -> bytes:
    return f"event: {event[0]}\ndata: {json.dumps(event[1], ensure_ascii=False)}\n\n".encode("utf-8", "surrogatepass")


def _thinking(reply: Reply, model: str, prefix: str, signatures: Signatures) -> dict[str, Any]:
    if reply.redacted:
        return {"type": "redacted_thinking", "data": signatures.sign(model, prefix, "")}
    signature = signatures.sign(model, prefix, reply.thinking)
    return {"type": "thinking", "thinking": reply.thinking, "signature": signature}


def _block_events(index: int, block: dict[str, Any], chunk: int) -> list[Event]:
    match block["type"]:
        case "text":
            start, deltas = {**block, "text": ""}, _deltas("text_delta", "text", block["text"], chunk)
        case "thinking":
            start = {"type": "thinking", "thinking": "", "signature": ""}
            deltas = _deltas("thinking_delta", "thinking", block["thinking"], chunk)
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        case "tool_use":
            given = block["input"]
            start = {**block, "input": {}}
            text = given if isinstance(given, str) else json.dumps(given)
            deltas = _deltas("input_json_delta", "partial_json", text, chunk)
        case _:
            start, deltas = block, []
    begin: Event = ("content_block_start", {"type": "content_block_start", "index": index, "content_block": start})
    end: Event = ("content_block_stop", {"type": "content_block_stop", "index": index})
    middle: list[Event] = [
        ("content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}) for delta in deltas
    ]
    return [begin, *middle, end]


def _deltas(kind: str, key: str, text: str, chunk: int) -> list[dict[str, Any]]:
    return [{"type": kind, key: text[start : start + chunk]} for start in range(0, len(text), chunk)]
