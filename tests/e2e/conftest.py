import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.cli.stage import Stage, sample_stage
from tests.support.chats import KEYS, Api
from tests.support.command_line import Run, environ, run
from tests.support.editor import Editor, Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def start(home: Home) -> Iterator[Callable[..., Editor]]:
    """Starts servers; each is shut down at the end, and its whole conversation checked."""
    with ExitStack() as stack:

        def begin(**kwargs: Any) -> Editor:
            return stack.enter_context(Editor(home, **kwargs))

        yield begin


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    """The strict Messages API; servers that are started find it, and no key."""
    running = Api()
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", running.server.url)
    yield running
    running.stop()


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with sample_stage() as stage:
        yield stage


@pytest.fixture
def pi_lsp(stage: Stage) -> Run:
    def call(*arguments: str, cwd: str | Path = stage.workspace, **changes: str) -> "subprocess.CompletedProcess[str]":
        own = {name: stage.environ[name] for name in ("HOME", "PI_CODING_AGENT_DIR", "TMPDIR")}
        return run(*arguments, cwd=cwd, env=environ(**{"COLUMNS": "100", **own, **changes}))

    return call
