"""Single values out of merged settings: the right type, or the default and a word to the user."""

import math
from collections.abc import Sequence
from typing import Any, TypeGuard, TypeVar

import msgspec

from pi_lsp.base import json, paths
from pi_lsp.base.json import Json, JsonObject
from pi_lsp.base.text import one_line
from pi_lsp.resources.settings_files import SettingsFile, is_tool_modifier

T = TypeVar("T")
S = TypeVar("S", bound=str)
NOTHING: Any = object()


class SettingError(ValueError):
    """A setting that must not be guessed has an impossible value; the message names key, file and line."""


class SettingsProblem(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A setting that is not used as it stands. `path` and `line` (from 1) where it stands in a file."""

    key: str
    message: str
    path: str | None = None
    line: int | None = None


class Layer(msgspec.Struct, frozen=True, kw_only=True):
    """One place that settings come from: a file, or else something with a name."""

    values: JsonObject
    name: str = ""
    file: SettingsFile | None = None


class Reader:
    """Reads typed values and collects what does not fit. `layers` (weak ones first) tell where a value stands."""

    def __init__(self, values: JsonObject, layers: Sequence[Layer]) -> None:
        self.values = values
        self.problems: list[SettingsProblem] = []
        self._layers = layers

    def has(self, *keys: str) -> bool:
        """Whether there is such a value, be it null."""
        return _look_up(self.values, keys) is not NOTHING

    def get(self, *keys: str) -> Json:
        """The value as it is; None where there is none."""
        value = _look_up(self.values, keys)
        return None if value is NOTHING else value

    def flag(self, *keys: str, default: bool) -> bool:
        """True or false."""
        value = self.get(*keys)
        return value if isinstance(value, bool) else self._default(keys, value, default, "true or false")

    def number(self, *keys: str, default: T) -> float | T:
        """A finite number."""
        value = self.get(*keys)
        return value if is_number(value) else self._default(keys, value, default, "a number")

    def whole(self, *keys: str, default: T) -> int | T:
        """A whole number."""
        value = self.get(*keys)
        return int(value) if is_whole(value) else self._default(keys, value, default, "a whole number")

    def text(self, *keys: str) -> str | None:
        """A text."""
        value = self.get(*keys)
        return value if isinstance(value, str) else self._default(keys, value, None, "a text")

    def choice(self, *keys: str, choices: Sequence[S]) -> S:
        """One of some texts; the first is the default."""
        value = self.get(*keys)
        expected = " or ".join(json.encode(choice) for choice in choices)
        found = next((choice for choice in choices if choice == value), None)
        return found or self._default(keys, value, choices[0], expected)

    def texts(self, *keys: str) -> tuple[str, ...]:
        """A list of texts; empty where there is none."""
        value = self.get(*keys)
        texts = tuple(item for item in json.as_list(value) if isinstance(item, str))
        if not isinstance(value, list) or len(texts) < len(value):
            self._default(keys, value, (), "a list of texts")
        return texts

    def path(self, *keys: str) -> str | None:
        """A path with `~` or `file://` expanded; it may be relative."""
        value = self.text(*keys)
        if value is not None and not paths.can_exist(value):
            return self._default(keys, value, None, "a path that a file can have")
        try:
            return None if value is None else paths.from_input(value)
        except paths.FileUrlError as error:
            return self._default(keys, value, None, f"a path ({error})")

    def tools(self, *keys: str, default: Sequence[str]) -> tuple[str, ...] | None:
        """A selection of tools: plain names, or `default` where there are none, then `+name` and `-name` in order."""
        if not self.has(*keys):
            return None
        entries = self.texts(*keys)
        modifiers = [entry for entry in entries if is_tool_modifier(entry)]
        tools = [entry for entry in entries if not is_tool_modifier(entry)]
        if modifiers and not tools:
            tools = list(default)
        for entry in modifiers:
            name = entry[1:]
            if entry[0] == "-" and name in tools:
                tools.remove(name)
            elif entry[0] == "+" and name and name not in tools:
                tools.append(name)
        return tuple(tools)

    def complaint(self, keys: Sequence[str], value: Json, expected: str) -> str:
        """A sentence about a value that does not fit: the key, what it should be, what it is, where it stands."""
        is_huge = isinstance(value, float) and not math.isfinite(value)
        found = f"{value}".replace("inf", "Infinity") if is_huge else one_line(json.encode(value), 60)
        return f"{_name(keys)} must be {expected}, not {found} (in {self._place(keys)[0]})"

    def report(self, keys: Sequence[str], value: Json, expected: str) -> None:
        """Note a value that does not fit, and that the default or a weaker place counts instead."""
        _, path, line = self._place(keys)
        message = f"{self.complaint(keys, value, expected)}; it is not used"
        self.problems.append(SettingsProblem(key=_name(keys), message=message, path=path, line=line))

    def _default(self, keys: Sequence[str], value: Json, default: T, expected: str) -> T:
        """The default; a value that is there and not null is reported."""
        if value is not None:
            self.report(keys, value, expected)
        return default

    def _place(self, keys: Sequence[str]) -> tuple[str, str | None, int | None]:
        """Where the value in force stands: for people, and as path and line."""
        for layer in reversed(self._layers):
            if _look_up(layer.values, keys) is NOTHING:
                continue
            if layer.file is None:
                return layer.name, None, None
            line = layer.file.line_of(keys)
            return layer.file.path + (f", line {line}" if line else ""), layer.file.path, line
        return "the settings", None, None


def is_number(value: Json) -> TypeGuard[float]:
    """Whether it is a finite number (and no boolean)."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def is_whole(value: Json) -> TypeGuard[float]:
    """Whether it is a number without a fraction."""
    return is_number(value) and float(value).is_integer()


def _look_up(values: JsonObject, keys: Sequence[str]) -> Json:
    here: Json = values
    for key in keys:
        if not isinstance(here, dict) or key not in here:
            return NOTHING
        here = here[key]
    return here


def _name(keys: Sequence[str]) -> str:
    """`a.b`, and `a["x/y"]` for a key that is no word."""
    return "".join(f".{key}" if key.isidentifier() else f"[{json.encode(key)}]" for key in keys).removeprefix(".")
