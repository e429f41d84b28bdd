"""The real Pi in RPC mode: its commands as methods, its events waited for with deadlines, its process always ended.

It runs in a home of the test's own and asks the local API alone. What RPC has no command for (moving in the tree,
labels) an extension of ours does, `pi_extension.js`, which Pi runs like any other.
"""

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import pytest

from tests.support.children import clear_away
from tests.support.editor import Home
from tests.support.pi_install import NoPiError, Pi, install
from tests.support.waiting import PATIENCE_S

EXTENSION = Path(__file__).with_name("pi_extension.js")
_KEPT_VARIABLES = ("PATH", "TMPDIR", "LANG")


def pi_or_skip() -> Pi:
    """The real Pi; the test is skipped where it cannot be had, but never in CI."""
    try:
        return install()
    except NoPiError as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"no real Pi: {error}")


class PiError(Exception):
    """Pi refused a command."""


class PiRpc:
    """One running Pi in the workspace of a home."""

    def __init__(self, pi: Pi, home: Home, *arguments: str, session: Path | str | None = None) -> None:
        """Start it; `session` is a file to open at once."""
        opened = [] if session is None else ["--session", str(session)]
        own = ["--mode", "rpc", "--offline", "--no-mcp", "--no-extensions", "--extension", str(EXTENSION)]
        kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
        self._changed = threading.Condition()
        self._records: list[dict[str, Any]] = []
        self._problems: list[str] = []
        self._stderr: list[bytes] = []
        self._last_id = 0
        self._process = subprocess.Popen(
            [str(pi.node), str(pi.modules / "cli.js"), *own, *opened, *arguments],
            cwd=home.workspace,
            env={**kept, "HOME": str(home.home), "PI_CODING_AGENT_DIR": str(home.agent), "PI_TELEMETRY": "0"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._threads = [threading.Thread(target=target, daemon=True) for target in (self._read, self._listen)]
        for thread in self._threads:
            thread.start()

    # --- commands -----------------------------------------------------------------------------------------------

    def call(self, command: str, /, **fields: Any) -> Any:
        """The data of a command's response. Raises PiError."""
        return self._response(self._send(command, **fields))

    def prompt(self, text: str, **fields: Any) -> list[dict[str, Any]]:
        """Say something and wait until Pi has settled; gives the messages that the run made."""
        since = self.seen
        self.call("prompt", message=text, **fields)
        self.settled(since)
        ended = (record["message"] for record in self.records(since) if record["type"] == "message_end")
        return list(ended)

    def begin_prompt(self, text: str) -> int:
        """Say something and do not wait; gives what to call `settled` with."""
        since = self.seen
        self.call("prompt", message=text)
        return since

    def settled(self, since: int) -> dict[str, Any]:
        """Wait until Pi has nothing more to do."""
        return self.event("agent_settled", since)

    def state(self) -> dict[str, Any]:
        return self.call("get_state")

    def messages(self) -> list[dict[str, Any]]:
        """What Pi takes the conversation to be."""
        return self.call("get_messages")["messages"]

    def entries(self) -> list[dict[str, Any]]:
        return self.call("get_entries")["entries"]

    @property
    def leaf_id(self) -> str | None:
        return self.call("get_entries")["leafId"]

    @property
    def file(self) -> Path:
        return Path(self.state()["sessionFile"])

    def labels(self) -> dict[str, str]:
        """The labels by entry."""
        found: dict[str, str] = {}
        todo = list(self.call("get_tree")["tree"])
        while todo:
            node = todo.pop()
            if label := node.get("label"):
                found[node["entry"]["id"]] = label
            todo += node["children"]
        return found

    def navigate(self, target_id: str, **options: Any) -> dict[str, Any]:
        """Move in the tree, as `/tree` does. `options` are those of `ctx.navigateTree`."""
        return self._extension("test-navigate", {"targetId": target_id, "options": options})

    def label(self, entry_id: str, label: str | None) -> None:
        self._extension("test-label", {"entryId": entry_id, "label": label})

    def _extension(self, command: str, argument: dict[str, Any]) -> dict[str, Any]:
        since = self.seen
        self.call("prompt", message=f"/{command} {json.dumps(argument)}")
        told = self.event("extension_ui_request", since, method="notify")
        answer = json.loads(told["message"])
        if "error" in answer:
            raise PiError(answer["error"])
        return answer

    # --- what comes from Pi -------------------------------------------------------------------------------------

    @property
    def seen(self) -> int:
        """How many records have come so far."""
        with self._changed:
            return len(self._records)

    def records(self, since: int = 0) -> list[dict[str, Any]]:
        with self._changed:
            return self._records[since:]

    def event(self, kind: str, since: int = 0, **fields: Any) -> dict[str, Any]:
        """The first event of a kind with these fields, after the first `since` records, waiting for it."""
        wanted = {"type": kind, **fields}
        return self._wait(lambda record: wanted.items() <= record.items(), since, repr(wanted))

    def _send(self, command: str, /, **fields: Any) -> str:
        assert self._process.stdin
        self._last_id += 1
        record = {"id": f"test-{self._last_id}", "type": command, **fields}
        self._process.stdin.write(json.dumps(record).encode() + b"\n")
        self._process.stdin.flush()
        return record["id"]

    def _response(self, command_id: str) -> Any:
        response = self.event("response", id=command_id)
        if not response["success"]:
            raise PiError(response["error"])
        return response.get("data")

    def _wait(self, wanted: Callable[[dict[str, Any]], bool], since: int, name: str) -> dict[str, Any]:
        deadline = time.monotonic() + PATIENCE_S
        at = since
        with self._changed:
            while True:
                for record in self._records[at:]:
                    if wanted(record):
                        return record
                at = len(self._records)
                left = deadline - time.monotonic()
                assert left > 0, f"Pi told no {name}; stderr: {self.stderr}; last: {self._records[-3:]}"
                assert self._threads[0].is_alive(), f"Pi ended: {self.stderr} {self._problems}"
                self._changed.wait(min(left, 0.5))

    @property
    def stderr(self) -> str:
        return b"".join(self._stderr).decode(errors="replace")

    # --- the end ------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Let it end in its own way: its input is closed."""
        assert self._process.stdin
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait(PATIENCE_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self.close()
                assert self._problems == []
        finally:
            clear_away(self._process, self._threads)

    # --- threads ------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:  # bytes: only \n ends a line
            try:
                record = json.loads(line)
            except ValueError:
                self._problems.append(f"not JSON: {line!r}")
                continue
            with self._changed:
                self._records.append(record)
                self._changed.notify_all()

    def _listen(self) -> None:
        assert self._process.stderr
        while part := self._process.stderr.read1():
            self._stderr.append(part)


def load_all(pi: Pi, files: Sequence[Path], timeout_s: float = 120) -> list[dict[str, Any]]:
    """What real Pi makes of session files, all in one process that imports its session manager.

    Each is opened in a copy, as Pi may write to a file that it opens. Gives `{leafId, messages, name, entries}` or
    `{error}` for each.
    """
    script = Path(__file__).with_name("pi_load.mjs")
    done = subprocess.run(
        [str(pi.node), str(script), str(pi.modules)],
        input="".join(f"{file}\n" for file in files),
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(files), done.stderr
    return answers
