"""What is told of entries that are written: only what is in the file, and all that is."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.counting import Counting
from pi_lsp.agent.events import EntryAppended, Event, ForeignAppend, SessionChanged
from pi_lsp.agent.keeper import MANY_ENTRIES, Keeper
from pi_lsp.session.actions import append_message, append_model
from pi_lsp.session.entries import Entry
from pi_lsp.session.log import SessionLog
from pi_lsp.session.presence import is_open_elsewhere
from pi_lsp.session.store import Session


class Told:
    """A keeper of a new session, and the entries it told of: each with what stood in the file at that moment."""

    def __init__(self, folder: Path) -> None:
        self.session = Session.new(str(folder), "/work")
        self.entries: list[tuple[str, bool]] = []
        self.events: list[Event] = []
        self.keeper = Keeper(Counting(), self._take)
        self.keeper.adopt(self.session)

    def _take(self, event: Event) -> None:
        self.events.append(event)
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


def test_what_could_not_be_written_is_told_once_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = Told(tmp_path)

    def begin(conversation: Conversation) -> Iterator[Entry]:
        yield append_model(conversation.session, "anthropic", "m")
        yield append_message(conversation.session, {"role": "user", "content": "hello"})

    def full(path: str, records: object) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("pi_lsp.session.store.create_file", full)
        with pytest.raises(OSError, match="full"):
            told.keeper.write(begin)
    assert told.entries == []
    told.keeper.write(lambda conversation: [append_message(conversation.session, {"role": "user", "content": "again"})])
    assert told.entries == [(entry.id, True) for entry in SessionLog.open(told.session.path or "").entries]


def saved(told: Told) -> str:
    """The path of the session, which is written now."""
    told.keeper.write(lambda it: [append_message(it.session, {"role": "user", "content": "hello"})])
    told.events.clear()
    told.entries.clear()
    assert told.session.path
    return told.session.path


def foreign(path: str, count: int = 1) -> None:
    """Another program appends so many entries behind the tip."""
    session = Session.open(path, "/work")
    for _ in range(count):
        append_message(session, {"role": "user", "content": "from elsewhere"})


def test_other_windows_are_kept_out_until_the_session_is_let_go(tmp_path: Path) -> None:
    told = Told(tmp_path)
    assert (told.keeper.session_id, told.keeper.leaf_id) == (told.session.header["id"], None)
    path = saved(told)
    assert told.keeper.leaf_id == told.session.leaf_id
    assert is_open_elsewhere(path)
    told.keeper.release()
    assert not is_open_elsewhere(path)
    told.keeper.adopt(Session.open(path, "/work"))
    before = told.keeper._presence  # pyright: ignore[reportPrivateUsage]  alive, as in a window that an error holds on to
    told.keeper.adopt(Session.new(str(tmp_path), "/work"))
    assert before and not is_open_elsewhere(path)


@pytest.mark.parametrize(("count", "kinds"), [(1, "FE"), (MANY_ENTRIES, "F" + "E" * MANY_ENTRIES), (101, "FS")])
def test_what_others_append_is_told_one_by_one_or_where_it_is_much_as_a_whole(
    tmp_path: Path, count: int, kinds: str
) -> None:
    told = Told(tmp_path)
    foreign(saved(told), count)
    told.keeper.followed()
    names = {ForeignAppend: "F", EntryAppended: "E", SessionChanged: "S"}
    assert "".join(names[type(event)] for event in told.events) == kinds
    [first] = [event for event in told.events if isinstance(event, ForeignAppend)]
    assert (first.count, first.leaf_moved, told.keeper.foreign_moves) == (count, True, 1)


def test_a_file_that_another_program_wrote_anew_is_read_anew_but_not_under_a_run(tmp_path: Path) -> None:
    told = Told(tmp_path)
    path = saved(told)
    other = Told(tmp_path / "other")
    os.replace(saved(other), path)
    told.session.running = True
    assert told.keeper.followed().session is told.session
    told.session.running = False
    assert told.keeper.followed().leaf_id == other.session.leaf_id
    assert [type(event) for event in told.events] == [SessionChanged]
    os.unlink(path)
    assert told.keeper.followed().leaf_id == other.session.leaf_id
