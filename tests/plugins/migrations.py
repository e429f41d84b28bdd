"""An example plugin: a summary that never forgets the state of the database migrations.

Copy it to `~/.pi/agent/lsp/migrations.py`, or to `.pi/lsp/` of a project that you trust. When the conversation is
compacted, it writes the summary itself: what was asked for, and for each migration whether it was only written, ran,
or failed and why. The list is carried on from summary to summary, so that after ten compactions the agent still knows
that 0007 failed and must not be applied again.

It answers `session_before_compact`, whose `preparation` holds the messages that will be replaced, as Pi stores them.
Where no migration was ever touched it answers nothing, and the ordinary summary is made.
"""

import re

from pi_lsp.agent.hook_specs import hookimpl

HEADING = "## Database migrations"
FILE = re.compile(r"[^\s\"']*migrations/([\w.-]+\.sql)")
LONGEST = 300
LINE = re.compile(r"^- ([\w.-]+\.sql): (.*)$", re.MULTILINE)


@hookimpl
def session_before_compact(preparation, custom_instructions):
    """Summarise the conversation with the migrations in it."""
    previous = preparation["previousSummary"] or ""
    states = dict(LINE.findall(previous.partition(HEADING)[2]))
    messages = preparation["messagesToSummarize"] + preparation["turnPrefixMessages"]
    asked = []
    calls = {}
    for message in messages:
        if message["role"] == "user":
            asked.append(_text(message))
        for block in _blocks(message):
            if block.get("type") == "toolCall":
                calls[block["id"]] = block
        if message["role"] == "toolResult" and message["toolCallId"] in calls:
            _note(states, calls[message["toolCallId"]], message)
    if not states:
        return None
    parts = [
        "## Goal\n" + "\n".join(f"- {text[:LONGEST]}" for text in asked if text),
        HEADING + "\n" + "\n".join(f"- {name}: {state}" for name, state in sorted(states.items())),
    ]
    if custom_instructions:
        parts.append(f"## To be minded\n{custom_instructions}")
    earlier = previous.partition(HEADING)[0].strip()
    if earlier:
        parts.insert(0, earlier)
    return {"compaction": {"summary": "\n\n".join(parts), "details": {"migrations": states}}}


def _note(states, call, result):
    """What a call says about migrations: files that were written, and runs with their outcome."""
    arguments = call.get("arguments", {})
    if call["name"] in ("write", "edit"):
        for name in FILE.findall(arguments.get("path", "")):
            states[name] = "written, not applied"
    if call["name"] == "bash":
        for name in FILE.findall(arguments.get("command", "")):
            first_line = _text(result).partition("\n")[0]
            states[name] = f"failed: {first_line}" if result.get("isError") else "applied"


def _blocks(message):
    content = message.get("content")
    return content if isinstance(content, list) else []


def _text(message):
    content = message.get("content")
    return content if isinstance(content, str) else "\n".join(block.get("text", "") for block in _blocks(message))
