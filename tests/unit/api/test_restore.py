import asyncio
from pathlib import Path

import pytest

from pi_lsp.agent.compacting import Compactor
from pi_lsp.api.errors import ParamsError, RefusedError
from pi_lsp.api.explain import ExplainParams, explain
from pi_lsp.api.restore import LoadParams, RestoreParams, load_rules, restore
from pi_lsp.api.rules import rules_of
from pi_lsp.base.json import as_str
from pi_lsp.base.paths import path_to_uri
from pi_lsp.context.wording import WORDING
from tests.support.windows import Place, answered, said
from tests.unit.agent.talk import KEEP_LITTLE, long_talk, path, reopened, speaker, text


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path, sample=False)
    place.write_session([said("secret", "the password is swordfish"), *long_talk()])
    return place


async def test_what_a_compaction_removed_is_brought_back(place: Place) -> None:
    async with place.window(settings=KEEP_LITTLE) as window:
        await Compactor(window).compact(speaker([text("S")]))
        found = await explain(window, ExplainParams(query="swordfish"))
        assert not found.in_request
        assert found.hits[0].restore is not None
        restored = await restore(window, RestoreParams(entry_id=as_str(found.hits[0].restore.params["entryId"])))
        assert (await explain(window, ExplainParams(query="swordfish"))).in_request
        [*_, entry] = await path(window)
        assert (entry.id, entry.type, entry.get("details")) == (
            restored.entry_id,
            "custom_message",
            {"entryId": "secret"},
        )
        assert entry.get("content") == f"{WORDING.restored_lead}\n\nthe password is swordfish"
    assert reopened(place).leaf_id == restored.entry_id


async def test_a_huge_text_is_brought_back_by_its_ends(place: Place) -> None:
    place.write_session([said("huge", "begin " + "😀" * 200_000 + " end"), answered("a", "ok")])
    async with place.window() as window:
        await restore(window, RestoreParams(entry_id="huge"))
        [*_, entry] = await path(window)
    content = as_str(entry.get("content"))
    assert "begin 😀" in content
    assert content.endswith("😀 end")
    assert "characters left out" in content
    assert len(content) < 60_000


async def test_refusals(place: Place) -> None:
    call = {"type": "toolCall", "id": "c", "name": "read", "arguments": {}}
    place.write_session([said("u", "x"), answered("call", "", content=[call]), {"type": "label", "id": "l"}])
    async with place.window() as window:
        for entry_id in ("nowhere", "call", "l"):
            with pytest.raises(RefusedError) as refusal:
                await restore(window, RestoreParams(entry_id=entry_id))
            assert refusal.value.reason == "notFound"
        gate = asyncio.Event()
        task = asyncio.create_task(window.operations.run("running", gate.wait))
        await asyncio.sleep(0)
        with pytest.raises(RefusedError) as refusal:
            await restore(window, RestoreParams(entry_id="u"))
        assert refusal.value.reason == "busy"
        gate.set()
        await task


async def test_R3_rules_below_the_working_directory_are_loaded_as_messages(place: Place) -> None:
    rules = place.workspace / "deep" / "AGENTS.md"
    rules.parent.mkdir()
    rules.write_text("Deep rule.\n")
    uri = path_to_uri(str(rules))
    async with place.window() as window:
        loaded = await load_rules(window, LoadParams(uris=[uri, uri]))
        assert loaded.uris == [uri]
        [*_, entry] = await path(window)
        assert loaded.entry_ids == [entry.id]
        content = as_str(entry.get("content"))
        assert f'<project_instructions path="{rules}">\nDeep rule.\n\n</project_instructions>' in content
        assert (await load_rules(window, LoadParams(uris=[uri]))).uris == []  # it is there already
        [*_, file] = rules_of(window, str(rules.parent), await window.session_rules()).files
        assert (file.uri, file.in_session, file.changed_since) == (uri, True, None)
        rules.write_text("Another deep rule.\n")
        assert (await load_rules(window, LoadParams(uris=[uri]))).uris == [uri]


async def test_what_is_no_rule_file_is_not_loaded(place: Place) -> None:
    (place.workspace / "notes.md").write_text("x")
    (place.workspace / "AGENTS.md").write_text("x")
    (place.workspace / "CLAUDE.md").write_text("y")
    before = place.session.read_bytes()
    async with place.window() as window:
        for name in ("notes.md", "CLAUDE.md", "missing/AGENTS.md"):
            with pytest.raises(RefusedError) as refusal:
                await load_rules(window, LoadParams(uris=[path_to_uri(str(place.workspace / name))]))
            assert refusal.value.reason == "notFound"
            if name == "CLAUDE.md":
                assert "AGENTS.md" in str(refusal.value)  # which is read in its place
        for uris in ([], ["untitled:one"]):
            with pytest.raises(ParamsError):
                await load_rules(window, LoadParams(uris=uris))
    assert place.session.read_bytes() == before
