"""The first half of the projection: the entries of a path become messages, and every entry gets its fate.

Pure, linear in the path, and lazy: the body of an entry that a compaction replaced is never decoded, so a late
compaction makes a long session cheap. As Pi 1.6.0 does, only the last compaction of the path counts, and only the
edits among the chosen entries.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import chain

import msgspec

from pi_lsp.base.json import Json, JsonObject, as_object, as_str
from pi_lsp.context.fate import SENT, Fate
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import Message, role_of
from pi_lsp.session.source import StoredEntry
from pi_lsp.session.times import to_milliseconds

_EDITABLE = frozenset({"user", "assistant", "toolResult", "custom"})
_WITH_CONTENT = frozenset({"user", "assistant", "toolResult", "system"})
_BLOCKS_ONLY = frozenset({"assistant", "toolResult"})


class ModelChoice(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The model that a path speaks to; a part that the entry does not name is None."""

    provider: str | None = None
    model_id: str | None = None


class Selected(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One entry of the context with the messages it became, edits applied. Often there are none.

    Never part of a cycle, so the garbage collector need not look at it.
    """

    entry: Entry
    messages: tuple[Message, ...]


class Projection(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """What of a path is chosen, in context order: the compaction first, then what it kept, then what came later."""

    entries: tuple[Selected, ...]
    thinking_level: str
    model: ModelChoice | None
    fates: Mapping[str, Fate]
    """For every entry of the path, by id."""
    system: tuple[Message, ...] = ()
    """The system messages among `messages`."""

    @cached_property
    def messages(self) -> Sequence[Message]:
        """All messages, in order."""
        return [message for selected in self.entries for message in selected.messages]

    @cached_property
    def message_entries(self) -> Sequence[str]:
        """The id of the entry behind each of `messages`."""
        return [selected.entry.id for selected in self.entries for _ in selected.messages]

    @cached_property
    def stored_bytes(self) -> int | None:
        """The bytes that the chosen entries take in the session's file, no fewer than the UTF-16 units of their texts.

        None where they are not all in it.
        """
        sizes = [selected.entry.length for selected in self.entries if isinstance(selected.entry, StoredEntry)]
        return sum(sizes) if len(sizes) == len(self.entries) else None


def select(path: Sequence[Entry]) -> Projection:
    """The messages of a path (root to leaf), before conversion, with the fate of each of its entries."""
    chosen, kept, fates = _choose(path)
    edits = {as_str(entry.get("targetId")): entry for entry in chosen if entry.type == "context_edit"}
    entries: list[Selected] = []
    system: list[Message] = []
    # In one pass: each body is used while the processor has it at hand, and dropped before the next one is decoded.
    for place, entry in enumerate(chosen):
        messages = original = _messages_of(entry, entry.body)
        if 0 < place <= kept and entry.type == "message" and original and role_of(original[0]) == "system":
            fates[entry.id] = _by_compaction(chosen[0], "the compaction states the system prompt anew")
            continue
        if place and entry.type == "compaction":
            messages = []
            fates[entry.id] = _by_compaction(chosen[0], "a later compaction's summary stands for it")
        elif (edit := edits.get(entry.id)) or not original:
            messages = _edited(original, edit.body) if edit else original
            fates[entry.id] = _fate(entry, original, messages, edit)
        else:
            fates[entry.id] = SENT
        system += [message for message in messages if message.get("role") == "system"]
        entries.append(Selected(entry=entry, messages=tuple(messages)))
    return Projection(
        entries=tuple(entries),
        thinking_level=_thinking_level(path),
        model=_model(entries, path[: len(path) - len(chosen)]),
        fates=fates,
        system=tuple(system),
    )


def go_on(before: Projection, later: Sequence[Entry]) -> Projection | None:
    """The projection of a path that goes on by `later`, as `select` gives it of the whole.

    None where that may change what was chosen before: by a compaction, or by an edit, old or new.
    """
    types = {entry.type for entry in later} | {selected.entry.type for selected in before.entries}
    if "context_edit" in types or any(entry.type == "compaction" for entry in later):
        return None
    after = select(later)
    says_level = any(entry.type == "thinking_level_change" for entry in later)
    return Projection(
        entries=before.entries + after.entries,
        thinking_level=after.thinking_level if says_level else before.thinking_level,
        model=after.model or before.model,
        fates={**before.fates, **after.fates},
        system=before.system + after.system,
    )


def entry_messages(entry: Entry) -> list[Message]:
    """The messages that an entry stands for, unedited: none, one, or two for a compaction that stores the prompt."""
    return _messages_of(entry, entry.body)


def branch_summary_message(body: JsonObject) -> Message:
    """The message of a `branch_summary` entry, also of an empty one, which is no message of a context."""
    fields = {key: body[key] for key in ("summary", "fromId") if key in body}
    return {"role": "branchSummary", **fields, **_time(body)}


def project_entry(entry: Entry, edit: Entry | None) -> list[Message]:
    """The messages of an entry under one `context_edit` entry (whose target is not looked at)."""
    messages = entry_messages(entry)
    return _edited(messages, edit.body) if edit else messages


def _choose(path: Sequence[Entry]) -> tuple[Sequence[Entry], int, dict[str, Fate]]:
    """The entries of the context in its order, and the fates of all others.

    Where a compaction is the first of them, the number says how many behind it are those that it kept.
    """
    latest = next((i for i in range(len(path) - 1, -1, -1) if path[i].type == "compaction"), None)
    if latest is None:
        return path, 0, {}
    compaction = path[latest]
    first_kept = compaction.get("firstKeptEntryId")
    kept_from = next((i for i in range(latest) if path[i].id == first_kept), latest)
    summarized = _by_compaction(compaction, "replaced by the compaction's summary")
    fates = dict.fromkeys((entry.id for entry in path[:kept_from]), summarized)
    return [compaction, *path[kept_from:latest], *path[latest + 1 :]], latest - kept_from, fates


def _by_compaction(compaction: Entry, detail: str) -> Fate:
    return Fate(fate="absent", stage="compaction", by=compaction.id, detail=detail)


def _messages_of(entry: Entry, body: JsonObject) -> list[Message]:
    make = _MAKERS.get(entry.type)
    return make(body) if make else []


def _stored(body: JsonObject) -> list[Message]:
    message = body.get("message")
    if not isinstance(message, dict):
        return []
    if message.get("content") is None and (role := role_of(message)) in _WITH_CONTENT:
        # Old files and other programs leave the content out.
        content: Json = "" if role == "system" else []
        message = {**message, "content": content}
    return [message]


def _custom(body: JsonObject) -> list[Message]:
    fields = {key: body[key] for key in ("customType", "content", "display", "details") if key in body}
    content: Json = fields.get("content")
    return [{"role": "custom", **fields, "content": [] if content is None else content, **_time(body)}]


def _branch_summary(body: JsonObject) -> list[Message]:
    return [branch_summary_message(body)] if as_str(body.get("summary")) else []


def _compaction(body: JsonObject) -> list[Message]:
    prompt = body.get("systemMessage")
    fields = {key: body[key] for key in ("summary", "tokensBefore") if key in body}
    summary: Message = {"role": "compactionSummary", **fields, **_time(body)}
    return [prompt, summary] if isinstance(prompt, dict) else [summary]


_MAKERS: Mapping[str, Callable[[JsonObject], list[Message]]] = {
    "message": _stored,
    "custom_message": _custom,
    "branch_summary": _branch_summary,
    "compaction": _compaction,
}


def _time(body: JsonObject) -> JsonObject:
    return {"timestamp": to_milliseconds(body.get("timestamp", ""))}


def _edited(messages: list[Message], edit: JsonObject) -> list[Message]:
    """The messages under an edit; the very same list where it changes nothing."""
    if "replacement" not in edit:
        return messages
    replacement = edit["replacement"]
    if replacement is None:
        return []
    content = as_object(replacement).get("content")
    if not isinstance(content, str | list) or not any(role_of(message) in _EDITABLE for message in messages):
        return messages
    return [_with_content(message, content) for message in messages]


def _with_content(message: Message, content: str | list[Json]) -> Message:
    role = role_of(message)
    if role not in _EDITABLE:
        return message
    if isinstance(content, str) and role in _BLOCKS_ONLY:
        return {**message, "content": [{"type": "text", "text": content}]}
    return {**message, "content": content}


def _fate(entry: Entry, original: list[Message], messages: list[Message], edit: Entry | None) -> Fate:
    if not original:
        return Fate(
            fate="absent", detail=_WITHOUT_MESSAGE.get(entry.type, f"an entry of type {entry.type!r} holds no message")
        )
    if messages is original:
        return SENT
    by = edit.id if edit else None
    if not messages:
        return Fate(fate="absent", stage="contextEdit", by=by, detail="removed by an edit")
    return Fate(fate="changed", stage="contextEdit", by=by, detail="its content was replaced by an edit")


_WITHOUT_MESSAGE: Mapping[str, str] = {
    "message": "the entry stores no message",
    "branch_summary": "its summary is empty",
    "context_edit": "it changes another entry and holds no message",
    "custom": "state of an extension, never sent",
}


def _thinking_level(path: Sequence[Entry]) -> str:
    """From the whole path, also from what a compaction replaced."""
    for entry in reversed(path):
        if entry.type == "thinking_level_change":
            return as_str(entry.get("thinkingLevel")) or "off"
    return "off"


def _model(chosen: Sequence[Selected], replaced: Sequence[Entry]) -> ModelChoice | None:
    """The last model that was set or that answered, from the whole path."""
    known = ((selected.entry, selected.messages) for selected in reversed(chosen))
    for entry, messages in chain(known, ((entry, ()) for entry in reversed(replaced))):
        if entry.type == "model_change":
            body = entry.body
            return _choice(body.get("provider"), body.get("modelId"))
        if entry.type == "message":
            message = messages[0] if messages else entry.message
            if role_of(message) == "assistant":
                return _choice(message.get("provider"), message.get("model"))
    return None


def _choice(provider: Json, model_id: Json) -> ModelChoice:
    return ModelChoice(provider=as_str(provider) or None, model_id=as_str(model_id) or None)
