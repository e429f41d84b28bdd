"""Plugins to test with: files of hooks, and what the model was sent because of them."""

import json
from pathlib import Path

from tests.support.chats import Talk

HEAD = "import asyncio, time\nfrom pi_lsp.agent.hook_specs import hookimpl\n"


def plugin(folder: Path, text: str, name: str = "plugin.py") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(HEAD + text)
    return path


def of_user(talk: Talk, text: str, name: str = "plugin.py") -> Path:
    return plugin(talk.place.agent / "lsp", text, name)


def sent(talk: Talk) -> str:
    return json.dumps(talk.server.requests[-1].body["messages"])
