"""A case of the vectors, as the file states it (`Vector`) and as an adapter gets it (`Case`)."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pi_lsp.base.json import Json, JsonObject, as_object, as_str, encode, to_utf8
from tests.conformance.texts import resolve
from tests.conformance.trees import inside, write_tree

BUNDLED = Path(__file__).parent / "vectors"
SESSION_FILE = "sess/2025-01-01T00-00-00-000Z_00000000-0000-7000-8000-000000000000.jsonl"


@dataclass(frozen=True, slots=True)
class Vector:
    """One case of a vectors file: what was asked and what Pi answered."""

    group: str
    name: str
    input: JsonObject
    expected: Json

    @property
    def op(self) -> str:
        return str(self.input["op"])

    @property
    def full_op(self) -> str:
        return f"{self.group}.{self.op}"

    @property
    def id(self) -> str:
        return f"{self.group}/{self.name}"


@dataclass(frozen=True, slots=True)
class Case:
    """What an op of an adapter is given.

    `input` has its text specs written out (`{"base64"}` as bytes) and `$ROOT` still in it; `root` is the folder that
    `$ROOT` means, `tmp` an empty folder beside it.
    """

    input: dict[str, Any]
    root: str
    tmp: str

    def path(self, text: str) -> str:
        """The text with `$ROOT` replaced."""
        return text.replace("$ROOT", self.root)

    def paths(self, value: Any) -> Any:
        """The JSON value with `$ROOT` replaced in every string and key."""
        match value:
            case str():
                return self.path(value)
            case list():
                return [self.paths(item) for item in value]
            case dict():
                return {self.path(key): self.paths(item) for key, item in value.items()}
            case _:
                return value

    def write(self, name: str, content: str | bytes | list[Any]) -> str:
        """Write a file below `root`, parents included, and give its path. A list is written as `raw_bytes` says."""
        path = inside(self.root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw_bytes(content))
        return str(path)

    def session_file(self, content: str | bytes | list[Any]) -> str:
        """Write a session file under the name it has in Pi's answers, and give its path."""
        return self.write(SESSION_FILE, content)


def raw_bytes(raw: str | bytes | list[Any]) -> bytes:
    """A session file as the vectors write it: text, bytes, or a list of lines (objects become JSON)."""
    match raw:
        case bytes():
            return raw
        case str():
            return to_utf8(raw)
        case _:
            return b"".join(to_utf8(line if isinstance(line, str) else encode(line)) + b"\n" for line in raw)


def open_case(vector: Vector, folder: str) -> Case:
    """Make the folders and files that a case needs, below an empty `folder`, and the case itself."""
    folder = os.path.realpath(folder)
    root, tmp = os.path.join(folder, "root"), os.path.join(folder, "tmp")
    os.mkdir(root)
    os.mkdir(tmp)
    write_tree(root, as_object(vector.input.get("files")))
    if vector.group == "trust":
        _write_trust(root, vector.input)
    if vector.full_op == "skills.resource_loader":  # Pi was given these two folders
        folders = as_str(vector.input.get("cwd")) or "p", as_str(vector.input.get("agentDir")) or "home/.pi/agent"
        write_tree(root, {name: {"dir": True} for name in folders})
    given = resolve({key: value for key, value in vector.input.items() if key != "files"})
    assert isinstance(given, dict)
    return Case(input=given, root=root, tmp=tmp)


def load_vectors(folder: Path) -> Iterator[Vector]:
    """All cases of all files of a folder, in order."""
    for path in sorted(folder.glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        for case in content["cases"]:
            yield Vector(content["group"], case["name"], case["input"], case["expected"])


def _write_trust(root: str, given: Mapping[str, Json]) -> None:
    """The store of the trust ops, and the folders that they say exist."""
    dirs = given.get("dirs")
    write_tree(root, {name: {"dir": True} for name in dirs if isinstance(name, str)} if isinstance(dirs, list) else {})
    if "store" in given:
        store = given["store"]
        write_tree(root, {"agent/trust.json": store if isinstance(store, str) else encode(store)})
