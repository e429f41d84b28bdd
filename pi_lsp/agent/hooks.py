"""Hooks: functions of plugins that have their say at certain moments.

A plugin is somebody else's code. What it raises, and how long it takes, must not cost a turn: it is reported, and the
work goes on without it. A function that is not async runs in a thread of its own, never in the event loop.
"""

import asyncio
import copy
import inspect
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from threading import Thread
from typing import Any, Literal, TypeAlias

import msgspec

from pi_lsp.agent.events import Emit, HookFailed

HookName: TypeAlias = Literal[
    "input",
    "system_prompt_sections",
    "transform_context",
    "append_context",
    "session_before_compact",
    "session_compact",
    "session_compact_failed",
    "session_before_tree",
    "session_tree",
]

PATIENCE_S = 5.0
"""So long a hook may take."""
LONG_PATIENCE_S = 300.0
"""So long one may take that writes a summary: it may ask a model."""

_LONG = frozenset({"session_before_compact", "session_before_tree"})

logger = logging.getLogger(__name__)


class Implementation(msgspec.Struct, frozen=True, kw_only=True):
    """One function of one plugin."""

    plugin: str
    """The name of the package, or the path of the file."""
    name: HookName
    function: Callable[..., object]
    parameters: tuple[str, ...]
    """Those that it takes."""


class Hook:
    """One function of one plugin, as the engine asks it."""

    def __init__(self, implementation: Implementation, emit: Emit, patience_s: float) -> None:
        self._implementation = implementation
        self._emit = emit
        self._patience_s = patience_s
        self._running: asyncio.Future[Any] | None = None

    @property
    def plugin(self) -> str:
        """Whose it is."""
        return self._implementation.plugin

    async def ask(self, **values: object) -> object:
        """Its answer to these values, of which it gets copies; None also where there is no good one."""
        if self._running and not self._running.done():
            return None  # it has been reported; a second call would only hang as well
        function = self._implementation.function
        if inspect.iscoroutinefunction(function):

            async def answer() -> object:
                try:
                    return await function(**self._copies(values))
                except (SystemExit, KeyboardInterrupt) as error:  # these would end the event loop
                    raise RuntimeError(repr(error)) from error

            running: asyncio.Future[Any] = asyncio.ensure_future(answer())
        else:
            running = _in_thread(lambda: function(**self._copies(values)))
        self._running = running
        try:
            done, _ = await asyncio.wait({running}, timeout=self._patience_s)
        except asyncio.CancelledError:
            _give_up(running)
            raise
        if not done:
            _give_up(running)
            self.complain(f"it took longer than {self._patience_s:g} s")
            return None
        if running.cancelled():
            self.complain("it was cancelled")
            return None
        error = running.exception()
        if error is not None:
            self.complain(f"{type(error).__name__}: {error}")
            return None
        return running.result()

    def complain(self, problem: str) -> None:
        """Report what is wrong with it or with its answer."""
        name = self._implementation.name
        logger.warning("hook %s of %s: %s; it is passed over", name, self.plugin, problem)
        self._emit(HookFailed(hook=name, plugin=self.plugin, error=problem))

    def _copies(self, values: Mapping[str, object]) -> dict[str, object]:
        """Of the values that it takes, so that it cannot change ours."""
        return {name: copy.deepcopy(values[name]) for name in self._implementation.parameters if name in values}


class Hooks:
    """The hooks of a window."""

    def __init__(self, emit: Emit, *, patience_s: float = PATIENCE_S, long_patience_s: float = LONG_PATIENCE_S) -> None:
        self._emit = emit
        self._patience_s = patience_s
        self._long_patience_s = long_patience_s
        self._hooks: dict[HookName, list[Hook]] = {}

    def use(self, implementations: Sequence[Implementation]) -> None:
        """Use these functions from now on, in this order."""
        hooks: dict[HookName, list[Hook]] = {}
        for one in implementations:
            patience_s = self._long_patience_s if one.name in _LONG else self._patience_s
            hooks.setdefault(one.name, []).append(Hook(one, self._emit, patience_s))
        self._hooks = hooks

    def of(self, name: HookName) -> Iterator[Hook]:
        """The hooks of a name, in the order in which they are asked."""
        return iter(self._hooks.get(name, ()))

    def any_of(self, *names: HookName) -> bool:
        """Whether there is a hook of one of these names."""
        return any(self._hooks.get(name) for name in names)

    async def tell(self, name: HookName, **values: object) -> None:
        """Tell all hooks of a name what has happened."""
        for hook in self.of(name):
            await hook.ask(**values)


def _give_up(running: "asyncio.Future[Any]") -> None:
    """End a coroutine; a thread cannot be ended, so what it gives one day is dropped."""
    if isinstance(running, asyncio.Task):
        running.cancel()
    running.add_done_callback(lambda done: done.cancelled() or done.exception())


def _in_thread(call: Callable[[], object]) -> "asyncio.Future[Any]":
    """Run a call in a thread of its own, for which nobody waits at the end of the process."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def settle(result: object, error: BaseException | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

    def run() -> None:
        result, error = None, None
        try:
            result = call()
            if inspect.iscoroutine(result):
                result.close()
                error = TypeError("it gave a coroutine: mark it as async")
        except StopIteration as raised:  # a future takes no such error
            error = RuntimeError(f"StopIteration: {raised}")
        except BaseException as raised:
            error = raised if isinstance(raised, Exception) else RuntimeError(repr(raised))
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(settle, result, error)

    Thread(target=run, name="pi-hook", daemon=True).start()
    return future
