"""Which folders the user trusts: what needs it, what was decided, and Pi's store of decisions.

The store is `<agent folder>/trust.json`, `{path: true | false | null}`, shared with Pi 1.6.0: written in its format,
under its lock. A decision holds for a folder and everything below it, until a nearer one.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, TypeAlias

import msgspec

from pi_lsp.base import json, paths, shared_file
from pi_lsp.base.files import Disk, Files
from pi_lsp.base.json import JsonError, JsonObject

DefaultTrust: TypeAlias = Literal["ask", "always", "never"]

_PROTECTED = (
    "settings.json",
    "mcp.json",
    "extensions",
    "skills",
    "prompts",
    "themes",
    "SYSTEM.md",
    "APPEND_SYSTEM.md",
)
"""What in a project's `.pi` may act on the user's machine or speak to the model."""


class TrustStoreError(Exception):
    """The store cannot be read; the message names the file and what is wrong in it. It is left as it is."""


class TrustEntry(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A decision that was found: the path as the store has it."""

    path: str
    decision: bool


class TrustUpdate(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A decision to store; None forgets it."""

    path: str
    decision: bool | None


def store_path(agent_dir: str) -> str:
    """The file of the store."""
    return os.path.join(agent_dir, "trust.json")


def requires(cwd: str, files: Files, *, home: str | None = None) -> bool:
    """Whether a folder holds anything that must not be used before the user trusts it.

    That is: certain files in its `.pi`, or any `.agents/skills` in it or above it, except the user's own.
    """
    own_skills = os.path.join(_real(paths.home_dir() if home is None else home, files), ".agents", "skills")
    cwd = _real(paths.resolve(cwd, home=home), files)
    folder = os.path.join(cwd, ".pi")
    if files.kind(folder) and any(files.kind(os.path.join(folder, name)) for name in _PROTECTED):
        return True
    skills = (os.path.join(folder, ".agents", "skills") for folder in _upwards(cwd))
    return any(folder != own_skills and files.kind(folder) for folder in skills)


def lookup(cwd: str, agent_dir: str, files: Files) -> TrustEntry | None:
    """The nearest decision for a folder; None where there is none.

    Raises:
        TrustStoreError: the store cannot be read.
    """
    decided: dict[str, TrustEntry] = {}
    for path, decision in _read(store_path(agent_dir), files).items():
        if isinstance(decision, bool):
            decided.setdefault(_key(path), TrustEntry(path=path, decision=decision))
    if not decided:
        return None
    folders = _upwards(_real(paths.resolve(cwd), files))
    return next((decided[key] for key in map(_key, folders) if key in decided), None)


def save(updates: Iterable[TrustUpdate], agent_dir: str) -> None:
    """Store decisions under the paths with links resolved, and make the agent folder if it is missing.

    Raises:
        TrustStoreError: the store cannot be read; nothing is written.
        OSError: it cannot be written, or another program holds its lock.
    """
    path, files = store_path(agent_dir), Disk()
    os.makedirs(agent_dir, exist_ok=True)
    with shared_file.locked(path):
        store = _read(path, files)
        for update in updates:
            folder = _real(paths.resolve(update.path), files)
            store = {key: value for key, value in store.items() if _key(key) != _key(folder)}
            if update.decision is not None:
                store[folder] = update.decision
        shared_file.replace(path, json.to_utf8(_print(store)))


def decide(
    *, needed: bool, saved: bool | None = None, override: bool | None = None, default: DefaultTrust = "ask"
) -> bool | None:
    """Whether a folder is trusted; None means that the user must be asked (who cannot be asked has not agreed).

    `override` is what the program was started with; it wins over the saved decision, that over `default`
    (`defaultProjectTrust`). A folder that holds nothing to protect is trusted unless decided otherwise.
    """
    if override is not None:
        return override
    if saved is not None:
        return saved
    if not needed:
        return True
    return {"ask": None, "always": True, "never": False}[default]


def _read(path: str, files: Files) -> dict[str, bool | None]:
    if files.kind(path) is None:
        return {}
    try:
        store = json.decode(files.read(path).removeprefix(b"\xef\xbb\xbf"))
    except (OSError, JsonError) as error:
        raise TrustStoreError(f"Failed to read trust store {path}: {error}") from None
    if not isinstance(store, dict):
        raise TrustStoreError(f"Invalid trust store {path}: expected an object")
    return dict(_decisions(path, store))


def _decisions(path: str, store: JsonObject) -> Iterator[tuple[str, bool | None]]:
    for key, value in store.items():
        if not (value is None or isinstance(value, bool)):
            name = json.encode(key)
            raise TrustStoreError(f"Invalid trust store {path}: value for {name} must be true, false, or null")
        yield key, value


def _print(store: Mapping[str, bool | None]) -> str:
    """As Pi writes it: keys by UTF-16 units, two blanks, a final newline."""
    keys = sorted(store, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
    lines = ",\n".join(f"  {json.encode(key)}: {json.encode(store[key])}" for key in keys)
    return f"{{\n{lines}\n}}\n" if lines else "{}\n"


def _key(path: str) -> str:
    return paths.path_key(paths.absolute(path))


def _real(path: str, files: Files) -> str:
    """The path with links resolved where it exists, else as it is."""
    return files.realpath(path) if files.kind(path) else path


def _upwards(folder: str) -> Iterator[str]:
    """The folder and everything above it."""
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent
