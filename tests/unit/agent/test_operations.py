"""One thing at a time: what ends one piece of work does not touch the next."""

import asyncio

import pytest

from pi_lsp.agent.operations import BusyError, Operations


async def test_who_waited_for_work_that_was_ended_does_not_end_what_came_after_it() -> None:
    operations = Operations()

    async def later() -> str:
        await asyncio.sleep(0.01)
        return "whole"

    async def as_soon_as_it_is_idle() -> str:
        while not operations.is_idle:  # noqa: ASYNC110  at the very step at which it is
            await asyncio.sleep(0)
        return await operations.run("compacting", later)

    first = asyncio.create_task(operations.run("running", lambda: asyncio.sleep(30)))
    await asyncio.sleep(0)
    second = asyncio.create_task(as_soon_as_it_is_idle())
    await asyncio.sleep(0)
    await operations.abort()
    assert await second == "whole"
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_whoever_comes_second_is_told_what_goes_on() -> None:
    operations = Operations()
    first = asyncio.create_task(operations.run("switching", lambda: asyncio.sleep(0.01)))
    await asyncio.sleep(0)
    assert (operations.phase, operations.begun_as) == ("switching", "switching")
    with pytest.raises(BusyError, match="the window is switching"):
        await operations.run("running", lambda: asyncio.sleep(0))
    await first
    assert (operations.phase, operations.begun_as) == ("idle", "idle")


async def test_who_goes_away_when_the_work_is_done_does_not_end_what_came_after_it() -> None:
    operations = Operations()
    gate = asyncio.Event()

    async def next_work() -> None:
        while not operations.is_idle:  # noqa: ASYNC110  at the very step at which it is
            await asyncio.sleep(0)
        second.append(asyncio.create_task(operations.run("compacting", later)))
        await asyncio.sleep(0)
        first.cancel()  # its work is done, and it has not heard of that yet

    async def later() -> str:
        await asyncio.sleep(0.01)
        return "whole"

    second: list[asyncio.Task[str]] = []
    first = asyncio.create_task(operations.run("running", gate.wait))
    await asyncio.sleep(0)
    following = asyncio.create_task(next_work())
    await asyncio.sleep(0)
    gate.set()
    await following
    assert await second[0] == "whole"
    await asyncio.wait([first])
