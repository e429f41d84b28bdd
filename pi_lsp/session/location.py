"""Where sessions lie and what their files and entries are called, as Pi 1.6.0 does it.

Sessions of a working directory lie in `<agent folder>/sessions/--<its path>--`. That name cannot be turned back
(`/a-b` and `/a/b` share one), so the working directory of a session is what its header says.
"""

import os
import re
import secrets
import time
import uuid
from collections.abc import Container, Mapping

from pi_lsp.base import paths

AGENT_DIR_VARIABLE = "PI_CODING_AGENT_DIR"
SESSION_DIR_VARIABLE = "PI_CODING_AGENT_SESSION_DIR"

_VALID_ID = re.compile("[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


class SessionIdError(ValueError):
    """A session id that cannot be part of a file name."""


def agent_dir(environ: Mapping[str, str] = os.environ) -> str:
    """The agent folder: `$PI_CODING_AGENT_DIR`, else `~/.pi/agent`.

    Raises:
        FileUrlError: the variable holds a `file://` URL that names no path here.
    """
    return paths.resolve(environ.get(AGENT_DIR_VARIABLE) or "~/.pi/agent")


def default_session_dir(cwd: str, agent_dir: str, *, home: str | None = None) -> str:
    """The folder for the sessions of a working directory; it need not exist.

    Raises:
        FileUrlError: as `paths.resolve`, for either argument.
    """
    cwd = re.sub(r"[/\\:]", "-", re.sub(r"^[/\\]", "", paths.resolve(cwd, home=home)))
    return os.path.join(sessions_root(paths.resolve(agent_dir, home=home)), f"--{cwd}--")


def sessions_root(agent_dir: str) -> str:
    """The folder of the default session folders of all working directories."""
    return os.path.join(agent_dir, "sessions")


def session_dir(
    cwd: str,
    agent_dir: str,
    *,
    option: str | None = None,
    setting: str | None = None,
    environ: Mapping[str, str] = os.environ,
) -> str:
    """The folder for sessions that is in force.

    `option` (what the program was started with) wins over `$PI_CODING_AGENT_SESSION_DIR`, that over `setting`
    (`sessionDir`), that over the default. A folder chosen in one of these ways is shared by all working directories;
    a relative one starts at `cwd`.

    Raises:
        FileUrlError: as `paths.resolve`.
    """
    chosen = option or environ.get(SESSION_DIR_VARIABLE) or setting
    return paths.resolve(chosen, cwd) if chosen else default_session_dir(cwd, agent_dir)


def file_name(timestamp: str, session_id: str) -> str:
    """The name of a session's file, from the ISO time of its header."""
    return f"{re.sub('[:.]', '-', timestamp)}_{session_id}.jsonl"


def check_id(session_id: str) -> None:
    """Raises SessionIdError where an id chosen by a person cannot be used."""
    if not _VALID_ID.fullmatch(session_id):
        raise SessionIdError(
            f"a session id is letters, digits, '-', '_' and '.', a letter or digit at both ends; got {session_id!r}"
        )


def new_session_id() -> str:
    """A UUID of version 7: it begins with the time in ms, so ids of later sessions sort later."""
    return str(
        uuid.UUID(
            int=time.time_ns() // 1_000_000 << 80
            | 7 << 76
            | secrets.randbits(12) << 64
            | 2 << 62
            | secrets.randbits(62)
        )
    )


def new_entry_id(taken: Container[str]) -> str:
    """The id of a new entry: 8 hexadecimal digits; a whole UUID where a hundred of those were taken."""
    for _ in range(100):
        entry_id = secrets.token_hex(4)
        if entry_id not in taken:
            return entry_id
    return str(uuid.uuid4())
