"""Calls of tools that a path leaves unanswered."""

from collections.abc import Sequence

from pi_lsp.base.json import as_str
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import role_of, tool_calls_of


def open_tool_calls(path: Sequence[Entry]) -> list[str]:
    """The ids of the calls at the end of a path that have no result yet.

    Whoever goes on from there sends calls without results, which the API refuses.
    """
    answered: set[str] = set()
    for entry in reversed(path):
        if entry.type != "message":
            continue
        message = entry.message
        match role_of(message):
            case "toolResult":
                answered.add(as_str(message.get("toolCallId")))
            case "assistant":
                # A failed answer is never sent, so neither are its calls.
                failed = message.get("stopReason") in ("error", "aborted")
                calls = [] if failed else [as_str(call.get("id")) for call in tool_calls_of(message)]
                return [call_id for call_id in calls if call_id not in answered]
            case "user":
                return []
            case _:
                pass
    return []
