"""Where the measurements play: an ignored folder whose big files are made once, with a home folder of its own."""

import shutil
from collections.abc import Callable
from pathlib import Path

from tests.support.pi_install import CACHE, NoPiError, Pi, install


class Stage:
    """The folder, and the real Pi where it can be had."""

    def __init__(self, root: Path = CACHE / "bench") -> None:
        self._root = root
        self.home = self.folder("home")
        self.no_pi = ""
        """Why there is no Pi."""

    def pi(self) -> Pi | None:
        """Pi, fetched at the first call; None, at once from then on, where it cannot be had."""
        if self.no_pi:
            return None
        try:
            return install()
        except NoPiError as error:
            self.no_pi = str(error)
            return None

    def folder(self, name: str) -> Path:
        """A folder that may be left from an earlier run."""
        folder = self._root / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def made(self, name: str, make: Callable[[Path], None]) -> Path:
        """A file or folder, made now unless an earlier run made it to the end. `name` tells of what it holds."""
        path = self._root / name
        if not path.exists():
            unfinished = path.with_name(f"{path.name}.unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            make(unfinished)
            unfinished.rename(path)
        return path
