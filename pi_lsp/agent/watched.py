"""The few folders whose changes a window wants to hear of, none of them with what lies below."""

import logging
import os
from collections.abc import Iterator

from pi_lsp.agent.workspace import Workspace
from pi_lsp.base.paths import home_dir, is_within
from pi_lsp.resources.places import agents_folders
from pi_lsp.resources.rules import lineage

MOST_FOLDERS = 500
"""More are not watched: the system has a limit for all programs together. Answers read the disk whatever is watched."""

logger = logging.getLogger(__name__)


def folders_to_watch(workspace: Workspace, cwd: str, *, trusted: bool, inside: bool) -> list[str]:
    """Absolute paths, each once, the most important first; some may not exist yet.

    `inside`: also those in the workspace folders, for a client that does not watch them itself.
    """
    folders: list[str] = []
    for folder in _of_resources(workspace, cwd, trusted=trusted, inside=inside):
        is_inside = any(is_within(root, folder) for root in workspace.folders)
        if inside or not is_inside:
            folders.append(folder)
    readable = [
        folder for folder in dict.fromkeys(folders) if os.access(folder, os.R_OK) or not os.path.lexists(folder)
    ]
    if len(readable) > MOST_FOLDERS:
        logger.warning("%d folders are not watched: %s, ...", len(readable) - MOST_FOLDERS, readable[MOST_FOLDERS])
    return readable[:MOST_FOLDERS]


def _of_resources(workspace: Workspace, cwd: str, *, trusted: bool, inside: bool) -> Iterator[str]:
    home, agent_dir = home_dir(), workspace.agent_dir
    yield agent_dir
    for root in workspace.folders:
        yield from reversed(lineage(root))
    for base in (agent_dir, os.path.join(cwd, ".pi")):
        yield from (base, os.path.join(base, "skills"), os.path.join(base, "prompts"))
    yield from agents_folders(workspace.files, cwd, home)
    yield os.path.join(home, ".agents", "skills")
    found = workspace.skills(cwd, trusted=trusted)
    for path in (*(skill.file_path for skill in found.skills), *(skipped.path for skipped in found.skipped)):
        folder = os.path.dirname(path)
        yield from (folder, os.path.dirname(folder))
    if inside:
        yield from workspace.rule_folders
