from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pi_lsp.agent.events import ResourcesChanged
from pi_lsp.agent.touched import NOTHING
from pi_lsp.agent.workspace import Workspace

RULES = ResourcesChanged(rules=True, skills=False, settings=False)
SKILLS = ResourcesChanged(rules=False, skills=True, settings=False)


def write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "w").mkdir()
    return tmp_path / "w"


@pytest.fixture
def workspace(folder: Path) -> Workspace:
    made = Workspace([str(folder)], str(folder.parent / "agent"))
    made.adopt_index(made.walk(made.begin_index()))
    return made


def surveyed(workspace: Workspace, folder: Path) -> list[str]:
    return [Path(file.path).relative_to(folder).as_posix() for file in workspace.survey(str(folder))]


def test_a_folder_that_comes_brings_its_rules(workspace: Workspace, folder: Path) -> None:
    write(folder / "new/deep/AGENTS.md")
    assert workspace.changed([str(folder / "new")]) == RULES
    assert surveyed(workspace, folder) == ["new/deep/AGENTS.md"]


def test_a_folder_without_anything_changes_nothing(workspace: Workspace, folder: Path) -> None:
    write(folder / "build/out.js")
    assert workspace.changed([str(folder / "build")]) == NOTHING
    assert workspace.changed([str(folder / "build/out.js")]) == NOTHING


def test_changes_of_a_burst_are_one(workspace: Workspace, folder: Path) -> None:
    paths = [write(folder / "AGENTS.md"), write(folder / ".pi/skills/x/SKILL.md"), folder / "gone.txt"]
    assert workspace.changed(map(str, paths)) == RULES | SKILLS


def test_a_buffer_counts_until_it_is_closed(workspace: Workspace, folder: Path) -> None:
    path = str(folder / "sub/AGENTS.md")
    assert workspace.set_buffer(path, "# Typed\n") == RULES
    assert surveyed(workspace, folder) == ["sub/AGENTS.md"]
    assert workspace.close_buffer(path) == RULES
    assert surveyed(workspace, folder) == []
    assert workspace.close_buffer(path) == NOTHING


def test_other_folders_are_walked_anew(workspace: Workspace, folder: Path) -> None:
    other = folder.parent / "other"
    write(other / "x/AGENTS.md")
    workspace.set_folders([str(other), str(other)])
    assert not workspace.is_indexed
    workspace.adopt_index(workspace.walk(workspace.begin_index()))
    assert [Path(file.path) for file in workspace.survey(str(folder))] == [other / "x/AGENTS.md"]


def test_buffers_may_change_while_another_thread_reads_through_them(workspace: Workspace, folder: Path) -> None:
    def read() -> None:
        for _ in range(3000):
            workspace.files.names(str(folder))

    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read)
        while not reading.done():
            for number in range(200):
                workspace.buffers[str(folder / f"{number}.md")] = ""
            workspace.buffers.clear()
        reading.result()
