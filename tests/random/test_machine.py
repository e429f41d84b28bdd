"""Anything that a person, a provider and other programs may do, in any order: no request is ever refused by the
strict server, every file stays whole for us and for the real Pi, and nothing is left behind.

`PI_LSP_RUNS` is the number of runs.
"""

import asyncio
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from pi_lsp.session.log import SessionLog
from tests.random.driven import Driven, own_home
from tests.random.replies import REPLIES
from tests.support.pi_install import Pi
from tests.support.pi_models import MODEL, OTHER_MODEL
from tests.support.pi_rpc import load_all

RUNS = int(os.environ.get("PI_LSP_RUNS", "30"))
STEPS = 20

Disturbance: TypeAlias = "tuple[int, str]"

ANSWERS = st.lists(st.sampled_from(list(REPLIES)), max_size=4)
PLACES = st.integers(0, 100)
"""Of an entry among those of the session."""
SUMMARIZERS = st.sampled_from(["model", "local"])
DISTURBANCES = [
    "abort",
    "abort twice",
    "cancel",
    "steer",
    "followUp",
    "prompt",
    "compact",
    "switch",
    "label",
    "foreign",
    "queue",
]
MEANWHILE = st.lists(
    st.tuples(st.sampled_from([0, 1, 1, 2, 2, 3, 4, 5, 7, 10, 14]), st.sampled_from(DISTURBANCES)),
    unique_by=lambda disturbance: disturbance[1],
    max_size=3,
).map(sorted)
"""After so many events: what is done while something else goes on."""


STARTERS = {"steer", "followUp", "prompt", "compact", "switch"}


class Machine(RuleBasedStateMachine):
    kept: ClassVar[Path]
    """Where the sessions of all runs are put, for the real Pi to load."""
    figures: ClassVar[Counter[str]]
    """How often each method ended in which way."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = Path(tempfile.mkdtemp(prefix="pi-lsp-run-"))
        self.it = Driven(self._folder)

    def teardown(self) -> None:
        try:
            self.it.close()
            for file in self.it.files:
                shutil.copy(file, self.kept)
        finally:
            shutil.rmtree(self._folder)

    # --- what is done -------------------------------------------------------------------------------------------

    @initialize(turns=st.integers(0, 4))
    def talk(self, turns: int) -> None:
        for _ in range(turns):
            assert self._operate("pi/chat", {"text": self.it.text("prompt")}, [], [])["stopReason"] == "done"

    @rule(replies=ANSWERS, meanwhile=MEANWHILE)
    def prompt(self, replies: list[str], meanwhile: list[Disturbance]) -> None:
        self._operate("pi/chat", {"text": self.it.text("prompt")}, replies, meanwhile)

    @rule(replies=ANSWERS, meanwhile=MEANWHILE, summarizer=SUMMARIZERS, instructions=st.none() | st.just("the tides"))
    def compact(
        self, replies: list[str], meanwhile: list[Disturbance], summarizer: str, instructions: str | None
    ) -> None:
        params = {"summarizer": summarizer, "instructions": instructions}
        self._operate("pi/compact", params, replies, meanwhile, {"nothingToCompact", "alreadyCompacted"})

    @rule(
        replies=ANSWERS,
        meanwhile=MEANWHILE,
        summarizer=SUMMARIZERS | st.just("none"),
        label=st.none() | st.just("here"),
        place=PLACES | st.none(),
    )
    def switch(
        self, replies: list[str], meanwhile: list[Disturbance], summarizer: str, label: str | None, place: int | None
    ) -> None:
        target = None if place is None else self.it.some_entry_now(place)
        params = {"targetId": target, "summarizer": summarizer, "label": label}
        self._operate("pi/tree/switch", params, replies, meanwhile)

    @rule(what=st.sampled_from(["undo", "label", "rename", "restore", "fork", "clone", "choose", "look"]), place=PLACES)
    def small_thing(self, what: str, place: int) -> None:
        it = self.it
        entry_id = it.some_entry_now(place)
        match what:
            case "undo":
                result = it.call("pi/compact/undo")
                assert isinstance(result, dict) or result in ("messagesFollow", "nothingToCompact", "notFound")
            case "rename":
                it.call("pi/session/rename", name=["Tides", "", "Two\nlines"][place % 3])
            case "choose":
                it.call("pi/model/set", id=[MODEL, OTHER_MODEL][place % 2])
                it.call("pi/thinking/set", level=["off", "low", "high"][place % 3])
            case "look":
                it.call("pi/context", full=True)
                it.call("pi/compact/preview")
                it.call("pi/explain", query="prompt")
            case "clone":
                it.call("pi/session/clone")
            case _ if entry_id is None:
                pass
            case "label":
                it.call("pi/tree/label", entryId=entry_id, label=["a", "b", None][place % 3])
            case "restore":
                assert it.call("pi/context/restore", entryId=entry_id) != "busy"
            case "fork":
                it.call("pi/session/fork", entryId=entry_id)
            case _:
                raise AssertionError(what)

    @rule()
    def foreign_turn(self) -> None:
        self.it.foreign_turn()

    @rule()
    def restart(self) -> None:
        self.it.restart()

    # --- always -------------------------------------------------------------------------------------------------

    @invariant()
    def all_is_well(self) -> None:
        self.it.check()

    # --- inside -------------------------------------------------------------------------------------------------

    def _operate(
        self,
        method: str,
        params: dict[str, Any],
        replies: list[str],
        meanwhile: list[Disturbance],
        refusals: AbstractSet[str] = frozenset(),
    ) -> Any:
        """Do it, see that it was answered in one of the ways it may be, and that nothing comes behind the answer."""
        self.it.api.replies += [REPLIES[name] for name in replies]
        result = self.it.operate(method, params, [(count, self._disturbance(kind)) for count, kind in meanwhile])
        outcome = result["stopReason"] if isinstance(result, dict) else result
        self.figures[f"{method} {outcome}"] += 1
        kinds = {kind for _, kind in meanwhile}
        expected = {"done", "cancelled", *refusals}
        expected |= {"error", "maxTurns"} if method == "pi/chat" else set()
        expected |= {"staleTip"} if "foreign" in kinds else set()
        expected |= {"busy"} if kinds & STARTERS else set()  # it was quicker
        assert outcome in expected, outcome
        self.it.check()
        self.it.check_nothing_follows()
        return result

    def _disturbance(self, kind: str) -> Callable[[asyncio.Task[Any]], Awaitable[Any]]:
        it = self.it

        async def disturb(task: asyncio.Task[Any]) -> None:
            match kind:
                case "abort twice":
                    await asyncio.gather(it.ask("pi/abort"), it.ask("pi/abort"))
                case "abort":
                    await it.ask("pi/abort")
                    assert it.window.operations.is_idle, "abort was answered, and it went on (C5)"
                case "cancel":
                    task.cancel()
                case "steer" | "followUp":
                    await it.ask("pi/chat", text=it.text(kind), mode=kind)
                case "prompt":
                    await it.ask("pi/chat", text=it.text(kind))
                case "compact":
                    await it.ask("pi/compact", summarizer="local")
                case "switch":
                    await it.ask("pi/tree/switch", targetId=None)
                case "label":
                    if entry_id := await it.some_entry(0):
                        await it.ask("pi/tree/label", entryId=entry_id, label=it.text("label"))
                case "foreign":
                    await asyncio.to_thread(it.foreign_turn)
                case "queue":
                    await it.ask("pi/queue/set", steer=[it.text("queued")], followUp=[])
                case _:
                    raise AssertionError(kind)

        return disturb


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The session files of all runs, which were all well."""
    Machine.kept, Machine.figures = tmp_path_factory.mktemp("kept"), Counter()
    with own_home(tmp_path_factory.mktemp("home")):
        run_state_machine_as_test(
            Machine,
            settings=settings(
                max_examples=RUNS,
                stateful_step_count=STEPS,
                deadline=None,
                derandomize=RUNS <= 30,
                phases=[Phase.generate],  # shrinking would take longer than reading the steps
                report_multiple_bugs=False,
                suppress_health_check=list(HealthCheck),
                print_blob=True,
            ),
        )
    return list(Machine.kept.iterdir())


def test_all_runs_are_well(sessions: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\n{RUNS} runs, {len(sessions)} sessions:", dict(sorted(Machine.figures.items())))
    assert {"pi/chat done", "pi/chat cancelled", "pi/compact done", "pi/tree/switch done"} <= set(Machine.figures)


def test_real_pi_loads_every_session(sessions: list[Path], program: Pi) -> None:
    for file, loaded in zip(sessions, load_all(program, sessions), strict=True):
        assert "error" not in loaded, (file, loaded)
        assert loaded["leafId"] == SessionLog.open(str(file)).tree.leaf_id
