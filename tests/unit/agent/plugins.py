"""Plugins to test with: files of hooks, and what the model was sent because of them."""

import json
from pathlib import Path

from tests.support.chats import Talk
from tests.support.waiting import wait_until

HEAD = f"""
import asyncio, time
from pi_lsp.agent.hook_specs import hookimpl
from {__name__} import Gate
"""


class Gate:
    """A place where a hook that is not async stops until the test lets it pass; made on both sides by its folder."""

    def __init__(self, folder: Path | str) -> None:
        self._reached, self._open = Path(folder, "reached"), Path(folder, "open")
        self.stopping = f"Gate({str(folder)!r}).stop()"
        """What the hook does there."""

    def stop(self) -> None:
        self._reached.touch()
        wait_until(self._open.exists)

    def is_reached(self) -> bool:
        return self._reached.exists()

    def open(self) -> None:
        self._open.touch()


def plugin(folder: Path, text: str, name: str = "plugin.py") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(HEAD + text)
    return path


def of_user(talk: Talk, text: str, name: str = "plugin.py") -> Path:
    return plugin(talk.place.agent / "lsp", text, name)


def sent(talk: Talk) -> str:
    return json.dumps(talk.server.requests[-1].body["messages"])
