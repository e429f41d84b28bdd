"""One line of a session file: read for the tree, written as Pi writes it."""

import msgspec

from pi_lsp.base.json import Json, JsonError, JsonObject, as_str, decode_object, encode, to_utf8


class Head(msgspec.Struct, gc=False, rename="camel"):
    """The fields of an entry that the tree needs; empty where they are missing."""

    type: str = ""
    id: str = ""
    parent_id: str | None = None
    timestamp: str = ""


_decode_head = msgspec.json.Decoder(Head).decode


def decode_head(data: bytes) -> Head:
    """Read of a line only what the tree needs; the rest is checked to be JSON and passed over.

    Raises:
        JsonError: the line is no JSON object, or has no id.
    """
    try:
        head = _decode_head(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        head = _head_of(decode_object(data))
    if not head.id:
        raise JsonError("an entry without an id")
    return head


def encode_line(body: JsonObject) -> bytes:
    """One record with its newline, as Pi writes it."""
    return to_utf8(encode(body)) + b"\n"


def is_header(value: Json) -> bool:
    """Whether a value can stand at the head of a session: type `session` and a string id."""
    return isinstance(value, dict) and value.get("type") == "session" and isinstance(value.get("id"), str)


def _head_of(body: JsonObject) -> Head:
    parent_id = body.get("parentId")
    return Head(
        type=as_str(body.get("type")),
        id=as_str(body.get("id")),
        parent_id=parent_id if isinstance(parent_id, str) else None,
        timestamp=as_str(body.get("timestamp")),
    )
