"""What hooks made of the conversation of one request, kept so that it can be told afterwards.

Looking at the context never runs a hook: `pi/context` and `pi/explain` show what the last request was made of. An
entry that came later stands as it is stored.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from pi_lsp.base.json import as_str
from pi_lsp.context.fate import Fate
from pi_lsp.session.messages import Message

ENTRY_ID = "entryId"
"""The key under which a hook sees whose message it is."""


class Chosen(NamedTuple):
    """A message of the conversation before it is finished, and the id of the entry that it is of."""

    entry_id: str
    message: Message
    added: bool = False
    """A hook put it there; the id is that of the entry before it."""


class Hooked(msgspec.Struct, frozen=True, kw_only=True):
    """The conversation after the hooks."""

    chosen: Sequence[Chosen]
    fates: Mapping[str, Fate]
    """Of the entries that hooks changed or took out."""
    seen: frozenset[str]
    """The ids of the entries that the hooks were given."""

    def over(self, conversation: Sequence[Chosen]) -> list[Chosen]:
        """A conversation with what hooks did to it at the last request."""
        present = {one.entry_id for one in conversation}
        before = [one for one in self.chosen if one.entry_id in present or one.added]
        return [*before, *(one for one in conversation if one.entry_id not in self.seen)]


def labelled(conversation: Sequence[Chosen]) -> list[Message]:
    """The messages as a hook gets them."""
    return [{ENTRY_ID: one.entry_id, **one.message} for one in conversation]


def read_back(messages: Sequence[Message], given: Sequence[Chosen]) -> Iterator[Chosen]:
    """The messages that a hook gave back."""
    known = {one.entry_id for one in given}
    last = given[0].entry_id if given else ""
    for message in messages:
        entry_id = as_str(message.get(ENTRY_ID))
        added = entry_id not in known
        last = last if added else entry_id
        own = {key: value for key, value in message.items() if key != ENTRY_ID}
        yield Chosen(last, own, added)


def fates_of(before: Sequence[Chosen], after: Sequence[Chosen], plugin: str) -> dict[str, Fate]:
    """The entries that a hook changed or took out."""
    was, now = _by_entry(before), _by_entry(after)
    fates: dict[str, Fate] = {}
    for entry_id, messages in was.items():
        if entry_id not in now:
            fates[entry_id] = Fate(
                fate="absent", stage="hook", detail=f"the hook transform_context of {plugin} left it out"
            )
        elif now[entry_id] != messages:
            fates[entry_id] = Fate(
                fate="changed", stage="hook", detail=f"the hook transform_context of {plugin} changed it"
            )
    return fates


def _by_entry(chosen: Sequence[Chosen]) -> dict[str, list[Message]]:
    found: dict[str, list[Message]] = {}
    for one in chosen:
        if not one.added:
            found.setdefault(one.entry_id, []).append(one.message)
    return found
