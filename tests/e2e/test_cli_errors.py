"""What can be wrong with a command line and with what it names: a clear line, the right exit code, no traceback."""

import os
import subprocess
from pathlib import Path

import pytest

from pi_lsp.cli.stage import Stage
from tests.support.command_line import COMMAND, Run, environ


def test_help_and_version(pi_lsp: Run) -> None:
    assert "explain" in pi_lsp("--help").stdout
    assert pi_lsp("--version").stdout.startswith("pi-lsp ")


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["tree"],
        ["rules", "a", "b"],
        ["compact", "x.jsonl"],
        ["compact", "x", "--preview", "--keep", "-1"],
    ],
)
def test_a_wrong_command_line_is_2(pi_lsp: Run, arguments: list[str]) -> None:
    done = pi_lsp(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: ")


def fails(done: "subprocess.CompletedProcess[str]", *facts: str) -> None:
    """It ended with 1, printed nothing, and said in one line what is wrong."""
    assert (done.returncode, done.stdout) == (1, ""), done
    assert len(done.stderr.splitlines()) == 1
    assert all(fact in done.stderr for fact in facts), done.stderr


@pytest.mark.parametrize(
    "command",
    [["tree", "FILE"], ["explain", "FILE", "x"], ["compact", "FILE", "--preview"], ["context", "--session", "FILE"]],
)
def test_a_file_that_is_not_there_or_no_session(pi_lsp: Run, tmp_path: Path, command: list[str]) -> None:
    text = tmp_path / "notes.jsonl"
    text.write_text("hello\n")
    for path, why in ((tmp_path / "missing.jsonl", "no such file"), (text, "not a Pi session")):
        fails(pi_lsp(*(str(path) if word == "FILE" else word for word in command)), str(path), why)


def test_an_empty_file_and_a_folder_are_no_sessions(pi_lsp: Run, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    fails(pi_lsp("tree", str(empty)), str(empty), "not a Pi session")
    fails(pi_lsp("tree", str(tmp_path)), str(tmp_path), "not a file")


def test_a_pipe_is_not_waited_for(pi_lsp: Run, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    fails(pi_lsp("tree", str(pipe)), str(pipe), "not a file")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_session_that_may_not_be_read(pi_lsp: Run, tmp_path: Path) -> None:
    path = tmp_path / "secret.jsonl"
    path.write_text("{}")
    path.chmod(0)
    fails(pi_lsp("tree", str(path)), str(path), "Permission denied")


def test_an_unknown_leaf(pi_lsp: Run) -> None:
    fails(pi_lsp("context", "--leaf", "ffffffff"), "ffffffff", "pi-lsp tree")


def test_a_folder_that_is_not_there(pi_lsp: Run, tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    for command in ("rules", "context", "demo"):
        fails(pi_lsp(command, missing), f"{missing}: no such")
        fails(pi_lsp(command, ""), "must not be empty")
    file = tmp_path / "file"
    file.touch()
    for command in ("context", "demo"):
        fails(pi_lsp(command, str(file)), f"{file}: not a folder")


def test_a_path_that_leads_nowhere_says_why(pi_lsp: Run, tmp_path: Path) -> None:
    (tmp_path / "loop.jsonl").symlink_to("loop.jsonl")
    for command in (["tree"], ["rules"]):
        fails(pi_lsp(*command, str(tmp_path / "loop.jsonl")), "loop.jsonl", "symbolic links")
        fails(pi_lsp(*command, str(tmp_path / ("n" * 300))), "too long")
    fails(pi_lsp("context", "--session", ""), "must not be empty")


@pytest.mark.skipif(os.name == "nt", reason="closes a stream in a shell")
@pytest.mark.parametrize("command", ["", "--version", "rules", "rules --json", "tree nowhere"])
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_a_closed_stream_is_no_traceback(stage: Stage, command: str, closed: str) -> None:
    done = subprocess.run(
        f'"{COMMAND[0]}" -m pi_lsp {command} {closed}',
        shell=True,
        cwd=stage.workspace,
        env={**environ(), "HOME": stage.home},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    told = done.stderr
    assert "Traceback" not in told + done.stdout
    assert "should not happen" not in told
    assert done.returncode == (command == "" or command == "tree nowhere" or closed == ">&-"), told
    assert ("are closed" in told) == (command == "" and closed != "2>&-"), told
    if command == "tree nowhere":
        assert done.stdout == ""  # where standard error is closed, the error is not printed instead of a result


def test_nothing_to_compact_says_what_to_do(pi_lsp: Run, stage: Stage) -> None:
    fails(pi_lsp("compact", str(stage.session), "--preview"), "20000 tokens", "--keep")


def test_a_blank_question(pi_lsp: Run, stage: Stage) -> None:
    fails(pi_lsp("explain", str(stage.session), " "), "blank")


def test_settings_that_cannot_be_used_are_told_and_the_rest_is_shown(pi_lsp: Run, tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"skills": 7,')
    done = pi_lsp("rules", cwd=tmp_path, PI_CODING_AGENT_DIR=str(tmp_path))
    assert done.returncode == 0
    assert done.stderr.startswith(f"pi-lsp: warning: {tmp_path}/settings.json")
    (tmp_path / "settings.json").write_text('{"skills": 7}')
    done = pi_lsp("skills", cwd=tmp_path, PI_CODING_AGENT_DIR=str(tmp_path))
    assert done.returncode == 0
    assert "skills must be a list" in done.stderr


def test_an_empty_folder_with_an_unusual_name(pi_lsp: Run, tmp_path: Path) -> None:
    folder = tmp_path / "a b 日本"
    folder.mkdir()
    for command in ("rules", "skills", "context", "sessions"):
        done = pi_lsp(command, cwd=folder, PI_CODING_AGENT_DIR=str(tmp_path / "none"))
        assert (done.returncode, done.stderr) == (0, "")
    assert not (tmp_path / "none").exists()
