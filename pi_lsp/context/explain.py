"""Why the model does or does not know something: every place that holds a text, and what became of it.

Nothing is worked out a second time here: the fates and the sent messages are those of the trace that the projection
keeps. Entries of all branches are searched, rule files, skills, and the files that hold what was cut from long
outputs.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from pi_lsp.base.json import JsonError, decode_object
from pi_lsp.base.paths import path_to_uri
from pi_lsp.context.clean import is_blank
from pi_lsp.context.explain_branches import Branches
from pi_lsp.context.explain_hits import Check, Document, Hit, Restore, document_hit, line_range
from pi_lsp.context.explain_spill import MARKS, spill_of
from pi_lsp.context.explain_text import Query, entry_texts, message_texts
from pi_lsp.context.fate import Fate
from pi_lsp.context.refs import preview_of
from pi_lsp.context.restore import text_to_restore
from pi_lsp.context.select import entry_messages
from pi_lsp.session.entries import Entry
from pi_lsp.session.messages import Message, role_of
from pi_lsp.session.source import StoredEntry
from pi_lsp.session.tree import Tree

_FOR_PEOPLE: Mapping[str, str] = {
    "label": "a label is for people and is never sent",
    "session_info": "the name of a session is for people and is never sent",
    "context_edit": "it changes another entry and is not sent itself",
}


class Searched(msgspec.Struct, frozen=True, kw_only=True):
    """A session, and what the next request from its leaf holds of it."""

    tree: Tree[Entry]
    leaf_id: str | None
    fates: Mapping[str, Fate]
    """Of the entries on the path to the leaf."""
    prompt_fates: Mapping[str, Fate]
    """Of the system prompts that entries of the context store."""
    sent: Mapping[str, Sequence[Message]]
    """What the request holds of an entry, by id."""
    prompt: Message
    """The system prompt of the request, with what no entry stores."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """The hits, the most useful first; `more`: the limit cut them; `in_request`: the request holds the query."""

    hits: list[Hit]
    more: bool
    in_request: bool


def explain_entry(searched: Searched, entry: Entry, query: str | None = None) -> Hit:
    """What became of one entry, and of a text in it where one is asked for."""
    return _Explainer(searched, query).hit(_held(entry))


def explain_query(
    searched: Searched,
    documents: Sequence[Document],
    query: str,
    limit: int,
    *,
    read_spill: Callable[[str], str | None],
    check: Check = lambda: None,
) -> Found:
    """Every place that holds `query` (not empty, in any case), at most `limit` of them.

    What is absent comes first, then what is changed, then what is sent, then what is only for people; of each, files
    before entries, and the newest entries first. `read_spill` gives the text of a spill file that an entry names,
    None where there is none; `check` is called between entries and ends the search by raising.
    """
    search = _Search(searched, query, limit, read_spill)
    for document in documents:
        search.add_document(document)
    for entry in _newest_first(searched):
        check()
        search.add_entry(entry)
    return search.found()


def _newest_first(searched: Searched) -> Iterator[Entry]:
    """What is sent, then all the rest: so much is sent at most, and it must be in the answer."""
    yield from (entry for entry in searched.tree.ancestors(searched.leaf_id) if entry.id in searched.sent)
    yield from (entry for entry in reversed(list(searched.tree)) if entry.id not in searched.sent)


class _Explainer:
    """Makes hits of entries."""

    def __init__(self, searched: Searched, query: str | None) -> None:
        self._searched = searched
        self._branches = Branches(searched.tree, searched.leaf_id, searched.fates)
        self.query = Query(query) if query else None

    def hit(self, entry: Entry) -> Hit:
        """The hit for an entry whose body is held."""
        fate = self.fate(entry)
        texts = [*entry_texts(entry), *self.sent_texts(entry.id)]
        return Hit(
            entry_id=entry.id,
            fate=fate.fate,
            stage=fate.stage,
            by=fate.by,
            detail=self._detail(entry, fate),
            preview=(self.query.snippet(texts) if self.query else "") or preview_of(entry),
            restore=_restore(entry, fate),
        )

    def fate(self, entry: Entry) -> Fate:
        """What became of an entry, wherever it stands."""
        if why := _FOR_PEOPLE.get(entry.type):
            return Fate(fate="absent", detail=why)
        fate = self._searched.fates.get(entry.id) or self._branches.fate(entry)
        of_prompt = self._searched.prompt_fates.get(entry.id)
        if of_prompt is None or fate.fate == "absent" or self.query is None:
            return fate
        if self.query.is_in(_texts_without_prompt(entry)):
            return fate
        # What is looked for stands in the system prompt that the entry stores, a compaction beside its summary.
        return of_prompt if of_prompt.fate == "sent" else msgspec.structs.replace(of_prompt, fate="changed")

    def sent_texts(self, entry_id: str) -> Iterator[str]:
        """The texts that the request holds of an entry."""
        return (text for message in self._searched.sent.get(entry_id, ()) for text in message_texts(message))

    def _detail(self, entry: Entry, fate: Fate) -> str:
        match fate.fate:
            case "sent":
                return "sent as it is stored" + self._cut_before(entry)
            case "changed":
                return fate.detail + self._remark(entry.id, "; what is sent of it") + self._cut_before(entry)
            case "absent":
                return fate.detail + self._remark(self._stands_for(fate), ", which")

    def _stands_for(self, fate: Fate) -> str | None:
        """The summary that the request holds in place of an entry, or of the branch summary that stood for it."""
        if fate.stage == "path" and fate.by and fate.by not in self._searched.sent:
            fate = self._searched.fates[fate.by]
        stands_for = fate.by if fate.stage in ("compaction", "path") else None
        return stands_for if stands_for in self._searched.sent else None

    def _remark(self, entry_id: str | None, begin: str) -> str:
        """Whether what is sent of an entry holds the query."""
        if self.query is None or entry_id is None:
            return ""
        return f"{begin} {'still says' if self.query.is_in(self.sent_texts(entry_id)) else 'does not say'} it"

    def _cut_before(self, entry: Entry) -> str:
        path = _spill_path(entry)
        return f"; its output was cut when it came in, and the whole of it went to {path}" if path else ""


class _Search:
    """Collects the hits of a query, no more of a kind than can be answered."""

    def __init__(self, searched: Searched, query: str, limit: int, read_spill: Callable[[str], str | None]) -> None:
        self._searched = searched
        self._explainer = _Explainer(searched, query)
        self._query = Query(query)
        self._limit = limit
        self._read_spill = read_spill
        self._is_in_request = self._query.is_in(message_texts(searched.prompt))
        self._spills: set[str] = set()
        self._ranks: tuple[list[Hit], ...] = ([], [], [], [])

    def add_document(self, document: Document) -> None:
        """Look into a file."""
        if hit := document_hit(document, self._query):
            self._add(hit)

    def add_entry(self, entry: Entry) -> None:
        """Look into an entry and into the file that holds what was cut from it. Its body is read if need be."""
        fate = self._searched.fates.get(entry.id)
        if entry.id not in self._searched.sent and len(self._ranks[0]) > self._limit:
            return
        # Of a changed entry something may be sent that its line does not hold.
        held = _held(entry) if fate and fate.fate == "changed" else _candidate(entry, self._query)
        if held is None:
            return
        is_in_request = self._query.is_in(self._explainer.sent_texts(held.id))
        if is_in_request or self._query.is_in(entry_texts(held)):
            self._is_in_request |= is_in_request
            self._add(self._explainer.hit(held))
        elif path := _spill_path(held):
            self._add_spill(held, path)

    def found(self) -> Found:
        """The hits in order."""
        hits = [hit for rank in self._ranks for hit in rank]
        return Found(
            hits=hits[: self._limit],
            more=len(hits) > self._limit,
            in_request=self._is_in_request,
        )

    def _add_spill(self, entry: Entry, path: str) -> None:
        if path in self._spills:
            return
        self._spills.add(path)
        text = self._read_spill(path)
        place = next(self._query.places(text), None) if text else None
        if text is None or place is None:
            return
        fate = self._explainer.fate(entry)
        also = f"; what was kept of it is not sent either: {fate.detail}" if fate.fate == "absent" else ""
        self._add(
            Hit(
                entry_id=entry.id,
                uri=path_to_uri(path),
                range=line_range(text, place[0]),
                fate="absent",
                stage="truncation",
                detail=f"cut from an output that was too long; it stands only in this file, which can be read{also}",
                preview=self._query.snippet([text]),
            )
        )

    def _add(self, hit: Hit) -> None:
        for_people = hit.fate == "absent" and hit.stage is None
        rank = self._ranks[3 if for_people else ("absent", "changed", "sent").index(hit.fate)]
        if len(rank) <= self._limit:
            rank.append(hit)


def _held(entry: Entry) -> Entry:
    """The entry with its body at hand, which is read once."""
    return Entry(entry.type, entry.id, entry.parent_id, entry.timestamp, entry.body)


def _candidate(entry: Entry, query: Query) -> Entry | None:
    """The entry with its body at hand; None where its line cannot hold the query nor name a spill file."""
    if not isinstance(entry, StoredEntry):
        return entry
    try:
        line = entry.line
        if not query.may_be_in(line) and not any(mark in line for mark in MARKS):
            return None
        return Entry(entry.type, entry.id, entry.parent_id, entry.timestamp, decode_object(line))
    except (OSError, JsonError):
        return None


def _texts_without_prompt(entry: Entry) -> Iterator[str]:
    """The texts of an entry's messages but for a system prompt."""
    messages = (message for message in entry_messages(entry) if role_of(message) != "system")
    return (text for message in messages for text in message_texts(message))


def _spill_path(entry: Entry) -> str | None:
    return spill_of(entry.message) if entry.type == "message" else None


def _restore(entry: Entry, fate: Fate) -> Restore | None:
    """The call that appends the text of an entry that is not sent, or not as it is stored; None where it has none."""
    if fate.fate == "sent" or (fate.fate == "changed" and fate.stage != "contextEdit"):
        return None
    if is_blank(text_to_restore(entry)):
        return None
    return Restore(method="pi/context/restore", params={"entryId": entry.id})
