import os
import random
import shutil
import threading
from pathlib import Path

import pytest

from pi_lsp.base.files import Disk, Overlay
from pi_lsp.resources.index import Index, build_index
from pi_lsp.resources.index_scan import is_watched, scan, walk


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return Path(os.path.realpath(tmp_path)) / "w"


def put(path: Path, text: str = "x") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def found(index: Index, root: Path) -> list[str]:
    """The rule folders and skills at or below a folder, relative to it."""
    paths = (*index.rule_folders(), *index.skill_files())
    return [os.path.relpath(path, root) for path in paths if path.startswith(f"{root}/")]


def test_rule_files_and_skills_are_found_parents_first(root: Path):
    for name in ("a/b/CLAUDE.md", "a/AGENTS.md", "a-c/agents.md", ".pi/skills/s/SKILL.md", "c/README.md", "d/skill.md"):
        put(root / name)
    assert found(build_index(Disk(), [str(root)]), root) == ["a", "a/b", "a-c", ".pi/skills/s/SKILL.md"]


def test_all_folders_above_a_workspace_folder_may_have_rules(root: Path):
    root.mkdir()
    folders = build_index(Disk(), [str(root)]).rule_folders()
    assert folders[0] == "/" and folders[-1] == str(root) and str(root.parent) in folders


def test_ignored_folders_are_not_walked_and_ignored_files_are(root: Path):
    put(root / ".gitignore", "target/\nAGENTS.md\n")
    for folder in ("target", "node_modules/p", ".git/x", ".venv/lib", "src"):
        put(root / folder / "AGENTS.md")
    assert found(build_index(Disk(), [str(root)]), root) == ["src"]


def test_ignore_files_above_count_inside_a_repository_only(root: Path):
    put(root / ".gitignore", "out/")
    put(root / "p/out/AGENTS.md")
    assert found(build_index(Disk(), [str(root / "p")]), root / "p") == ["out"]
    (root / ".git").mkdir()
    assert found(build_index(Disk(), [str(root / "p")]), root / "p") == []


def test_a_repository_inside_another_has_its_own_rules(root: Path):
    put(root / ".gitignore", "out/")
    put(root / "sub/out/AGENTS.md")
    put(root / "sub/.git", "gitdir: elsewhere")
    assert found(build_index(Disk(), [str(root)]), root) == ["sub/out"]


def test_R5_links_to_folders_are_not_followed(root: Path):
    put(root / "a/AGENTS.md")
    os.symlink("..", root / "a/up")
    os.symlink("a", root / "b")
    os.symlink("loop", root / "loop")
    index = build_index(Disk(), [str(root)])
    assert found(index, root) == ["a"]
    index.refresh(str(root / "b/AGENTS.md"))
    assert found(index, root) == ["a"]


def test_R5_a_skill_must_be_a_file(root: Path):
    (root / "a/SKILL.md").mkdir(parents=True)
    put(root / "b/SKILL.md")
    os.symlink("nowhere", root / "SKILL.md")
    assert build_index(Disk(), [str(root)]).skill_files() == [str(root / "b/SKILL.md")]


def test_E8_overlapping_workspace_folders_are_listed_once(root: Path):
    put(root / "a/b/AGENTS.md")
    put(root / "a/b/SKILL.md")
    index = build_index(Disk(), [str(root / "a/b"), str(root), str(root / "a"), str(root)])
    assert index.roots == (str(root / "a/b"), str(root), str(root / "a"))
    assert index.rule_folders().count(str(root / "a/b")) == 1
    assert index.skill_files() == [str(root / "a/b/SKILL.md")]


def test_E8_a_workspace_folder_inside_an_ignored_one_is_walked(root: Path):
    put(root / "vendor/lib/AGENTS.md")
    put(root / "vendor/other/AGENTS.md")
    put(root / ".gitignore", "vendor")
    assert found(build_index(Disk(), [str(root), str(root / "vendor/lib")]), root) == ["vendor", "vendor/lib"]


def test_E8_workspace_folders_come_and_go(root: Path):
    put(root / "one/x/AGENTS.md")
    put(root / "two/y/AGENTS.md")
    index = build_index(Disk(), [str(root / "one")])
    stale = scan(Disk(), [str(root / "one")])
    index.begin([str(root / "one"), str(root / "two")])
    assert "one/x" in found(index, root)
    index.adopt(stale)
    assert not index.complete
    index.adopt(scan(Disk(), index.roots))
    assert {"one/x", "two/y"} < set(found(index, root))
    index.begin([str(root / "two")])
    assert "one/x" not in found(index, root)


def test_a_folder_that_is_missing_or_hostile_is_no_error(root: Path):
    index = build_index(Disk(), [str(root / "nowhere"), f"{root}/\0", f"{root}/" + "x" * 5000])
    assert index.complete
    assert index.skill_files() == []


def test_refresh_sees_files_and_folders_come_and_go(root: Path):
    put(root / "a/AGENTS.md")
    index = build_index(Disk(), [str(root)])
    index.refresh(put(root / "b/CLAUDE.md"))
    put(root / "c/d/AGENTS.md")
    index.refresh(str(root / "c"))
    assert found(index, root) == ["a", "b", "c/d"]
    (root / "b/CLAUDE.md").unlink()
    index.refresh(str(root / "b/CLAUDE.md"))
    shutil.rmtree(root / "c")
    index.refresh(str(root / "c"))
    assert found(index, root) == ["a"]


def test_refresh_of_an_ignore_file_walks_its_folder_again(root: Path):
    put(root / "a/out/AGENTS.md")
    put(root / "out/AGENTS.md")
    index = build_index(Disk(), [str(root)])
    index.refresh(put(root / "a/.gitignore", "out"))
    assert found(index, root) == ["out"]
    (root / "a/.gitignore").unlink()
    index.refresh(str(root / "a/.gitignore"))
    assert found(index, root) == ["a/out", "out"]


def test_refresh_keeps_out_of_ignored_folders_and_of_other_places(root: Path):
    put(root / ".gitignore", "out")
    root.joinpath("sub").mkdir()
    index = build_index(Disk(), [str(root)])
    index.refresh(put(root / "out/deep/AGENTS.md"))
    index.refresh(str(root / "out"))
    index.refresh(put(root / "node_modules/p/SKILL.md"))
    index.refresh(put(root.parent / "elsewhere/SKILL.md"))
    assert found(index, root) == [] and index.skill_files() == []


def test_unsaved_files_are_found_and_outlive_a_walk(root: Path):
    put(root / "a/AGENTS.md")
    buffers = {str(root / "new/AGENTS.md"): "draft"}
    index = build_index(Overlay(Disk(), buffers), [str(root)])
    index.refresh(str(root / "new/AGENTS.md"))
    assert found(index, root) == ["a", "new"]
    index.refresh(str(root))
    assert found(index, root) == ["a", "new"]
    index.begin([str(root)])
    index.adopt(scan(Disk(), index.roots))
    assert found(index, root) == ["a", "new"]
    buffers.clear()
    index.refresh(str(root / "new/AGENTS.md"))
    assert found(index, root) == ["a"]


def test_changes_during_a_walk_are_not_lost(root: Path):
    put(root / "gone/AGENTS.md")
    index = Index(Disk())
    index.begin([str(root)])
    finds = scan(Disk(), index.roots)
    (root / "gone/AGENTS.md").unlink()
    index.refresh(str(root / "gone/AGENTS.md"))
    index.refresh(put(root / "late/AGENTS.md"))
    index.adopt(finds)
    assert found(index, root) == ["late"]


def test_a_walk_can_be_stopped_and_has_a_limit(root: Path):
    for number in range(20):
        put(root / f"{number}/AGENTS.md")
    flag = threading.Event()
    flag.set()
    assert not scan(Disk(), [str(root)], stop=flag.is_set).complete
    limited = walk(Disk(), [(str(root), ())], (str(root),), max_folders=10)
    assert not limited.complete and len(limited.names) == 9
    [problem] = limited.problems
    assert str(root) in problem and "more than 10 folders" in problem
    index = build_index(Disk(), [str(root)])
    index.begin([str(root)])
    assert not index.walked
    index.adopt(limited)
    assert index.walked and not index.complete and index.problems == limited.problems


def test_patterns_that_are_not_used_are_told(root: Path):
    put(root / "one/.gitignore", "*a*b*c*d*\n" + "".join(f"/x{n}/y\n" for n in range(2003)))
    put(root / "one/AGENTS.md")
    assert build_index(Disk(), [str(root)]).problems == (
        f"{root / 'one'}: patterns of its ignore files are not used: 1 with more than 3 stars in one part "
        "and 3 before the last 2000",
    )
    put(root / "one/.gitignore", "x\n*.y\n" * 3000)
    assert build_index(Disk(), [str(root)]).problems == ()
    put(root / "one/.gitignore", "!z\n" + "x\n" * 3000)
    assert "1001 before" in build_index(Disk(), [str(root)]).problems[0]


@pytest.mark.parametrize("seed", range(25))
def test_refreshed_is_as_good_as_walked_anew(root: Path, seed: int):
    pick = random.Random(seed)
    root.mkdir()
    roots = [str(root), str(root / "a/b")]
    index = build_index(Disk(), roots)
    for _ in range(40):
        folder = root.joinpath(*pick.choices("abc", k=pick.randrange(4)))
        path = folder / pick.choice(["AGENTS.md", "agents.md", "SKILL.md", ".gitignore", "notes.md", ""])
        if path.is_dir() and path != root:
            shutil.rmtree(path)
        elif path.is_file():
            path.unlink()
        elif not path.exists():
            made = path
            while not made.parent.exists():  # a watcher tells of the topmost new folder, then of what is in it
                made = made.parent
            put(path, pick.choice(["a/", "b", "/c", "*\n!a", "!b"])) if path != folder else folder.mkdir(parents=True)
            index.refresh(str(made))
        index.refresh(str(path))
        anew = build_index(Disk(), roots)
        assert (index.rule_folders(), index.skill_files()) == (anew.rule_folders(), anew.skill_files())


def test_only_names_that_matter_are_watched():
    assert all(map(is_watched, ("AGENTS.md", "claude.md", "AGENT.md", "SKILL.md", "AGENTS.override.md")))
    assert not any(map(is_watched, ("agent.md", "skill.md", "README.md", ".gitignore", "")))
