"""The model server as the measurements have it, and the barest client of it: a socket."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

_ROOT = Path(__file__).parents[2]
_ASKED = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 1000,
    "stream": True,
    "messages": [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}],
}


class Times(NamedTuple):
    """When the server had a request, and when it sent the first delta and the last event; in s."""

    came: float
    first: float
    last: float


class Bare(NamedTuple):
    """When a bare client asked, when it saw the first delta and the end; in s."""

    begun: float
    first: float
    ended: float


class ModelProcess:
    """A running server. Make it by `modelling`."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.url = self._line()
        self.environ: Mapping[str, str] = {"ANTHROPIC_BASE_URL": self.url, "ANTHROPIC_API_KEY": "bench"}
        """What a server of ours finds it by."""

    def times(self) -> Times:
        """Of the next request that is over; waits for it."""
        return Times(**json.loads(self._line()))

    def ask_bare(self) -> Bare:
        """Ask with nothing between but a socket that is open already, and read to the end."""
        place = urlsplit(self.url)
        body = json.dumps(_ASKED).encode()
        head = (
            f"POST /v1/messages HTTP/1.1\r\nhost: {place.netloc}\r\nx-api-key: bench\r\nanthropic-version: 2023-06-01"
            f"\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        with socket.create_connection((place.hostname, place.port)) as connection:
            begun, first, tail = time.perf_counter(), 0.0, b""
            connection.sendall(head.encode() + body)
            while not tail.endswith(b"0\r\n\r\n"):
                part = connection.recv(1 << 16)
                if not part:
                    raise RuntimeError("the model server is gone")
                tail = (tail + part)[-200:] if first else tail + part
                if not first and b"content_block_delta" in tail:
                    first = time.perf_counter()
            return Bare(begun, first, time.perf_counter())

    def _line(self) -> str:
        assert self._process.stdout
        line = self._process.stdout.readline().strip()
        if not line:
            raise RuntimeError("the model server is gone")
        return line


@contextmanager
def modelling(folder: Path, replies: Sequence[Mapping[str, Any]]) -> Generator[ModelProcess]:
    """Start a server with these replies, in order; it is killed when this is left."""
    script = folder / f"replies-{os.getpid()}.json"
    script.write_text(json.dumps(replies))
    command = (sys.executable, "-m", "tests.bench.model_server", str(script))
    with subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield ModelProcess(process)
        finally:
            process.kill()
            script.unlink()
