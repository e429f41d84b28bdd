"""What `explain` answers with: places that hold a text, and what became of each on its way to the model."""

from collections.abc import Callable

import msgspec

from pi_lsp.base.json import JsonObject
from pi_lsp.base.text import utf16_length
from pi_lsp.base.wire import Wire
from pi_lsp.context.explain_text import Query
from pi_lsp.context.fate import Outcome, Stage


class Position(Wire, frozen=True, kw_only=True):
    """A place in a text as LSP has it: from 0, `character` in UTF-16 units."""

    line: int
    character: int


class Range(Wire, frozen=True, kw_only=True):
    """A stretch of a text; `end` is behind it."""

    start: Position
    end: Position


class Restore(Wire, frozen=True, kw_only=True):
    """The call that brings back what is absent."""

    method: str
    params: JsonObject


class Hit(Wire, frozen=True, kw_only=True):
    """An entry of the session or a file, and whether the next request holds it.

    `detail` says why, for a person. `by` is what did it: the id of an entry, or the URI of a file. `range` is the line
    of the file. `preview` is one line: of the text around what was looked for, else of the entry.
    """

    entry_id: str | None = None
    uri: str | None = None
    range: Range | None = None
    fate: Outcome
    stage: Stage | None = None
    by: str | None = None
    detail: str
    preview: str
    restore: Restore | None = None


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """A file of which the next request holds all, something or nothing. The last fields are for what it does not."""

    uri: str
    text: str
    sent: tuple[str, ...]
    """What of it stands in the system prompt."""
    stage: Stage
    by: str | None = None
    detail: str
    restore: Restore | None = None


Check = Callable[[], None]
"""Raises once nobody waits for the answer."""


def document_hit(document: Document, query: Query) -> Hit | None:
    """The hit for a file that holds what is looked for; it shows the first place."""
    places = list(query.places(document.text))
    if not places:
        return None
    found = Hit(
        uri=document.uri,
        range=line_range(document.text, places[0][0]),
        fate="sent",
        detail="it stands in the system prompt",
        preview=query.snippet([document.text]),
    )
    if query.is_in(document.sent):
        return found
    return msgspec.structs.replace(
        found,
        fate="absent",
        stage=document.stage,
        by=document.by,
        detail=document.detail,
        restore=document.restore,
    )


def line_range(text: str, index: int) -> Range:
    """The line that a character stands in, without its line end."""
    start = text.rfind("\n", 0, index) + 1
    end = text.find("\n", index)
    content = text[start : len(text) if end < 0 else end].removesuffix("\r")
    line = text.count("\n", 0, start)
    return Range(start=Position(line=line, character=0), end=Position(line=line, character=utf16_length(content)))
