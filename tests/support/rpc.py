"""A real server process, talked to in raw JSON-RPC. Every byte that it prints is checked, every message kept.

`close` asserts what holds for any conversation: one response for each request, none for anything else, and nothing
but well-framed JSON-RPC on standard output.
"""

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Self

from tests.support.children import clear_away
from tests.support.waiting import PATIENCE_S

COMMAND = (sys.executable, "-m", "pi_lsp")
_HEADER = re.compile(rb"Content-Length: (\d+)\r\n(?:Content-Type: [^\r\n]+\r\n)?\r\n")
OMIT = object()
"""For a message without `params`."""


class RpcError(Exception):
    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(json.dumps(error))
        self.code: int = error["code"]
        self.data: Any = error.get("data")


class Rpc:
    """One server. `answers` says what the client answers to requests of the server, by method."""

    def __init__(
        self,
        env: Mapping[str, str] | None = None,
        answers: Mapping[str, Callable[[Any], Any]] | None = None,
        command: tuple[str, ...] = COMMAND,
    ) -> None:
        self.answers = dict(answers or {})
        self.messages: list[dict[str, Any]] = []
        self.problems: list[str] = []
        self.asked: Counter[Any] = Counter()
        self._id = 0
        self._changed = threading.Condition()
        self._sending = threading.Lock()
        self._hears = threading.Event()
        self._hears.set()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **(env or {})},
        )
        self._stderr: list[bytes] = []
        self._threads = [threading.Thread(target=target, daemon=True) for target in (self._read, self._listen)]
        for thread in self._threads:
            thread.start()

    # --- what goes to the server --------------------------------------------------------------------------------

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin
        with self._sending:
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def send_body(self, body: bytes) -> None:
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def send(self, message: Any) -> None:
        self.send_body(json.dumps(message).encode())

    def notify(self, method: str, params: Any = OMIT) -> None:
        self.send({"jsonrpc": "2.0", "method": method} | ({} if params is OMIT else {"params": params}))

    def ask(self, method: str, params: Any = OMIT, msg_id: Any = None) -> Any:
        """Send a request and give its id, without waiting."""
        if msg_id is None:
            self._id += 1
            msg_id = self._id
        self.asked[msg_id] += 1
        message = {"jsonrpc": "2.0", "id": msg_id, "method": method}
        self.send(message | ({} if params is OMIT else {"params": params}))
        return msg_id

    def call(self, method: str, params: Any = OMIT) -> Any:
        """The result of a request. Raises RpcError."""
        return result_of(self.answer(self.ask(method, params)))

    # --- what comes from the server -----------------------------------------------------------------------------

    def answer(self, msg_id: Any) -> dict[str, Any]:
        """The response to a request."""
        return self.wait(lambda message: "method" not in message and message.get("id") == msg_id)

    def wait(self, wanted: Callable[[dict[str, Any]], bool], since: int = 0) -> dict[str, Any]:
        """The first message (of those after the first `since`) that is wanted, waiting for it."""
        deadline = time.monotonic() + PATIENCE_S
        with self._changed:
            at = since
            while True:
                while at < len(self.messages):
                    if wanted(self.messages[at]):
                        return self.messages[at]
                    at += 1
                left = deadline - time.monotonic()
                assert left > 0, f"no such message; stderr: {self.stderr}"
                assert self.process.poll() is None or self._threads[0].is_alive(), f"the server ended: {self.stderr}"
                self._changed.wait(min(left, 0.5))

    def event(self, kind: str, since: int = 0, **fields: Any) -> dict[str, Any]:
        """The first `pi/event` of a kind with these fields (after the first `since` messages): the event itself."""

        def wanted(message: dict[str, Any]) -> bool:
            if message.get("method") != "pi/event":
                return False
            event = message["params"]["event"]
            return event["type"] == kind and all(event.get(name) == value for name, value in fields.items())

        return self.wait(wanted, since)["params"]["event"]

    def events(self, since: int = 0) -> list[dict[str, Any]]:
        """All events so far, after the first `since` messages."""
        with self._changed:
            return [
                message["params"]["event"] for message in self.messages[since:] if message.get("method") == "pi/event"
            ]

    @property
    def seen(self) -> int:
        """How many messages have come so far."""
        with self._changed:
            return len(self.messages)

    @contextmanager
    def deaf(self) -> Generator[None]:
        """Within, nothing more is read of what the server sends."""
        self._hears.clear()
        try:
            yield
        finally:
            self._hears.set()

    @property
    def stderr(self) -> str:
        return b"".join(self._stderr).decode(errors="replace")

    # --- the end ------------------------------------------------------------------------------------------------

    def end(self) -> int:
        """Shut down as LSP asks; gives the exit code."""
        if self.process.poll() is None:
            self.call("shutdown")
            self.notify("exit")
        return self.ended()

    def ended(self) -> int:
        """Wait until the process has ended and everything it wrote was read; gives the exit code."""
        code = self.process.wait(PATIENCE_S)
        for thread in self._threads:
            thread.join(PATIENCE_S)
        return code

    def check(self) -> None:
        """Every request was answered exactly once, nothing else was, and nothing else came on standard output."""
        assert self.problems == []
        answered = Counter(message.get("id") for message in self.messages if "method" not in message)
        assert answered == self.asked

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self.end()
                self.check()
        finally:
            clear_away(self.process)

    # --- threads ------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        stdout = self.process.stdout
        assert stdout
        while self._hears.wait() and (header := stdout.readline()):
            while not header.endswith(b"\r\n\r\n") and (line := stdout.readline()):
                header += line
            size = _HEADER.fullmatch(header)
            if not size:
                self._note(f"not a header: {header!r}")
                return
            body = stdout.read(int(size[1]))
            try:
                message = json.loads(body)
            except ValueError:
                self._note(f"not JSON: {body!r}")
                return
            if (
                message.get("jsonrpc") != "2.0"
                or ("result" in message) + ("error" in message) + ("method" in message) != 1
            ):
                self._note(f"not JSON-RPC: {body!r}")
            with self._changed:
                self.messages.append(message)
                self._changed.notify_all()
            if "method" in message and "id" in message:
                self._respond(message)

    def _respond(self, message: dict[str, Any]) -> None:
        answer = self.answers.get(message["method"])
        response: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        if answer is None:
            response["error"] = {"code": -32601, "message": "no such method"}
        else:
            response["result"] = answer(message.get("params"))
        with suppress(OSError):  # it has ended meanwhile
            self.send(response)

    def _listen(self) -> None:
        assert self.process.stderr
        while part := self.process.stderr.read1():
            self._stderr.append(part)

    def _note(self, problem: str) -> None:
        with self._changed:
            self.problems.append(problem)
            self._changed.notify_all()


def result_of(response: dict[str, Any]) -> Any:
    """The result that a response holds. Raises RpcError."""
    if "error" in response:
        raise RpcError(response["error"])
    return response["result"]
