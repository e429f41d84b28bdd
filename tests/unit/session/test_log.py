import base64
import os
import subprocess
import sys
import textwrap
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.session.codec import encode_line
from pi_lsp.session.errors import FileReplacedError, InvalidSessionError
from pi_lsp.session.log import SessionLog
from tests.unit.session.samples import HEADER, append, ids, label, line, message, write


def test_bodies_are_read_from_the_file_and_nothing_of_them_is_lost(tmp_path):
    stored = message("a", None, unknown={"x": [1, None]}, text="日本 😀")
    log = SessionLog.open(write(tmp_path / "s.jsonl", HEADER, stored))
    entry = log.tree.get("a")
    assert entry.body == stored
    assert list(entry.body) == list(stored)
    assert entry.line + b"\n" == line(stored)
    assert log.header == HEADER
    assert log.problems == []


def test_a_second_header_is_no_entry(tmp_path):
    log = SessionLog.open(write(tmp_path / "s.jsonl", HEADER, message("a", None), HEADER, message("b", "a")))
    assert ids(log.entries) == ["a", "b"]


def test_a_bom_before_the_header_is_accepted(tmp_path):
    path = write(tmp_path / "s.jsonl", b"\xef\xbb\xbf" + line(HEADER).strip(), message("a", None))
    log = SessionLog.open(path)
    assert ids(log.entries) == ["a"]
    assert log.append(message("b", "a"))[0].id == "b"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n \n",
        b"hello\n",
        b'{"type":"message","id":"a"}\n',
        b'{"type":"session","id":5}\n',
        b'5\n{"type":"session","id":"s"}\n',
        b'{}\n{"type":"session","id":"s"}\n',
        b'[]\n{"type":"session","id":"s"}\n',
        b'["session"]\n',
        b"\x00" * 5000,
        b"\xff\xd8\xff" * 99,
    ],
)
def test_S9_a_file_that_is_no_session_is_refused_and_left_as_it_is(tmp_path, content):
    path = tmp_path / "s.jsonl"
    path.write_bytes(content)
    with pytest.raises(InvalidSessionError, match=r"s\.jsonl, line 1: not a Pi session.*left as it is"):
        SessionLog.open(str(path))
    assert path.read_bytes() == content


def test_S9_what_is_no_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.jsonl")
    for path in (tmp_path, tmp_path / "pipe.jsonl", tmp_path / "missing.jsonl"):
        with pytest.raises(OSError, match=r"regular|No such file"):
            SessionLog.open(str(path))


def test_S13_cycles_in_a_file_are_cut_and_told(tmp_path):
    path = write(tmp_path / "s.jsonl", HEADER, message("a", "b"), message("b", "a"), message("c", "c"))
    log = SessionLog.open(path)
    assert log.tree.cut == {"a", "c"}
    assert ids(log.tree.path("b")) == ["a", "b"]


def test_S14_damaged_lines_are_skipped_and_every_other_one_kept(tmp_path):
    torn = line(message("x", "a"))[:60]
    path = write(
        tmp_path / "s.jsonl",
        HEADER,
        message("a", None),
        torn + line(message("y", "a")).strip(),  # two records on one line, the first one cut
        b"\x00" * 512 + line(message("z", "a")).strip(),
        b"garbage \xff",
        message("b", "a"),
        torn,
    )
    before = (tmp_path / "s.jsonl").read_bytes()
    log = SessionLog.open(path)
    assert ids(log.tree.path(log.tree.leaf_id)) == ["a", "b"]
    assert [problem.line for problem in log.problems] == [3, 4, 5, 7]
    assert (tmp_path / "s.jsonl").read_bytes() == before


@pytest.mark.parametrize("tail", [b"", b'{"type":"mess', line(message("b", "a")).strip()])
def test_S6_a_record_never_lands_on_a_line_that_another_one_began(tmp_path, tail):
    path = write(tmp_path / "s.jsonl", HEADER, message("a", None))
    append(path, tail)
    before = (tmp_path / "s.jsonl").read_bytes()
    log = SessionLog.open(path)
    assert (tmp_path / "s.jsonl").read_bytes() == before
    entry, foreign = log.append(message("new", "a"))
    assert (entry.id, foreign) == ("new", [])
    written = (tmp_path / "s.jsonl").read_bytes()
    assert written == before + (b"\n" if tail else b"") + line(message("new", "a"))
    assert ids(SessionLog.open(path).entries) == ids(log.entries)


def test_follow_gives_what_others_append_once_it_is_complete(tmp_path):
    path = write(tmp_path / "s.jsonl", HEADER, message("a", None))
    log = SessionLog.open(path)
    assert log.follow() == []
    record = line(message("b", "a"))
    append(path, record[:30])
    assert log.follow() == []
    assert [problem.line for problem in log.problems] == [3]
    append(path, record[30:] + b"xx\n" + line(message("c", "b")))
    assert ids(log.follow()) == ["b", "c"]
    assert log.tree.leaf_id == "c"
    assert log.tree.get("c").message["content"] == "hi"
    assert [problem.line for problem in log.problems] == [4]


def test_an_append_tells_what_others_appended_before_it(tmp_path):
    path = write(tmp_path / "s.jsonl", HEADER, message("a", None))
    log = SessionLog.open(path)
    append(path, line(message("other", "a")))
    entry, foreign = log.append(message("own", "a"))
    assert (entry.id, ids(foreign)) == ("own", ["other"])
    assert ids(log.entries) == ["a", "other", "own"]


def test_an_append_is_repeated_where_a_torn_record_of_another_swallowed_it(tmp_path, monkeypatch):
    path = write(tmp_path / "s.jsonl", HEADER, message("a", None))
    log = SessionLog.open(path)
    write_, torn = os.write, [b'{"type":"mess']

    def between(file, data):
        if torn:  # another program's part of a record arrives after ours was prepared
            append(path, torn.pop())
        return write_(file, data)

    monkeypatch.setattr(os, "write", between)
    entry, _ = log.append(message("own", "a"))
    assert entry.message["content"] == "hi"
    assert ids(SessionLog.open(path).entries) == ["a", "own"]


def test_two_processes_append_at_once_and_nothing_is_lost(tmp_path):
    path = write(tmp_path / "s.jsonl", HEADER, message("a", None))
    program = textwrap.dedent(f"""
        import sys
        from pi_lsp.session.log import SessionLog
        from tests.unit.session.samples import message
        log = SessionLog.open({path!r})
        for index in range(200):
            log.append(message(f"{{sys.argv[1]}}-{{index}}", "a", text="x" * (index * 37)))
    """)
    running = [subprocess.Popen([sys.executable, "-c", program, name]) for name in ("p", "q")]
    assert [process.wait(60) for process in running] == [0, 0]
    log = SessionLog.open(path)
    assert log.problems == []
    for name in ("p", "q"):
        assert [key for key in ids(log.entries) if key.startswith(name)] == [f"{name}-{i}" for i in range(200)]


def test_S7_what_could_not_be_written_is_not_in_memory(tmp_path, monkeypatch):
    path = write(tmp_path / "s.jsonl", HEADER, message("a", None))
    log = SessionLog.open(path)
    write_ = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write_(file, data[:40]))  # the disk is full
    with pytest.raises(OSError, match="only a part"):
        log.append(message("b", "a"))
    assert ids(log.entries) == ["a"]
    monkeypatch.undo()
    log.append(message("c", "a"))
    assert ids(log.entries) == ids(SessionLog.open(path).entries) == ["a", "c"]


def test_a_file_that_is_not_the_one_that_was_opened_is_told(tmp_path):
    def opened(name: str) -> tuple[SessionLog, str]:
        path = write(tmp_path / name, HEADER, message("a", None), message("b", "a"))
        return SessionLog.open(path), path

    deleted, path = opened("deleted.jsonl")
    os.unlink(path)
    cut, path = opened("cut.jsonl")
    os.truncate(path, 150)
    replaced, path = opened("replaced.jsonl")
    os.replace(write(tmp_path / "new", HEADER, message("a", None), message("b", "a")), path)
    rewritten, path = opened("rewritten.jsonl")
    (tmp_path / "rewritten.jsonl").write_bytes(line({**HEADER, "id": "other"}) + b" " * 9000)
    for log in (deleted, cut, replaced, rewritten):
        size = os.path.getsize(log.path) if os.path.exists(log.path) else None
        with pytest.raises(FileReplacedError, match="Open it again"):
            log.follow()
        with pytest.raises(FileReplacedError):
            log.append(message("c", "a"))
        assert (os.path.getsize(log.path) if os.path.exists(log.path) else None) == size
        assert log.tree.get("a").body["id"] == "a"


def test_an_old_file_that_was_changed_is_told(tmp_path):
    old = {key: value for key, value in HEADER.items() if key != "version"}
    path = write(tmp_path / "s.jsonl", old, message("a", None))
    log = SessionLog.open(path)
    assert log.follow() == []
    append(path, line(message("b", None)))
    with pytest.raises(FileReplacedError):
        log.follow()


RECORDS = [
    HEADER,
    message("a", None),
    message("b", "a", text="日本 😀" * 9),
    label("l", "b", "a", "x"),
    message("c", "b"),
]
CONTENT = b"".join(map(line, RECORDS))


@given(st.integers(len(line(HEADER)) - 1, len(CONTENT)), st.binary(max_size=3))
def test_after_a_cut_at_any_byte_every_whole_record_is_there_and_appending_works(tmp_path_factory, cut, noise):
    path = tmp_path_factory.mktemp("cut") / "s.jsonl"
    path.write_bytes(CONTENT[:cut] + noise.replace(b"\n", b""))
    whole = [record["id"] for record in RECORDS[1:] if CONTENT.index(line(record)) + len(line(record)) <= cut]
    log = SessionLog.open(str(path)) if cut >= len(line(HEADER)) or not noise.strip(b" \t\r") else None
    if log is None:
        return
    assert ids(log.entries)[: len(whole)] == whole
    assert len(log.entries) <= len(whole) + 1
    before = ids(log.entries)
    log.append(message("new", log.tree.leaf_id))
    assert ids(log.entries) == ids(SessionLog.open(str(path)).entries) == [*before, "new"]
    assert path.read_bytes().startswith(CONTENT[:cut])


def peak_memory_and_time(path: str) -> tuple[float, float]:
    """MiB above the start and seconds of opening a file and walking its path, in a process of its own."""
    program = textwrap.dedent(f"""
        import time
        from pi_lsp.session.log import SessionLog
        def resident(field):
            return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(field)) / 1024
        before, start = resident("VmRSS"), time.process_time()
        log = SessionLog.open({path!r})
        assert len(log.tree.path(log.tree.leaf_id)) == len(log.tree)
        print(resident("VmHWM") - before, time.process_time() - start)
    """)
    memory, seconds = subprocess.check_output([sys.executable, "-c", program], text=True).split()
    return float(memory), float(seconds)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_S15_a_file_full_of_images_is_indexed_without_holding_them(tmp_path):
    image = base64.b64encode(os.urandom(3 << 20)).decode()
    block = {"type": "image", "data": image, "mimeType": "image/png"}
    path = tmp_path / "s.jsonl"
    with path.open("wb") as file:
        file.write(line(HEADER))
        for index in range(20):
            stored = message(str(index), str(index - 1) if index else None)
            stored["message"]["content"] = [block]
            file.write(encode_line(stored))
    memory, seconds = peak_memory_and_time(str(path))
    assert memory < 30  # the file has 80 MiB
    assert seconds < 5


def test_S16_a_file_with_100_000_entries_in_one_path_opens_in_linear_time(tmp_path):
    def seconds(count: int) -> float:
        records = (message(str(index), str(index - 1) if index else None) for index in range(count))
        path = write(tmp_path / f"{count}.jsonl", HEADER, *records)
        start = time.process_time()
        log = SessionLog.open(path)
        assert len(log.tree.path(log.tree.leaf_id)) == count
        return time.process_time() - start

    assert seconds(100_000) < 40 * max(seconds(10_000), 0.05)
