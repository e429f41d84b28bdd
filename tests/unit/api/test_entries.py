"""`pi/session/entries`: a transcript in pages, from either end."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.agent.window import Window
from pi_lsp.api.entries import Entries, EntriesParams, session_entries
from pi_lsp.api.errors import ParamsError, RefusedError
from pi_lsp.base.json import as_str
from tests.support.windows import Place, answered, said

IDS = ["u1", "a1", "u2", "a2", "other", "u3", "a3"]
ON_PATH = [entry_id for entry_id in IDS if entry_id != "other"]


@pytest.fixture
async def window(tmp_path: Path) -> AsyncIterator[Window]:
    place = Place(tmp_path, sample=False)
    turns = [entry for n in (1, 2) for entry in (said(f"u{n}", "x"), answered(f"a{n}", "y"))]
    branch = {**said("other", "elsewhere"), "parentId": "u1"}
    place.write_session([*turns, branch, {**said("u3", "x"), "parentId": "a2"}, answered("a3", "y")])
    async with place.window() as opened:
        yield opened


async def ask(window: Window, **params: Any) -> tuple[list[str], str | None]:
    found: Entries = await session_entries(window, EntriesParams(**params))
    return [as_str(entry["id"]) for entry in found.entries], found.next


@pytest.mark.parametrize("limit", [1, 2, 3, 6, 7, 100])
@pytest.mark.parametrize("on_path", [False, True])
async def test_pages_from_either_end_are_the_whole_transcript(window: Window, limit: int, on_path: bool) -> None:
    whole = ON_PATH if on_path else IDS
    forwards, following = await ask(window, limit=limit, on_path=on_path)
    backwards, preceding = await ask(window, newest=True, limit=limit, on_path=on_path)
    assert backwards == whole[-limit:]
    while following:
        page, following = await ask(window, after=following, limit=limit, on_path=on_path)
        assert page  # a page that says that there is more tells the truth
        forwards += page
    while preceding:
        page, preceding = await ask(window, before=preceding, limit=limit, on_path=on_path)
        assert page
        backwards = page + backwards
    assert forwards == backwards == whole


async def test_nothing_stands_before_the_first_or_after_the_last(window: Window) -> None:
    assert await ask(window, before="u1") == ([], None)
    assert await ask(window, after="a3") == ([], None)
    assert await ask(window, newest=True, limit=0) == (["a3"], "a3")


@pytest.mark.parametrize(
    "params",
    [
        {"after": "u1", "before": "a3"},
        {"after": "u1", "newest": True},
        {"before": "u1", "newest": True},
        {"ids": ["u1"], "before": "a3"},
        {"ids": [], "after": "u1"},
    ],
)
async def test_params_that_exclude_each_other(window: Window, params: dict[str, Any]) -> None:
    with pytest.raises(ParamsError) as wrong:
        await ask(window, **params)
    assert all(f"`{name}`" in str(wrong.value) for name in params)


@pytest.mark.parametrize("direction", ["after", "before"])
async def test_an_entry_that_is_not_on_the_path_is_no_place_on_it(window: Window, direction: str) -> None:
    with pytest.raises(RefusedError, match="other is not on the path") as refusal:
        await ask(window, on_path=True, **{direction: "other"})
    assert refusal.value.reason == "notFound"
    assert (await ask(window, **{direction: "other"}))[0]
