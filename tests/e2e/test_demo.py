"""The demonstration, from its command to its last line, with a home of its own that nothing may change in."""

import asyncio
import json
import os
import shutil
from pathlib import Path

import pytest

from pi_lsp.cli import demo_talk
from pi_lsp.cli.demo import demo
from pi_lsp.cli.stage import SAMPLE, record_sample
from pi_lsp.session.location import default_session_dir
from tests.support.api_server_replies import Reply
from tests.support.chats import KEYS, Api
from tests.support.command_line import environ, run, tree_hash

PARTS = 10
UNREACHABLE = "http://127.0.0.1:9"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A person's home, with global rules, a skill and settings; the temporary folder stands beside it."""
    home = tmp_path / "home"
    shutil.copytree(SAMPLE / "agent", home / ".pi" / "agent")
    (home / ".pi" / "agent" / "settings.json").write_text('{"compaction": {"keepRecentTokens": 500}}')
    (tmp_path / "tmp").mkdir()
    return home


def play(home: Path, *arguments: str, cwd: Path | None = None, **changes: str) -> tuple[int, str]:
    """Run the demonstration; it leaves nothing in the home, the workspace or the temporary folder."""
    temporary = home.parent / "tmp"
    folders = [home, *map(Path, arguments)]
    before = [tree_hash(folder) for folder in folders if folder.is_dir()]
    env = environ(HOME=str(home), TMPDIR=str(temporary), **{"COLUMNS": "80", **dict.fromkeys(KEYS, ""), **changes})
    done = run("demo", *arguments, cwd=cwd or home.parent, env=env)
    assert [tree_hash(folder) for folder in folders if folder.is_dir()] == before
    assert list(temporary.iterdir()) == []
    assert done.stderr == ""
    return done.returncode, done.stdout


def session_of(home: Path, workspace: Path) -> Path:
    """The sample's session, recorded for another workspace."""
    agent = home / ".pi" / "agent"
    path = Path(default_session_dir(str(workspace), str(agent))) / "2026-05-04T08-12-03-000Z_x.jsonl"
    record_sample(workspace, agent, path)
    return path


def titles(text: str) -> list[str]:
    return [line for line in text.splitlines() if line[:1].isdigit() and "──" in line]


def test_the_sample(home: Path) -> None:
    code, text = play(home)
    assert code == 0, text
    assert len(titles(text)) == PARTS
    assert "All 10 parts were answered" in text
    for fact in (
        "on “harbour/store.py”",  # the hover
        "AGENTS.override.md is read",  # three folders
        "another",  # two skills of one name
        "├╴d66dccee",  # the branch that was left
        "of 200,000 tokens",
        "“parse it by hand”",
        "“shorten every stored departure”",
        "“British English”",
        "## Goal",
        "our built-in script",
        "This is the scripted answer of pi-lsp",
        "our script, no model",
        "Undone, by one more entry",
        "in a summary made from the entries alone:",
        "And back behind",
        "No model was asked.",
    ):
        assert fact in text, fact
    assert text.count("the next request does not hold it") == 3
    assert max(map(len, text.splitlines())) <= 80


def test_no_editor_is_opened_where_nobody_sits(home: Path) -> None:
    code, text = play(home, "--editor", DISPLAY=":0", COLUMNS="200", CI="")
    assert code == 0, text
    assert text.rstrip().endswith(
        "Not in VS Code: nobody sits at this terminal. By hand: make vsix, then install vscode-extension/pi-lsp.vsix."
    )
    assert "this is a CI run" in play(home, "--editor", CI="true", COLUMNS="200")[1]


def test_the_sample_does_not_see_the_persons_own_folder(home: Path) -> None:
    (home / ".pi" / "agent" / "AGENTS.md").write_text("# My own words\n")
    _, text = play(home, PI_CODING_AGENT_DIR=str(home / ".pi" / "agent"))
    assert "My own words" not in text


def test_a_folder_of_ones_own_with_a_session(home: Path, tmp_path: Path) -> None:
    workspace = tmp_path / "my work 日本 [bold]"
    shutil.copytree(SAMPLE / "workspace", workspace)
    session = session_of(home, workspace)
    (home / ".pi" / "agent" / "AGENTS.md").write_text("# My own words\n")
    code, text = play(home, str(workspace))
    assert code == 0, text
    assert len(titles(text)) == PARTS
    assert str(session) in text
    assert "My own words" in text
    assert "Bookings that end at midnight are refused" in text
    assert "replaced by the compaction's summary" in text
    assert "## Goal" in text


def test_it_looks_where_the_settings_keep_sessions(home: Path, tmp_path: Path) -> None:
    workspace = tmp_path / "work"
    workspace.mkdir()
    session = session_of(home, workspace)
    moved = home / "elsewhere" / session.name
    moved.parent.mkdir()
    session.rename(moved)
    shutil.copy(moved, moved.with_name("of another folder.jsonl"))
    other = moved.with_name("of another folder.jsonl")
    other.write_text(other.read_text("utf-8").replace(str(workspace), str(tmp_path / "other")), "utf-8")
    (home / ".pi" / "agent" / "settings.json").write_text('{"sessionDir": "~/elsewhere"}')
    code, text = play(home, str(workspace))
    assert code == 0, text
    assert str(moved) in text


def test_a_folder_without_anything(home: Path, tmp_path: Path) -> None:
    workspace = tmp_path / "empty"
    workspace.mkdir()
    shutil.rmtree(home / ".pi")
    code, text = play(home, str(workspace))
    assert code == 0, text
    assert len(titles(text)) == PARTS
    assert "It has no Pi session yet" in text
    assert "nothing to point at" in text
    assert "Nothing was said yet." in text
    assert "This is the scripted answer of pi-lsp" in text
    assert not (home / ".pi").exists()


def test_a_session_with_messages_of_another_protocol_in_it(home: Path, tmp_path: Path) -> None:
    """Whoever works on a language server has JSON-RPC in their sessions; pygls takes it for messages."""
    workspace = tmp_path / "work"
    workspace.mkdir()
    session = session_of(home, workspace)
    call = {"jsonrpc": "2.0", "id": 1, "result": {"jsonrpc": "2.0", "method": "x"}}
    entry = {"type": "custom", "id": "cc", "parentId": "e8a06a94", "customType": "rpc", "data": call}
    with session.open("a") as file:
        file.write(json.dumps(entry) + "\n")
    code, text = play(home, str(workspace))
    assert code == 0, text


def test_a_broken_session_is_passed_over(home: Path, tmp_path: Path) -> None:
    workspace = tmp_path / "work"
    workspace.mkdir()
    session = session_of(home, workspace)
    os.utime(session, (1, 1))
    session.with_name("broken.jsonl").write_text("{}\n")
    code, text = play(home, str(workspace))
    assert code == 0, text
    assert str(session) in text


def test_a_real_model_is_asked_where_there_is_an_address(home: Path, api: Api) -> None:
    summary = Reply(text="## Goal\nBookings that touch at midnight.")
    api.will(Reply(text="Never touch stored times."), summary, summary)  # one of whole turns, one of a turn's beginning
    code, text = play(home, ANTHROPIC_BASE_URL=api.server.url)
    assert code == 0, text
    for fact in (
        "ANTHROPIC_BASE_URL is set, so a real model answers",
        "anthropic/claude-sonnet-4-5",
        "Never touch stored times.",
        "answered by claude-sonnet-4-5",
        "summary by claude-sonnet-4-5",
    ):
        assert fact in text, fact
    assert "scripted" not in text
    question, *summaries = api.server.requests
    assert "what did I tell you never to do here" in str(question.body["messages"][-1])
    assert len(summaries) == 2


def test_a_wrong_key_is_told_and_the_other_parts_are_played(home: Path, api: Api) -> None:
    api.will(Reply(status=401, error="invalid x-api-key"))
    code, text = play(home, ANTHROPIC_BASE_URL=api.server.url, ANTHROPIC_API_KEY="sk-ant-wrong", COLUMNS="400")
    assert code == 1, text
    assert "Not answered: no answer from claude-sonnet-4-5: 401" in text
    assert "(check ANTHROPIC_API_KEY)" in text
    assert "sk-ant-wrong" not in text
    assert "summary local, from the entries alone" in text
    assert "And back behind" in text
    assert text.endswith("Not answered: part 8.\n")
    assert len(api.server.requests) == 1


def test_a_model_that_does_not_come_to_an_end_is_aborted(
    api: Api, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo_talk, "DEADLINE_S", 8.0)
    monkeypatch.setenv("COLUMNS", "400")
    api.will(Reply(text="Never touch stored times.", stall_after=4))
    assert asyncio.run(demo()) == 1
    text = capsys.readouterr().out
    assert "Never touch" in text
    assert "it took longer than 8 s and was aborted" in text
    assert text.endswith("Not answered: part 8.\n")
    api.until(lambda: api.server.requests[0].gone)


def test_a_model_that_cannot_be_reached_is_told(home: Path) -> None:
    (home / ".pi" / "agent" / "settings.json").write_text('{"retry": {"baseDelayMs": 0}}')
    workspace = home.parent / "work"
    shutil.copytree(SAMPLE / "workspace", workspace)
    session_of(home, workspace)
    code, text = play(home, str(workspace), ANTHROPIC_BASE_URL=UNREACHABLE, COLUMNS="400")
    assert code == 1, text
    assert text.count("Connection error: All connection attempts failed; asked again in 0 s") == 3
    assert "no answer from claude-sonnet-4-5: Connection error" in text
    assert "(check ANTHROPIC_BASE_URL)" in text
