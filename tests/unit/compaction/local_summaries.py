"""Messages to summarise without a model, and what every summary must look like."""

import re

from pi_lsp.base.json import JsonObject
from pi_lsp.compaction.file_ops import file_ops, format_file_lists
from pi_lsp.compaction.local import summarize_locally
from pi_lsp.compaction.plan import Preparation
from pi_lsp.context.select import Selected
from pi_lsp.resources.settings import CompactionSettings
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import Message
from tests.unit.compaction import sessions

HEADINGS = [
    "## Goal",
    "## Constraints & Preferences",
    "## Progress",
    "### Done",
    "### In Progress",
    "### Blocked",
    "## Key Decisions",
    "## Next Steps",
    "## Critical Context",
]


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def said(text: str, stop: str = "stop") -> Message:
    return {"role": "assistant", "content": [{"type": "text", "text": text}], "stopReason": stop}


def ran(command: str, output: str = "", code: int = 0, call_id: str = "c") -> list[Message]:
    ending = f"\n\nCommand exited with code {code}" if code else ""
    return called("bash", {"command": command}, output + ending, failed=bool(code), call_id=call_id)


def called(
    tool: str, arguments: JsonObject, output: str = "ok", failed: bool = False, call_id: str = "c"
) -> list[Message]:
    call = sessions.call(call_id, tool, **arguments)
    content = [{"type": "text", "text": output}]
    return [
        {"role": "assistant", "content": [call], "stopReason": "toolUse"},
        {"role": "toolResult", "toolCallId": call_id, "toolName": tool, "content": content, "isError": failed},
    ]


TALK: list[Message] = [
    user("Fix the parser. Never touch the lexer, please! You must keep Python 3.11."),
    said("I'll look.", "toolUse"),
    *called("edit", {"path": "src/parser.py"}),
    *ran("make test", "FAILED tests/test_parser.py::test_empty\nAssertionError: 1 != 2\n1 failed, 3 passed in 0.1s", 2),
    said("The empty input is not handled. A guard is better than a subclass because it is one line.", "toolUse"),
    *called("write", {"path": "src/guard.py", "content": "x"}),
]


MODEL_SUMMARY = """\
## Goal
Make bookings half-open.

## Constraints & Preferences
- Never change the JSON.
* Keep it
  short.

## Progress
### Done
- [x] Read the code.
### In Progress
- [ ] Write the migration
### Blocked
- `make db` failed: conflicting key
- No access to the server.

## Key Decisions
- **Half-open**: simplest.

## Next Steps
1. Run the tests.
2. Ask.

## Critical Context
(none)

## House rules
Names are Portuguese:
- berth = cais
```sh
## not a heading
```

---

**Turn Context (split turn):**

## Original Request
Make it so.

<modified-files>
a.py
</modified-files>"""


def preparation(messages: list[Message], previous: str | None = None, details: JsonObject | None = None) -> Preparation:
    entry = Entry.of({"type": "message", "id": "e"})
    return Preparation(
        first_kept_entry_id="k",
        summarized=(Selected(entry=entry, messages=tuple(messages)),),
        turn_prefix=(),
        kept=(),
        is_split_turn=False,
        tokens_before=0,
        previous_summary=previous,
        file_ops=file_ops(messages, [{"details": details or {}}]),
        settings=CompactionSettings(),
        system_message={},
    )


def summary(messages: list[Message], previous: str | None = None, max_tokens: int = 6000) -> str:
    return summarize_locally(preparation(messages, previous), max_tokens=max_tokens).text


def again(messages: list[Message], once: str, max_tokens: int = 6000) -> str:
    """A second pass that brings nothing new, over the stored text and the stored lists."""
    lists = file_ops(messages).lists
    prepared = preparation([], once + format_file_lists(lists), {"modifiedFiles": list(lists.modified_files)})
    return summarize_locally(prepared, max_tokens=max_tokens).text


def sections(text: str) -> dict[str, str]:
    parts = re.split(r"^(#{2,3} .*)$", text, flags=re.MULTILINE)
    return {parts[i]: parts[i + 1].strip() for i in range(1, len(parts), 2)}


def assert_well_formed(text: str) -> None:
    assert [line for line in text.split("\n") if line.startswith("#")] == HEADINGS
    assert text.startswith("## Goal\n")
    assert "locally, without a model" in sections(text)["## Critical Context"]
    assert "<read-files>" not in text and "</modified-files>" not in text
    text.encode()  # no half characters
