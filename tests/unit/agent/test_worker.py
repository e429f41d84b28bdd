import asyncio
import gc
import threading
import time

import pytest

from pi_lsp.agent.worker import Cancel, CancelledCallError, Worker
from pi_lsp.base.memory import collect_rarely


async def test_calls_run_one_after_the_other_in_one_thread() -> None:
    worker = Worker("test")
    seen: list[tuple[int, str]] = []

    def call(number: int) -> int:
        seen.append((number, threading.current_thread().name))
        return number

    assert await asyncio.gather(*(worker.run(call, number) for number in range(20))) == list(range(20))
    assert [number for number, _ in seen] == list(range(20))
    assert len({name for _, name in seen}) == 1
    worker.close()


async def test_a_cancelled_call_is_told_and_frees_the_thread() -> None:
    worker = Worker("test")
    started, ended = threading.Event(), threading.Event()

    def long_call(cancel: Cancel) -> None:
        started.set()
        try:
            while True:
                cancel.check()
                time.sleep(0.001)
        except CancelledCallError:
            ended.set()
            raise

    task = asyncio.ensure_future(worker.run_long(long_call))
    await asyncio.to_thread(started.wait, 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(ended.wait, 5)
    assert await worker.run(lambda: "next") == "next"
    worker.close()


async def test_a_call_that_was_cancelled_in_the_queue_never_runs() -> None:
    worker = Worker("test")
    gate = threading.Event()
    ran: list[str] = []
    first = asyncio.ensure_future(worker.run(gate.wait, 5))
    second = asyncio.ensure_future(worker.run(ran.append, "second"))
    await asyncio.sleep(0)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    gate.set()
    assert await first
    await worker.run(lambda: None)
    assert ran == []
    worker.close()


async def test_the_collector_looks_less_often_while_a_session_is_read() -> None:
    before = gc.get_threshold()
    worker = Worker("test")
    try:
        collect_rarely()
        usual, _, _ = gc.get_threshold()
        assert (await worker.run(gc.get_threshold))[0] > usual

        def fail() -> None:
            raise OSError

        with pytest.raises(OSError):
            await worker.run(fail)
        assert gc.get_threshold()[0] == usual
    finally:
        worker.close()
        gc.set_threshold(*before)
