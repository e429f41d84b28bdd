import os
import time

from pi_lsp.session import actions
from pi_lsp.session.catalogue import PART_BYTES, Catalogue, newest
from pi_lsp.session.store import Session
from tests.unit.session.samples import HEADER, TIME, append, line, message, write


def info(key: str, parent: str | None, name: str):
    return {"type": "session_info", "id": key, "parentId": parent, "timestamp": TIME, "name": name}


def at(day: int, record):
    """The message as written on that day of January 2025."""
    return {**record, "message": {**record["message"], "timestamp": 1735689600000 + (day - 1) * 86_400_000}}


def test_a_session_as_the_list_shows_it(tmp_path):
    records = (
        message("s", None, "system", "rules"),
        message("a", "s", "assistant", "first"),
        at(3, message("b", "a", "user", "fix\n the  bug 😀")),
        info("n", "b", " my\u00a0name "),
        at(2, message("t", "n", "toolResult")),
    )
    path = write(tmp_path / "s.jsonl", {**HEADER, "parentSession": "/p"}, *records)
    listing = Catalogue().in_folder(str(tmp_path))
    assert listing.problems == []
    (session,) = listing.sessions
    assert (session.id, session.file, session.cwd) == ("s-1", path, HEADER["cwd"])
    assert session.first_message == "fix the bug 😀"
    assert session.name == "my\u00a0name"
    assert session.modified == "2025-01-03T00:00:00.000Z"
    assert (session.entries, session.bytes, session.parent_session) == (5, os.path.getsize(path), "/p")


def test_newest_first_and_broken_files_are_told(tmp_path):
    write(tmp_path / "old.jsonl", {**HEADER, "id": "old"}, at(1, message("a", None)))
    write(tmp_path / "new.jsonl", {**HEADER, "id": "new"}, at(9, message("a", None)))
    write(tmp_path / "mid.jsonl", {**HEADER, "id": "mid"}, b"garbage", at(5, message("a", None)))
    write(tmp_path / "notes.jsonl", b"notes")
    write(tmp_path / "empty.jsonl")
    write(tmp_path / "other.txt", HEADER)
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "gone.jsonl").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe.jsonl")
    listing = Catalogue().in_folder(str(tmp_path))
    assert [session.id for session in listing.sessions] == ["new", "mid", "old"]
    broken = sorted(os.path.basename(problem.file) for problem in listing.problems)
    assert broken == ["empty.jsonl", "folder.jsonl", "gone.jsonl", "notes.jsonl", "pipe.jsonl"]
    assert all(problem.reason for problem in listing.problems)
    assert Catalogue().in_folder(str(tmp_path / "missing")).sessions == []


def test_a_folder_that_cannot_be_looked_into_is_told(tmp_path):
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    (tmp_path / "file").touch()
    for listing in (Catalogue().in_folder(str(loop)), Catalogue().everywhere(str(loop))):
        assert [(problem.file, bool(problem.reason)) for problem in listing.problems] == [(str(loop), True)]
    assert [problem.file for problem in Catalogue().everywhere(str(tmp_path)).problems] == [str(loop)]
    assert newest(str(loop)) is None


def test_without_messages_the_time_of_the_file_counts(tmp_path):
    path = write(tmp_path / "s.jsonl", HEADER, {**message("a", None), "message": {"role": "user", "timestamp": 1e300}})
    os.utime(path, (0, 86_400))
    (session,) = Catalogue().in_folder(str(tmp_path)).sessions
    assert session.modified == TIME  # the entry's own time, as the message's is none
    write(tmp_path / "s.jsonl", HEADER)
    os.utime(path, (0, 86_400))
    assert Catalogue().in_folder(str(tmp_path)).sessions[0].modified == "1970-01-02T00:00:00.000Z"


def test_a_file_is_read_again_only_when_it_changed(tmp_path, monkeypatch):
    path = write(tmp_path / "s.jsonl", HEADER, message("a", None))
    catalogue = Catalogue()
    first = catalogue.in_folder(str(tmp_path))
    monkeypatch.setattr("pi_lsp.session.catalogue.Source", None)
    assert catalogue.in_folder(str(tmp_path)) == first
    monkeypatch.undo()
    append(path, line(info("n", "a", "named")))
    assert catalogue.in_folder(str(tmp_path)).sessions[0].name == "named"


def test_all_folders(tmp_path):
    for name in ("--a--", "--b--"):
        write(tmp_path / name / "s.jsonl", {**HEADER, "cwd": name}, message("a", None))
    write(tmp_path / "stray.jsonl", HEADER)
    sessions = Catalogue().everywhere(str(tmp_path)).sessions
    assert sorted(session.cwd for session in sessions) == ["--a--", "--b--"]


def test_an_old_session_names_the_file_it_goes_on_in(tmp_path):
    old = {key: value for key, value in HEADER.items() if key != "version"}
    path = write(tmp_path / "old.jsonl", old, {"type": "message", "message": {"role": "user", "content": "hi"}})
    catalogue = Catalogue()
    assert catalogue.in_folder(str(tmp_path)).sessions[0].continued_in is None
    session = Session.open(path, "/w")
    actions.append_name(session, "n")
    found = {one.file: one.continued_in for one in catalogue.in_folder(str(tmp_path)).sessions}
    assert found == {path: session.path, session.path: None}


def test_the_newest_file_with_a_header_and_of_a_working_directory(tmp_path):
    for number, (name, cwd) in enumerate((("a", "/one"), ("b", "/two"), ("c", "/two/../one"))):
        os.utime(write(tmp_path / f"{name}.jsonl", {**HEADER, "cwd": cwd}), (0, number))
    os.utime(write(tmp_path / "d.jsonl", b"no session"), (0, 99))
    assert newest(str(tmp_path)) == str(tmp_path / "c.jsonl")
    assert newest(str(tmp_path), "/two") == str(tmp_path / "b.jsonl")
    assert newest(str(tmp_path), "/one/") == str(tmp_path / "c.jsonl")
    assert newest(str(tmp_path), "/three") is None
    assert newest(str(tmp_path / "missing")) is None


def test_S15_a_huge_file_is_listed_from_its_head_and_tail(tmp_path):
    path = write(tmp_path / "s.jsonl", HEADER, message("a", None, text="question"), info("n", "a", "early"))
    with open(path, "r+b") as file:  # 2.6 GB that cost nothing on disk
        file.truncate(2_600_000_000)
    append(path, b"\n" + line(at(7, message("z", "a", "assistant"))))
    start = time.process_time()
    (session,) = Catalogue().in_folder(str(tmp_path)).sessions
    assert time.process_time() - start < 1
    assert (session.first_message, session.name, session.entries) == ("question", "early", None)
    assert session.modified == "2025-01-07T00:00:00.000Z"


def test_a_first_message_behind_a_large_system_prompt_and_a_late_name_are_found(tmp_path):
    filler = "x" * PART_BYTES
    records = [message("s", None, "system", filler), message("a", "s", text="question")]
    records += [message(f"m{number}", "a", "assistant", filler) for number in range(5)]
    write(tmp_path / "s.jsonl", {**HEADER, "cwd": "/" + filler}, *records, info("n", "a", "one"), info("o", "a", ""))
    (session,) = Catalogue().in_folder(str(tmp_path)).sessions
    assert session.first_message == "question"
    assert session.name is None


def test_an_entry_that_begins_right_where_the_tail_begins_is_read(tmp_path):
    named = info("n", "a", "late")
    rest = PART_BYTES - len(line(named)) - len(line(message("z", "n", text="")))
    filler = [message(f"m{number}", "a", text="x" * PART_BYTES) for number in range(2)]
    for less, name in ((0, "late"), (-1, "late"), (1, None)):  # so many bytes of it stand before the tail
        last = message("z", "n", text="y" * (rest + less))
        write(tmp_path / "s.jsonl", HEADER, message("a", None), *filler, named, last)
        assert Catalogue().in_folder(str(tmp_path)).sessions[0].name == name
