"""Runs one case: its adapter is asked, its answer compared with Pi's."""

import asyncio
import importlib
import inspect
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest

from tests.conformance.case import Case, Vector, open_case
from tests.conformance.compare import Comparison, Difference
from tests.conformance.deviations import load_deviations, not_allowed
from tests.conformance.messages import load_messages

Op = Callable[[Case], Any]
FindOp = Callable[[Vector], Op]


class NoAdapterError(Exception):
    """Nothing answers this op yet."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came out of a case. It passes where `wrong` is empty; `found` counts the allowed differences too."""

    found: list[Difference]
    wrong: list[Difference]


def run(vector: Vector, find_op: FindOp | None = None) -> Outcome:
    """Ask and compare. Raises NoAdapterError, and whatever the adapter raises."""
    op = (find_op or adapter_of)(vector)
    with tempfile.TemporaryDirectory(prefix="pi-lsp-", ignore_cleanup_errors=True) as folder:
        case = open_case(vector, folder)
        with environment(vector, case.root):
            comparison = Comparison(vector.full_op, vector.input, case.root, os.getcwd(), load_messages())
            answer = op(case)
            if inspect.iscoroutine(answer):
                answer = asyncio.run(answer)
        found = comparison.differences(vector.expected, answer)
    return Outcome(found, not_allowed(vector, found, load_deviations()))


def adapter_of(vector: Vector) -> Op:
    """The function of tests/conformance/adapters/<group>.py that is named as the op. Raises NoAdapterError."""
    name = f"tests.conformance.adapters.{vector.group}"
    try:
        module: ModuleType = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise NoAdapterError(f"no adapter for {vector.group}/{vector.op}") from None
    op = getattr(module, vector.op, None)
    if not callable(op):
        raise NoAdapterError(f"no adapter for {vector.group}/{vector.op}")
    return op


@contextmanager
def environment(vector: Vector, root: str) -> Iterator[None]:
    """The process as the vectors had it: their home folder, no settings of ours, for session_dir UTC and /tmp."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("PI_", "XDG_"))]:
            patch.delenv(name)
        home = f"{root}/home"
        if vector.group == "session_dir":
            home = str(vector.input.get("home", "/home/u"))
            patch.chdir("/tmp")
        patch.setenv("HOME", home)
        with _utc(patch, vector.group == "session_dir"):
            yield


@contextmanager
def _utc(patch: pytest.MonkeyPatch, wanted: bool) -> Iterator[None]:
    if not wanted:
        yield
        return
    with pytest.MonkeyPatch.context() as zone:
        zone.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()
