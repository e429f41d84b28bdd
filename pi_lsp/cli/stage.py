"""What the demonstration is played on: a temporary folder, so that nothing of the person's is ever written.

The sample comes with a home and an agent folder of its own. A folder of the person is read where it is, under their
real agent folder, whose rules and skills apply; only their newest session is copied, and the copy is what is opened
and written to. Where there is none, the new one lies in the temporary folder, too.
"""

import os
import shutil
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

import pi_lsp
from pi_lsp.agent.workspace import Workspace
from pi_lsp.base.json import JsonObject, encode
from pi_lsp.cli import named
from pi_lsp.session.catalogue import newest
from pi_lsp.session.location import (
    AGENT_DIR_VARIABLE,
    SESSION_DIR_VARIABLE,
    agent_dir,
    default_session_dir,
    session_dir,
)

SAMPLE = Path(pi_lsp.__file__).with_name("sample")
MODEL_VARIABLES = ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")
"""Where one of these is set, a real model is asked."""


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """Where the demonstration plays. Paths are absolute; `environ` is the server's."""

    is_sample: bool
    workspace: str
    home: str
    session: str | None
    """The copied session; None where the folder has none."""
    original: str | None = None
    """The session of the person that was copied."""
    environ: Mapping[str, str]
    options: JsonObject
    """Of `initialize`."""

    @property
    def asks_for_model(self) -> str | None:
        """The variable by which the person asks for the real model; None where the built-in script shall answer."""
        return next(filter(self.environ.get, MODEL_VARIABLES), None)


def lay_out_sample(workspace: Path, agent: Path, session: Path) -> None:
    """Copy the sample to these places: two folders that are not there yet, and a session file that names them.

    Raises:
        OSError: one of them is there already, or cannot be written.
    """
    shutil.copytree(SAMPLE / "workspace", workspace)
    shutil.copytree(SAMPLE / "agent", agent)
    record_sample(workspace, agent, session)


def record_sample(workspace: Path, agent: Path, session: Path) -> None:
    """Write the sample's session as if it had been recorded in this workspace, under this agent folder.

    Raises:
        OSError: it cannot be written.
    """
    recorded = (SAMPLE / "session.jsonl").read_text("utf-8")
    for name, path in (("{{WORKSPACE}}", workspace), ("{{AGENT}}", agent)):
        recorded = recorded.replace(name, encode(str(path))[1:-1])
    session.parent.mkdir(parents=True, exist_ok=True)
    session.write_text(recorded, "utf-8", newline="\n")


@contextmanager
def sample_stage() -> Generator[Stage, None, None]:
    """The sample workspace with its recorded session; trusted, since we wrote it."""
    with _temporary_folder() as folder:
        home = folder / "home"
        agent = home / ".pi" / "agent"
        workspace = folder / "harbour"
        session = Path(default_session_dir(str(workspace), str(agent))) / "sample.jsonl"
        lay_out_sample(workspace, agent, session)
        own = {AGENT_DIR_VARIABLE: str(agent), "HOME": str(home), "USERPROFILE": str(home)}
        environ = {**_environ(folder), **own}
        environ.pop(SESSION_DIR_VARIABLE, None)
        yield Stage(
            is_sample=True,
            workspace=str(workspace),
            home=str(home),
            session=str(session),
            environ=environ,
            options={"trusted": True, "session": {"file": str(session)}},
        )


@contextmanager
def own_stage(path: str) -> Generator[Stage, None, None]:
    """A folder of the person, with a copy of its newest session.

    Raises:
        CommandError: there is no such folder.
    """
    workspace = named.folder(path)
    with _temporary_folder() as folder:
        original = newest_session(workspace, agent_dir())
        session = original and shutil.copyfile(original, folder / os.path.basename(original))
        yield Stage(
            is_sample=False,
            workspace=workspace,
            home=os.path.expanduser("~"),
            session=session and str(session),
            original=original,
            environ={**_environ(folder), SESSION_DIR_VARIABLE: str(folder / "sessions")},
            options={"session": {"file": str(session)} if session else "new"},
        )


def newest_session(workspace: str, agent: str) -> str | None:
    """The session that was written last for a folder, wherever its settings keep sessions."""
    resources = Workspace([workspace], agent)
    settings = resources.settings(workspace, trusted=resources.trust(workspace).trusted)
    folder = session_dir(workspace, agent, setting=settings.session_dir)
    is_shared = folder != default_session_dir(workspace, agent)
    return newest(folder, workspace if is_shared else None)


@contextmanager
def _temporary_folder() -> Generator[Path, None, None]:
    with TemporaryDirectory(prefix="pi-lsp-demo-", ignore_cleanup_errors=True) as name:
        yield Path(name).resolve()


def _environ(folder: Path) -> dict[str, str]:
    """The environment for a server that is this very package and leaves nothing behind: its temporary files go too."""
    temporary = folder / "tmp"
    temporary.mkdir()
    ours = str(Path(pi_lsp.__file__).parents[1])
    imports = os.pathsep.join(filter(None, [ours, os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": imports, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))}
