"""What is told of entries that are written: only what is in the file, and all that is."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.counting import Counting
from pi_lsp.agent.events import EntryAppended, Event
from pi_lsp.agent.keeper import Keeper
from pi_lsp.session.actions import append_message, append_model
from pi_lsp.session.entries import Entry
from pi_lsp.session.log import SessionLog
from pi_lsp.session.store import Session


class Told:
    """A keeper of a new session, and the entries it told of: each with what stood in the file at that moment."""

    def __init__(self, folder: Path) -> None:
        self.session = Session.new(str(folder), "/work")
        self.entries: list[tuple[str, bool]] = []
        self.keeper = Keeper(Counting(), self._take)
        self.keeper.adopt(self.session)

    def _take(self, event: Event) -> None:
        if isinstance(event, EntryAppended):
            file = Path(self.session.path or "")
            stored = file.exists() and any(
                entry.id == event.entry.entry_id for entry in SessionLog.open(str(file)).entries
            )
            self.entries.append((event.entry.entry_id, stored))


def test_what_comes_before_the_first_message_is_told_when_it_is_in_the_file(tmp_path: Path) -> None:
    told = Told(tmp_path)

    def begin(conversation: Conversation) -> Iterator[Entry]:
        yield append_model(conversation.session, "anthropic", "m")
        yield append_message(conversation.session, {"role": "system", "content": ""})
        yield append_message(conversation.session, {"role": "user", "content": "hello"})

    written = told.keeper.write(begin)
    assert told.entries == [(entry.id, True) for entry in written]
    assert len(written) == 3


def test_what_was_written_before_a_failure_is_told(tmp_path: Path) -> None:
    told = Told(tmp_path)

    def fail(conversation: Conversation) -> Iterator[Entry]:
        yield append_message(conversation.session, {"role": "user", "content": "hello"})
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        told.keeper.write(fail)
    assert told.entries == [(told.session.leaf_id, True)]
