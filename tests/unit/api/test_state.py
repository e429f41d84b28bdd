"""`pi/state`, and that all meters show the same."""

from pathlib import Path

import pytest

from pi_lsp.api.compact import PreviewParams, preview
from pi_lsp.api.context import ContextParams, context
from pi_lsp.api.state import State, state
from tests.support.windows import Place, answered, said

COMPACTION = {"type": "compaction", "id": "c", "summary": "So far so good.", "firstKeptEntryId": "a"}


async def look(place: Place) -> State:
    async with place.window() as window:
        return await state(window, None)


async def test_the_sample(tmp_path: Path) -> None:
    place = Place(tmp_path)
    now = await look(place)
    assert (now.session.file, now.session.cwd) == (str(place.session), str(place.workspace))
    assert (now.session.name, now.session.leaf_id) == ("Bookings that end at midnight", "e8a06a94")
    assert now.session.entries == 64
    assert now.model
    assert (now.model.id, now.model.context_window, now.thinking_level) == ("claude-sonnet-4-5", 200_000, "medium")
    assert (now.phase, now.queue.steer, now.queue.follow_up) == ("idle", [], [])
    assert (now.context.tokens, now.context.percent, now.context.source) == (4596, 2.3, "measured")
    assert now.cost.total == pytest.approx(0.072446)
    assert (now.trusted, now.tool_policy) == (True, "ask")


async def test_after_a_compaction_nobody_knows_until_a_provider_reports(tmp_path: Path) -> None:
    place = Place(tmp_path, sample=False)
    entries = [said("u", "x"), answered("a", "y", 5000), COMPACTION, said("v", "z")]
    place.write_session(entries)
    context_now = (await look(place)).context
    assert (context_now.tokens, context_now.percent, context_now.source) == (None, None, "estimated")
    place.write_session([*entries, answered("b", "w", 3000)])
    assert (await look(place)).context.tokens == 3000
    edit = {"type": "context_edit", "id": "e", "targetId": "v", "replacement": {"content": "other"}}
    place.write_session([*entries, answered("b", "w", 3000), edit])
    context_now = (await look(place)).context
    assert context_now.source == "estimated"
    assert context_now.tokens is not None


async def test_only_the_user_may_set_the_tool_policy(tmp_path: Path) -> None:
    place = Place(tmp_path, sample=False)
    (place.workspace / ".pi").mkdir()
    (place.workspace / ".pi" / "settings.json").write_text('{"toolPolicy": "allow"}')
    assert (await look(place)).tool_policy == "ask"
    (place.agent / "settings.json").write_text('{"toolPolicy": "readOnly"}')
    assert (await look(place)).tool_policy == "readOnly"


async def test_a_session_without_a_model_is_asked_of_the_one_in_the_settings(tmp_path: Path) -> None:
    place = Place(tmp_path, sample=False)
    place.write_session([said("u", "x")])
    (place.agent / "settings.json").write_text('{"defaultModel": "claude-opus-4-5"}')
    model = (await look(place)).model
    assert model
    assert model.id == "claude-opus-4-5"


@pytest.mark.parametrize("tokens", [0, 7000, 900_000])
async def test_L7_all_meters_show_the_same(tmp_path: Path, tokens: int) -> None:
    place = Place(tmp_path, sample=False)
    (place.workspace / "AGENTS.md").write_text("Be kind. " * 50)
    entries = [said("u", "question " * 200), answered("a", "answer " * 200, tokens), said("v", "more " * 50)]
    place.write_session(entries)
    async with place.window() as window:
        shown = (await state(window, None)).context
        whole = await context(window, ContextParams())
        plan = await preview(window, PreviewParams(keep_recent_tokens=50))
    assert shown.tokens == whole.total == plan.tokens_before
    assert shown.source == whole.source == ("measured" if tokens == 7000 else "estimated")
    assert shown.window == whole.window


async def test_L7_all_meters_estimate_a_huge_context_from_its_bytes(tmp_path: Path) -> None:
    place = Place(tmp_path, sample=False)
    place.write_session([said(f"u{number}", f"{number:07} " + "x" * 99_992) for number in range(40)])
    async with place.window() as window:
        await window.counting.load()
        shown = (await state(window, None)).context
        whole = await context(window, ContextParams())
        plan = await preview(window, PreviewParams())
    assert shown.tokens == whole.total == plan.tokens_before
    assert shown.tokens == pytest.approx(1_000_000, rel=0.01)
    assert shown.source == whole.source == "estimated"
    assert {message.tokens for message in whole.messages} == {entry.tokens for entry in plan.summarized} == {25_000}
