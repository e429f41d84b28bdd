"""Each command as a real process, plain and as JSON, on the sample."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pi_lsp.api.compact import Preview
from pi_lsp.api.context import Context
from pi_lsp.api.explain import Explanation
from pi_lsp.api.rules import Rules
from pi_lsp.api.sessions import SessionList
from pi_lsp.api.skills import Skills
from pi_lsp.api.tree import TreeResult
from pi_lsp.cli.stage import Stage
from tests.support.command_line import COMMAND, Run, environ


def wire(done: "subprocess.CompletedProcess[str]", kind: type[Any]) -> Any:
    """The result object that `--json` printed."""
    assert done.returncode == 0, done.stderr
    return msgspec.json.decode(done.stdout, type=kind)


# --- each command, plain and as JSON ---------------------------------------------------------------------------------


def test_rules_of_a_folder(pi_lsp: Run) -> None:
    text = pi_lsp("rules", "apps/web").stdout
    assert "~/.pi/agent/AGENTS.md" in text
    assert "AGENTS.override.md is read instead" in text
    rules = wire(pi_lsp("rules", "apps/web", "--json"), Rules)
    loaded = [os.path.basename(file.uri) for file in rules.files if file.loaded]
    assert loaded == ["AGENTS.md", "AGENTS.md", "AGENTS.override.md"]
    assert rules.tokens == sum(file.tokens for file in rules.files if file.loaded)


def test_rules_of_a_file_are_those_of_its_folder(pi_lsp: Run) -> None:
    of_file = wire(pi_lsp("rules", "services/api/harbour/store.py", "--json"), Rules)
    of_folder = wire(pi_lsp("rules", "services/api/harbour", "--json"), Rules)
    assert of_file == of_folder


def test_skills(pi_lsp: Run) -> None:
    text = pi_lsp("skills").stdout
    assert "Trust the project" in text  # the sample's own were never agreed to
    skills = wire(pi_lsp("skills", "--json"), Skills)
    assert {skill.name for skill in skills.skills if skill.listed} == {"release", "review"}


def test_sessions_give_the_path_that_tree_takes(pi_lsp: Run, stage: Stage) -> None:
    assert "Bookings that end at midnight" in pi_lsp("sessions").stdout
    listing = wire(pi_lsp("sessions", "--json"), SessionList)
    assert [session.file for session in listing.sessions] == [stage.session]
    tree = wire(pi_lsp("tree", listing.sessions[0].file, "--json"), TreeResult)
    assert tree.leaf_id == "e8a06a94"


def test_sessions_of_every_folder(pi_lsp: Run, tmp_path: Path) -> None:
    assert wire(pi_lsp("sessions", "--json", cwd=tmp_path), SessionList).sessions == []
    assert len(wire(pi_lsp("sessions", "--all", "--json", cwd=tmp_path), SessionList).sessions) == 1


def test_tree_sets_in_only_what_was_left(pi_lsp: Run, stage: Stage) -> None:
    lines = pi_lsp("tree", str(stage.session)).stdout.splitlines()
    assert "1 branch left behind" in lines[0]
    side = [line for line in lines if "├╴" in line or "│ " in line]
    assert len(side) == 6
    assert "shorten" in side[0] or "Both places" in side[0]
    assert lines[-1].startswith(" ▸ ")


def test_context_takes_the_newest_session_of_the_folder(pi_lsp: Run, stage: Stage) -> None:
    text = pi_lsp("context").stdout
    assert "System prompt" in text
    assert "of 200,000 tokens" in text
    context = wire(pi_lsp("context", "--json"), Context)
    assert context.messages[0].entry_id == "23d108ad"
    named = wire(pi_lsp("context", "--session", str(stage.session), "--json", cwd="/"), Context)
    assert named.messages == context.messages


def test_context_from_another_leaf(pi_lsp: Run) -> None:
    context = wire(pi_lsp("context", "--leaf", "5b92f6b8", "--json"), Context)
    assert [message.entry_id for message in context.messages if not message.added] == ["400eccb8", "5b92f6b8"]


def test_compact_looks_only(pi_lsp: Run, stage: Stage) -> None:
    before = Path(str(stage.session)).read_bytes()
    text = pi_lsp("compact", str(stage.session), "--preview", "--keep", "1000").stdout
    assert "## Goal" in text
    preview = wire(pi_lsp("compact", str(stage.session), "--preview", "--keep", "1000", "--json"), Preview)
    assert preview.tokens_after < preview.tokens_before
    assert Path(str(stage.session)).read_bytes() == before


def test_explain_a_text_and_an_entry(pi_lsp: Run, stage: Stage) -> None:
    text = pi_lsp("explain", str(stage.session), "parse it by hand").stdout
    assert "the next request does not hold it" in text
    assert "brought back by pi/context/restore 400eccb8" in text
    found = wire(pi_lsp("explain", str(stage.session), "British English", "--json"), Explanation)
    assert [(hit.fate, hit.stage) for hit in found.hits] == [("absent", "rule")]
    entry = wire(pi_lsp("explain", str(stage.session), "d66dccee", "--json"), Explanation)
    assert [hit.entry_id for hit in entry.hits] == ["d66dccee"]


# --- how it looks ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", ["40", "80"])
def test_nothing_is_wider_than_the_terminal(pi_lsp: Run, stage: Stage, columns: str) -> None:
    for command in (("rules", "apps/web"), ("skills",), ("context",), ("tree", str(stage.session))):
        done = pi_lsp(*command, COLUMNS=columns)
        assert done.returncode == 0
        assert max(map(len, done.stdout.splitlines())) <= int(columns)


def test_no_colour_where_there_is_no_terminal(pi_lsp: Run) -> None:
    assert "\x1b" not in pi_lsp("context").stdout


@pytest.mark.parametrize("how", [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}])
def test_a_terminal_that_knows_ascii_alone(pi_lsp: Run, stage: Stage, how: dict[str, str]) -> None:
    done = pi_lsp("tree", str(stage.session), **{"PYTHONUTF8": "0", **how})
    assert done.returncode == 0
    assert "|-d66dccee" in done.stdout
    assert done.stdout.isascii()


def test_what_a_session_says_does_not_act_on_the_terminal(pi_lsp: Run, tmp_path: Path) -> None:
    session = tmp_path / "s.jsonl"
    text = "\x1b[2J\x9b31m\u202e [bold]日本語[/bold] :smile: \ud800"
    lines = [
        {"type": "session", "version": 3, "id": "x", "timestamp": "2026-05-04T08:12:03.000Z", "cwd": "/nowhere"},
        {"type": "message", "id": "a\x1b[1m", "parentId": None, "message": {"role": "user", "content": text}},
    ]
    session.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for command in (["tree", str(session)], ["context", "--session", str(session)], ["explain", str(session), "bold"]):
        done = pi_lsp(*command)
        assert done.returncode == 0, done.stderr
        assert not {"\x1b", "\x9b", "\u202e"} & set(done.stdout)
        assert "[bold]日本語[/bold] :smile:" in done.stdout
    preview = wire(pi_lsp("tree", str(session), "--json"), TreeResult).nodes[0].preview
    assert preview == text.replace("\ud800", "\ufffd")


def test_a_reader_that_goes_away_is_no_failure(stage: Stage) -> None:
    with subprocess.Popen(
        [*COMMAND, "tree", str(stage.session)],
        cwd=stage.workspace,
        env={**environ(), "HOME": stage.home},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(30) == 0
