"""Pi's settings files: read, brought up to date in memory, never written here.

The user's is `<agent folder>/settings.json`, the project's `<working directory>/.pi/settings.json`, read only where
the project is trusted. A file that cannot be used counts as empty and is reported.
"""

import os
import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from pi_lsp.base import json
from pi_lsp.base.files import Files
from pi_lsp.base.json import Json, JsonError, JsonObject
from pi_lsp.base.paths import resolve

Scope: TypeAlias = Literal["global", "project"]

_BOM = b"\xef\xbb\xbf"
_JSON_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]', re.DOTALL)


class SettingsFileError(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Why a whole file is not used. The message names the file; `line` counts from 1."""

    scope: Scope
    path: str
    message: str
    line: int | None = None


class SettingsFile(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One settings file. `values` are those of today's format, empty where the file is missing or cannot be used."""

    scope: Scope
    path: str
    values: JsonObject = {}
    text: str = ""
    error: SettingsFileError | None = None

    def line_of(self, keys: Sequence[str]) -> int | None:
        """The line, from 1, of a key in the text; None where it does not stand there."""
        return _line_of(self.text, list(keys))


class SettingsFiles(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What the files say, the user's and the project's (an empty one where the project is not trusted)."""

    user: SettingsFile
    project: SettingsFile

    @property
    def errors(self) -> tuple[SettingsFileError, ...]:
        """The files that are not used."""
        return tuple(file.error for file in (self.user, self.project) if file.error)


def load(files: Files, cwd: str, agent_dir: str, *, trusted: bool) -> SettingsFiles:
    """Read both files; missing ones are empty. The folders may begin with `~`."""
    cwd, agent_dir = resolve(cwd), resolve(agent_dir)
    project = os.path.join(cwd, ".pi", "settings.json")
    return SettingsFiles(
        user=read(files, os.path.join(agent_dir, "settings.json"), "global"),
        project=read(files, project, "project") if trusted else SettingsFile(scope="project", path=project),
    )


def read(files: Files, path: str, scope: Scope) -> SettingsFile:
    """Read one file. An empty one and a list are no error and have no settings, as in Pi 1.6.0."""
    if files.kind(path) is None:
        return SettingsFile(scope=scope, path=path)
    try:
        content = files.read(path)
        raw = content.removeprefix(_BOM)
        value = json.decode(raw) if content else {}
    except (OSError, JsonError) as error:
        return _broken(scope, path, str(error))
    match value:
        case dict():
            return SettingsFile(scope=scope, path=path, values=migrate(value), text=raw.decode(errors="replace"))
        case list():
            return SettingsFile(scope=scope, path=path)
        case _:
            return _broken(scope, path, f"expected an object, found {json.kind(value)}")


def migrate(values: JsonObject) -> JsonObject:
    """The values of an older Pi under today's names, as Pi 1.6.0 reads them; what is set today wins."""
    new = dict(values)
    if "queueMode" in new and "steeringMode" not in new:
        new["steeringMode"] = new.pop("queueMode")
    if isinstance(sockets := new.get("websockets"), bool) and "transport" not in new:
        del new["websockets"]
        new["transport"] = "websocket" if sockets else "sse"
    if isinstance(skills := new.get("skills"), dict):
        del new["skills"]
        if "enableSkillCommands" in skills:
            new.setdefault("enableSkillCommands", skills["enableSkillCommands"])
        if folders := json.as_list(skills.get("customDirectories")):
            new["skills"] = folders
    if isinstance(retry := new.get("retry"), dict) and "maxDelayMs" in retry:
        new["retry"] = _migrate_retry(retry)
    return new


def _migrate_retry(retry: JsonObject) -> JsonObject:
    new = {key: value for key, value in retry.items() if key != "maxDelayMs"}
    limit = retry["maxDelayMs"]
    provider = json.as_object(retry.get("provider"))
    if not isinstance(limit, bool) and isinstance(limit, int | float) and provider.get("maxRetryDelayMs") is None:
        new["provider"] = {**provider, "maxRetryDelayMs": limit}
    return new


def overlay(below: JsonObject, above: JsonObject) -> JsonObject:
    """Settings with stronger ones laid over them: objects merge at every depth, everything else replaces.

    A list `defaultTools` that only adds (`+name`) and removes (`-name`) is appended to the list below it.
    """
    merged = dict(below)
    open_levels = [(merged, above)]
    while open_levels:
        target, source = open_levels.pop()
        for key, value in source.items():
            old = target.get(key)
            if isinstance(value, dict) and isinstance(old, dict):
                level = dict(old)
                target[key] = level
                open_levels.append((level, value))
            else:
                target[key] = value
    old, tools = below.get("defaultTools"), above.get("defaultTools")
    if isinstance(old, list) and isinstance(tools, list) and all(map(is_tool_modifier, tools)):
        merged["defaultTools"] = old + tools
    return merged


def is_tool_modifier(item: Json) -> bool:
    """Whether an entry of `defaultTools` adds or removes a tool."""
    return isinstance(item, str) and item.startswith(("+", "-"))


def _broken(scope: Scope, path: str, reason: str) -> SettingsFile:
    place = re.search(r"line (\d+)", reason)
    error = SettingsFileError(
        scope=scope,
        path=path,
        message=f"{path}: {reason}; its settings are not used",
        line=int(place[1]) if place else None,
    )
    return SettingsFile(scope=scope, path=path, error=error)


def _line_of(text: str, keys: list[str]) -> int | None:
    """The last one counts where a key is repeated, as it does for the value. `text` is valid JSON."""
    found: int | None = None
    here: list[str | None] = []  # the key that every open object is at; None for a list
    key_next = False
    for token in _JSON_TOKEN.finditer(text):
        match token[0]:
            case "{" | "[" as bracket:
                here.append("" if bracket == "{" else None)
                key_next = bracket == "{"
            case "}" | "]":
                here.pop()
                key_next = False
            case ",":
                key_next = here[-1] is not None
            case ":":
                key_next = False
            case string if key_next:
                here[-1] = json.as_str(json.decode(string))
                if here == keys:
                    found = token.start()
            case _:
                pass
    return None if found is None else text.count("\n", 0, found) + 1
