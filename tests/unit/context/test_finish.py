"""The trace from entries to a request: one fate for each entry, from one mechanism."""

from pathlib import Path
from typing import Any

import pytest

from pi_lsp.base.json import decode_object
from pi_lsp.context.fate import SENT
from pi_lsp.context.finish import changed_fates, finish
from pi_lsp.context.model import Model
from pi_lsp.context.select import select
from pi_lsp.llm.body import request_body
from pi_lsp.session.entries import Entry
from pi_lsp.session.tree import Tree
from tests.support.strict_api import violations

MODEL = Model(id="m")


def said(entry_id: str, role: str = "user", content: Any = "x", **message: Any) -> Entry:
    return Entry.of({"type": "message", "id": entry_id, "message": {"role": role, "content": content} | message})


def test_the_fates_of_a_session_tell_who_did_what() -> None:
    edit = Entry.of({"type": "context_edit", "id": "edit", "targetId": "edited", "replacement": {"content": "a\0"}})
    path = [
        said("gone"),
        said("kept"),
        Entry.of({"type": "compaction", "id": "compaction", "summary": "S", "firstKeptEntryId": "kept"}),
        said("hidden", "bashExecution", command="ls", excludeFromContext=True),
        said("failed", "assistant", [], stopReason="error"),
        said("orphan", "toolResult", [], toolCallId="c"),
        said("edited"),
        edit,
        said("last"),
    ]
    projection = select(path)
    finished = finish(projection.messages, MODEL)
    fates = changed_fates(projection.fates, projection.message_entries, finished.changes)
    assert {key: (fate.fate, fate.stage, fate.by) for key, fate in fates.items()} == {
        "gone": ("absent", "compaction", "compaction"),
        "kept": ("sent", None, None),
        "compaction": ("sent", None, None),
        "hidden": ("absent", "convert", None),
        "failed": ("absent", "convert", None),
        "orphan": ("absent", "repair", None),
        "edited": ("changed", "repair", "edit"),
        "edit": ("absent", None, None),
        "last": ("sent", None, None),
    }
    assert fates["edited"].detail.startswith("its content was replaced by an edit; ")
    assert [projection.message_entries[item.source] for item in finished.items] == [
        "compaction", "kept", "edited", "last"
    ]  # fmt: skip


def test_an_entry_of_two_messages_is_absent_only_with_both() -> None:
    prompt = {"role": "system", "content": "old"}
    compaction = Entry.of({"type": "compaction", "id": "c", "summary": "S", "systemMessage": prompt})
    projection = select([compaction, said("now", "system", "new"), said("u")])
    fates = changed_fates(projection.fates, projection.message_entries, finish(projection.messages, MODEL).changes)
    assert fates["c"] == SENT
    assert (fates["now"].fate, fates["now"].stage) == ("changed", "convert")


@pytest.mark.parametrize("name", ["before-compaction.jsonl", "large-session.jsonl"])
def test_the_recorded_sessions_give_valid_requests_from_every_leaf(name: str) -> None:
    path = Path(__file__).parents[3] / "../shared/fixtures" / name
    if not path.exists():
        pytest.skip("no ../shared")
    tree = Tree(map(Entry.of, map(decode_object, path.read_bytes().splitlines()[1:])))
    for leaf in [tree.leaf_id, *list(tree)[:: max(1, len(tree) // 20)]]:
        projection = select(tree.path(leaf.id if isinstance(leaf, Entry) else leaf))
        finished = finish(projection.messages, MODEL)
        if any(item.message["role"] != "system" for item in finished.items):
            assert violations(request_body(finished.messages, MODEL), MODEL) == []
        assert set(changed_fates(projection.fates, projection.message_entries, finished.changes)) == set(
            projection.fates
        )
