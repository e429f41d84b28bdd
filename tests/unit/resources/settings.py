"""Settings of two places, on disk and in memory."""

from pathlib import Path
from typing import Any

from pi_lsp.base.files import Disk
from pi_lsp.resources import settings_files
from pi_lsp.resources.settings import Settings, effective
from pi_lsp.resources.settings_files import SettingsFile, SettingsFiles


class Place:
    """An agent folder and a project, and the settings in force there."""

    def __init__(self, root: Path) -> None:
        self.user = root / "agent" / "settings.json"
        self.project = root / "p" / ".pi" / "settings.json"
        self.user.parent.mkdir()
        self.project.parent.mkdir(parents=True)

    def files(self, trusted: bool = True) -> SettingsFiles:
        return settings_files.load(Disk(), str(self.project.parent.parent), str(self.user.parent), trusted=trusted)

    def read(self, **clients: Any) -> Settings:
        return effective(self.files(), **clients)


def in_memory(user: dict[str, Any], project: dict[str, Any] | None = None, **clients: Any) -> Settings:
    return effective(
        SettingsFiles(
            user=SettingsFile(scope="global", path="/u", values=settings_files.migrate(user)),
            project=SettingsFile(scope="project", path="/p", values=settings_files.migrate(project or {})),
        ),
        **clients,
    )
