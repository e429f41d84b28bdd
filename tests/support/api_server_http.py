"""As much HTTP/1.1 as the server needs, with the means to break off where a real one never would."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 413: "Payload Too Large"}


class HttpRequest(NamedTuple):
    method: str
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes


async def read_request(reader: asyncio.StreamReader) -> HttpRequest | None:
    """The next request on a connection; None where the client has closed it."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    first, *lines = head.rstrip("\r\n").split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return HttpRequest(method, path.partition("?")[0], headers, body)


async def send_json(
    writer: asyncio.StreamWriter, status: int, value: Any, headers: Mapping[str, str] | None = None
) -> None:
    await send_bytes(
        writer, status, json.dumps(value).encode(), {"content-type": "application/json", **(headers or {})}
    )


async def send_bytes(writer: asyncio.StreamWriter, status: int, body: bytes, headers: Mapping[str, str]) -> None:
    writer.write(_head(status, {**headers, "content-length": str(len(body))}) + body)
    await writer.drain()


async def begin_chunks(writer: asyncio.StreamWriter, headers: Mapping[str, str]) -> None:
    writer.write(_head(200, {**headers, "transfer-encoding": "chunked"}))
    await writer.drain()


async def send_chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    """One chunk; an empty one is the last."""
    writer.write(b"%x\r\n%b\r\n" % (len(data), data))
    await writer.drain()


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [
        f"HTTP/1.1 {status} {REASONS.get(status, 'Other')}",
        *(f"{name}: {text}" for name, text in headers.items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
