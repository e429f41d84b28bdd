"""The kept projection is always that of the path."""

from pathlib import Path
from typing import Any

import pytest

from pi_lsp.agent import projecting
from pi_lsp.agent.projecting import Projector
from pi_lsp.context.select import select
from pi_lsp.session.entries import Entry
from pi_lsp.session.store import Session
from tests.support.windows import Place, answered, said


def entries(*bodies: dict[str, Any]) -> list[Entry]:
    return [Entry.of(body) for body in bodies]


def test_whatever_path_is_next_it_gets_its_own_projection() -> None:
    first = entries(said("u", "x"), answered("a", "y"), said("v", "z"))
    edit = entries({"type": "context_edit", "id": "e", "targetId": "u", "replacement": None})
    compaction = entries({"type": "compaction", "id": "c", "summary": "S", "firstKeptEntryId": "v"})
    later = entries(said("w", "more"), {"type": "thinking_level_change", "id": "t", "thinkingLevel": "low"})
    other = entries(said("u", "another session, the same id"))
    projector = Projector()
    for path in (
        [],
        first[:1],
        first,
        [*first, *edit],
        [*first, *edit, *later],
        [*first, *later],
        [*first, *later, *compaction],
        [*first, *later, *compaction, *other],
        first[:2],
        other,
        [],
    ):
        assert projector(path) == select(path)
        assert projector(path) is projector(list(path))


def test_a_huge_context_is_not_held_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(tmp_path, sample=False)
    place.write_session([said("u", "x" * 2000)])
    tree = Session.open(str(place.session), "/").tree
    path = tree.path(tree.leaf_id)
    monkeypatch.setattr(projecting, "KEPT_BYTES", 1000)
    projector = Projector()
    assert projector(path) == select(path)
    assert projector(path) is not projector(path)
