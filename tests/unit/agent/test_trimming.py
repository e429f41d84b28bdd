from pathlib import Path
from typing import Any

import pytest

from pi_lsp.agent.compacting import Compactor
from pi_lsp.agent.events import CompactionStart
from pi_lsp.agent.trimming import KEPT_UNITS, LARGE_UNITS, plan_trims
from pi_lsp.api.explain import ExplainParams, explain
from pi_lsp.base.json import JsonObject
from pi_lsp.context.estimate import PI_COUNTER
from pi_lsp.context.select import select
from pi_lsp.session.messages import text_of
from tests.support.windows import Place, answered, said
from tests.unit.agent.talk import named, path, recorded, reopened, speaker, text
from tests.unit.agent.test_compacting import full
from tests.unit.compaction.sessions import assistant, call, chain, edit, result, units, user

TRIM: JsonObject = {"compaction": {"trimToolResults": 5000, "keepRecentTokens": 200}}


def read(n: int, output: str) -> list[Any]:
    calls = [{"type": "toolCall", "id": f"c{n}", "name": "read", "arguments": {"path": f"{n}.py"}}]
    return [
        answered(f"e{n}", "", content=calls, stopReason="toolUse"),
        said(f"r{n}", output, role="toolResult", toolCallId=f"c{n}", toolName="read", isError=False),
    ]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Three large results and a small one, oldest first; then 200 tokens."""
    place = Place(tmp_path, sample=False)
    large = [entry for n in range(3) for entry in read(n, f"head {n} " + "😀" * 8000 + f" tail {n}")]
    place.write_session([said("u0", "look"), *large, *read(3, "small"), answered("a", units(250)), said("u1", "and?")])
    return place


async def test_old_large_results_are_cut_to_head_tail_and_size(place: Place) -> None:
    before = place.session.read_bytes()
    async with place.window(settings=TRIM) as window:
        events = recorded(window)
        compactor = Compactor(window)
        assert await full(window, compactor)
        assert await compactor.in_run(speaker([text("S")]), "threshold")
        assert named(events, CompactionStart) == []
        entries = await path(window)
        edits = [entry for entry in entries if entry.type == "context_edit"]
        assert [entry.get("targetId") for entry in edits] == ["r0", "r1", "r2"]
        shown = {one.entry.id: one.messages for one in select(entries).entries}
        cut = text_of(shown["r1"][0])
        assert cut.startswith("head 1 😀")
        assert cut.endswith("😀 tail 1")
        assert "of 16014 characters left out" in cut
        assert len(cut.encode("utf-16-le")) < 2 * (KEPT_UNITS + 100)
        assert text_of(shown["r3"][0]) == "small"
        assert not await full(window, compactor)  # nothing is left to trim
        assert not await compactor.in_run(speaker([text("S")]), "threshold")
    assert place.session.read_bytes().startswith(before)
    assert reopened(place).leaf_id == edits[-1].id


async def test_it_is_off_unless_the_settings_say_so(place: Place) -> None:
    before = place.session.read_bytes()
    for settings in ({}, {"compaction": {"trimToolResults": 500_000, "keepRecentTokens": 200}}):
        async with place.window(settings=settings) as window:
            assert not await full(window, Compactor(window))
            assert not await Compactor(window).in_run(speaker([text("S")]), "threshold")
    assert place.session.read_bytes() == before


async def test_explain_shows_it_and_how_to_undo_it(place: Place) -> None:
    async with place.window(settings=TRIM) as window:
        await Compactor(window).in_run(speaker([text("S")]), "threshold")
        [hit] = (await explain(window, ExplainParams(entry_id="r1"))).hits
        assert (hit.fate, hit.stage) == ("changed", "contextEdit")
        assert hit.restore is not None
        assert (hit.restore.method, hit.restore.params) == ("pi/context/restore", {"entryId": "r1"})


async def test_what_is_still_too_full_is_compacted(place: Place) -> None:
    settings: JsonObject = {"compaction": {**TRIM["compaction"], "reserveTokens": 199_000}}  # pyright: ignore
    async with place.window(settings=settings) as window:
        events = recorded(window)
        assert await Compactor(window).in_run(speaker([text("S")]), "threshold")
        assert len(named(events, CompactionStart)) == 1
        assert [entry.type for entry in await path(window)][-2:] == ["context_edit", "compaction"]


def test_recent_results_and_small_savings_are_left_alone() -> None:
    large = [assistant("", call("c", "read")), result("c", units(8000))]
    assert plan_trims(select(chain(user("u"), *large)), 100) == []  # it is the newest
    assert [trim.entry_id for trim in plan_trims(select(chain(user("u"), *large, user(units(100)))), 100)] == ["e2"]
    assert plan_trims(select(chain(user("u"), *large, user(units(99)))), 100) == []
    little = [assistant("", call("c", "read")), result("c", "x" * (LARGE_UNITS + 1))]
    assert plan_trims(select(chain(user("u"), *little, *little, *little, user(units(100)))), 100) == []


def test_what_people_and_the_model_said_is_never_cut() -> None:
    said = [user(units(9000)), assistant(units(9000), call("c", "read")), result("c", units(8000))]
    [trim] = plan_trims(select(chain(*said, user(units(100)))), 100)
    assert trim.entry_id == "e2"
    assert trim.saved_tokens == 8000 - PI_COUNTER.text(trim.text)


def test_what_is_cut_or_left_out_already_stays_so() -> None:
    path = chain(user("u"), assistant("", call("c", "read")), result("c", units(8000)), user(units(100)))
    [trim] = plan_trims(select(path), 100)
    assert plan_trims(select(chain(edit("e2", {"content": trim.text}), after=path)), 0) == []
    assert plan_trims(select(chain(edit("e2"), after=path)), 0) == []


def test_images_of_a_trimmed_result_are_told() -> None:
    image: JsonObject = {"type": "image", "mimeType": "image/png", "data": "AAAA"}
    shot = result("c", units(8000))
    for told in ("[1 image left out]", "[2 images left out]"):
        shot["message"]["content"].append(image)  # pyright: ignore
        [trim] = plan_trims(select(chain(user("u"), assistant("", call("c", "read")), shot, user(units(100)))), 100)
        assert trim.text.endswith(told)
