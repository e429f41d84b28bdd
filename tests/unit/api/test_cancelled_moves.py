"""Going over to another session, undoing, naming: done whole or not at all, whenever the request is cancelled."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.agent.events import SessionChanged
from pi_lsp.agent.window import Window
from pi_lsp.api.doing import undo_compaction
from pi_lsp.api.restore import RestoreParams, restore
from pi_lsp.api.session_files import ForkParams, RenameParams, clone_session, fork_session, rename_session
from pi_lsp.api.sessions import NewParams, OpenParams, new_session, open_session
from pi_lsp.api.switching import LabelParams, label
from pi_lsp.base.files import Disk
from tests.support.windows import Place, answered, said

TALK = [
    said("u", "one"),
    answered("a", "1"),
    said("v", "two"),
    answered("b", "2"),
    {"type": "compaction", "id": "c", "summary": "S", "firstKeptEntryId": "v", "tokensBefore": 9},
]
STEPS = 12
"""Steps of the event loop after which the request is cancelled."""

MOVES: dict[str, Callable[[Window, Place], Coroutine[Any, Any, object]]] = {
    "fork": lambda window, _: fork_session(window, ForkParams(entry_id="v")),
    "clone": lambda window, _: clone_session(window, None),
    "new": lambda window, _: new_session(window, NewParams()),
    "open": lambda window, place: open_session(window, OpenParams(file=str(place.session))),
}
WRITES: dict[str, Callable[[Window], Coroutine[Any, Any, object]]] = {
    "undo": lambda window: undo_compaction(window, None),
    "rename": lambda window: rename_session(window, RenameParams(name="n")),
    "label": lambda window: label(window, LabelParams(entry_id="v", label="l")),
    "restore": lambda window: restore(window, RestoreParams(entry_id="u")),
}


async def cancelled_after(steps: int, work: Coroutine[Any, Any, object]) -> bool:
    """Whether a piece of work gave a result, though it was cancelled after so many steps."""
    task = asyncio.create_task(work)
    for _ in range(steps):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    return not task.cancelled()


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("steps", range(STEPS))
async def test_a_session_that_is_made_is_the_windows_and_no_other_is_left(
    tmp_path: Path, move: str, steps: int
) -> None:
    place = Place(tmp_path, sample=False)
    place.write_session(TALK)
    async with place.window() as window:
        events: list[object] = []
        window.emit = events.append
        before = await window.in_session(lambda conversation: conversation)
        await cancelled_after(steps, MOVES[move](window, place))
        after = await window.in_session(lambda conversation: conversation)
        assert window.operations.is_idle
        assert (after is not before) == bool(events) == (SessionChanged() in events)
        made = {str(tmp_path / name) for name in Disk().names(str(tmp_path)) if name.endswith(".jsonl")}
        assert made <= {str(place.session), after.session.path}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("steps", range(STEPS))
async def test_what_is_written_is_answered(tmp_path: Path, write: str, steps: int) -> None:
    place = Place(tmp_path, sample=False)
    place.write_session(TALK)
    async with place.window() as window:
        size = len(Disk().read(str(place.session)))
        was_done = await cancelled_after(steps, WRITES[write](window))
        await window.in_session(lambda _: None)
        assert was_done == (len(Disk().read(str(place.session))) > size)
        assert window.operations.is_idle
        if write == "undo":
            assert window.compactor.held == was_done
