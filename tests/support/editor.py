"""An editor around a real server: a workspace on disk, an agent folder of its own, and the messages an editor sends."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lsprotocol.converters import get_converter

from pi_lsp.base.paths import path_to_uri
from tests.support.rpc import Rpc
from tests.support.waiting import wait_until

PI = {"events": True}
"""What our own clients announce."""

PLAIN: dict[str, Any] = {}
MARKDOWN: dict[str, Any] = {"textDocument": {"hover": {"contentFormat": ["markdown", "plaintext"]}}}


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files below a folder, by their relative paths."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


class Home:
    """A home folder with an agent folder in it, and a workspace beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.home = self.folder / "home"
        self.agent = self.home / ".pi" / "agent"
        self.workspace = self.folder / "work"
        self.agent.mkdir(parents=True)
        self.workspace.mkdir()

    @property
    def sessions(self) -> Path:
        """The folder of the workspace's sessions."""
        return self.agent / "sessions" / f"--{str(self.workspace)[1:].replace('/', '-')}--"

    @property
    def env(self) -> dict[str, str]:
        return {"HOME": str(self.home), "PI_CODING_AGENT_DIR": "", "PI_CODING_AGENT_SESSION_DIR": ""}


class Editor(Rpc):
    """A server, started for a home. `initialize` is what most tests begin with."""

    def __init__(self, home: Home, **kwargs: Any) -> None:
        answers = {"client/registerCapability": lambda _: None, "workspace/configuration": lambda _: [None]}
        super().__init__(home.env, {**answers, **kwargs.pop("answers", {})}, **kwargs)
        self.home = home
        self._version = 0

    def initialize(
        self,
        capabilities: Mapping[str, Any] | None = None,
        *,
        pi: Mapping[str, Any] | None = PI,
        folders: list[Path] | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """Initialize with a client's capabilities. `pi`: what it announces of ours, None for a stranger."""
        folders = [self.home.workspace] if folders is None else folders
        experimental = {} if pi is None else {"experimental": {"pi": pi}}
        result = self.call(
            "initialize",
            {
                "processId": None,
                "rootUri": None,
                "capabilities": {**(MARKDOWN if capabilities is None else capabilities), **experimental},
                "workspaceFolders": [{"uri": path_to_uri(str(folder)), "name": folder.name} for folder in folders],
                "initializationOptions": options,
            },
        )
        self.notify("initialized", {})
        return result

    def count(self) -> None:
        """Wait until the vocabulary is loaded, so that counts stay what they are. Before any other request of ours."""
        self.watch()
        told = self.event("context")
        apart = self.home.folder / "counting"
        write(apart, {"AGENTS.md": "a " * 200})  # some 100 tokens by its bytes, 200 by the vocabulary
        wait_until(lambda: self.call("pi/rules", {"uri": path_to_uri(str(apart))})["files"][-1]["tokens"] > 150)
        tokens = self.call("pi/state")["context"]["tokens"]
        if tokens != told["tokens"]:
            self.event("context", tokens=tokens)

    def watch(self) -> None:
        """Wait until the server watches: then it says once that anything may have changed before."""
        self.event("resources_changed", rules=True, skills=True, settings=True)

    def open(self, path: Path, text: str | None = None) -> None:
        self._version += 1
        text = path.read_text() if text is None else text
        document = {"uri": path_to_uri(str(path)), "languageId": "markdown", "version": self._version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, path: Path, text: str) -> None:
        self._version += 1
        self.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": path_to_uri(str(path)), "version": self._version},
                "contentChanges": [{"text": text}],
            },
        )

    def shut(self, path: Path) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": path_to_uri(str(path))}})

    def hover(self, path: Path, line: int = 0, character: int = 0) -> str | None:
        """The text of a hover."""
        found = self.call("textDocument/hover", place(path, line, character))
        return found and found["contents"]["value"]


def place(path: Path, line: int = 0, character: int = 0) -> dict[str, Any]:
    """The params of a request for a place in a document."""
    return {
        "textDocument": {"uri": path_to_uri(str(path))},
        "position": {"line": line, "character": character},
    }


def bundled(client: str) -> dict[str, Any]:
    """The capabilities of a real editor, as pytest-lsp bundles them, in wire form."""
    from pytest_lsp import client_capabilities

    return get_converter().unstructure(client_capabilities(client))


def session_lines(
    cwd: Path, *messages: tuple[str, str], session_id: str = "0196993a-0000-7000-8000-000000000001"
) -> str:
    """A session file with a row of `(role, text)` messages; ids are e1, e2, ..."""
    lines: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": session_id, "timestamp": "2026-05-04T08:12:03.000Z", "cwd": str(cwd)}
    ]
    for number, (role, text) in enumerate(messages, 1):
        lines.append(entry(f"e{number}", f"e{number - 1}" if number > 1 else None, role, text))
    return "".join(json.dumps(line) + "\n" for line in lines)


def entry(entry_id: str, parent: str | None, role: str, text: str) -> dict[str, Any]:
    """A message entry."""
    message: dict[str, Any] = {"role": role, "content": [{"type": "text", "text": text}], "timestamp": 1777882341157}
    if role == "assistant":
        message |= {
            "provider": "anthropic",
            "model": "claude-sonnet-4-5",
            "api": "anthropic-messages",
            "stopReason": "stop",
        }
    return {
        "type": "message",
        "id": entry_id,
        "parentId": parent,
        "timestamp": "2026-05-04T08:12:12.619Z",
        "message": message,
    }
