"""The index walks what git would list, and asks pathspec only where it must."""

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pi_lsp.base.files import Disk
from pi_lsp.resources.index import build_index
from pi_lsp.resources.index_ignore import IgnoreFile

NAMES = ("a", "b", "c", "ab", "x.log", "build", "d e", "A")
PATTERNS = [
    *("a", "b/", "/a", "/b/", "a/b", "a/*", "*.log", "*.log/", "**/c", "a/**", "a/**/c", "**/a/b", "ab  ", "build/\r"),
    *("!a", "!b/", "!/a", "!*.log", "!a/b", "!/a/b", "!**/c", "!*/", "!", "//", "/", "[", "a[", " a", "# c", "\\#x"),
    *(
        "[z-a]",
        "[b-a]",
        "[[:alpha:]]",
        "[![:alpha:]]*",
        "[[:foo:]]",
        "[\\a]",
        "[]a]",
        "[a/b]",
        "[!]a]b",
        "[[a]",
        "x[.]*",
    ),
    *("/*", "*", "a*", "?", "[ab]", "[!a]", "d e", "d\\ e/", "/a/*", "*/c", "a/**/b/", "x.*", "b/**", "**/"),
]


def make_tree(root: Path, pick: random.Random) -> list[Path]:
    folders = [root]
    for _ in range(14):
        folder = pick.choice(folders) / pick.choice(NAMES)
        if not folder.exists():
            folder.mkdir()
            folders.append(folder)
    for folder in folders:
        (folder / "AGENTS.md").touch()
    for folder in [root, *pick.sample(folders, 2 if len(folders) > 1 else 0)]:
        lines = [pick.choice(PATTERNS) for _ in range(pick.randrange(1, 6))]
        (folder / ".gitignore").write_text("\n".join(lines), newline="")
    return folders


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
@pytest.mark.parametrize("seed", range(40))
def test_the_folders_walked_are_those_git_does_not_ignore(tmp_path: Path, seed: int):
    root = tmp_path / "repository"
    subprocess.run(["git", "init", "-q", root], check=True)
    folders = make_tree(root, random.Random(seed))
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/exclude").write_text("[Aa]\n" if seed % 5 == 0 else "")
    asked = "\0".join(str(folder.relative_to(root)) for folder in folders[1:])
    command = ["git", "-C", str(root), "check-ignore", "--stdin", "-z"]
    answer = subprocess.run(command, input=asked, capture_output=True, text=True, check=False).stdout
    ignored = {str(root / name) for name in answer.split("\0") if name}
    found = {folder for folder in build_index(Disk(), [str(root)]).rule_folders() if folder.startswith(str(root))}
    assert found == {str(folder) for folder in folders} - ignored


def ignores(lines: str, path: str, ignored: bool = False) -> bool:
    return IgnoreFile("/r", lines.split("\n")).ignores(f"/r/{path}", os.path.basename(path), ignored)


def test_a_weaker_file_s_word_stands_until_a_stronger_one_differs():
    assert ignores("b", "a", ignored=True)
    assert not ignores("!a", "a", ignored=True)
    assert not ignores("a\n!a", "a")
    assert ignores("!a\na", "a")
    assert ignores("*\n!b", "a")


def test_plain_patterns_do_not_load_pathspec():
    code = (
        "import sys; from pi_lsp.resources.index_ignore import IgnoreFile\n"
        "file = IgnoreFile('/r', ['target/', '*.egg-info', '**/out', '# note', ''])\n"
        "assert file.ignores('/r/x/target', 'target', False) and file.ignores('/r/x/out', 'out', False)\n"
        "assert file.ignores('/r/p.egg-info', 'p.egg-info', False) and not file.ignores('/r/src', 'src', False)\n"
        "sys.exit('pathspec' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_pattern_made_to_hang_is_left_out():
    start = time.process_time()
    assert not ignores("*a" * 30 + "b", "a" * 250)
    assert not ignores("**/a/" * 30 + "b", "a/" * 2000 + "c")
    assert time.process_time() - start < 1


def test_hostile_lines_are_no_patterns():
    assert not ignores("\0\n\ufffd\n[z-a]\n\\\n!\n\ud800\n[[:alpha:", "src")
