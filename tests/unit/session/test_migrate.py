import math

from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.session.log import SessionLog
from pi_lsp.session.migrate import entries_of, migrate, version_of
from tests.unit.session.samples import HEADER, TIME, ids, write

V1 = {"type": "session", "id": "old", "timestamp": TIME, "cwd": "/w"}


def said(text: str, role: str = "user"):
    return {"type": "message", "timestamp": TIME, "message": {"role": role, "content": text}}


def test_v1_entries_follow_each_other_under_stable_ids():
    file = [V1, said("a"), said("a"), said("b", "hookMessage")]
    entries = entries_of(file)
    assert [entry.parent_id for entry in entries] == [None, entries[0].id, entries[1].id]
    assert len(set(ids(entries))) == 3
    assert ids(entries_of(file)) == ids(entries)
    assert ids(entries_of([*file, said("later")]))[:3] == ids(entries)
    assert entries[2].message["role"] == "custom"
    assert "id" not in file[1]


def test_v1_first_kept_is_turned_into_an_id():
    compaction = {"type": "compaction", "summary": "S", "firstKeptEntryIndex": 1}
    header, first, summary = migrate([V1, said("a"), compaction])
    assert header["version"] == 3
    assert summary["firstKeptEntryId"] == first["id"]
    assert "firstKeptEntryIndex" not in summary


@given(st.sampled_from([0, 3, 99, -1, 1.5]) | st.floats())
def test_v1_first_kept_that_names_no_entry_is_dropped(place):
    if place in (1, 2):
        return
    summary = migrate([V1, said("a"), {"type": "compaction", "firstKeptEntryIndex": place}])[2]
    assert not {"firstKeptEntryId", "firstKeptEntryIndex"} & set(summary)


def test_v2_keeps_its_ids_and_v3_is_untouched():
    entry = {**said("x", "hookMessage"), "id": "keep", "parentId": None}
    assert migrate([{**V1, "version": 2}, entry])[1]["message"]["role"] == "custom"
    assert migrate([{**V1, "version": 2}, entry])[1]["id"] == "keep"
    assert migrate([HEADER, entry]) == [HEADER, entry]


def test_versions_of_any_type():
    versions = [None, 2, "2", "", "x", [], True]
    found = [version_of({"type": "session", "version": version}) for version in versions]
    assert found[:4] == [1, 2, 2, 0]
    assert all(map(math.isnan, found[4:6]))
    assert found[6] == 1
    assert version_of(None) == 1


def test_values_that_are_no_objects_keep_their_places_and_are_no_entries():
    compaction = {"type": "compaction", "firstKeptEntryIndex": 3}
    entries = entries_of([V1, 5, ["x"], said("a"), compaction])
    assert [entry.type for entry in entries] == ["message", "compaction"]
    assert entries[1].get("firstKeptEntryId") == entries[0].id


def test_an_old_file_is_read_migrated_and_left_as_it_is(tmp_path):
    path = write(tmp_path / "old.jsonl", V1, said("a"), b"garbage", said("b"))
    before = (tmp_path / "old.jsonl").read_bytes()
    log = SessionLog.open(path)
    assert log.is_old
    assert len(log.tree.path(log.tree.leaf_id)) == 2
    assert [problem.line for problem in log.problems] == [3]
    assert ids(SessionLog.open(path).entries) == ids(log.entries)
    assert (tmp_path / "old.jsonl").read_bytes() == before
