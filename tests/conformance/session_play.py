"""What the ops on session files need around the product: actions done in order, and files read back."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from pi_lsp.base.json import Json, JsonError, JsonObject, decode
from pi_lsp.session.entries import Entry
from pi_lsp.session.store import Session
from tests.conformance.shapes import Errors, answer_or_error


def play(
    actions: Sequence[Sequence[Any]],
    perform: Callable[..., JsonObject],
    leaf: Callable[[], str | None],
    errors: Errors,
) -> list[JsonObject]:
    """Do the actions `[name, ...arguments]` by `perform(name, *arguments)`, one after the other.

    `perform` gives the fields of the step, `result` among them where there is one; an argument "@N" is the result of
    action N. The step of an action that raises one of `errors` has `error` in their place.
    """
    results: list[Json] = []
    steps: list[JsonObject] = []
    for name, *arguments in actions:
        fields = answer_or_error(lambda: perform(name, *(_argument(one, results) for one in arguments)), errors)  # noqa: B023
        results.append(fields.get("result"))
        steps.append({"action": name, "leaf": leaf(), **fields})
    return steps


def writing_to(session: Session) -> Callable[[Callable[[Session], Iterable[Entry]]], Awaitable[Sequence[Entry]]]:
    """Writes to a session without further ado."""

    async def write(call: Callable[[Session], Iterable[Entry]]) -> Sequence[Entry]:
        return list(call(session))

    return write


def file_bytes(path: str | None) -> bytes | None:
    """The content of a file, or None where there is none."""
    return Path(path).read_bytes() if path is not None and Path(path).is_file() else None


def json_lines(path: str | None) -> list[Json] | None:
    """The lines of a file parsed, one that is no JSON as text (the last "" is the final newline); None without it."""
    content = file_bytes(path)
    return None if content is None else [_parsed(line) for line in content.decode(errors="replace").split("\n")]


def file_change(path: str, before: bytes | None) -> JsonObject:
    """Whether a file is another than `before`, and what stands behind that now: `fileChanged` and `appended`."""
    after, start = file_bytes(path) or b"", before or b""
    appended = after.removeprefix(start) if after.startswith(start) else b""
    return {"fileChanged": after != start, "appended": appended.decode(errors="replace")}


def _argument(argument: Any, results: Sequence[Json]) -> Any:
    if isinstance(argument, str) and argument.startswith("@") and argument[1:].isdigit():
        return results[int(argument[1:])]
    return argument


def _parsed(line: str) -> Json:
    try:
        return decode(line)
    except JsonError:
        return line
