"""Aborts at every moment, nothing left behind, and how quick it is."""

import asyncio
import gc
import os
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from pi_lsp.llm.contract import Stream
from pi_lsp.llm.provider import AnthropicProvider
from pi_lsp.session.messages import text_of
from tests.support.api_server import ApiServer
from tests.support.api_server_client import ask, provider_for
from tests.support.api_server_replies import Reply
from tests.support.waiting import PATIENCE_S, until

FIRST_DELTA_MS = 20
"""The project's own limit, from a delta's sending to its arrival."""
LONGEST_GAP_MS = 150


@pytest.fixture(autouse=True)
async def nothing_is_left(server: ApiServer) -> AsyncIterator[None]:
    """After each test: no task, and no socket to the server."""
    before = asyncio.all_tasks()
    port = server.port
    yield
    gc.collect()
    await until(lambda: not connections(port))
    assert connections(port) == []
    assert asyncio.all_tasks() - before - server.tasks - {asyncio.current_task()} == set()


def connections(port: int) -> list[str]:
    """Our own ends of connections to the server."""
    found = psutil.Process().net_connections("tcp")
    return [one.status for one in found if one.raddr and one.raddr.port == port]


async def read(stream: Stream) -> None:
    async for _ in stream:
        pass


SLOW = {
    "before the head": Reply(text="abcdef", wait_s=PATIENCE_S),
    "before the first event": Reply(text="abcdef", stall_after=0),
    "after the first event": Reply(text="abcdef", stall_after=1),
    "in the middle": Reply(text="abcdef" * 9, stall_after=4),
    "before the last event": Reply(text="abcdef", stall_after=5),
    "in a trickle": Reply(text="abcdef" * 20, chunk=1, delay_s=0.02),
}


@pytest.mark.parametrize("reply", SLOW.values(), ids=SLOW.keys())
async def test_cancelled_while_it_waits_it_leaves_a_valid_aborted_message(
    server: ApiServer, provider: AnthropicProvider, reply: Reply
) -> None:
    server.replies.append(reply)
    stream = provider.open(ask("a"))
    task = asyncio.create_task(read(stream))
    await until(lambda: server.requests)
    await asyncio.sleep(0.1)
    task.cancel()
    async with asyncio.timeout(PATIENCE_S / 2):  # the server says nothing for longer
        with pytest.raises(asyncio.CancelledError):
            await task
    message = stream.message()
    assert message["stopReason"] == "aborted"
    assert stream.failure is None
    await until(lambda: server.requests[0].gone)
    await provider.aclose()


async def test_cancelled_at_any_step_of_the_loop(server: ApiServer, provider: AnthropicProvider) -> None:
    """Aborts between any two awaits of connecting, sending and reading; every other time on a new connection."""
    reasons: list[str] = []
    for steps in range(80):
        if steps % 2:
            await provider.open(ask("a")).read()
        server.replies[:] = [Reply(text="abcdef" * 3, chunk=3)]
        stream = provider.open(ask("a"))
        task = asyncio.create_task(read(stream))
        for _ in range(steps // 2):
            await asyncio.sleep(0)
        task.cancel()
        cancelled = await asyncio.gather(task, return_exceptions=True) != [None]
        reasons.append(str(stream.message()["stopReason"]))
        assert stream.failure is None
        # An answer that was whole when the abort came is kept as such.
        assert reasons[-1] == ("aborted" if cancelled else "stop") or reasons[-1] == "stop"
        server.replies.clear()
        await provider.aclose()
    assert reasons.count("aborted") > 20
    assert set(reasons) == {"aborted", "stop"}


async def test_cancelled_in_the_pause_before_a_retry(server: ApiServer, tmp_path: Path) -> None:
    provider = provider_for(server, str(tmp_path), max_retries=3)
    server.replies.append(Reply(status=429, headers={"retry-after": "30"}))
    stream = provider.open(ask("a"))
    task = asyncio.create_task(read(stream))
    await until(lambda: stream.notes)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stream.message()["stopReason"] == "aborted"
    assert len(server.requests) == 1
    await provider.aclose()


async def test_closed_in_the_middle_it_is_aborted(server: ApiServer, provider: AnthropicProvider) -> None:
    server.replies.append(Reply(text="abcdef" * 20, chunk=2, delay_s=0.01))
    async with provider.open(ask("a")) as stream:
        async for _ in stream:
            break
    assert (stream.message()["stopReason"], text_of(stream.message())) == ("aborted", "ab")
    await until(lambda: server.requests[0].gone)
    await stream.aclose()
    await provider.aclose()


async def test_closed_before_it_began_nothing_is_sent(server: ApiServer, provider: AnthropicProvider) -> None:
    stream = provider.open(ask("a"))
    await stream.aclose()
    assert [delta async for delta in stream] == []
    assert stream.message()["stopReason"] == "aborted"
    assert server.requests == []


async def test_a_connection_is_used_again_and_closed_at_the_end(server: ApiServer, provider: AnthropicProvider) -> None:
    for _ in range(5):
        await provider.open(ask("a")).read()
    assert len(connections(server.port)) == 1
    await asyncio.gather(*(provider.open(ask("a")).read() for _ in range(5)))
    assert len(connections(server.port)) <= 5
    await provider.aclose()
    assert connections(server.port) == []


async def test_a_delta_is_seen_within_20_ms_of_its_sending(server: ApiServer, provider: AnthropicProvider) -> None:
    await provider.open(ask("a")).read()  # the import is not what is measured
    delays: list[float] = []
    for _ in range(15):
        server.replies.append(Reply(text="abcdef", chunk=3, delay_s=0.005))
        stream = provider.open(ask("a"))
        seen = [time.perf_counter() async for _ in stream]
        sent = [moment for name, moment in server.requests[-1].sent if name == "content_block_delta"]
        delays += [(after - before) * 1000 for before, after in zip(sent, seen, strict=True)]
    assert statistics.median(delays) < FIRST_DELTA_MS  # 0.2 ms, 0.3 at most, on a quiet machine
    await provider.aclose()


_IMPORTING = """
import asyncio, sys, time
from pi_lsp.base.files import Disk
from pi_lsp.llm.access import Access
from pi_lsp.llm.provider import AnthropicProvider
from tests.support.api_server_client import ask

async def main(url, agent_dir):
    assert "anthropic" not in sys.modules, "imported too early"
    gaps = []
    async def tick():
        last = time.perf_counter()
        while True:
            await asyncio.sleep(0.002)
            gaps.append(time.perf_counter() - last)
            last = time.perf_counter()
    ticking = asyncio.create_task(tick())
    await asyncio.sleep(0.05)
    provider = AnthropicProvider(Access(Disk(), agent_dir, env={"ANTHROPIC_API_KEY": "k"}, base_url=url))
    message = await provider.open(ask("a")).read()
    assert message["stopReason"] == "stop", message
    assert "anthropic" in sys.modules
    await provider.aclose()
    ticking.cancel()
    print(max(gaps) * 1000)

asyncio.run(main(*sys.argv[1:]))
"""


async def test_the_loop_goes_on_while_the_sdk_is_imported(tmp_path: Path) -> None:
    """What a hover would have to wait for, in a process that has imported nothing yet."""
    root = Path(__file__).parents[3]
    async with ApiServer() as server:
        gaps: list[float] = []
        for _ in range(3):
            ran = await asyncio.to_thread(
                subprocess.run,
                [sys.executable, "-c", _IMPORTING, server.url, str(tmp_path)],
                cwd=root,
                env={**os.environ, "PYTHONPATH": str(root)},
                capture_output=True,
                text=True,
                check=False,
            )
            assert ran.returncode == 0, ran.stderr
            gaps.append(float(ran.stdout))
            if min(gaps) < LONGEST_GAP_MS:
                break  # a busy machine may hold up a run
    assert min(gaps) < LONGEST_GAP_MS
