import os
from pathlib import Path

import pytest

from pi_lsp.agent.watched import MOST_FOLDERS, folders_to_watch
from pi_lsp.agent.workspace import Workspace

SKILL = "---\nname: x\ndescription: X.\n---\n"


def write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home/.pi/agent").mkdir(parents=True)
    (tmp_path / "w/sub").mkdir(parents=True)
    return tmp_path


def folders(home: Path, *, inside: bool = False, trusted: bool = True) -> list[str]:
    workspace = Workspace([str(home / "w")], str(home / "home/.pi/agent"))
    workspace.adopt_index(workspace.walk(workspace.begin_index()))
    found = folders_to_watch(workspace, str(home / "w"), trusted=trusted, inside=inside)
    return [os.path.relpath(folder, home) for folder in found]


def test_what_lies_outside_is_watched_and_never_what_the_client_watches(home: Path) -> None:
    found = folders(home)
    assert found[0] == "home/.pi/agent"
    assert {".", "home/.pi/agent/skills", "home/.pi/agent/prompts", "home/.agents/skills", ".agents/skills"} <= {*found}
    assert not [folder for folder in found if folder == "w" or folder.startswith("w/")]
    assert len(found) == len(set(found))


def test_for_a_client_that_watches_nothing_the_workspace_is_watched_too(home: Path) -> None:
    write(home / "w/sub/AGENTS.md")
    found = folders(home, inside=True)
    assert {"w", "w/sub", "w/.pi", "w/.pi/skills", "w/.agents/skills"} <= {*found}


def test_the_folders_of_skills_are_watched_wherever_they_are(home: Path) -> None:
    write(home / "home/.pi/agent/settings.json", '{"skills": ["../../elsewhere"]}')
    write(home / "home/elsewhere/deep/x/SKILL.md", SKILL)
    write(home / "home/.pi/agent/skills/y/SKILL.md", "no skill")
    found = folders(home)
    assert {"home/elsewhere/deep/x", "home/elsewhere/deep", "home/.pi/agent/skills/y"} <= {*found}


def test_E4_few_folders_are_watched(home: Path) -> None:
    for number in range(MOST_FOLDERS + 10):
        write(home / f"home/.pi/agent/skills/s{number}/SKILL.md", SKILL)
    found = folders(home)
    assert len(found) == MOST_FOLDERS
    assert {"home/.pi/agent", "."} <= {*found}


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root reads everything")
def test_a_folder_that_cannot_be_read_is_not_complained_about(home: Path) -> None:
    os.chmod(home, 0o111)
    try:
        assert "." not in folders(home)
    finally:
        os.chmod(home, 0o755)
