"""What became of the system messages that a session stores: which of their sections and tools the next prompt holds.

A request states the whole prompt at its head, so a stored system message is never sent as such: of what it stored,
some stands in the prompt, some was replaced or taken out by a later one, some is stated anew from files. This is the
prompt's half of the trace that `finish` keeps for the messages.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pi_lsp.base.json import Json, JsonObject, as_object, as_str, objects
from pi_lsp.context.clean import clean_text, is_blank
from pi_lsp.context.fate import SENT, Fate, Stage
from pi_lsp.session.messages import Message, text_of

_STAGES: Mapping[str, Stage] = {"project_context": "rule", "addendum": "rule", "skills": "skill"}
"""The sections made of files, and the step that states them anew."""
_CHANGED_LATER = "replaced or taken out by a later change of the prompt"


class StoredPrompt(NamedTuple):
    """A stored system message with the id of its entry."""

    entry_id: str
    message: Message


class PromptPart(NamedTuple):
    """What the next prompt holds of one stored system message."""

    entry_id: str
    fate: Fate
    sent: Message | None
    """A system message of those texts, sections and tools that stand in the prompt; None where none does."""


class _Lost(NamedTuple):
    what: str
    stage: Stage
    by: str | None
    why: str


class _Piece(NamedTuple):
    """A section (`sections`) or tool (`tools`) by its name."""

    kind: str
    name: str


def trace_prompt(stored: Sequence[StoredPrompt], sections: Mapping[str, str]) -> list[PromptPart]:
    """The fates of stored system messages, in order, under a prompt of these sections.

    A piece that is stored twice in the same words counts as the later message's.
    """
    later: dict[_Piece, str] = {}
    parts: list[PromptPart] = []
    for entry_id, message in reversed(stored):
        parts.append(_part(entry_id, message, sections, later))
        later |= dict.fromkeys(_touched(message), entry_id)
    return parts[::-1]


def _part(entry_id: str, message: Message, sections: Mapping[str, str], later: Mapping[_Piece, str]) -> PromptPart:
    lost: list[_Lost] = []
    kept: JsonObject = {}
    text = text_of(message)
    if not is_blank(clean_text(text)):
        kept["content"] = text
    kept_sections: JsonObject = {}
    for name, section in as_object(message.get("sections")).items():
        if not isinstance(section, str):
            continue
        if by := later.get(_Piece("sections", name)):
            lost.append(_Lost(name, "convert", by, _CHANGED_LATER))
        elif sections.get(name) == section:
            kept_sections[name] = section
        elif name in sections:
            lost.append(_Lost(name, _STAGES.get(name, "convert"), None, "stated anew, as it is now"))
        else:
            lost.append(
                _Lost(name, _STAGES.get(name, "convert"), None, "left out: there is nothing to state there now")
            )
    kept_tools: list[Json] = []
    for tool in objects(message.get("toolsAdded")):
        name = as_str(tool.get("name"))
        if by := later.get(_Piece("tools", name)):
            lost.append(_Lost(name, "convert", by, _CHANGED_LATER))
        else:
            kept_tools.append(tool)
    if kept_sections:
        kept["sections"] = kept_sections
    if kept_tools:
        kept["toolsAdded"] = kept_tools
    return PromptPart(entry_id, _fate(lost, bool(kept)), {"role": "system", "content": "", **kept} if kept else None)


def _touched(message: Message) -> Iterable[_Piece]:
    """The pieces that a message states or takes away."""
    yield from (_Piece("sections", name) for name in as_object(message.get("sections")))
    for key in ("toolsAdded", "toolsRemoved"):
        yield from (_Piece("tools", as_str(tool.get("name"))) for tool in objects(message.get(key)))


def _fate(lost: Sequence[_Lost], anything_kept: bool) -> Fate:
    if not lost:
        return SENT if anything_kept else Fate(fate="absent", detail="it adds no text to the system prompt")
    reasons: dict[str, list[str]] = {}
    for one in lost:
        reasons.setdefault(one.why, []).append(one.what)
    return Fate(
        fate="changed" if anything_kept else "absent",
        stage=lost[0].stage,
        by=lost[0].by,
        detail="; ".join(
            f"of the system prompt that it stores, {', '.join(what)}: {why}" for why, what in reasons.items()
        ),
    )
