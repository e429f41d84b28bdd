import pytest

from pi_lsp.session import actions
from pi_lsp.session.errors import EntryNotFoundError
from pi_lsp.session.fork import fork
from pi_lsp.session.log import SessionLog
from pi_lsp.session.store import Session
from tests.unit.session.samples import HEADER, TIME, ids, label, line, message, write

COMPACTION = {"type": "compaction", "id": "k", "parentId": "l2", "timestamp": TIME, "firstKeptEntryId": "l1"}


def opened(tmp_path) -> Session:
    records = (
        message("a", None, unknown=[1.0]),
        label("l1", "a", "a", "one"),
        message("b", "l1"),
        label("l2", "b", "b", "two"),
        {**COMPACTION, "summary": "S"},
        message("c", "k"),
        label("l3", "c", "a", "three"),
        message("off", "a"),
        label("l4", "off", "off", "gone"),
    )
    return Session.open(write(tmp_path / "s.jsonl", HEADER, *records), "/w")


def test_S10_labels_leave_the_path_and_the_compaction_keeps_its_boundary(tmp_path):
    session = opened(tmp_path)
    before = (tmp_path / "s.jsonl").read_bytes()
    new = fork(session, "c")
    log = SessionLog.open(new.path)
    assert (tmp_path / "s.jsonl").read_bytes() == before
    path = log.tree.path(log.tree.leaf_id)
    assert ids(path)[:4] == ["a", "b", "k", "c"]
    assert path[2].get("firstKeptEntryId") == "b"
    assert log.tree.labels() == {"a": "three", "b": "two"}
    assert not {"l1", "l2", "l3", "l4", "off"} & set(ids(path))
    assert len(log.entries) == len(path)


def test_S10_a_fork_has_one_header_and_goes_on_in_its_own_file(tmp_path):
    session = opened(tmp_path)
    new = fork(session, "c")
    actions.append_message(new, {"role": "user", "content": "on", "timestamp": 1})
    with open(new.path, "rb") as file:
        records = file.readlines()
    assert sum(b'"type":"session"' in record for record in records) == 1
    header = SessionLog.open(new.path).header
    assert header["parentSession"] == session.path
    assert (header["cwd"], header["version"]) == (HEADER["cwd"], 3)
    assert header["id"] != HEADER["id"]


def test_entries_that_do_not_change_are_copied_as_they_stand(tmp_path):
    with open(fork(opened(tmp_path), "c").path, "rb") as file:
        records = file.readlines()
    assert records[1] == line(message("a", None, unknown=[1.0]))
    assert records[4] == line(message("c", "k"))


def test_a_fork_without_a_conversation_is_written_with_its_first_message(tmp_path):
    session = opened(tmp_path)
    new = fork(session, None)
    assert not new.is_saved
    assert new.header["parentSession"] == session.path
    actions.append_message(new, {"role": "user", "content": "hi", "timestamp": 1})
    assert ids(SessionLog.open(new.path).entries) == [new.leaf_id]


def test_a_fork_of_an_unknown_entry_is_refused(tmp_path):
    with pytest.raises(EntryNotFoundError):
        fork(opened(tmp_path), "nope")


def test_a_fork_says_of_its_root_that_it_is_one(tmp_path):
    root = message("a", None)
    del root["parentId"]
    session = Session.open(write(tmp_path / "s.jsonl", HEADER, root, message("b", "a")), "/w")
    assert SessionLog.open(fork(session, "b").path).entries[0].body["parentId"] is None


def test_a_label_without_a_time_gets_none(tmp_path):
    timeless = label("l", "a", "a", "one")
    del timeless["timestamp"]
    session = Session.open(write(tmp_path / "s.jsonl", HEADER, message("a", None), timeless), "/w")
    *_, last = SessionLog.open(fork(session, "l").path).entries
    assert (last.get("label"), "timestamp" in last.body) == ("one", False)
