"""What a model's answer to a request for a summary is worth: its text and usage, or why it is none."""

import msgspec

from pi_lsp.base.json import Json, JsonObject, as_object, as_str
from pi_lsp.session.messages import Message, text_of, tool_calls_of, usage_of


class SummaryError(Exception):
    """There is no summary; the message says of what and why, for a person."""


class SummaryAbortedError(SummaryError):
    """The request was aborted."""


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """A usable answer. It may be empty: whether that is stored is the caller's decision."""

    text: str
    usage: JsonObject | None
    """As the provider reported it."""


def read_reply(reply: Message, task: str) -> Reply:
    """The text blocks of an assistant message, joined by newlines.

    Args:
        reply: the message; one that was aborted counts, its reader knows whether it aborted anything.
        task: what was asked for, to begin an error's message with ("Summarization").

    Raises:
        SummaryError: the model failed, was cut off at its output limit (half a summary must not stand for a whole
            conversation), or called a tool.
    """
    match reply.get("stopReason"):
        case "error":
            raise SummaryError(f"{task} failed: {as_str(reply.get('errorMessage')) or 'Unknown error'}")
        case "length":
            raise SummaryError(f"{task} failed: the reply was cut off at the output limit, so the summary is not whole")
        case _:
            pass
    if any(True for _ in tool_calls_of(reply)):
        raise SummaryError(f"{task} failed: the model called a tool in place of an answer")
    return Reply(text=text_of(reply), usage=usage_of(reply) or None)


def add_usage(first: JsonObject | None, second: JsonObject | None) -> JsonObject | None:
    """The sum of two usages; a part that neither names is left out where it is optional."""
    if not first or not second:
        return first or second
    total: JsonObject = {key: _sum(first, second, key) for key in ("input", "output", "cacheRead", "cacheWrite")}
    for key in ("cacheWrite1h", "reasoning"):
        if key in first or key in second:
            total[key] = _sum(first, second, key)
    total["totalTokens"] = _sum(first, second, "totalTokens")
    costs = as_object(first.get("cost")), as_object(second.get("cost"))
    cost: JsonObject = {key: _sum(*costs, key) for key in ("input", "output", "cacheRead", "cacheWrite", "total")}
    # Only a sum of figures that all came from the provider comes from the provider.
    cost["totalFromProvider"] = all(part.get("totalFromProvider") is True for part in costs)
    total["cost"] = cost
    return total


def _sum(first: JsonObject, second: JsonObject, key: str) -> float:
    return _number(first.get(key)) + _number(second.get(key))


def _number(value: Json) -> float:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else 0
