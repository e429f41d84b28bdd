import asyncio
from pathlib import Path

import pytest

from pi_lsp.agent.compacting import Compactor
from pi_lsp.agent.speaker import NOBODY
from pi_lsp.agent.switching import Switcher
from pi_lsp.api.compaction import CompactParams, UndoResult, compact, undo
from pi_lsp.api.errors import ParamsError, RefusedError
from pi_lsp.api.switching import SwitchParams, switch
from pi_lsp.llm.scripted import ScriptedAnswer
from tests.support.waiting import until
from tests.support.windows import AT_ONCE, Place, said
from tests.unit.agent.talk import KEEP_LITTLE, finding, leaf, long_talk, provider_of, speaker, text


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path, sample=False)
    place.write_session(long_talk())
    return place


async def test_compact_and_undo(place: Place) -> None:
    async with place.window(settings=KEEP_LITTLE) as window:
        compactor = Compactor(window)
        asked = speaker([text("S")])
        found = await compact(window, CompactParams(), compactor=compactor, find_speaker=finding(asked))
        assert (found.stop_reason, found.entry_id, found.summary) == ("done", await leaf(window), "S")
        assert (found.first_kept_entry_id, found.summarizer, found.error) == ("u5", "model", None)
        assert found.tokens_before is not None
        assert found.tokens_after is not None
        assert found.tokens_after < found.tokens_before
        assert found.usage is not None
        undone = await undo(window, None, compactor=compactor)
        assert undone == UndoResult(leaf_id=await leaf(window))
        again = await compact(
            window, CompactParams(summarizer="local"), compactor=compactor, find_speaker=finding(asked)
        )
        assert (again.summarizer, again.usage, again.error) == ("local", None, None)
        assert len(provider_of(asked).requests) == 1


async def test_refusals(place: Place) -> None:
    async def refused(settings: object = None) -> str:
        async with place.window(settings=KEEP_LITTLE) as window:
            with pytest.raises(RefusedError) as refusal:
                await compact(window, CompactParams(), compactor=Compactor(window), find_speaker=finding(NOBODY))
            assert window.operations.is_idle
            return refusal.value.reason

    compaction = {"type": "compaction", "id": "c", "summary": "S", "firstKeptEntryId": "u5", "tokensBefore": 1}
    place.write_session([*long_talk(), compaction])
    assert await refused() == "alreadyCompacted"
    place.write_session([said("u", "x")])
    assert await refused() == "nothingToCompact"
    async with place.window(settings={"compaction": {"reserveTokens": []}}) as window:
        with pytest.raises(ParamsError, match="reserveTokens"):
            await compact(window, CompactParams(), compactor=Compactor(window), find_speaker=finding(NOBODY))
    async with place.window() as window:
        with pytest.raises(RefusedError) as refusal:
            await undo(window, None, compactor=Compactor(window))
        assert refusal.value.reason == "notFound"
    place.write_session([*long_talk(), compaction, said("u", "x")])
    async with place.window() as window:
        with pytest.raises(RefusedError) as refusal:
            await undo(window, None, compactor=Compactor(window))
        assert refusal.value.reason == "messagesFollow"


async def test_C11_and_S12_one_thing_at_a_time(place: Place) -> None:
    async with place.window(settings=KEEP_LITTLE) as window:
        compactor = Compactor(window)
        slow = speaker([ScriptedAnswer(text="S" * 200, pause_s=0.02)])
        first = asyncio.create_task(compact(window, CompactParams(), compactor=compactor, find_speaker=finding(slow)))
        await until(lambda: provider_of(slow).requests)
        assert window.operations.phase == "compacting"
        for other in (
            compact(window, CompactParams(), compactor=compactor, find_speaker=finding(slow)),
            undo(window, None, compactor=compactor),
            switch(window, SwitchParams(target_id="a0"), switcher=Switcher(window), find_speaker=finding(slow)),
        ):
            with pytest.raises(RefusedError) as refusal:
                await other
            assert refusal.value.reason == "busy"
        assert (await first).stop_reason == "done"
        assert window.operations.is_idle


@pytest.mark.parametrize("how", ["abort", "request"])
async def test_C5_a_cancelled_compaction_answers_and_writes_nothing(place: Place, how: str) -> None:
    before = place.session.read_bytes()
    async with place.window(settings=KEEP_LITTLE) as window:
        slow = speaker([ScriptedAnswer(text="S" * 2000, pause_s=0.01)])
        task = asyncio.create_task(
            compact(window, CompactParams(), compactor=Compactor(window), find_speaker=finding(slow))
        )
        await until(lambda: provider_of(slow).requests)
        if how == "abort":
            await window.operations.abort()
        else:
            task.cancel()
        found = await task
        assert (found.stop_reason, found.entry_id) == ("cancelled", None)
        await asyncio.sleep(0.05)
    assert place.session.read_bytes() == before


async def test_a_session_that_cannot_be_written_is_a_refusal(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pi_lsp.session.log.append_record", full)
    async with place.window(settings={**KEEP_LITTLE, **AT_ONCE}) as window:
        with pytest.raises(RefusedError, match="No space left") as refusal:
            await compact(window, CompactParams(), compactor=Compactor(window), find_speaker=finding(NOBODY))
        assert refusal.value.reason in ("readOnly", "nothingToCompact")
