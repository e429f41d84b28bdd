"""A server in a process and the plainest client there is: synchronous, without a library, so that it costs nothing."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

OURS = (sys.executable, "-m", "pi_lsp")
BARE = (sys.executable, "-m", "tests.bench.bare_server")

_ROOT = Path(__file__).parents[2]


class LspProcess:
    """One server under one client. Make it by `serving`."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        self._last_id = 0
        self._chat_id: int | None = None
        """Of a chat that goes on."""
        self.events: list[tuple[float, Any]] = []
        """When each `pi/event` was read (`time.perf_counter`), and the event."""

    @property
    def cpu_ms(self) -> float:
        """Processor time that the server has used, user and system."""
        if sys.platform == "linux":  # the clock of a process is finer than the ticks that psutil reads
            return time.clock_gettime(~self._process.pid << 3 | 2) * 1000
        spent = psutil.Process(self._process.pid).cpu_times()
        return (spent.user + spent.system) * 1000

    @property
    def resident_mb(self) -> float:
        return psutil.Process(self._process.pid).memory_info().rss / 1e6

    @property
    def is_chatting(self) -> bool:
        """Whether a chat that was begun is not answered yet, as far as answers were read."""
        return self._chat_id is not None

    @property
    def has_tokenizer(self) -> bool:
        """Whether the vocabulary's library is loaded."""
        return any("_tiktoken" in mapped.path for mapped in psutil.Process(self._process.pid).memory_maps())

    def want_tokens(self) -> None:
        """Ask for what cannot be told without counting tokens, and do not wait for it."""
        self._post("pi/context", {})

    def chat(self, text: str) -> Any:
        """Say something; gives the result when the answer is whole."""
        return self.ask("pi/chat", {"text": text})

    def begin_chat(self) -> None:
        """Say something and do not wait; `is_chatting` tells when it is answered."""
        self._post("pi/chat", {"text": "Hello"})
        self._chat_id = self._last_id

    def initialize(self, folder: Path, *, events: bool = False) -> Any:
        """The reply to `initialize`; `initialized` is sent by `begin`."""
        params: dict[str, Any] = {
            "processId": None,
            "rootUri": folder.as_uri(),
            "workspaceFolders": [{"uri": folder.as_uri(), "name": folder.name}],
            "capabilities": {
                "textDocument": {"hover": {"contentFormat": ["markdown"]}},
                "experimental": {"pi": {"events": events}},
            },
            "initializationOptions": {"session": "new"},
        }
        return self.ask("initialize", params)

    def begin(self, folder: Path, *, events: bool = False) -> None:
        self.initialize(folder, events=events)
        self.tell("initialized", {})

    def open(self, file: Path) -> None:
        document = {"uri": file.as_uri(), "languageId": "markdown", "version": 1, "text": file.read_text()}
        self.tell("textDocument/didOpen", {"textDocument": document})

    def hover(self, file: Path, line: int = 0) -> Any:
        place = {"textDocument": {"uri": file.as_uri()}, "position": {"line": line, "character": 2}}
        return self.ask("textDocument/hover", place)

    def ask(self, method: str, params: Any) -> Any:
        """The result of a request; answers to earlier ones that nobody waited for are dropped.

        Raises RuntimeError for an error, and where the server is gone.
        """
        self._post(method, params)
        while True:
            message = self._receive()
            if "method" in message:
                if "id" in message:  # the server asks for settings or registers something
                    self._send({"id": message["id"], "result": None})
                elif message["method"] == "pi/event":
                    self.events.append((time.perf_counter(), message["params"]["event"]))
            elif message.get("id") == self._chat_id:
                if "error" in message:
                    raise RuntimeError(f"pi/chat: {message['error']}")
                self._chat_id = None
            elif message.get("id") == self._last_id:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def tell(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def _post(self, method: str, params: Any) -> None:
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": params})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout
        length = 0
        while line := self._process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        if not length:
            raise RuntimeError("the server is gone")
        return json.loads(self._process.stdout.read(length))


@contextmanager
def serving(command: Sequence[str], home: Path, environ: Mapping[str, str] = {}) -> Generator[LspProcess]:
    """Start a server whose home folder is `home`, with more variables; it is killed when this is left."""
    own = {"HOME": str(home), "USERPROFILE": str(home), "PI_CODING_AGENT_DIR": str(home / "agent")}
    with subprocess.Popen(
        command,
        cwd=_ROOT,
        env={**os.environ, **own, **environ},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            yield LspProcess(process)
        finally:
            process.kill()
