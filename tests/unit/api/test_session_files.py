"""Forking, cloning, naming and deleting sessions."""

import importlib
import json
import os
import sys
from pathlib import Path

import pytest

from pi_lsp.agent.window import Window
from pi_lsp.api.errors import RefusedError
from pi_lsp.api.session_files import (
    DeleteParams,
    ForkParams,
    RenameParams,
    clone_session,
    delete_session,
    fork_session,
    rename_session,
)
from pi_lsp.api.sessions import NewParams, OpenParams, new_session, open_session
from pi_lsp.base.paths import path_to_uri
from pi_lsp.session.presence import mark
from pi_lsp.session.store import Session
from tests.support.api_server_replies import Reply
from tests.support.chats import talking
from tests.support.waiting import until
from tests.support.windows import Place, answered, said

TALK = [said("u", "one"), answered("a", "1"), said("v", "two"), answered("b", "2")]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path, sample=False)
    place.write_session(TALK)
    return place


@pytest.fixture
def trash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A trash of the test's own: the library settles where it is when it is imported."""
    if not sys.platform.startswith("linux"):
        pytest.skip("the trash of this system cannot be moved")
    module = importlib.import_module("send2trash.plat_other")
    folder = tmp_path / "Trash"
    monkeypatch.setattr(module, "XDG_DATA_HOME", os.fsencode(tmp_path))
    monkeypatch.setattr(module, "HOMETRASH", str(folder))
    monkeypatch.setattr(module, "HOMETRASH_B", os.fsencode(folder))
    monkeypatch.setattr("send2trash.send2trash", module.send2trash)
    return folder


def lines(path: str | Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


async def leaf(window: Window) -> str | None:
    return await window.in_session(lambda conversation: conversation.leaf_id)


async def test_a_fork_has_what_stands_before_and_gives_the_text_back(place: Place) -> None:
    before = place.session.read_bytes()
    async with place.window() as window:
        opened = await fork_session(window, ForkParams(entry_id="v"))
        assert opened.editor_text == "two"
        assert opened.state.session.leaf_id == "a"
        assert opened.state.session.file
        header, *entries = lines(opened.state.session.file)
        assert header["parentSession"] == str(place.session)
        assert [entry["id"] for entry in entries] == ["u", "a"]
    assert place.session.read_bytes() == before


async def test_a_fork_of_the_first_message_is_an_empty_session(place: Place) -> None:
    async with place.window() as window:
        opened = await fork_session(window, ForkParams(entry_id="u"))
        assert (opened.editor_text, opened.state.session.entries) == ("one", 0)
        assert opened.state.session.file is None


async def test_a_clone_has_the_whole_path(place: Place) -> None:
    async with place.window() as window:
        opened = await clone_session(window, None)
        assert opened.editor_text is None
        assert opened.state.session.leaf_id == "b"
        assert opened.state.session.file != str(place.session)


async def test_what_cannot_be_forked(place: Place) -> None:
    async with place.window() as window:
        for entry_id in ("a", "nothing"):
            with pytest.raises(RefusedError) as refused:
                await fork_session(window, ForkParams(entry_id=entry_id))
            assert refused.value.reason == "notFound"
        await new_session(window, NewParams())
        with pytest.raises(RefusedError, match="not written yet"):
            await clone_session(window, None)


async def test_a_name_is_appended(place: Place) -> None:
    async with place.window() as window:
        await rename_session(window, RenameParams(name=" Harbour\nwork "))
        assert await window.in_session(lambda conversation: conversation.session.tree.name) == "Harbour work"
        assert lines(place.session)[-1]["parentId"] == "b"


async def test_S2_a_name_from_a_window_on_another_branch_moves_nobody(place: Place) -> None:
    async with place.window() as window:
        await window.in_session(lambda conversation: conversation.session.move("a"))
        await rename_session(window, RenameParams(name="x"))
        assert lines(place.session)[-1]["parentId"] == "b"
        assert await leaf(window) == "a"
    reopened = Session.open(str(place.session), str(place.workspace))
    assert [entry.id for entry in reopened.tree.path(reopened.leaf_id)][:4] == ["u", "a", "v", "b"]


def kept(place: Place, name: str) -> Path:
    """A copy of the session in a folder for sessions."""
    path = place.agent / "sessions" / "--somewhere--" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(place.session.read_bytes())
    return path


async def test_deleting_moves_to_the_trash(place: Place, trash: Path) -> None:
    other = kept(place, "other.jsonl")
    async with place.window() as window:
        await delete_session(window, DeleteParams(file=path_to_uri(str(other))))
        assert not other.exists()
        assert (trash / "files" / "other.jsonl").read_bytes() == place.session.read_bytes()


async def test_what_is_not_deleted(place: Place, trash: Path) -> None:
    used = kept(place, "used.jsonl")
    notes = used.with_name("notes.txt")
    notes.write_text("not a session")
    elsewhere = place.workspace / "elsewhere.jsonl"
    elsewhere.write_bytes(used.read_bytes())
    (used.parent.with_name("way-out")).symlink_to(place.workspace)
    link = used.with_name("link.jsonl")
    link.symlink_to(place.session)
    async with place.window() as window:
        for path, reason in [
            (place.session, "busy"),
            (link, "busy"),
            (notes, "invalidSession"),
            (elsewhere, "notFound"),
            (used.parent.with_name("way-out") / "elsewhere.jsonl", "notFound"),
            (place.workspace, "notFound"),
            (place.workspace / "gone.jsonl", "notFound"),
        ]:
            with pytest.raises(RefusedError) as refused:
                await delete_session(window, DeleteParams(file=str(path)))
            assert refused.value.reason == reason, path
        presence = mark(str(used))
        assert presence
        with presence, pytest.raises(RefusedError) as refused:
            await delete_session(window, DeleteParams(file=str(used)))
        assert refused.value.reason == "busy"
    assert notes.exists()
    assert elsewhere.exists()
    assert used.exists()
    assert str(trash) not in map(str, place.session.parent.iterdir())


async def test_S12_nothing_moves_while_a_prompt_runs(tmp_path: Path) -> None:
    async with talking(tmp_path, entries=TALK) as talk:
        talk.server.replies = [Reply(wait_s=30)]
        run = talk.begin("go")
        await until(lambda: talk.server.requests)
        for move in (
            lambda: fork_session(talk.window, ForkParams(entry_id="v")),
            lambda: clone_session(talk.window, None),
            lambda: new_session(talk.window, NewParams()),
            lambda: open_session(talk.window, OpenParams(file=str(talk.place.session))),
        ):
            with pytest.raises(RefusedError) as refused:
                await move()
            assert refused.value.reason == "busy"
        await rename_session(talk.window, RenameParams(name="meanwhile"))
        run.cancel()
        await run
        path = await talk.path()
        assert [entry.type for entry in path][-3:] == ["message", "session_info", "message"]
