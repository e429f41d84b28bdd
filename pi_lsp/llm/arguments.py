"""The arguments of a tool call, which arrive as pieces of JSON text that need not be whole, nor JSON."""

import json
import re

from pi_lsp.base.json import Json, JsonError, JsonObject, as_object, decode, kind

_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')


def whole_arguments(text: str) -> tuple[JsonObject, str | None]:
    """The arguments of a call that is complete, and what is wrong with them where they cannot be read.

    Control characters in strings and backslashes that escape nothing are what models write; both are read as meant.
    Unreadable arguments are none at all, as in Pi 1.6.0: half of what a tool was to do is not what it was to do.
    """
    if not text.strip():
        return {}, None
    value: Json
    try:
        value = decode(text)
    except JsonError as error:
        try:
            value = json.loads(_ESCAPE.sub(_double_lone, text), strict=False)
        except (ValueError, RecursionError):
            return {}, f"{error}\n\nReceived arguments:\n{text}"
    if isinstance(value, dict):
        return value, None
    return {}, f"expected an object, found {kind(value)}\n\nReceived arguments:\n{text}"


def partial_arguments(text: str) -> JsonObject:
    """What can be read of arguments that were cut off; for people to look at, never to act on."""
    import jiter  # noqa: PLC0415 - the SDK brings it, and only a call that was cut off needs it

    try:
        return as_object(jiter.from_json(text.encode(errors="replace"), partial_mode="trailing-strings"))
    except ValueError:
        return {}


def _double_lone(match: re.Match[str]) -> str:
    return "\\\\" if match[0] == "\\" else match[0]
