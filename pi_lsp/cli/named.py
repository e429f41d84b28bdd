"""The folders and files that somebody named on the command line."""

import os
import stat

from pi_lsp.cli.plain import CommandError


def folder(name: str) -> str:
    """The absolute path of a folder. Raises CommandError where there is none."""
    path, mode = _found(name, "no such folder")
    if not stat.S_ISDIR(mode):
        raise CommandError(f"{path}: not a folder")
    return path


def folder_of(name: str) -> str:
    """The absolute path of a folder, or of the one that a file lies in. Raises CommandError where there is neither."""
    path, mode = _found(name, "no such file or folder")
    return path if stat.S_ISDIR(mode) else os.path.dirname(path)


def session_file(name: str) -> str:
    """The absolute path of a file. Raises CommandError where there is none."""
    path, mode = _found(name, "no such file; `pi-lsp sessions --all` lists them")
    if not stat.S_ISREG(mode):
        raise CommandError(f"{path}: not a file; name the .jsonl file of a session")
    return path


def _found(name: str, missing: str) -> tuple[str, int]:
    """The absolute path and the mode of what is there."""
    if not name:  # most often a shell's variable that is not set; it does not mean "here"
        raise CommandError("a path must not be empty")
    path = os.path.abspath(name)
    try:
        return path, os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise CommandError(f"{path}: {missing}") from None
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from None
