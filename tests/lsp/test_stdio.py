"""The streams of the protocol: a client that does not read, input of every kind, and what ends in the middle."""

import asyncio
import io
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

from pi_lsp.lsp import stdio
from pi_lsp.lsp.stdio import Inlet, Outlet
from tests.support.waiting import PATIENCE_S

PIPE_BYTES = 1 << 16
LONG = b"x" * (stdio._LONGEST_LINE + 10)  # pyright: ignore[reportPrivateUsage]


@pytest.fixture
def outlet() -> Iterator[Outlet]:
    """One that nobody reads."""
    read, write = os.pipe()
    outlet = Outlet(os.fdopen(write, "wb", buffering=0))
    yield outlet
    os.close(read)
    outlet.close()


def piped(data: bytes) -> BinaryIO:
    """The end of a pipe that holds this and is closed behind it."""
    read, write = os.pipe()
    os.write(write, data)
    os.close(write)
    return os.fdopen(read, "rb")


def socketed(data: bytes) -> BinaryIO:
    ours, theirs = socket.socketpair()
    theirs.sendall(data)
    theirs.close()
    return os.fdopen(ours.detach(), "rb")


@pytest.fixture(params=["pipe", "socket", "file"])
def said(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[BinaryIO]:
    data = b"Content-Length: 5\r\n\r\nhelloContent"
    match request.param:
        case "pipe":
            stream = piped(data)
        case "socket":
            stream = socketed(data)
        case _:
            (tmp_path / "said").write_bytes(data)
            stream = (tmp_path / "said").open("rb")
    with stream:
        yield stream


async def test_lines_and_bodies_of_whatever_the_input_is(said: BinaryIO, outlet: Outlet) -> None:
    inlet = Inlet(said, outlet)
    assert await inlet.readline() == b"Content-Length: 5\r\n"
    assert await inlet.readline() == b"\r\n"
    assert await inlet.readexactly(5) == b"hello"
    assert await inlet.readline() == b"Content"
    assert await inlet.readline() == b""
    assert await inlet.readexactly(3) == b""


async def test_a_body_that_ends_too_soon_is_none(outlet: Outlet) -> None:
    with piped(b"hel") as stream:
        assert await Inlet(stream, outlet).readexactly(5) == b""


async def test_a_body_is_larger_than_any_buffer(outlet: Outlet) -> None:
    read, write = os.pipe()
    body = os.urandom(5 << 20)
    with os.fdopen(read, "rb") as stream, os.fdopen(write, "wb") as other:
        writing = asyncio.create_task(asyncio.to_thread(other.write, body))
        assert await Inlet(stream, outlet).readexactly(len(body)) == body
        await writing


async def test_a_line_without_an_end_is_dropped_and_not_held(outlet: Outlet) -> None:
    read, write = os.pipe()
    with os.fdopen(read, "rb") as stream, os.fdopen(write, "wb") as other:
        writing = asyncio.create_task(asyncio.to_thread(lambda: (other.write(LONG + b"\nnext\n"), other.flush())))
        inlet = Inlet(stream, outlet)
        while (line := await asyncio.wait_for(inlet.readline(), PATIENCE_S)) != b"next\n":
            assert line
        await writing


async def test_one_socket_for_both_goes_on_blocking() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        inlet = Inlet(
            os.fdopen(os.dup(ours.fileno()), "rb"), outlet := Outlet(os.fdopen(os.dup(ours.fileno()), "wb", 0))
        )
        theirs.sendall(b"one\n")
        assert await inlet.readline() == b"one\n"
        assert os.get_blocking(ours.fileno())
        outlet.close()


async def test_what_waits_is_bounded_and_comes_in_order() -> None:
    read, write = os.pipe()
    outlet = Outlet(os.fdopen(write, "wb", buffering=0), most_waiting=PIPE_BYTES)
    with piped(b"one\ntwo\n") as stream:
        inlet = Inlet(stream, outlet)
        pieces = [b"small", *(bytes([65 + n]) * (PIPE_BYTES // 2) for n in range(8)), b"last"]
        assert await inlet.readline() == b"one\n"
        for piece in pieces:
            outlet.write(piece)
            outlet.flush()
            await asyncio.sleep(0)
        line = asyncio.create_task(inlet.readline())
        await asyncio.sleep(0.2)
        assert not line.done()
        with os.fdopen(read, "rb", buffering=0) as other:
            assert await asyncio.to_thread(_read, other, sum(map(len, pieces))) == b"".join(pieces)
            assert await asyncio.wait_for(line, PATIENCE_S) == b"two\n"
        for _ in range(3):  # nobody listens: it is not waited for, and nothing is raised
            outlet.write(b"x" * (4 * PIPE_BYTES))
            outlet.flush()
            await asyncio.sleep(0)
        assert await asyncio.wait_for(inlet.readline(), PATIENCE_S) == b""
        outlet.close()


def _read(stream: io.RawIOBase | BinaryIO, size: int) -> bytes:
    got = b""
    while len(got) < size:
        got += stream.read(1 << 20) or b""
    return got
