"""An entry in one line: what a person recognises it by."""

from pi_lsp.base.json import JsonObject, as_object, as_str, encode
from pi_lsp.base.text import one_line
from pi_lsp.base.wire import Wire
from pi_lsp.context.estimate import TokenCounter
from pi_lsp.context.select import entry_messages
from pi_lsp.context.wording import WORDING
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import blocks_of, role_of, text_of

PREVIEW_UNITS = 120
"""Length of a preview in UTF-16 units."""

_ARGUMENT_UNITS = 60


class EntryRef(Wire, frozen=True, kw_only=True):
    """An entry in one line. `tokens` is what it weighs in the context by the window's counter."""

    entry_id: str
    type: str
    role: str | None = None
    preview: str
    tokens: int


def entry_ref(entry: Entry, counter: TokenCounter) -> EntryRef:
    """The reference to an entry; its body is read once."""
    held = Entry(entry.type, entry.id, entry.parent_id, entry.timestamp, entry.body)
    return EntryRef(
        entry_id=entry.id,
        type=entry.type,
        role=role_of(held.message) or None,
        preview=preview_of(held),
        tokens=sum(counter.message(message) for message in entry_messages(held)),
    )


def preview_of(entry: Entry) -> str:
    """One line of at most 120 UTF-16 units that tells what the entry holds."""
    return one_line(_text(entry), PREVIEW_UNITS)


def message_preview(message: JsonObject) -> str:
    """One line of at most 120 UTF-16 units of a message: its text, else its tool calls, its command, its image."""
    return one_line(_message_text(message), PREVIEW_UNITS)


def _text(entry: Entry) -> str:
    body = entry.body
    match entry.type:
        case "message":
            return _message_text(entry.message)
        case "compaction" | "branch_summary":
            return _gist(as_str(body.get("summary")))
        case "model_change":
            return f"{as_str(body.get('provider'))}/{as_str(body.get('modelId'))}"
        case "thinking_level_change":
            return as_str(body.get("thinkingLevel"))
        case "label":
            return as_str(body.get("label"))
        case "session_info":
            return as_str(body.get("name"))
        case "custom_message":
            return _without_lead(text_of(body))
        case "custom":
            return as_str(body.get("customType"))
        case "context_edit":
            replaced = body.get("replacement") is not None
            return f"{'replaces' if replaced else 'removes'} {as_str(body.get('targetId'))}"
        case _:
            return ""


def _message_text(message: JsonObject) -> str:
    match role_of(message):
        case "bashExecution":
            return f"! {as_str(message.get('command'))}"
        case "branchSummary" | "compactionSummary":
            return _gist(as_str(message.get("summary")))
        case "system":
            return ", ".join(as_object(message.get("sections"))) or text_of(message)
        case _:
            pass
    parts: list[str] = []
    for block in blocks_of(message):
        match block.get("type"):
            case "text":
                parts.append(as_str(block.get("text")))
            case "toolCall":
                arguments = one_line(_first_argument(as_object(block.get("arguments"))), _ARGUMENT_UNITS)
                parts.append(f"{as_str(block.get('name'))}({arguments})")
            case "image":
                parts.append("[image]")
            case _:
                pass
        if sum(map(len, parts)) > PREVIEW_UNITS * 8:
            break
    return _without_lead(" ".join(parts)) or as_str(message.get("errorMessage"))


def _gist(summary: str) -> str:
    """What a summary says, without the lead and the headings that are those of every other."""
    lines = summary.splitlines()
    first = next((place for place, line in enumerate(lines) if line.startswith("#")), 0)
    return " ".join(line for line in lines[first:] if not line.startswith("#")).lstrip(" -*") or summary


def _without_lead(text: str) -> str:
    return text.removeprefix(WORDING.restored_lead).lstrip() or text


def _first_argument(arguments: JsonObject) -> str:
    for value in arguments.values():
        return value if isinstance(value, str) else encode(value)
    return ""
