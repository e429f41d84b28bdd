import json
from pathlib import Path

import pytest

from pi_lsp.cli.plain import CommandError
from pi_lsp.cli.stage import lay_out_sample, own_stage, sample_stage
from pi_lsp.session.catalogue import SessionInfo, describe
from pi_lsp.session.location import default_session_dir


def test_the_sample_stands_in_a_folder_of_its_own_and_is_gone_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = tmp_path / 'a "quoted" \\ 日本'
    odd.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(odd))
    with sample_stage() as stage:
        assert stage.session
        info = describe(stage.session)
        assert isinstance(info, SessionInfo)
        assert info.cwd == stage.workspace
        lines = Path(stage.session).read_text("utf-8").splitlines()
        assert all(isinstance(json.loads(line), dict) for line in lines)
        assert not any("{{" in line for line in lines)
        assert (Path(stage.workspace) / ".pi" / "skills" / "release" / "SKILL.md").is_file()
        inside = [stage.environ[name] for name in ("HOME", "PI_CODING_AGENT_DIR", "TMPDIR", "TMP", "TEMP")]
        assert all(path.startswith(str(odd.resolve())) for path in inside)
    assert list(odd.iterdir()) == []


def test_the_stage_is_struck_even_when_the_play_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(RuntimeError), sample_stage():
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_what_is_laid_out_does_not_replace_what_is_there(tmp_path: Path) -> None:
    places = tmp_path / "workspace", tmp_path / "agent", tmp_path / "sessions" / "s.jsonl"
    lay_out_sample(*places)
    assert isinstance(describe(str(places[2])), SessionInfo)
    with pytest.raises(FileExistsError):
        lay_out_sample(*places)


def test_a_folder_of_ones_own_is_read_under_the_real_agent_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent, workspace = tmp_path / "agent", tmp_path / "work"
    workspace.mkdir()
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(agent))
    monkeypatch.delenv("PI_CODING_AGENT_SESSION_DIR", raising=False)
    with own_stage(str(workspace)) as stage:
        assert (stage.session, stage.options) == (None, {"session": "new"})
        assert stage.environ["PI_CODING_AGENT_DIR"] == str(agent)
        assert Path(stage.environ["PI_CODING_AGENT_SESSION_DIR"]).parent == Path(stage.environ["TMPDIR"]).parent
    session = Path(default_session_dir(str(workspace), str(agent))) / "s.jsonl"
    session.parent.mkdir(parents=True)
    session.write_text(json.dumps({"type": "session", "version": 3, "id": "x", "cwd": str(workspace)}) + "\n")
    with own_stage(str(workspace)) as stage:
        assert stage.original == str(session)
        assert stage.session
        assert stage.session != stage.original
        assert Path(stage.session).read_bytes() == session.read_bytes()


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no such folder"), own_stage(str(tmp_path / "none")):
        pass


@pytest.mark.parametrize(
    ("key", "url", "asks"),
    [
        ("", "", None),
        ("sk", "", "ANTHROPIC_API_KEY"),
        ("", "http://localhost", "ANTHROPIC_BASE_URL"),
        ("sk", "http://localhost", "ANTHROPIC_API_KEY"),
    ],
)
def test_a_real_model_is_asked_only_where_the_person_has_said_so(
    key: str, url: str, asks: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
    with sample_stage() as stage:
        assert stage.asks_for_model == asks
