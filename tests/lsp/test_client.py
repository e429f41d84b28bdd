"""The LSP client of the demonstration, against servers that behave and ones that do not."""

import os
import sys
import time
from pathlib import Path

import pytest

from pi_lsp.api.errors import RefusedError
from pi_lsp.api.methods import NoParams
from pi_lsp.api.rules import RulesParams
from pi_lsp.api.tree import TreeParams
from pi_lsp.lsp import client as client_module
from pi_lsp.lsp.client import Client, ServerError
from tests.support.command_line import COMMAND, environ

DEAF = "import sys, time; time.sleep(60)"
CHATTY = f"""
import os, sys
os.write(2, b'x' * 1_000_000)
os.execv(sys.executable, {[*COMMAND]!r})
"""


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return environ(HOME=str(tmp_path / "home"), TMPDIR=str(tmp_path))


async def test_it_asks_and_is_answered(env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("# Here\n")
    async with Client.start(COMMAND, env) as client:
        result = await client.initialize(str(tmp_path), {"session": "new"})
        assert result.server_info
        assert result.server_info.name == "pi-lsp"
        rules = await client.ask("pi/rules", RulesParams())
        assert [file["title"] for file in rules["files"]][-1] == "Here"
        assert "AGENTS.md" in str(await client.hover(str(tmp_path / "AGENTS.md"), 0, 0))


async def test_a_refusal_keeps_its_reason_and_an_error_its_method(env: dict[str, str], tmp_path: Path) -> None:
    async with Client.start(COMMAND, env) as client:
        await client.initialize(str(tmp_path), {"session": "new"})
        with pytest.raises(RefusedError) as refused:
            await client.ask("pi/tree", TreeParams(under="nothing"))
        assert refused.value.reason == "notFound"
        with pytest.raises(ServerError, match="pi/nonsense"):
            await client.ask("pi/nonsense", NoParams())
        with pytest.raises(ServerError, match="pi/rules"):
            await client.ask("pi/rules", RulesParams(uri="https://example.org"))


async def test_a_server_that_dies_is_told_with_its_last_words(env: dict[str, str], tmp_path: Path) -> None:
    begun = time.monotonic()
    async with Client.start([sys.executable, "-c", "raise SystemExit('no, thank you')"], env) as client:
        with pytest.raises(ServerError, match="no, thank you"):
            await client.initialize(str(tmp_path), {})
    assert time.monotonic() - begun < client_module.LEAVE_S


async def test_a_server_that_does_not_leave_is_ended(
    env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "ANSWER_S", 0.2)
    monkeypatch.setattr(client_module, "LEAVE_S", 0.2)
    pid_file = tmp_path / "pid"
    script = f"import os; open({str(pid_file)!r}, 'w').write(str(os.getpid())); {DEAF}"
    async with Client.start([sys.executable, "-c", script], env) as client:
        with pytest.raises(ServerError, match="no answer"):
            await client.initialize(str(tmp_path), {})
        while not (pid_file.exists() and pid_file.read_text()):
            time.sleep(0.01)  # noqa: ASYNC251  the child needs no loop of ours
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)


async def test_what_a_server_writes_on_standard_error_does_not_block_it(env: dict[str, str], tmp_path: Path) -> None:
    async with Client.start([sys.executable, "-c", CHATTY], env) as client:
        await client.initialize(str(tmp_path), {"session": "new"})
