from pathlib import Path

import pytest

from pi_lsp.agent.compacting import Compactor
from pi_lsp.agent.events import SessionChanged
from pi_lsp.agent.undoing import MessagesFollowError, NoCompactionError, undo_compaction
from pi_lsp.session.actions import append_label, append_message
from tests.support.windows import Place, said
from tests.unit.agent.talk import KEEP_LITTLE, leaf, long_talk, named, path, recorded, reopened, speaker, text
from tests.unit.agent.test_compacting import full


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path, sample=False)
    place.write_session(long_talk(turns=20))
    return place


async def test_it_goes_on_from_before_by_appending(place: Place) -> None:
    async with place.window(settings=KEEP_LITTLE) as window:
        compactor = Compactor(window)
        compacted = await compactor.compact(speaker([text("S")]))
        written = place.session.read_bytes()
        events = recorded(window)
        leaf_id = await undo_compaction(window, compactor)
        assert leaf_id == await leaf(window)
        entries = await path(window)
        assert compacted.entry.id not in [entry.id for entry in entries]
        assert (entries[-1].get("customType"), entries[-1].parent_id) == ("pi-lsp.leaf", "a19")
        assert named(events, SessionChanged)
    assert place.session.read_bytes().startswith(written)
    assert reopened(place).leaf_id == leaf_id


async def test_it_holds_automatic_compaction_until_a_request_was_too_long(place: Place) -> None:
    async with place.window(settings=KEEP_LITTLE) as window:
        compactor = Compactor(window)
        asked = speaker([text("S")])
        assert await full(window, compactor)
        await compactor.compact(asked)
        await undo_compaction(window, compactor)
        assert not await full(window, compactor)
        assert not await compactor.in_run(asked, "threshold")
        assert await compactor.in_run(asked, "overflow")
        assert not compactor.held


async def test_what_was_said_since_is_not_left_behind(place: Place) -> None:
    async with place.window(settings=KEEP_LITTLE) as window:
        compactor = Compactor(window)
        with pytest.raises(NoCompactionError):
            await undo_compaction(window, compactor)
        await compactor.compact(speaker([text("S")]))
        await window.write(lambda it: [append_label(it.session, "u0", "here")])
        await undo_compaction(window, compactor)  # a label is nothing that was said
        await compactor.compact(speaker([text("S")]))
        await window.write(lambda it: [append_message(it.session, said("", "next")["message"])])
        before = place.session.read_bytes()
        with pytest.raises(MessagesFollowError, match="switch"):
            await undo_compaction(window, compactor)
        assert place.session.read_bytes() == before
        assert compactor.held  # from the first time


async def test_a_compaction_that_is_the_first_entry_leaves_an_empty_path(tmp_path: Path) -> None:
    place = Place(tmp_path, sample=False)
    place.write_session([{"type": "compaction", "id": "c", "summary": "S", "firstKeptEntryId": "c", "tokensBefore": 1}])
    async with place.window() as window:
        await undo_compaction(window, Compactor(window))
        assert [entry.get("customType") for entry in await path(window)] == ["pi-lsp.leaf"]
