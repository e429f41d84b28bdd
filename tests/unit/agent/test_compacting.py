import asyncio
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.agent.compacting import CompactionRefusedError, Compactor
from pi_lsp.agent.events import CompactionEnd, CompactionStart
from pi_lsp.agent.seams import GivenCompaction, Planned, Seams
from pi_lsp.agent.speaker import NOBODY
from pi_lsp.agent.window import Window
from pi_lsp.base.json import as_object, encode
from pi_lsp.context.prompt_state import system_text
from pi_lsp.llm.scripted import ScriptedAnswer
from pi_lsp.resources.settings_read import SettingError
from tests.support.waiting import until
from tests.support.windows import Place, answered, said
from tests.unit.agent.talk import (
    KEEP_LITTLE,
    leaf,
    long_talk,
    named,
    path,
    provider_of,
    recorded,
    reopened,
    speaker,
    text,
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path, sample=False)
    place.write_session(long_talk())
    return place


async def test_a_compaction_is_one_entry_behind_the_leaf(place: Place) -> None:
    before = place.session.read_bytes()
    async with place.window(settings=KEEP_LITTLE) as window:
        events = recorded(window)
        steps: list[str] = []
        asked = speaker([text("THE SUMMARY")])
        done = await Compactor(window).compact(asked, instructions="mind it", report=steps.append)
        assert await leaf(window) == done.entry.id
        assert done.summarizer == "model"
        assert done.tokens_after < done.result.tokens_before
        [start], [end] = named(events, CompactionStart), named(events, CompactionEnd)
        assert (start.reason, end.reason, end.entry_id) == ("manual", "manual", done.entry.id)
        assert (end.tokens_before, end.tokens_after) == (done.result.tokens_before, done.tokens_after)
        assert (end.summarizer, end.error, end.cancelled) == ("model", None, False)
        assert steps[0] == "Sonnet writes the summary"
    after = place.session.read_bytes()
    assert after.startswith(before)
    body = reopened(place).tree.get(done.entry.id)
    assert body is not None
    assert after.count(b"\n") == before.count(b"\n") + 1
    assert body.parent_id == "a5"
    assert (body.get("summary"), body.get("firstKeptEntryId")) == ("THE SUMMARY", done.result.first_kept_entry_id)
    assert body.get("fromHook") is False
    assert body.get("usage") == done.result.usage is not None  # what it has cost counts


async def test_C8_the_rules_go_whole_into_the_first_request_after_it(place: Place) -> None:
    rules = place.workspace / "AGENTS.md"
    rules.write_text("The rule of the first day.\n")
    async with place.window(settings=KEEP_LITTLE) as window:
        rules.write_text("Rule one of today.\n" + "More of it.\n" * 300 + "The last rule of today.\n")
        done = await Compactor(window).compact(speaker([text("S")]))
        system = await window.in_session(
            lambda conversation: system_text(
                conversation.view(conversation.leaf_id, window.prompt_parts()).request_messages[0]
            )
        )
    assert rules.read_text() in system
    assert rules.read_text() in system_text(as_object(done.entry.get("systemMessage")))  # so Pi has them, too


async def test_refusals(tmp_path: Path) -> None:
    place = Place(tmp_path, sample=False)
    place.write_session([said("u", "x"), answered("a", "y")])
    async with place.window() as window:
        events = recorded(window)
        with pytest.raises(CompactionRefusedError, match="20000 tokens") as refusal:
            await Compactor(window).compact(NOBODY)
        assert refusal.value.reason == "nothingToCompact"
        assert events == []
    place.write_session(long_talk())
    async with place.window(settings=KEEP_LITTLE) as window:
        await Compactor(window).compact(speaker([text("S")]))
        with pytest.raises(CompactionRefusedError) as refusal:
            await Compactor(window).compact(NOBODY)
        assert refusal.value.reason == "alreadyCompacted"
    async with place.window(settings={"compaction": {"keepRecentTokens": -1}}) as window:
        with pytest.raises(SettingError, match="keepRecentTokens"):
            await Compactor(window).compact(NOBODY)


async def test_C9_one_that_would_not_shrink_is_not_stored_and_says_so(tmp_path: Path) -> None:
    place = Place(tmp_path, sample=False)
    place.write_session([said("u", "x"), answered("a", "y"), said("v", "x" * 400)])
    before = place.session.read_bytes()
    async with place.window(settings=KEEP_LITTLE) as window:
        events = recorded(window)
        with pytest.raises(CompactionRefusedError, match="no shorter") as refusal:
            await Compactor(window).compact(speaker([text("a summary that is longer than x and y" * 9)]))
        assert refusal.value.reason == "nothingToCompact"
        assert "no shorter" in named(events, CompactionEnd)[0].error
    assert place.session.read_bytes() == before


async def test_C10_when_the_model_keeps_failing_the_session_goes_on_with_a_local_summary(place: Place) -> None:
    async with place.window(settings=KEEP_LITTLE) as window:
        events = recorded(window)
        done = await Compactor(window).compact(speaker([ScriptedAnswer(error="overloaded")]))
        assert (done.summarizer, done.error) == ("local", "Summarization failed: overloaded")
        assert as_object(done.entry.get("details"))["summarizer"] == "local"
        [end] = named(events, CompactionEnd)
        assert (end.summarizer, end.error) == ("local", done.error)


async def test_C5_after_an_abort_nothing_is_written(place: Place) -> None:
    before = place.session.read_bytes()
    async with place.window(settings=KEEP_LITTLE) as window:
        events = recorded(window)
        asked = speaker([ScriptedAnswer(text="slow " * 200, pause_s=0.01)])
        task = asyncio.create_task(Compactor(window).compact(asked))
        await until(lambda: provider_of(asked).requests)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        [end] = named(events, CompactionEnd)
        assert (end.cancelled, end.entry_id) == (True, None)
        assert await leaf(window) == "a5"
    assert place.session.read_bytes() == before


async def test_C5_an_abort_that_comes_while_the_entry_is_written_leaves_a_whole_compaction(place: Place) -> None:
    async with place.window(settings=KEEP_LITTLE) as window:
        events = recorded(window)

        def report(step: str) -> None:
            if "written" in step:
                task.cancel()

        task = asyncio.create_task(Compactor(window).compact(speaker([text("S")]), report=report))
        done = await task
        assert named(events, CompactionEnd)[0].entry_id == done.entry.id == await leaf(window)


@pytest.mark.parametrize("leaf_id", ["a2", "u5"])
async def test_S1_a_session_that_goes_on_elsewhere_meanwhile_gets_no_compaction(place: Place, leaf_id: str) -> None:
    async with place.window(settings=KEEP_LITTLE) as window:

        async def another_window_moves(planned: Planned) -> None:
            await window.in_session(lambda conversation: conversation.session.move(leaf_id))

        with pytest.raises(CompactionRefusedError) as refusal:
            await Compactor(window, Seams(before_compact=another_window_moves)).compact(speaker([text("S")]))
        assert refusal.value.reason == "staleTip"
        assert await leaf(window) == leaf_id


async def test_what_another_program_appended_meanwhile_stays_behind_the_summary(place: Place) -> None:
    async with place.window(settings=KEEP_LITTLE) as window:

        async def another_program_writes(planned: Planned) -> None:
            entry = {"parentId": "a5", "timestamp": "2026-01-01T00:00:00.000Z", **said("new", "from the terminal")}
            with place.session.open("a") as file:
                file.write(encode(entry) + "\n")

        done = await Compactor(window, Seams(before_compact=another_program_writes)).compact(speaker([text("S")]))
        assert done.entry.parent_id == "new"
        assert [entry.id for entry in await path(window)][-2:] == ["new", done.entry.id]


async def test_a_hook_writes_the_summary_or_forbids_it(place: Place) -> None:
    told: list[Any] = []

    async def own(planned: Planned) -> GivenCompaction:
        told.append((planned.reason, planned.instructions, planned.preparation.first_kept_entry_id))
        return GivenCompaction(summary="MINE", first_kept_entry_id="a5", details={"step": 7})

    async def after(*told_after: object) -> None:
        told.append(told_after)

    async with place.window(settings=KEEP_LITTLE) as window:
        asked = speaker([text("S")])
        done = await Compactor(window, Seams(before_compact=own, after_compact=after)).compact(asked)
        assert provider_of(asked).requests == []
        assert (done.entry.get("summary"), done.entry.get("fromHook")) == ("MINE", True)
        assert (done.entry.get("firstKeptEntryId"), done.entry.get("details")) == ("a5", {"step": 7})
        assert told == [("manual", None, "u5"), (done.entry, "manual", True)]

    async def forbid(planned: Planned) -> str:
        return "cancel"

    async def failed(*why: object) -> None:
        told.append(why)

    place.write_session(long_talk())
    async with place.window(settings=KEEP_LITTLE) as window:
        with pytest.raises(CompactionRefusedError) as refusal:
            await Compactor(window, Seams(before_compact=forbid, compact_failed=failed)).compact(asked)  # pyright: ignore
        assert refusal.value.reason == "cancelledByHook"
        assert told[-1] == ("manual", "a hook has cancelled the compaction")


@pytest.mark.parametrize("first_kept", [None, "nobody's"])
async def test_a_hook_that_names_no_entry_of_the_path_keeps_what_would_have_been_kept(
    place: Place, first_kept: str | None
) -> None:
    async def own(planned: Planned) -> GivenCompaction:
        return GivenCompaction(summary="MINE", first_kept_entry_id=first_kept)

    async with place.window(settings=KEEP_LITTLE) as window:
        done = await Compactor(window, Seams(before_compact=own)).compact(NOBODY)
        assert (done.entry.get("summary"), done.entry.get("firstKeptEntryId")) == ("MINE", "u5")


async def test_a_seam_that_raises_does_not_keep_a_compaction_from_being_done(place: Place) -> None:
    async def raises(*_: object) -> None:
        raise RuntimeError("a bug")

    place.write_session(long_talk())
    async with place.window(settings=KEEP_LITTLE) as window:
        seams = Seams(before_compact=raises, after_compact=raises)
        done = await Compactor(window, seams).compact(speaker([text("S")]))
        assert done.entry.get("summary") == "S"


# --- by itself --------------------------------------------------------------------------------------------------


async def full(window: Window, compactor: Compactor) -> bool:
    return await window.in_session(lambda conversation: compactor.is_full(speaker([]), conversation, window.now()))


async def test_C6_it_begins_also_where_the_provider_reports_no_usage(place: Place) -> None:
    place.write_session(long_talk(turns=20))
    async with place.window(settings=KEEP_LITTLE) as window:
        assert await full(window, Compactor(window))
    place.write_session(long_talk(turns=1))
    async with place.window(settings=KEEP_LITTLE) as window:
        assert not await full(window, Compactor(window))


async def test_C6_a_usage_from_before_a_compaction_does_not_start_another(place: Place) -> None:
    place.write_session([said("u", "hello " * 300), answered("a", "hi", tokens=4500), said("v", "x" * 400)])
    async with place.window(settings=KEEP_LITTLE) as window:
        compactor = Compactor(window)
        assert await full(window, compactor)
        assert await compactor.in_run(speaker([text("S")]), "threshold")
        assert not await full(window, compactor)
        await window.write(lambda it: [it.session.append({"type": "message", "message": said("", "next")["message"]})])
        assert not await full(window, compactor)


async def test_settings_turn_it_off_and_a_wrong_one_costs_no_turn(place: Place) -> None:
    place.write_session([said("u", "hello"), answered("a", "hi", tokens=190_000)])
    async with place.window() as window:
        assert await full(window, Compactor(window))
    async with place.window(settings={"compaction": {"enabled": False}}) as window:
        assert not await full(window, Compactor(window))
    async with place.window(settings={"compaction": {"reserveTokens": "many"}}) as window:
        assert await full(window, Compactor(window))  # the default holds


async def test_a_run_gets_its_threshold_and_its_overflow(place: Place) -> None:
    place.write_session(long_talk(turns=20))
    async with place.window(settings=KEEP_LITTLE) as window:
        events = recorded(window)
        compactor = Compactor(window)
        assert await compactor.in_run(speaker([text("S")]), "threshold")
        assert [event.reason for event in named(events, CompactionStart)] == ["threshold"]
        assert not await compactor.in_run(speaker([text("S")]), "overflow")  # nothing has come since
        assert len(named(events, CompactionStart)) == 1
    place.write_session(long_talk())
    async with place.window(settings=KEEP_LITTLE) as window:
        events = recorded(window)
        assert not await Compactor(window).in_run(speaker([text("S")]), "threshold")  # far from full
        assert await Compactor(window).in_run(speaker([text("S")]), "overflow")
        assert [event.reason for event in named(events, CompactionStart)] == ["overflow"]


async def test_C5_an_abort_during_the_write_reaches_the_run(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    async with place.window(settings=KEEP_LITTLE) as window:
        events = recorded(window)
        write = window.write

        async def cancelled_meanwhile(call: Any) -> Any:
            task.cancel()
            return await write(call)

        monkeypatch.setattr(window, "write", cancelled_meanwhile)
        task = asyncio.create_task(Compactor(window).in_run(speaker([text("S")]), "overflow"))
        with pytest.raises(asyncio.CancelledError):
            await task
        assert named(events, CompactionEnd)[0].entry_id == await leaf(window)
