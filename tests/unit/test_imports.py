"""Start-up pays for nothing it does not use (ARCHITECTURE.md, invariant 9)."""

import subprocess
import sys

import pytest

HEAVY = ("anthropic", "httpx", "tiktoken", "watchdog", "ruamel", "pathspec", "rich", "filelock", "pluggy", "argparse")


def loaded_by(statement: str) -> set[str]:
    program = f"{statement}\nimport sys\nprint(*sys.modules, sep='\\n')"
    return set(
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    )


@pytest.mark.parametrize("module", ["pi_lsp.agent.window", "pi_lsp.api.methods"])
def test_the_engine_loads_nothing_heavy(module: str) -> None:
    loaded = loaded_by(f"import {module}")
    assert module in loaded
    assert loaded.isdisjoint(HEAVY)


def test_the_server_answers_initialize_without_the_engine() -> None:
    loaded = loaded_by("import pi_lsp.lsp.server; pi_lsp.lsp.server.make_server()")
    assert loaded.isdisjoint({*HEAVY, "pi_lsp.agent.window", "pi_lsp.api.methods", "pi_lsp.session.log"} - {"argparse"})


def test_the_command_line_is_light_when_it_serves() -> None:
    loaded = loaded_by("import pi_lsp.cli")
    assert loaded.isdisjoint({*HEAVY, "pi_lsp.agent.window", "pygls"})
