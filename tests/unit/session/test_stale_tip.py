"""What other programs append between a look and a write: nothing new starts before it."""

import os

import pytest

from pi_lsp.session import actions
from pi_lsp.session.append import append_record
from pi_lsp.session.errors import StaleTipError
from tests.unit.session.samples import append, ids, line, message, opened

USER = {"role": "user", "content": "hi", "timestamp": 1}


def test_S1_nothing_new_starts_from_a_stale_tip(tmp_path):
    session = opened(tmp_path)
    append(session.path, line(message("other", "b")))
    size = os.path.getsize(session.path)
    with pytest.raises(StaleTipError) as caught:
        actions.append_message(session, USER)
    assert ids(caught.value.entries) == ["other"]
    assert os.path.getsize(session.path) == size
    assert session.leaf_id == "b"
    assert session.tree.leaf_id == "other"
    session.move("other")
    assert actions.append_message(session, USER).parent_id == "other"
    assert ids(session.follow()) == ["other"]
    assert session.follow() == []


def test_S1_a_running_turn_goes_on_on_its_own_branch_and_tells_later(tmp_path):
    session = opened(tmp_path)
    append(session.path, line(message("other", "b")))
    session.running = True
    entry = session.append({"type": "message", "message": USER})
    assert entry.parent_id == "b"
    again = session.append({"type": "message", "message": USER})
    assert again.parent_id == entry.id
    assert ids(session.follow()) == ["other"]
    assert session.follow() == []
    assert session.leaf_id == again.id


def test_S1_what_came_in_at_the_very_moment_of_the_write_is_told(tmp_path, monkeypatch):
    session = opened(tmp_path)
    other = line(message("other", "b"))

    def between(*args):
        append(session.path, other)
        append_record(*args)

    monkeypatch.setattr("pi_lsp.session.log.append_record", between)
    own = actions.append_message(session, USER)
    assert own.parent_id == "b"
    assert ids(session.follow()) == ["other"]
    assert ids(session.tree) == ["a", "b", "other", own.id]


@pytest.mark.parametrize("add", [lambda s: actions.append_name(s, "n"), lambda s: actions.append_label(s, "a", "l")])
def test_S2_names_and_labels_follow_the_tip_of_the_file(tmp_path, add):
    session = opened(tmp_path)
    append(session.path, line(message("other", "b")))
    with pytest.raises(StaleTipError):
        add(session)
    session.move(session.tree.leaf_id)
    assert add(session).parent_id == "other"


def test_a_branch_summary_that_cannot_be_written_leaves_the_leaf_where_it_was(tmp_path):
    session = opened(tmp_path)
    append(session.path, line(message("other", "b")))
    with pytest.raises(StaleTipError):
        actions.branch_with_summary(session, "a", "S")
    assert session.leaf_id == "b"
    summary = actions.branch_with_summary(session, "a", "S")
    assert (summary.parent_id, summary.get("fromId")) == ("a", "b")
