"""Big folders: 500 skills beside Pi, and the index of 100,000 files beside git."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from pi_lsp.base.files import Disk
from pi_lsp.resources.index import build_index
from tests.bench.child import best_in_turn, in_turn, ours, pis
from tests.bench.rows import Row, missing, times
from tests.bench.stage import Stage

SKILLS = 500
FILES = 100_000
FILES_PER_FOLDER = 20
RUNS = 5


def skills(stage: Stage) -> Iterator[Row]:
    """All skills found and read, the first time in a process; half are the user's, half the project's."""
    name = f"{SKILLS} skills"
    pi = stage.pi()
    if pi is None:
        yield missing(name, stage.no_pi)
        return
    root = stage.made(f"skills-{SKILLS}-1", _write_skills)
    places = root / "project", root / "agent"
    mine, its = in_turn([ours("skills", *places), pis(pi, "skills", *places)], RUNS)
    yield times(name, "ms", mine.work_ms, its.work_ms, "Pi 1.6.0", 1 / 2)


def index(stage: Stage) -> Iterator[Row]:
    """The workspace index built anew, beside git that lists the same tree."""
    name = f"index of {FILES:,} files"
    git = shutil.which("git")
    if git is None:
        yield missing(name, "there is no git")
        return
    tree = stage.made(f"tree-{FILES}-1", lambda path: _write_tree(path, git))
    listing = [git, "-C", str(tree), "ls-files", "-co", "--exclude-standard"]
    mine, gits = best_in_turn(
        lambda: build_index(Disk(), [str(tree)]),
        lambda: subprocess.run(listing, stdout=subprocess.DEVNULL, check=True),
        runs=RUNS,
    )
    yield times(name, "ms", mine, gits, "git ls-files -co --exclude-standard", 1.5)


def _write_skills(root: Path) -> None:
    for number in range(SKILLS):
        place = root / "agent" / "skills" if number % 2 else root / "project" / ".pi" / "skills"
        folder = place / f"group-{number % 10}" / f"skill-{number:03}"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(
            f"---\nname: skill-{number:03}\n"
            f"description: Use when the task is of kind {number}; tells which commands to run and what to check.\n"
            f"license: MIT\nmetadata:\n  author: someone\n  version: '1.{number}'\n---\n\n"
            f"# Skill {number}\n\n" + "1. Read the files beside this one before anything is changed.\n" * 30
        )


def _write_tree(root: Path, git: str) -> None:
    """A repository as large ones are: folders within folders, most files committed to it, some ignored."""
    folders = FILES // FILES_PER_FOLDER
    for number in range(folders):
        folder = root / f"area{number % 25:02}" / f"part{number // 25 % 20:02}" / f"unit{number // 500:02}"
        if number % 50 == 0:
            folder = folder / "build"
        folder.mkdir(parents=True, exist_ok=True)
        for file in range(FILES_PER_FOLDER):
            (folder / f"file{file:02}.py").write_bytes(b"")
        if number % 100 == 1:
            (folder / "AGENTS.md").write_text("# Rules\n")
        if number % 100 == 2:
            (folder / ".gitignore").write_text("*.log\n/generated/\n")
    (root / ".gitignore").write_text("build/\n*.pyc\n.cache/\n/dist\n")
    for command in (["init", "--quiet"], ["add", "."]):
        subprocess.run([git, "-C", str(root), *command], check=True)
