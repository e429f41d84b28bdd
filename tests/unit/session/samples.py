"""Small session files for the tests of this folder."""

import json
from pathlib import Path

from pi_lsp.session.store import Session

TIME = "2025-01-01T00:00:00.000Z"
HEADER = {"type": "session", "version": 3, "id": "s-1", "timestamp": TIME, "cwd": "/home/dev/project"}


def message(key: str, parent: str | None, role: str = "user", text: str = "hi", **fields):
    stored = {"role": role, "content": text, "timestamp": 1735689600000}
    return {"type": "message", "id": key, "parentId": parent, "timestamp": TIME, "message": stored, **fields}


def label(key: str, parent: str, target: str, text: str):
    return {"type": "label", "id": key, "parentId": parent, "timestamp": TIME, "targetId": target, "label": text}


def line(record) -> bytes:
    if isinstance(record, bytes):
        return record + b"\n"
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def write(path: Path, *records) -> str:
    """Write records (objects, or bytes for a line as it is) to a file; gives its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(map(line, records)))
    return str(path)


def append(path: str, data: bytes) -> None:
    """What another program does."""
    with open(path, "ab") as file:
        file.write(data)


def ids(entries) -> list[str]:
    return [entry.id for entry in entries]


def opened(tmp_path, name: str = "s.jsonl") -> Session:
    return Session.open(write(tmp_path / name, HEADER, message("a", None), message("b", "a")), "/w")
