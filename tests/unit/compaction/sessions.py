"""Small sessions to test with: each function makes one entry, `chain` links them."""

from collections.abc import Sequence

from pi_lsp.base.json import Json, JsonObject
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import Message


def user(text: Json) -> JsonObject:
    return said({"role": "user", "content": text})


def assistant(text: str = "", *calls: JsonObject, **fields: Json) -> JsonObject:
    texts: list[Json] = [{"type": "text", "text": text}] if text else []
    content: Json = [*texts, *calls]
    return said({"role": "assistant", "content": content, "stopReason": "stop", **fields})


def call(call_id: str, name: str, **arguments: Json) -> JsonObject:
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments}


def result(call_id: str, text: str = "ok") -> JsonObject:
    return said({"role": "toolResult", "toolCallId": call_id, "content": [{"type": "text", "text": text}]})


def said(message: Message) -> JsonObject:
    return {"type": "message", "message": message}


def compaction(summary: str, first_kept: str, **fields: Json) -> JsonObject:
    return {"type": "compaction", "summary": summary, "firstKeptEntryId": first_kept, "tokensBefore": 9, **fields}


def edit(target: str, replacement: Json = None) -> JsonObject:
    return {"type": "context_edit", "targetId": target, "replacement": replacement}


def chain(*bodies: JsonObject, after: Sequence[Entry] = ()) -> list[Entry]:
    """A path: `after`, then the bodies with the ids e0, e1 ... by their place."""
    path = list(after)
    for body in bodies:
        parent = path[-1].id if path else None
        head: JsonObject = {"id": f"e{len(path)}", "parentId": parent, "timestamp": "2026-01-01T00:00:00.000Z"}
        path.append(Entry.of({**head, **body}))
    return path


def units(tokens: int) -> str:
    """A text of so many tokens by Pi's rule."""
    return "x" * (tokens * 4)
