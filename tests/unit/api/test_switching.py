import asyncio
from pathlib import Path

import pytest

from pi_lsp.agent.seams import Seams
from pi_lsp.agent.speaker import NOBODY
from pi_lsp.agent.switching import Switcher
from pi_lsp.api.errors import RefusedError
from pi_lsp.api.switching import LabelParams, LabelResult, SwitchParams, label, switch
from pi_lsp.compaction.navigate import Switch, SwitchDecision
from pi_lsp.llm.scripted import ScriptedAnswer
from tests.support.waiting import until
from tests.support.windows import AT_ONCE, Place
from tests.unit.agent.talk import finding, leaf, long_talk, provider_of, reopened, speaker, text


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path, sample=False)
    place.write_session(long_talk(turns=2))
    return place


async def test_switch(place: Place) -> None:
    async with place.window(settings=AT_ONCE) as window:
        switcher = Switcher(window)
        found = await switch(window, SwitchParams(target_id="u1"), switcher=switcher, find_speaker=finding(NOBODY))
        assert (found.stop_reason, found.leaf_id, found.summarizer) == ("done", await leaf(window), "none")
        assert found.editor_text is not None
        assert found.editor_text.startswith("request 1")
        params = SwitchParams(target_id="a1", summarizer="model", label="L")
        found = await switch(window, params, switcher=switcher, find_speaker=finding(speaker([text("S")])))
        # Nothing was said on the branch that is left, so there is nothing to tell of it.
        assert (found.summarizer, found.summary_entry_id, found.error) == ("none", None, None)
        found = await switch(
            window,
            SwitchParams(target_id="a0", summarizer="model"),
            switcher=switcher,
            find_speaker=finding(speaker([text("S")])),
        )
        assert (found.summarizer, found.leaf_id) == ("model", found.summary_entry_id)


async def test_refusals(place: Place) -> None:
    async def forbid(_: Switch) -> SwitchDecision:
        return SwitchDecision(cancel=True)

    async with place.window() as window:
        with pytest.raises(RefusedError) as refusal:
            await switch(window, SwitchParams(target_id="zzz"), switcher=Switcher(window), find_speaker=finding(NOBODY))
        assert refusal.value.reason == "notFound"
        with pytest.raises(RefusedError) as refusal:
            await label(window, LabelParams(entry_id="zzz", label="L"))
        assert refusal.value.reason == "notFound"
        switcher = Switcher(window, Seams(before_tree=forbid))
        with pytest.raises(RefusedError) as refusal:
            await switch(window, SwitchParams(target_id="a0"), switcher=switcher, find_speaker=finding(NOBODY))
        assert refusal.value.reason == "cancelledByHook"
        assert window.operations.is_idle


async def test_C5_a_cancelled_switch_answers_where_it_stands(place: Place) -> None:
    before = place.session.read_bytes()
    async with place.window() as window:
        slow = speaker([ScriptedAnswer(text="S" * 2000, pause_s=0.01)])
        params = SwitchParams(target_id="a0", summarizer="model")
        task = asyncio.create_task(switch(window, params, switcher=Switcher(window), find_speaker=finding(slow)))
        await until(lambda: provider_of(slow).requests)
        assert window.operations.phase == "switching"
        await window.operations.abort()
        found = await task
        assert (found.stop_reason, found.leaf_id, found.summary_entry_id) == ("cancelled", "a1", None)
    assert place.session.read_bytes() == before


async def test_label(place: Place) -> None:
    async with place.window() as window:
        assert await label(window, LabelParams(entry_id="u0", label="start")) == LabelResult()
        assert reopened(place).tree.labels() == {"u0": "start"}
        await label(window, LabelParams(entry_id="u0", label=None))
        assert reopened(place).tree.labels() == {}
