"""File trees of the vectors, written to the disk.

`{path: content}`: a string (in which `$ROOT` is replaced), a text spec, `{"symlink": target}`, `{"hardlink": target}`
or `{"dir": true}`. Paths are relative to `$ROOT` or begin with it; links are made after the files.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from pi_lsp.base.json import Json, as_object, to_utf8
from tests.conformance.texts import resolve


def write_tree(root: str, files: Mapping[str, Json]) -> None:
    """Make all of a tree under `root`. Raises ValueError for a content of no known form."""
    links: list[tuple[Path, Json]] = []
    for name, content in files.items():
        path = inside(root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        match content:
            case str():
                path.write_bytes(to_utf8(content.replace("$ROOT", root)))
            case {"dir": True}:
                path.mkdir(exist_ok=True)
            case {"symlink": str()} | {"hardlink": str()}:
                links.append((path, content))
            case _:
                path.write_bytes(_bytes(name, content))
    for path, content in links:
        _link(root, path, as_object(content))


def inside(root: str, name: str) -> Path:
    """Where a path of the tree lies on the disk."""
    return Path(root, name.removeprefix("$ROOT").lstrip("/"))


def _bytes(name: str, content: Json) -> bytes:
    match resolve(content):
        case bytes() as data:
            return data
        case str() as text:
            return to_utf8(text)
        case other:
            raise ValueError(f"{name}: a file cannot be made of {other!r}")


def _link(root: str, path: Path, content: Mapping[str, Json]) -> None:
    if "symlink" in content:
        path.symlink_to(str(content["symlink"]).replace("$ROOT", root))
    else:
        os.link(inside(root, str(content["hardlink"])), path)
