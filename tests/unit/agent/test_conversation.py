import json
from pathlib import Path

import pytest

from pi_lsp.agent.conversation import Conversation
from pi_lsp.session.actions import append_name
from pi_lsp.session.errors import EntryNotFoundError, StaleTipError
from pi_lsp.session.store import Session

HEADER = {"type": "session", "version": 3, "id": "s1", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/w"}


def message(entry_id: str, parent: str | None, role: str = "user", **more: object) -> dict[str, object]:
    return {
        "type": "message",
        "id": entry_id,
        "parentId": parent,
        "timestamp": "2026-01-01T00:00:01.000Z",
        "message": {"role": role, "content": [{"type": "text", "text": entry_id}], "timestamp": 1, **more},
    }


def write(path: Path, *entries: object) -> Conversation:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in (HEADER, *entries)))
    return Conversation(Session.open(str(path), "/w"))


def append(path: Path, *entries: object) -> None:
    with path.open("a") as file:
        file.writelines(json.dumps(entry) + "\n" for entry in entries)


def test_the_leaf_follows_a_program_that_goes_on_from_it(tmp_path: Path) -> None:
    conversation = write(tmp_path / "s.jsonl", message("a", None))
    append(tmp_path / "s.jsonl", message("b", "a", "assistant"), message("c", "b"))

    followed = conversation.follow()

    assert [entry.id for entry in followed.entries] == ["b", "c"]
    assert followed.leaf_moved
    assert conversation.leaf_id == "c"
    assert conversation.follow().entries == ()


def test_S1_what_refused_an_append_is_told_and_followed(tmp_path: Path) -> None:
    conversation = write(tmp_path / "s.jsonl", message("a", None))
    append(tmp_path / "s.jsonl", message("b", "a"))
    with pytest.raises(StaleTipError):
        append_name(conversation.session, "n")

    followed = conversation.follow()

    assert [entry.id for entry in followed.entries] == ["b"]
    assert followed.leaf_moved
    assert conversation.leaf_id == "b"


def test_S1_the_leaf_stays_where_another_program_branches_off(tmp_path: Path) -> None:
    conversation = write(tmp_path / "s.jsonl", message("a", None), message("b", "a", "assistant"))
    append(tmp_path / "s.jsonl", message("x", "a"))

    followed = conversation.follow()

    assert not followed.leaf_moved
    assert conversation.leaf_id == "b"


def test_a_window_on_an_older_branch_stays_there(tmp_path: Path) -> None:
    conversation = write(tmp_path / "s.jsonl", message("a", None), message("b", "a"), message("c", "a"))
    conversation.session.move("b")
    append(tmp_path / "s.jsonl", message("d", "c"))

    assert not conversation.follow().leaf_moved
    assert conversation.leaf_id == "b"


def test_an_unknown_entry_is_refused_and_no_leaf_is_an_empty_path(tmp_path: Path) -> None:
    conversation = write(tmp_path / "s.jsonl", message("a", None))

    assert list(conversation.path(None)) == []
    with pytest.raises(EntryNotFoundError, match="nope"):
        conversation.path("nope")


def test_the_cost_is_that_of_all_branches_and_grows_with_the_file(tmp_path: Path) -> None:
    def answer(entry_id: str, parent: str, dollars: object) -> dict[str, object]:
        return message(entry_id, parent, "assistant", usage={"input": 1, "cost": {"total": dollars}})

    conversation = write(tmp_path / "s.jsonl", message("a", None), answer("b", "a", 0.25), answer("c", "a", 0.5))
    assert conversation.cost() == 0.75
    append(tmp_path / "s.jsonl", answer("d", "c", 1), answer("e", "d", "free"), answer("f", "e", True))
    conversation.follow()
    assert conversation.cost() == 1.75
    assert conversation.cost() == 1.75


def test_a_path_is_the_same_object_until_the_tree_changes(tmp_path: Path) -> None:
    conversation = write(tmp_path / "s.jsonl", message("a", None), message("b", "a"))
    before = conversation.path("b")
    assert conversation.path("b") is before
    append(tmp_path / "s.jsonl", message("b", None))  # another one of that id, which counts from here on
    conversation.follow()
    assert [entry.parent_id for entry in before] == [None, "a"]
    assert [entry.parent_id for entry in conversation.path("b")] == [None]
