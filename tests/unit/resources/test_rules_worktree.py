"""The rule of nested worktrees, on worktrees that git itself has made."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from pi_lsp.base.files import Disk
from pi_lsp.resources.rules import RuleFile, chain
from pi_lsp.resources.worktree import nested_worktree

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="no git")


def git(folder: Path, *arguments: str) -> None:
    settings = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", *settings, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    main = Path(os.path.realpath(tmp_path)) / "main"
    main.mkdir()
    (main / "AGENTS.md").write_text("main")
    git(main, "init", "-q")
    git(main, "add", ".")
    git(main, "commit", "-qm", "first")
    return main


def below(repository: Path, directory: Path) -> list[RuleFile]:
    top = str(repository.parent)
    return [record for record in chain(Disk(), str(directory), f"{top}/agent") if record.path.startswith(top)]


def test_the_copy_of_a_nested_worktree_replaces_the_main_file(repository: Path):
    git(repository, "worktree", "add", "-q", "trees/one")
    worktree = repository / "trees/one"
    (worktree / "src").mkdir()
    for directory in (worktree, worktree / "src"):
        main, copy = below(repository, directory)
        assert (main.path, main.loaded, main.reason) == (str(repository / "AGENTS.md"), False, "worktree")
        assert main.by == copy.path == str(worktree / "AGENTS.md")
        assert copy.loaded


def test_a_copy_of_another_name_replaces_nothing(repository: Path):
    git(repository, "worktree", "add", "-q", "one")
    (repository / "one/AGENTS.md").rename(repository / "one/CLAUDE.md")
    assert [record.loaded for record in below(repository, repository / "one")] == [True, True]


def test_the_rule_holds_behind_a_link(repository: Path):
    git(repository, "worktree", "add", "-q", "one")
    link = repository.parent / "link"
    link.symlink_to(repository)
    assert [record.reason for record in below(repository, link / "one")] == ["worktree", None]


def test_no_other_layout_is_a_nested_worktree(repository: Path):
    top = repository.parent
    git(repository, "worktree", "add", "-q", "../beside")
    git(top, "clone", "-q", "--bare", "main", "bare/.bare")
    git(top / "bare/.bare", "worktree", "add", "-q", "../tree")
    git(repository, "submodule", "add", "-q", str(top / "bare/.bare"), "sub")
    for folder in (repository, top / "beside", top / "bare/tree", repository / "sub", top):
        assert nested_worktree(Disk(), str(folder)) is None
    assert all(record.loaded for record in below(repository, repository / "sub"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("one/.git", b""),
        ("one/.git", b"gitdir: \0/x\n"),
        ("one/.git", b"gitdir: " + b"x/" * 5000),
        ("one/.git", b"\xff\xfe"),
        (".git/worktrees/one/commondir", b"\0"),
        (".git/worktrees/one/commondir", b"/nowhere/.git"),
        (".git/worktrees/one/HEAD", None),
    ],
)
def test_broken_files_of_git_change_nothing(repository: Path, name: str, content: bytes | None):
    git(repository, "worktree", "add", "-q", "one")
    if content is None:
        (repository / name).unlink()
    else:
        (repository / name).write_bytes(content)
    assert [record.loaded for record in below(repository, repository / "one")] == [True, True]
