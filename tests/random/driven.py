"""One window in this process on the strict local API, driven step by step, and what has to hold after each step."""

import asyncio
import itertools
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest
from pygls.exceptions import JsonRpcException

from pi_lsp.agent.events import EntryAppended, Event, MessageEnd
from pi_lsp.agent.window import Start, Window
from pi_lsp.api.methods import METHODS
from pi_lsp.base.json import JsonObject
from pi_lsp.lsp.methods import answer
from pi_lsp.session.log import SessionLog
from pi_lsp.session.messages import text_of
from pi_lsp.session.presence import is_open_elsewhere
from pi_lsp.session.store import Session
from tests.support.api_server import ApiServer
from tests.support.editor import Home
from tests.support.pi_models import use_local_api
from tests.support.waiting import PATIENCE_S

T = TypeVar("T")

LONG = "The harbour master wants the bookings sorted by tide. " * 10
"""So that a few turns are worth a compaction."""
_METHODS = {method.name: method for method in METHODS}
_SETTINGS = {
    "compaction": {"reserveTokens": 2000, "keepRecentTokens": 40},
    "retry": {"baseDelayMs": 1, "maxRetries": 2},
}


class Driven:
    """A window, its model and its files."""

    def __init__(self, root: Path) -> None:
        self.home = Home(root)
        self.api = ApiServer()
        self.acknowledged: dict[str, str] = {}
        """The ids that the client was told to be in a file, each with that file's path."""
        self.files: set[Path] = set()
        self._runner = asyncio.Runner()
        self._happened: list[Event] = []
        self._news = asyncio.Event()
        self._accepted: set[str] = set()
        self._numbers = itertools.count()
        self._threads = set(threading.enumerate())
        self._run(self.api.start())
        use_local_api(self.home, self.api.url, **_SETTINGS)
        self._window: Window | None = None
        self.open("new")

    # --- life ---------------------------------------------------------------------------------------------------

    def open(self, session: str) -> None:
        """Begin a window on a session file, or a policy."""
        start = Start(
            folders=(str(self.home.workspace),), agent_dir=str(self.home.agent), trusted=True, session=session
        )

        async def begin() -> Window:
            loop = asyncio.get_running_loop()
            window = Window(start, lambda event: loop.call_soon_threadsafe(self._heard, event))
            await window.begin(_no_settings())
            return window

        self._window = self._run(begin())

    def restart(self) -> None:
        """As if the editor was closed and opened again; what waits to be said is gone then."""
        self._accepted.clear()
        file = self.file
        self._run(self.window.aclose())
        self.check_left_nothing()
        self.open(str(file) if file else "new")

    def close(self) -> None:
        """End everything, and see that nothing is left."""
        self._run(self.window.aclose())
        self.check_left_nothing()
        self._run(self.api.stop())
        self._runner.close()
        _eventually(lambda: set(threading.enumerate()) <= self._threads, "threads are left")

    @property
    def window(self) -> Window:
        assert self._window
        return self._window

    # --- asking -------------------------------------------------------------------------------------------------

    def call(self, method: str, **params: Any) -> Any:
        """The result of a method, as the wire has it. A refusal is given as its reason, a string."""
        return self._run(self.ask(method, **params))

    async def ask(self, method: str, **params: Any) -> Any:
        try:
            result = msgspec.to_builtins(await answer(_METHODS[method], self.window, params))
        except JsonRpcException as error:
            assert error.code == -32803, f"{method} {params}: {error}"
            return error.data["reason"]
        self._acknowledge(entry_id for key in ("leafId", "entryId") if (entry_id := result.get(key)))
        self._expect(method, params, result)
        return result

    def _expect(self, method: str, params: JsonObject, result: Any) -> None:
        """What was accepted will be said, unless it is given back."""
        queue = result.get("queue") or {}
        texts = {*queue.get("steer", ()), *queue.get("followUp", ())}
        match method, result.get("stopReason"):
            case "pi/chat", "queued":
                self._accepted.add(params["text"])
            case ("pi/chat", _) | ("pi/abort", _):
                self._accepted -= texts
            case "pi/queue/set", _:
                self._accepted = texts
            case _:
                pass

    def operate(
        self,
        method: str,
        params: JsonObject,
        meanwhile: Iterable[tuple[int, Callable[[asyncio.Task[Any]], Awaitable[Any]]]],
    ) -> Any:
        """The result of a long method; `meanwhile` is done once so many events have been told, or at its end."""

        async def run() -> Any:
            since = len(self._happened)
            task = asyncio.create_task(self.ask(method, **params))
            await asyncio.sleep(0)  # it has begun
            for count, disturb in meanwhile:
                await self._told(since + count, task)
                await disturb(task)
            with suppress(asyncio.CancelledError):
                return await task

        result = self._run(run())
        self.api.replies.clear()
        return result

    async def _told(self, count: int, task: asyncio.Task[Any]) -> None:
        while len(self._happened) < count and not task.done():
            self._news.clear()
            news = asyncio.create_task(self._news.wait())
            await asyncio.wait([task, news], return_when=asyncio.FIRST_COMPLETED)
            news.cancel()

    # --- what has to hold ---------------------------------------------------------------------------------------

    @property
    def file(self) -> Path | None:
        """The file of the session that the window has; None before its first message."""
        path = self.window.session_file
        return Path(path) if path and Path(path).exists() else None

    def text(self, kind: str) -> str:
        """A text that nothing else has."""
        return f"{kind} {next(self._numbers)}. {LONG}"

    def check(self) -> None:
        """The model refused nothing; the window is idle; every file is whole and has what the client was told."""
        assert self.api.refusals == []
        state = self.call("pi/state")
        assert state["phase"] == "idle"
        if file := self.file:
            self.files.add(file)
        logs = {str(file): SessionLog.open(str(file)) for file in self.files}
        for path, log in logs.items():
            assert log.problems == [], path
            assert all(entry.parent_id is None or entry.parent_id in log.tree for entry in log.entries), path
            asked = [text_of(entry.message) for entry in log.entries if entry.message.get("role") == "user"]
            assert len(asked) == len(set(asked)), f"said twice in {path}: {asked}"
        said = {text_of(entry.message) for log in logs.values() for entry in log.entries}
        lost = self._accepted - said - {*state["queue"]["steer"], *state["queue"]["followUp"]}
        assert not lost, f"accepted, but neither said nor given back: {lost}"
        for entry_id, path in self.acknowledged.items():
            assert path not in logs or entry_id in logs[path].tree, f"{entry_id} is not in {path}"

    def check_nothing_follows(self) -> None:
        """After the answer nothing is written any more (C5)."""
        before = {file: file.stat().st_size for file in self.files}
        self._run(asyncio.sleep(0.01))
        assert {file: file.stat().st_size for file in self.files} == before

    def check_left_nothing(self) -> None:
        """A closed window leaves no task, no connection and no lock."""

        async def tasks() -> set[str]:
            mine = asyncio.current_task()
            handlers = self.api.tasks
            return {str(task) for task in asyncio.all_tasks() if task is not mine and task not in handlers}

        _eventually(lambda: not self._run(tasks()), "tasks are left")
        _eventually(lambda: not self._run(_value(self.api.tasks)), "connections are left")
        assert [file for file in self.files if is_open_elsewhere(str(file))] == []

    def some_entry_now(self, place: int) -> str | None:
        """The id of an entry of the session, any of them; None where there is none."""
        return self._run(self.some_entry(place))

    async def some_entry(self, place: int) -> str | None:
        entries = (await self.ask("pi/session/entries", limit=100_000))["entries"]
        return entries[place % len(entries)]["id"] if entries else None

    # --- others -------------------------------------------------------------------------------------------------

    def foreign_turn(self) -> None:
        """Another program says something in the same file, as Pi would."""
        if not self.file:
            return
        other = Session.open(str(self.file), str(self.home.workspace))
        other.running = True  # Pi does not look whether somebody else has written
        user = {"role": "user", "content": [{"type": "text", "text": self.text("foreign")}], "timestamp": 0}
        other.append({"type": "message", "message": user})
        answered = {
            "role": "assistant",
            "content": [{"type": "text", "text": self.text("foreign answer")}],
            "provider": "anthropic",
            "api": "anthropic-messages",
            "model": "claude-sonnet-4-5",
            "stopReason": "stop",
            "timestamp": 0,
        }
        other.append({"type": "message", "message": answered})

    # --- inside -------------------------------------------------------------------------------------------------

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(_in_time(work))

    def _heard(self, event: Event) -> None:
        self._happened.append(event)
        self._news.set()
        match event:
            case MessageEnd(entry_id=str(entry_id)):
                self._acknowledge([entry_id])
            case EntryAppended(entry=entry):
                self._acknowledge([entry.entry_id])
            case _:
                pass

    def _acknowledge(self, entry_ids: Iterable[str]) -> None:
        if file := self.file:
            self.acknowledged |= dict.fromkeys(entry_ids, str(file))


async def _no_settings() -> JsonObject:
    return {}


async def _in_time(work: Coroutine[Any, Any, T]) -> T:
    async with asyncio.timeout(PATIENCE_S):
        return await work


async def _value(value: T) -> T:
    return value


def _eventually(holds: Callable[[], bool], complaint: str) -> None:
    deadline = threading.Event()
    for _ in range(200):
        if holds():
            return
        deadline.wait(0.01)
    raise AssertionError(complaint)


@contextmanager
def own_home(folder: Path) -> Iterator[None]:
    """Nothing of the person who runs the tests counts: neither files of the home folder nor keys."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder))
        for variable in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
            patch.delenv(variable, raising=False)
        yield
