"""`pi/explain`: why did it forget?"""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_lsp.agent.view import View
from pi_lsp.agent.worker import CancelledCallError
from pi_lsp.api.context import context_of
from pi_lsp.api.errors import ParamsError, RefusedError
from pi_lsp.api.explain import ExplainParams, Explanation, explain, searched
from pi_lsp.api.rules import RuleFile, Rules, RulesParams, rules
from pi_lsp.base.paths import path_to_uri
from pi_lsp.context.estimate import PI_COUNTER
from pi_lsp.context.explain import explain_entry, explain_query
from pi_lsp.context.explain_hits import Hit
from pi_lsp.context.prompt import PromptParts
from pi_lsp.resources.rules import ContextFile
from pi_lsp.resources.settings import CompactionSettings
from pi_lsp.resources.system_files import PromptFiles
from pi_lsp.session.entries import Entry
from pi_lsp.session.tree import Tree
from tests.support.histories import MESSAGES, MODELS
from tests.support.windows import Place, answered, said


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))


async def ask(place: Place, **params: Any) -> Explanation:
    async with place.window() as window:
        return await explain(window, ExplainParams(**params))


def by_uri(found: Explanation) -> dict[str | None, Hit]:
    return {hit.uri: hit for hit in found.hits if hit.entry_id is None}


async def test_a_rule_below_the_working_directory_can_be_loaded(tmp_path: Path) -> None:
    place = Place(tmp_path)
    uri = path_to_uri(str(place.workspace / "services/api/AGENTS.md"))
    found = await ask(place, query="handlers hold no SQL")
    (hit,) = found.hits
    assert hit.range
    assert (hit.uri, hit.fate, hit.stage, hit.range.start.line) == (uri, "absent", "rule", 2)
    assert "none below" in hit.detail
    assert hit.restore
    assert (hit.restore.method, hit.restore.params) == ("pi/rules/load", {"uris": [uri]})
    assert found.in_request is False


async def test_a_shadowed_rule_names_the_file_that_is_read_instead(tmp_path: Path) -> None:
    place = Place(tmp_path)
    hit = by_uri(await ask(place, query="British"))[path_to_uri(str(place.workspace / "CLAUDE.md"))]
    assert (hit.fate, hit.by, hit.restore) == ("absent", path_to_uri(str(place.workspace / "AGENTS.md")), None)
    assert "AGENTS.md is read instead" in hit.detail


async def test_a_rule_with_another_spelling_says_so(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (hit,) = (await ask(place, query="after the sentence it proves")).hits
    assert "not spelled right" in hit.detail


async def test_a_loaded_rule_stands_in_the_prompt(tmp_path: Path) -> None:
    place = Place(tmp_path)
    found = await ask(place, query="contract with two port authorities")
    hit = by_uri(found)[path_to_uri(str(place.workspace / "AGENTS.md"))]
    assert (hit.fate, hit.stage, found.in_request) == ("sent", None, True)


async def test_R12_a_rule_that_was_edited_during_the_session_is_told_as_changed(tmp_path: Path) -> None:
    place = Place(tmp_path)
    uri = path_to_uri(str(place.workspace / "AGENTS.md"))

    async def rule() -> RuleFile:
        async with place.window() as window:
            found = await rules(window, RulesParams())
            assert isinstance(found, Rules)
            return next(file for file in found.files if file.uri == uri)

    assert ((await rule()).in_session, (await rule()).changed_since) == (True, True)
    session = place.session.read_text()
    (place.workspace / "AGENTS.md").write_text("One rule.")
    place.write_session([said("u", "x")])
    assert ((await rule()).in_session, (await rule()).changed_since) == (True, None)
    place.session.write_text(session)
    assert (await rule()).changed_since is True
    (hit,) = [hit for hit in (await ask(place, query="Times are UTC")).hits if hit.entry_id == "23d108ad"]
    assert (hit.fate, hit.stage) == ("changed", "convert")
    assert "project_context" in hit.detail


async def test_of_a_skill_only_the_description_is_sent(tmp_path: Path) -> None:
    place = Place(tmp_path)
    uri = path_to_uri(str(place.workspace / ".agents/skills/db-migration/SKILL.md"))
    assert by_uri(await ask(place, query="Write and check a database migration"))[uri].fate == "sent"
    hit = by_uri(await ask(place, query="make it safe to run twice"))[uri]
    assert (hit.fate, hit.stage) == ("absent", "skill")
    assert "/skill:db-migration" in hit.detail


async def test_the_loser_of_two_skills_names_the_winner(tmp_path: Path) -> None:
    place = Place(tmp_path)
    hit = by_uri(await ask(place, query="my own way to release"))[
        path_to_uri(str(place.agent / "skills/release/SKILL.md"))
    ]
    assert (hit.fate, hit.by) == ("absent", path_to_uri(str(place.workspace / ".pi/skills/release/SKILL.md")))


async def test_one_entry(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (hit,) = (await ask(place, entry_id="58212b19")).hits
    assert (hit.fate, hit.stage, hit.by) == ("absent", "path", "a5a8f42e")
    (hit,) = (await ask(place, entry_id="58212b19", query="stored times")).hits
    assert hit.detail.endswith("which still says it")
    with pytest.raises(RefusedError) as refusal:
        await ask(place, entry_id="nowhere")
    assert refusal.value.reason == "notFound"


@pytest.mark.parametrize("params", [{}, {"query": ""}, {"query": " \n"}, {"query": "x", "limit": 0}])
async def test_params_that_ask_for_nothing(tmp_path: Path, params: dict[str, Any]) -> None:
    with pytest.raises(ParamsError):
        await ask(Place(tmp_path), **params)


async def test_it_ends_when_it_is_cancelled(tmp_path: Path) -> None:
    place = Place(tmp_path, sample=False)
    place.write_session([said(f"e{n}", "y" * 2000) for n in range(20_000)])
    async with place.window() as window:
        task = asyncio.create_task(explain(window, ExplainParams(query="x")))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises((asyncio.CancelledError, CancelledCallError)):
            await task
        assert (await explain(window, ExplainParams(entry_id="e1"))).hits


async def test_a_session_that_is_not_saved_is_searched_too(tmp_path: Path) -> None:
    place = Place(tmp_path, sample=False)
    place.session.write_text("")
    async with place.window() as window:
        assert (await explain(window, ExplainParams(query="x"))).hits == []


# --- the law: pi/context, pi/explain and the request say the same -----------------------------------------------------

_NONE = PromptFiles(
    system_prompt=None, system_prompt_source=None, append=(), append_sources=(), context_files=(), warnings=()
)
_PARTS = PromptParts(cwd="/project", context_files=[ContextFile(path="/project/AGENTS.md", content="Be kind.")])


@st.composite
def _bodies(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Entries of every type over earlier ones; each that may be sent holds a text of its own: `mark<n>.`."""
    bodies: list[dict[str, Any]] = []
    for number in range(draw(st.integers(1, 14))):
        ids = [body["id"] for body in bodies]
        earlier = st.sampled_from(ids) if ids else st.none()
        recent = st.just(ids[-1]) if ids else st.none()
        mark = f"mark{number}."
        head = {"id": f"e{number}", "parentId": draw(recent | recent | recent | earlier | st.none())}
        kind = draw(  # system messages more often: two of them have to meet
            st.sampled_from(
                ["user", "answer", "result", "bash", "system", "system", "summary", "compaction", "edit", "odd"]
            )
        )
        body: dict[str, Any]
        match kind:
            case "user":
                body = said(head["id"], mark)
            case "answer":
                call = {"type": "toolCall", "id": f"c{number}", "name": "read", "arguments": {"path": mark}}
                body = answered(head["id"], mark, stopReason=draw(st.sampled_from(["stop", "error"])))
                body["message"]["content"] += draw(st.sampled_from([[], [call]]))
            case "result":
                call_id = f"c{draw(st.integers(0, number))}"
                body = said(head["id"], mark, role="toolResult", toolCallId=call_id)
            case "bash":
                body = said(head["id"], "", role="bashExecution", command=mark, output="")
                body["message"]["excludeFromContext"] = draw(st.booleans())
            case "system":
                sections = draw(st.dictionaries(st.sampled_from(["docs", "cwd", "own"]), st.just(mark) | st.none()))
                tool = {"name": draw(st.sampled_from(["a", "b"])), "description": mark}
                text = draw(st.sampled_from(["", mark]))
                body = said(head["id"], "", role="system", content=text, sections=sections)
                body["message"][draw(st.sampled_from(["toolsAdded", "toolsRemoved"]))] = [tool]
            case "summary":
                body = {"type": "branch_summary", "fromId": draw(earlier), "summary": draw(st.sampled_from(["", mark]))}
            case "compaction":
                body = {"type": "compaction", "firstKeptEntryId": draw(earlier), "summary": mark}
                if draw(st.booleans()):
                    body["systemMessage"] = {"role": "system", "content": "", "sections": {"docs": f"stored {mark}"}}
            case "edit":
                replacement = draw(st.none() | st.just({"content": mark}))
                body = {"type": "context_edit", "targetId": draw(earlier), "replacement": replacement}
            case _:
                body = {"type": "message", "message": draw(MESSAGES)}
        bodies.append({**body, **head, "timestamp": "2026-01-01T00:00:00.000Z"})
    return bodies


@settings(max_examples=300)
@given(bodies=_bodies(), data=st.data())
def test_context_explain_and_the_request_say_the_same(bodies: list[dict[str, Any]], data: st.DataObject) -> None:
    tree = Tree(map(Entry.of, bodies))
    leaf_id = data.draw(st.sampled_from([tree.leaf_id, tree.leaf_id, *(body["id"] for body in bodies)]))
    view = View(tree.path(leaf_id), _PARTS, data.draw(st.sampled_from(MODELS)))
    session = searched(tree, view)
    shown = context_of(view, _NONE, CompactionSettings(), PI_COUNTER, full=True)
    listed = {piece.entry_id for piece in [*shown.sections, *shown.tools, *shown.messages] if piece.entry_id}
    assert listed == set(view.sent)
    for entry in tree:
        assert (explain_entry(session, entry).fate != "absent") == (entry.id in listed), entry
    request = json.dumps(shown.request)
    for number, body in enumerate(bodies):
        mark = f"mark{number}."
        found = explain_query(session, [], mark.upper(), 50, read_spill=lambda _: None)
        assert found.in_request == (mark in request)
        for hit in found.hits:
            if hit.entry_id == body["id"]:
                assert hit == explain_entry(session, Entry.of(body), mark.upper())
            if hit.fate == "sent":
                assert mark in request
        if mark in request:
            assert any(hit.fate != "absent" for hit in found.hits)
