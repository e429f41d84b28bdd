"""`pi/compact/preview`: what a compaction would do."""

from pathlib import Path

import pytest

from pi_lsp.api.compact import Preview, PreviewParams, preview
from pi_lsp.api.errors import ParamsError, RefusedError
from pi_lsp.session.entries import Entry
from pi_lsp.session.store import Session
from tests.support.windows import Place, answered, said


async def plan(place: Place, keep: int | None = None) -> Preview:
    async with place.window() as window:
        return await preview(window, PreviewParams(keep_recent_tokens=keep))


async def test_the_sample(tmp_path: Path) -> None:
    place = Place(tmp_path)
    before = place.session.read_bytes()
    found = await plan(place, 800)
    groups = [found.summarized, found.turn_prefix, found.kept]
    assert [group[0].entry_id for group in groups] == ["751affa8", "612edc5b", "ddd023eb"]
    assert (found.first_kept_entry_id, found.split_turn) == ("ddd023eb", True)
    assert found.tokens_before == 4596
    assert found.tokens_after < found.tokens_before
    assert "apps/web/src/calendar.ts" in found.modified_files
    assert "apps/web/src/Berth.tsx" in found.read_files
    assert "never change the public json" in found.local_summary.lower()
    assert place.session.read_bytes() == before


async def test_after_it_the_context_would_hold_prompt_summary_and_what_is_kept(tmp_path: Path) -> None:
    place = Place(tmp_path, sample=False)
    (place.workspace / "AGENTS.md").write_text("Be kind. " * 500)
    place.write_session([said("u", "old " * 500), answered("a", "gone " * 500), said("v", "new " * 20)])
    found = await plan(place, 20)
    session = Session.open(str(place.session), str(place.workspace))
    entry: Entry = session.append(
        {"type": "compaction", "summary": found.local_summary, "firstKeptEntryId": found.first_kept_entry_id}
    )
    assert entry.type == "compaction"
    async with place.window() as window:
        from pi_lsp.api.context import ContextParams, context

        assert found.tokens_after == (await context(window, ContextParams())).total


async def test_what_there_is_nothing_to_compact_of_is_refused_with_the_reason(tmp_path: Path) -> None:
    place = Place(tmp_path, sample=False)
    place.write_session([said("u", "x"), answered("a", "y")])
    with pytest.raises(RefusedError, match="20000 tokens") as refusal:
        await plan(place)
    assert refusal.value.reason == "nothingToCompact"
    place.write_session([said("u", "x"), {"type": "compaction", "id": "c", "summary": "S", "firstKeptEntryId": "u"}])
    with pytest.raises(RefusedError) as refusal:
        await plan(place)
    assert refusal.value.reason == "alreadyCompacted"
    place.write_session([])
    with pytest.raises(RefusedError):
        await plan(place)


async def test_numbers_that_are_none(tmp_path: Path) -> None:
    place = Place(tmp_path, sample=False)
    with pytest.raises(ParamsError, match="keepRecentTokens"):
        await plan(place, -1)
    (place.agent / "settings.json").write_text('{"compaction": {"keepRecentTokens": -5}}')
    with pytest.raises(RefusedError, match="newest 20000 tokens"):
        await plan(place)


async def test_the_settings_say_how_much_is_kept(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (place.agent / "settings.json").write_text('{"compaction": {"keepRecentTokens": 800}}')
    assert (await plan(place)).first_kept_entry_id == "ddd023eb"
