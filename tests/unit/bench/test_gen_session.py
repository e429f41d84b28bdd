"""Generated sessions are what they claim to be: whole, the same every time, and of every kind of entry."""

from pathlib import Path

import pytest

from pi_lsp.context.select import select
from pi_lsp.session.log import SessionLog
from tests.support.gen_session import KEPT_BYTES, write_session

SIZE = 3_000_000


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> SessionLog:
    file = tmp_path_factory.mktemp("generated") / "session.jsonl"
    write_session(file, SIZE, compact_every=300_000)
    return SessionLog.open(str(file))


def test_it_is_as_long_as_it_should_be(log):
    assert SIZE <= Path(log.path).stat().st_size < SIZE + 200_000


def test_every_line_is_an_entry_in_one_tree(log):
    lines = Path(log.path).read_bytes().count(b"\n")
    assert log.problems == []
    assert len(log.entries) == lines - 1
    assert len(log.tree.roots) == 1


def test_it_holds_what_sessions_hold(log):
    types = {entry.type for entry in log.entries}
    assert types >= {"message", "compaction", "branch_summary", "context_edit", "label", "custom"}
    roles = {entry.message["role"] for entry in log.entries if entry.type == "message"}
    assert roles == {"system", "user", "assistant", "toolResult", "bashExecution"}


def test_every_compaction_keeps_the_end_of_its_own_path(log):
    compactions = [entry for entry in log.entries if entry.type == "compaction"]
    assert len(compactions) > 3
    for compaction in compactions:
        path = log.tree.path(compaction.id)[:-1]
        first = next(at for at, entry in enumerate(path) if entry.id == compaction.get("firstKeptEntryId"))
        kept = sum(entry.length + 1 for entry in path[first:])
        assert KEPT_BYTES <= kept < KEPT_BYTES + 100_000


def test_the_same_arguments_give_the_same_bytes(tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        write_session(tmp_path / name, 200_000, seed=seed)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() != (tmp_path / "c").read_bytes()


def test_without_compactions_the_whole_path_is_the_context(tmp_path):
    write_session(tmp_path / "flat", 500_000, compact_every=None)
    log = SessionLog.open(str(tmp_path / "flat"))
    path = log.tree.path(log.tree.leaf_id)
    assert not any(entry.type == "compaction" for entry in path)
    assert len(select(path).entries) == len(path)
