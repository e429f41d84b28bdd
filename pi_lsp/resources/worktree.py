"""Linked git worktrees that lie inside their main repository, told from the files alone, without running git.

Such a worktree has its own copy of the repository's rule file; the copy in the main repository is an ancestor's and
would be read a second time. The rule is Pi 1.6.0's.
"""

import os
from typing import NamedTuple

from pi_lsp.base.files import Files
from pi_lsp.base.paths import is_within, path_key


class NestedWorktree(NamedTuple):
    """`root` is the worktree's root as the walk upwards met it, `main` the real path of the main repository's root."""

    root: str
    main: str


def nested_worktree(files: Files, directory: str) -> NestedWorktree | None:
    """The nested worktree that an absolute path is in.

    None in an ordinary repository, a worktree beside its repository, a bare layout (the folder around `.bare` has no
    files of the repository), a submodule, and where git's own files are broken.
    """
    checkout = _checkout(files, directory)
    if checkout is None:
        return None
    root, git_dir = checkout
    git_dir = _real(files, git_dir)
    main, real_root = os.path.dirname(git_dir), _real(files, root)
    if path_key(main) == path_key(real_root) or not is_within(main, real_root):
        return None
    if path_key(_real(files, os.path.join(main, ".git"))) != path_key(git_dir):
        return None
    return NestedWorktree(root, main)


def _checkout(files: Files, directory: str) -> tuple[str, str] | None:
    """Root of the checkout around a folder, and the git folder it has in common with its other worktrees."""
    folder = directory
    while True:
        dot_git = os.path.join(folder, ".git")
        match files.kind(dot_git):
            case "dir" if not files.is_link(dot_git):
                return None  # an ordinary repository, as most are
            case "dir":
                return (folder, dot_git) if files.kind(os.path.join(dot_git, "HEAD")) else None
            case "file":
                content = _read_line(files, dot_git)
                if content is None:
                    return None
                if content.startswith("gitdir: "):
                    git_dir = _common_dir(files, _join(folder, content.removeprefix("gitdir: ").strip()))
                    return None if git_dir is None else (folder, git_dir)
            case _:
                pass
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _common_dir(files: Files, git_dir: str) -> str | None:
    """What `commondir` of a worktree's git folder names, else that folder; None where it is no git folder."""
    if files.kind(os.path.join(git_dir, "HEAD")) is None:
        return None
    pointer = os.path.join(git_dir, "commondir")
    if files.kind(pointer) is None:
        return git_dir
    target = _read_line(files, pointer)
    return None if target is None else _join(git_dir, target)


def _read_line(files: Files, path: str) -> str | None:
    """The text of one of git's pointer files; None where it cannot be read."""
    if files.kind(path) != "file":
        return None
    try:
        return files.read(path).decode(errors="replace").strip()
    except OSError:
        return None


def _join(folder: str, target: str) -> str:
    return os.path.normpath(os.path.join(folder, target))


def _real(files: Files, path: str) -> str:
    """The path with links resolved; a path to nothing (or one no disk accepts) stays as it is."""
    return files.realpath(path) if files.kind(path) else path
