"""API keys: where they are found, and what Pi's files may say in place of one.

A key is held by a value whose text form does not show it. Nothing here writes one anywhere.
"""

import os
import re
from collections.abc import Mapping
from typing import NoReturn

from pi_lsp.base.files import Files
from pi_lsp.base.json import JsonError, JsonObject, as_object, as_str, decode_object

BOM = b"\xef\xbb\xbf"

_REFERENCE = re.compile(r"\$(?:([$!])|\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))")
_HEADER_TEXT = re.compile(r"[\x20-\x7e\t]+")


class UnusableValueError(Exception):
    """A value of a file cannot be used; the message says why, without the value."""


class Secret:
    """A text that must not be seen."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text, for the request that needs it."""
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other.reveal() == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return "Secret(…)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not stored")


def resolve(value: str, env: Mapping[str, str], name: str) -> Secret:
    """What a key or a header of Pi's files stands for.

    `$NAME` and `${NAME}` are environment variables, `$$` and `$!` a `$` and a `!`. Pi 1.6.0 runs a value that begins
    with `!` as a shell command; pi-lsp does not.

    Args:
        value: as it is written.
        env: the environment.
        name: what the value is called in a message.

    Raises:
        UnusableValueError: it is a command, a variable is not set, or the result cannot stand in a header.
    """
    if value.startswith("!"):
        raise UnusableValueError(
            f"{name} is a shell command, which pi-lsp does not run: put the key into an environment variable"
        )

    def replace(match: re.Match[str]) -> str:
        escaped, braced, bare = match.groups()
        if escaped:
            return escaped
        if found := env.get(braced or bare):
            return found
        raise UnusableValueError(f"{name} needs the environment variable {braced or bare}, which is not set")

    return checked(_REFERENCE.sub(replace, value), name)


def checked(text: str, name: str) -> Secret:
    """A text that goes into a header; `name` is what it is called in a message. Raises UnusableValueError."""
    text = text.strip()
    if not _HEADER_TEXT.fullmatch(text):
        raise UnusableValueError(f"{name} {'holds characters that no header can have' if text else 'is empty'}")
    return Secret(text)


def stored_key(files: Files, agent_dir: str, provider: str, env: Mapping[str, str]) -> Secret | None:
    """The API key that Pi's `auth.json` has for a provider; None where it has nothing for it.

    Raises:
        UnusableValueError: it has something, but no key that can be used. The message names file and key.
    """
    path = os.path.join(agent_dir, "auth.json")
    credentials = _read(files, path)
    if provider not in credentials:
        return None
    credential = as_object(credentials[provider])
    match credential.get("type"), credential.get("key"):
        case "api_key", str(value) if value:
            own = {name: text for name, text in as_object(credential.get("env")).items() if isinstance(text, str)}
            return resolve(value, {**env, **own}, f"{path}: {provider}.key")
        case "oauth", _:
            raise UnusableValueError(f"{path}: {provider} is a login that only Pi can use; pi-lsp needs an API key")
        case kind, _:
            raise UnusableValueError(f"{path}: {provider} has no API key (its type is {as_str(kind)!r})")


def _read(files: Files, path: str) -> JsonObject:
    if files.kind(path) is None:
        return {}
    try:
        return decode_object(files.read(path).removeprefix(BOM) or b"{}")
    except OSError as error:
        raise UnusableValueError(f"{path} cannot be read: {error.strerror or error}") from None
    except JsonError as error:
        raise UnusableValueError(f"{path} is not JSON: {error}") from None
