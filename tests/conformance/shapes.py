"""Shapes that adapters need again and again: values as JSON, errors, options.

Nothing here knows an op; what computes is in the product.
"""

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

import msgspec

from pi_lsp.base.json import JsonObject

Errors: TypeAlias = tuple[type[Exception], ...]


def to_json(value: Any) -> Any:
    """A struct, or a JSON value that holds structs, as plain JSON."""
    return msgspec.to_builtins(value)


def error_of(error: Exception) -> JsonObject:
    """What stands in an answer for an error of ours: `{"error": message}`."""
    return {"error": str(error)}


def answer_or_error(ask: Callable[[], Any], errors: Errors = (ValueError, OSError)) -> Any:
    """The answer as JSON, or `{"error"}` for an error that the product raises on purpose."""
    try:
        return to_json(ask())
    except errors as error:
        return error_of(error)


async def answer_or_error_async(ask: Awaitable[Any], errors: Errors = (ValueError, OSError)) -> Any:
    """The same for a coroutine."""
    try:
        return to_json(await ask)
    except errors as error:
        return error_of(error)


def drop_none(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that are not None: an absent key of an answer."""
    return {key: value for key, value in fields.items() if value is not None}


def pick(fields: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The named fields, where they are present: options that mean the product's default when absent."""
    return {name: fields[name] for name in names if name in fields}


def now_ms() -> int:
    """The time of the run, for functions of the product that are told the time."""
    return time.time_ns() // 1_000_000
