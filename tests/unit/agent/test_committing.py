"""An abort that meets a write: too late once something is written, and an abort otherwise."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pi_lsp.agent.committing import commit
from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.window import Window
from pi_lsp.session.actions import append_name
from pi_lsp.session.entries import Entry
from tests.support.windows import Place, said
from tests.unit.agent.talk import leaf, reopened


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path, sample=False)
    place.write_session([said("u", "hello")])
    return place


async def aborted(window: Window, write: Callable[[Conversation], Iterator[Entry]]) -> list[Entry]:
    """Commit a write, and abort it while it is being written."""
    loop = asyncio.get_running_loop()

    def meanwhile(conversation: Conversation) -> Iterator[Entry]:
        loop.call_soon_threadsafe(task.cancel)
        yield from write(conversation)

    task = asyncio.create_task(commit(window, meanwhile))
    return await task


async def test_what_is_written_stays_written(place: Place) -> None:
    async with place.window() as window:
        [entry] = await aborted(window, lambda conversation: iter([append_name(conversation.session, "n")]))
        assert await leaf(window) == entry.id
    assert reopened(place).leaf_id == entry.id


async def test_where_nothing_is_written_it_is_an_abort(place: Place) -> None:
    def refused(_: Conversation) -> Iterator[Entry]:
        raise OSError("the disk is full")
        yield

    async with place.window() as window:
        for write in (refused, lambda _: iter(())):
            with pytest.raises(asyncio.CancelledError):
                await aborted(window, write)
        assert await leaf(window) == "u"
