"""What may be added to a session, with its rules: who may be labelled, what may be edited, what a summary names.

Each function adds one entry behind the leaf, which becomes the leaf, and raises what `Session.append` raises. A
field that is `UNSET` is not written.
"""

import re
from collections.abc import Callable
from typing import TypeAlias

from msgspec import UNSET, UnsetType

from pi_lsp.base.json import Json, JsonObject
from pi_lsp.base.text import JS_SPACE
from pi_lsp.session.entries import Entry
from pi_lsp.session.errors import EntryNotFoundError, SessionError
from pi_lsp.session.messages import Message, role_of
from pi_lsp.session.store import Session
from pi_lsp.session.times import now, to_milliseconds

Maybe: TypeAlias = "Json | UnsetType"
"""A field that may be left out."""

LEAF_ANCHOR = "pi-lsp.leaf"
"""The custom type of an entry that stands for a move of the leaf."""


def append_message(session: Session, message: Message) -> Entry:
    """A message of the conversation, or one beside it (a system prompt, a command of the user)."""
    return session.append({"type": "message", "message": message})


def append_thinking_level(session: Session, level: str) -> Entry:
    """The thinking level from here on."""
    return session.append({"type": "thinking_level_change", "thinkingLevel": level})


def append_model(session: Session, provider: str, model_id: str) -> Entry:
    """The model from here on."""
    return session.append({"type": "model_change", "provider": provider, "modelId": model_id})


def append_custom(session: Session, custom_type: str, data: Maybe = UNSET) -> Entry:
    """Data of an extension, which no model sees."""
    return session.append(_fields("custom", customType=custom_type, data=data))


def append_custom_message(
    session: Session, custom_type: str, content: Json, *, display: Json = True, details: Maybe = UNSET
) -> Entry:
    """A message of an extension: text or blocks for the model, shown to the user or not; `details` are for nobody."""
    return session.append(
        _fields("custom_message", customType=custom_type, content=content, display=display, details=details)
    )


def append_leaf_anchor(session: Session) -> Entry:
    """Write down where the leaf was moved, so that whoever opens the file resumes there."""
    return append_custom(session, LEAF_ANCHOR)


def move_leaf(session: Session, leaf_id: str | None) -> Entry:
    """Go on from another entry (None: from before the first), and write that down.

    Raises:
        EntryNotFoundError: the session has no such entry.
    """
    left = session.leaf_id
    session.move(leaf_id)
    try:
        return append_leaf_anchor(session)
    except BaseException:
        session.move(left)
        raise


def append_at_tip(session: Session, append: Callable[[Session], Entry]) -> Entry:
    """Append what belongs to no branch (a label, a name) behind the last entry of the file.

    Behind the leaf of a window that stands on another branch it would move every reader of the file there. Such a
    window stays where it is; one at the tip goes along.
    """
    left = session.leaf_id
    session.move(session.tree.leaf_id)
    try:
        entry = append(session)
    except BaseException:
        session.move(left)
        raise
    if left != entry.parent_id:
        session.move(left)
    return entry


def append_name(session: Session, name: str) -> Entry:
    """The session's name, on one line; an empty one clears it."""
    return session.append({"type": "session_info", "name": re.sub(r"[\r\n]+", " ", name).strip(JS_SPACE)})


def append_label(session: Session, target_id: str, label: str | UnsetType | None) -> Entry:
    """The label of an entry; an empty one clears it. Raises EntryNotFoundError."""
    if target_id not in session.tree:
        raise EntryNotFoundError(target_id)
    return session.append(_fields("label", targetId=target_id, label=label))


def append_context_edit(session: Session, target_id: str, replacement: Json) -> Entry:
    """Other content for an earlier message in the context, `{"content": text or list}`, or null: it is left out.

    Raises:
        EntryNotFoundError: the session has no such entry.
        SessionError: the replacement has another form; the entry is off the path, or has nothing to edit.
    """
    content = replacement.get("content") if isinstance(replacement, dict) else None
    if replacement is not None and not isinstance(content, str | list):
        raise SessionError('a context edit is null or {"content": text or list}')
    target = session.tree.get(target_id)
    if target is None:
        raise EntryNotFoundError(target_id)
    if all(entry is not target for entry in session.tree.ancestors(session.leaf_id)):
        raise SessionError(f"Entry {target_id} is not on the active branch")
    role = role_of(target.message) if target.type == "message" else target.type
    if role not in ("user", "assistant", "toolResult", "custom_message"):
        raise SessionError(f"Entry {target_id} has no content of its own in the context")
    if isinstance(content, str) and role in ("assistant", "toolResult"):
        replacement = {"content": [{"type": "text", "text": content}]}
    return session.append({"type": "context_edit", "targetId": target_id, "replacement": replacement})


def append_compaction(
    session: Session,
    summary: str,
    first_kept_id: str | None,
    tokens_before: Json,
    *,
    system_message: Message | None,
    details: Maybe = UNSET,
    usage: Maybe = UNSET,
    from_hook: Maybe = UNSET,
) -> Entry:
    """A summary in place of everything before the first kept entry (None: of everything).

    `system_message` is the system message in force (what all of them on the path amount to), so that nobody has to
    look behind the summary for it; None where there is none.
    """
    entry_id, timestamp = session.new_entry_id(), now()
    system = system_message and {**system_message, "timestamp": to_milliseconds(timestamp)}
    fields = _fields(
        "compaction",
        summary=summary,
        firstKeptEntryId=entry_id if first_kept_id is None else first_kept_id,
        tokensBefore=tokens_before,
        details=details,
        usage=usage,
        fromHook=from_hook,
        systemMessage=system or UNSET,
    )
    return session.append(fields, entry_id=entry_id, timestamp=timestamp)


def branch_with_summary(
    session: Session,
    target_id: str | None,
    summary: str,
    *,
    details: Maybe = UNSET,
    usage: Maybe = UNSET,
    from_hook: Maybe = UNSET,
) -> Entry:
    """Go on from another entry (None: from before the first), with a summary of the path that is left.

    Raises:
        EntryNotFoundError: the session has no such entry.
    """
    left = session.leaf_id
    session.move(target_id)
    try:
        return session.append(
            _fields(
                "branch_summary",
                fromId="root" if left is None else left,
                summary=summary,
                details=details,
                usage=usage,
                fromHook=from_hook,
            )
        )
    except BaseException:
        session.move(left)
        raise


def _fields(kind: str, **fields: Maybe) -> JsonObject:
    return {"type": kind, **{key: value for key, value in fields.items() if value is not UNSET}}
