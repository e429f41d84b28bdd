import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.base.json import decode
from pi_lsp.session import actions
from pi_lsp.session.append import create_file
from pi_lsp.session.errors import (
    EntryNotFoundError,
    FileReplacedError,
    InvalidSessionError,
    SessionError,
)
from pi_lsp.session.location import SessionIdError
from pi_lsp.session.log import SessionLog
from pi_lsp.session.store import Session
from pi_lsp.session.times import to_milliseconds
from tests.unit.session.samples import HEADER, TIME, append, ids, line, message, opened, write

USER = {"role": "user", "content": "hi", "timestamp": 1}
SYSTEM = {"role": "system", "content": "s", "timestamp": 1}
BASH = {"role": "bashExecution", "command": "ls", "output": "", "timestamp": 1}


def keys(path: str) -> list[str]:
    with open(path, "rb") as file:
        return [" ".join(decode(record)) for record in file]


def test_S8_nothing_is_written_before_the_first_message_and_everything_with_it(tmp_path):
    folder = tmp_path / "not" / "yet"
    session = Session.new(str(folder), "/w")
    actions.append_model(session, "p", "m")
    actions.append_message(session, SYSTEM)
    actions.append_message(session, BASH)
    actions.append_custom_message(session, "x", "text")
    actions.append_name(session, "n")
    session.append({"type": "of another program", "message": USER})
    assert not folder.exists()
    assert not session.is_saved
    before = ids(session.tree)
    user = actions.append_message(session, USER)
    assert session.is_saved
    log = SessionLog.open(session.path)
    assert ids(log.entries) == [*before, user.id]
    assert log.header == session.header
    assert os.listdir(folder) == [
        f"{log.header['timestamp'].replace(':', '-').replace('.', '-')}_{log.header['id']}.jsonl"
    ]


def test_a_session_without_a_folder_is_never_written():
    session = Session.new(None, "/w")
    actions.append_message(session, USER)
    assert session.path is None
    assert not session.is_saved
    assert len(session.tree) == 1


def test_a_session_id_of_ones_own(tmp_path):
    assert Session.new(str(tmp_path), "/w", session_id="my.id-1").path.endswith("_my.id-1.jsonl")
    with pytest.raises(SessionIdError):
        Session.new(str(tmp_path), "/w", session_id="../evil")


def test_a_file_of_that_name_is_not_overwritten(tmp_path):
    session = Session.new(str(tmp_path), "/w")
    write(tmp_path / os.path.basename(session.path), b"something else")
    before = (tmp_path / os.path.basename(session.path)).read_bytes()
    with pytest.raises(FileReplacedError):
        actions.append_message(session, USER)
    assert (tmp_path / os.path.basename(session.path)).read_bytes() == before
    assert session.leaf_id is None
    assert ids(session.tree) == []


def test_S7_a_first_write_that_fails_leaves_the_session_as_it_was(tmp_path):
    (tmp_path / "file").write_text("")
    session = Session.new(str(tmp_path / "file" / "folder"), "/w")
    system = actions.append_message(session, SYSTEM)
    with pytest.raises(OSError, match=r"directory|exists"):
        actions.append_message(session, USER)
    assert session.leaf_id == system.id
    assert ids(session.tree) == [system.id]
    os.unlink(tmp_path / "file")
    user = actions.append_message(session, USER)
    assert ids(SessionLog.open(session.path).entries) == [system.id, user.id]


def test_an_empty_file_becomes_a_session_with_the_first_message(tmp_path):
    path = write(tmp_path / "s.jsonl")
    session = Session.open(path, "/w")
    assert os.path.getsize(path) == 0
    actions.append_message(session, USER)
    assert SessionLog.open(path).header["cwd"] == "/w"


def test_S9_what_is_no_session_cannot_be_opened_for_writing_either(tmp_path):
    path = write(tmp_path / "notes.jsonl", b"my notes")
    with pytest.raises(InvalidSessionError):
        Session.open(path, "/w")
    assert (tmp_path / "notes.jsonl").read_bytes() == b"my notes\n"


def test_S9_a_pipe_or_a_folder_is_neither_read_nor_written(tmp_path):
    os.mkfifo(tmp_path / "pipe.jsonl")
    for path in (tmp_path, tmp_path / "pipe.jsonl", tmp_path / "missing.jsonl"):
        with pytest.raises(OSError, match=r"regular|No such file"):
            Session.open(str(path), "/w")
    with pytest.raises(FileReplacedError):
        create_file(str(tmp_path / "pipe.jsonl"), [b"x"])


def test_entries_are_written_with_their_keys_in_pis_order(tmp_path):
    session = Session.new(str(tmp_path), "/w", parent_session="/p")
    actions.append_message(session, SYSTEM)
    user = actions.append_message(session, USER).id
    actions.append_thinking_level(session, "low")
    actions.append_model(session, "p", "m")
    actions.append_custom(session, "c", {"a": 1})
    actions.append_custom_message(session, "c", "t", display=True, details={})
    actions.append_name(session, "n")
    actions.append_label(session, user, "l")
    actions.append_context_edit(session, user, {"content": "x"})
    more = {"details": {}, "usage": {}, "from_hook": True}
    actions.append_compaction(session, "S", user, 5, system_message=SYSTEM, **more)
    actions.branch_with_summary(session, user, "B", **more)
    assert keys(session.path) == [
        "type version id timestamp cwd parentSession",
        "type id parentId timestamp message",
        "type id parentId timestamp message",
        "type id parentId timestamp thinkingLevel",
        "type id parentId timestamp provider modelId",
        "type customType data id parentId timestamp",
        "type customType content display details id parentId timestamp",
        "type id parentId timestamp name",
        "type id parentId timestamp targetId label",
        "type id parentId timestamp targetId replacement",
        "type id parentId timestamp summary firstKeptEntryId tokensBefore details usage fromHook systemMessage",
        "type id parentId timestamp fromId summary details usage fromHook",
    ]


def test_a_compaction_and_the_prompt_it_stores_have_one_time(tmp_path, monkeypatch):
    session = opened(tmp_path)
    monkeypatch.setattr("pi_lsp.session.store.now", lambda: TIME)  # a millisecond may pass between two looks
    body = actions.append_compaction(session, "S", "b", 5, system_message=SYSTEM).body
    assert body["systemMessage"]["timestamp"] == to_milliseconds(body["timestamp"])


def test_S5_a_move_of_the_leaf_is_written_down(tmp_path):
    session = opened(tmp_path)
    anchor = actions.move_leaf(session, "a")
    again = Session.open(session.path, "/w")
    assert again.leaf_id == anchor.id
    assert ids(again.tree.path(again.leaf_id)) == ["a", anchor.id]


def test_what_is_refused_changes_nothing(tmp_path):
    session = opened(tmp_path)
    before = (tmp_path / "s.jsonl").read_bytes()
    for refused in (
        lambda: session.move("nope"),
        lambda: actions.append_label(session, "nope", "l"),
        lambda: actions.branch_with_summary(session, "nope", "S"),
        lambda: actions.append_context_edit(session, "nope", None),
    ):
        with pytest.raises(EntryNotFoundError, match="Entry nope not found"):
            refused()
    with pytest.raises(SessionError):
        actions.append_context_edit(session, "a", {"content": 5})
    session.move("a")
    with pytest.raises(SessionError, match="not on the active branch"):
        actions.append_context_edit(session, "b", None)
    assert (tmp_path / "s.jsonl").read_bytes() == before


V1 = {key: value for key, value in HEADER.items() if key != "version"}


def test_an_old_session_goes_on_in_one_file_beside_it(tmp_path):
    path = write(tmp_path / "old.jsonl", V1, {"type": "message", "timestamp": TIME, "message": USER}, b"garbage")
    before = (tmp_path / "old.jsonl").read_bytes()
    session = Session.open(path, "/w")
    assert os.listdir(tmp_path) == ["old.jsonl"]
    entry = actions.append_name(session, "n")
    assert (tmp_path / "old.jsonl").read_bytes() == before
    log = SessionLog.open(session.path)
    assert not log.is_old
    assert log.header["parentSession"] == path
    assert log.header["cwd"] == HEADER["cwd"]
    assert ids(log.tree.path(entry.id)) == [SessionLog.open(path).tree.leaf_id, entry.id]
    again = Session.open(path, "/w")
    assert again.path == session.path
    assert again.leaf_id == entry.id


def test_what_an_old_session_would_go_on_in_must_not_be_old_itself(tmp_path):
    path = write(tmp_path / "old.jsonl", V1, {"type": "message", "timestamp": TIME, "message": USER})
    beside = write(tmp_path / os.path.basename(Session.open(path, "/w").path or ""), V1)
    before = (tmp_path / beside).read_bytes()
    with pytest.raises(InvalidSessionError, match="older file"):
        Session.open(path, "/w")
    assert (tmp_path / beside).read_bytes() == before


def test_two_programs_that_continue_an_old_session_at_once_do_not_make_two(tmp_path):
    path = write(tmp_path / "old.jsonl", V1, {"type": "message", "timestamp": TIME, "message": USER})
    first, second = Session.open(path, "/w"), Session.open(path, "/w")
    actions.append_message(first, USER)
    with pytest.raises(FileReplacedError):
        actions.append_message(second, USER)
    assert len(os.listdir(tmp_path)) == 2


MOVES = st.lists(
    st.tuples(st.sampled_from(["say", "move", "root", "label", "name", "foreign", "reopen"]), st.integers(0, 99))
)


@given(MOVES)
def test_memory_and_file_always_agree(tmp_path_factory, moves):
    session = opened(tmp_path_factory.mktemp("s"))
    for number, (move, choice) in enumerate(moves):
        known = ids(session.tree)
        session.follow()
        match move:
            case "say":
                actions.append_message(session, {**USER, "content": str(number)})
            case "move":
                session.move(known[choice % len(known)])
            case "root":
                session.move(None)
            case "label":
                actions.append_label(session, known[choice % len(known)], str(choice % 3 or ""))
            case "name":
                actions.append_name(session, str(choice))
            case "foreign":
                append(session.path, line(message(f"f{number}", known[choice % len(known)])))
            case _:
                session = Session.open(session.path, "/w")
    session.follow()
    fresh = SessionLog.open(session.path).tree
    assert ids(fresh) == ids(session.tree)
    assert fresh.labels() == session.tree.labels()
    assert fresh.name == session.tree.name
    assert [entry.body for entry in fresh] == [entry.body for entry in session.tree]
