"""`pi/context`: what the model would see."""

from pathlib import Path

import pytest

from pi_lsp.api.context import Context, ContextParams, context
from pi_lsp.api.errors import RefusedError
from pi_lsp.base.json import as_object, as_str, objects
from pi_lsp.base.paths import path_to_uri
from pi_lsp.session.messages import texts_of
from tests.support.windows import Place, answered, said


async def look(place: Place, **params: object) -> Context:
    async with place.window() as window:
        return await context(window, ContextParams(**params))  # pyright: ignore[reportArgumentType]


async def test_the_sample_piece_by_piece(tmp_path: Path) -> None:
    place = Place(tmp_path)
    result = await look(place)
    rules = [section.uri for section in result.sections if section.name == "project_context" and section.uri]
    assert rules == [path_to_uri(str(place.agent / "AGENTS.md")), path_to_uri(str(place.workspace / "AGENTS.md"))]
    assert [section.name for section in result.sections if section.name == "skills"] == ["skills"]
    assert [tool.name for tool in result.tools] == ["read", "bash", "edit", "write"]
    assert {tool.entry_id for tool in result.tools} == {"23d108ad"}
    first, *_, last, added = result.messages
    assert (first.entry_id, first.role) == ("23d108ad", "user")
    assert last.preview == "Noted: no abbreviated month names. The short form uses numbers only."
    assert (added.entry_id, added.role, added.added) == (last.entry_id, "user", True)
    assert (result.window, result.reserve, result.keep_recent) == (200_000, 16_384, 20_000)
    assert (result.total, result.source, result.request) == (4596, "measured", None)


async def test_the_request_says_the_system_prompt_once(tmp_path: Path) -> None:
    place = Place(tmp_path, sample=False)
    (place.workspace / "AGENTS.md").write_text("Rule of today.")
    old = {"project_context": "Rule of yesterday.", "docs": "Docs of another program."}
    new = {"docs": "Newer docs."}
    place.write_session(
        [
            said("p", "", role="system", content="", sections=old),
            said("u", "hello"),
            said("q", "", role="system", content="", sections=new),
            answered("a", "hi"),
            said("v", "again"),
        ]
    )
    result = await look(place, full=True)
    assert result.request
    (system,) = objects(result.request["system"])
    text = as_str(system["text"])
    assert text.count("Rule of today.") == text.count("Newer docs.") == 1
    assert "yesterday" not in text
    assert "another program" not in text
    messages = [as_object(message) for message in objects(result.request["messages"])]
    assert [(message["role"], texts_of(message)) for message in messages] == [
        ("user", ["hello"]),
        ("assistant", ["hi"]),
        ("user", ["again"]),
    ]
    assert [message.entry_id for message in result.messages] == ["u", "a", "v"]
    assert [section.entry_id for section in result.sections if section.name == "docs"] == ["q"]


async def test_prompt_files_are_named(tmp_path: Path) -> None:
    place = Place(tmp_path, sample=False)
    (place.agent / "SYSTEM.md").write_text("You are a harbour master.")
    (place.agent / "APPEND_SYSTEM.md").write_text("Speak softly.")
    uris = {section.name: section.uri for section in (await look(place)).sections if section.uri}
    assert uris == {
        "preamble": path_to_uri(str(place.agent / "SYSTEM.md")),
        "addendum": path_to_uri(str(place.agent / "APPEND_SYSTEM.md")),
    }


async def test_another_leaf_can_be_looked_from(tmp_path: Path) -> None:
    place = Place(tmp_path)
    assert (await look(place, leaf_id="5b92f6b8")).messages[0].entry_id == "400eccb8"
    with pytest.raises(RefusedError, match="nowhere") as refusal:
        await look(place, leaf_id="nowhere")
    assert refusal.value.reason == "notFound"


async def test_C6_a_usage_that_cannot_be_is_not_believed_and_the_reason_is_told(tmp_path: Path) -> None:
    place = Place(tmp_path, sample=False)
    place.write_session([said("u", "hello"), answered("a", "hi", 900_000), said("v", "x" * 400)])
    result = await look(place)
    assert result.source == "estimated"
    assert result.total < 2000
    assert "900,000" in (result.doubt or "")


async def test_a_setting_that_is_no_number_gives_way_to_the_default_and_is_told(tmp_path: Path) -> None:
    place = Place(tmp_path, sample=False)
    path = place.agent / "settings.json"
    path.write_text('{"compaction": {"reserveTokens": "many", "keepRecentTokens": 7}}')
    async with place.window() as window:
        found = await context(window, ContextParams())
        [problem] = window.now().problems
    assert (found.reserve, found.keep_recent) == (16384, 7)
    assert problem.startswith("compaction.reserveTokens must be")
    assert f"in {path}, line 1" in problem


async def test_the_pieces_add_up_to_about_the_estimated_total(tmp_path: Path) -> None:
    place = Place(tmp_path, sample=False)
    (place.workspace / "AGENTS.md").write_text("Be kind. " * 100)
    place.write_session([said("u", "hello " * 100), answered("a", "hi " * 100), said("v", "again " * 100)])
    result = await look(place)
    pieces = [*result.sections, *result.tools, *result.messages]
    assert result.source == "estimated"
    assert abs(sum(piece.tokens for piece in pieces) - result.total) < 30
