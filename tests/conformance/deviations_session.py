"""Conditions of deviations.toml about sessions: what is odd about the entries or messages of a case."""

import os
from collections.abc import Callable, Iterator, Mapping

from pi_lsp.base.json import Json, JsonObject, as_object, as_str, objects
from pi_lsp.session.index import parse_lines
from pi_lsp.session.migrate import version_of
from pi_lsp.session.times import to_milliseconds
from tests.conformance.case import Vector, raw_bytes
from tests.conformance.compare import texts_in
from tests.conformance.texts import resolve


def edit_without_content(vector: Vector) -> bool:
    """An edit of the context states something else than null, a text or a list."""
    edits = (entry for entry in objects_in(vector) if entry.get("type") == "context_edit")
    replacements = [edit.get("replacement", {}) for edit in edits]
    return any(one is not None and not isinstance(as_object(one).get("content"), str | list) for one in replacements)


def usage_that_does_not_add_up(vector: Vector) -> bool:
    """A usage has a part missing and no total, or figures that no provider reports."""
    return any(_does_not_add_up(as_object(holder["usage"])) for holder in objects_in(vector) if "usage" in holder)


def prints_undefined(vector: Vector) -> bool:
    """Pi put the word `undefined` where a field is missing."""
    given = " ".join(texts_in(vector.input))
    return "undefined" in " ".join(texts_in(vector.expected)) and "undefined" not in given


def line_without_entry(vector: Vector) -> bool:
    """A line of the session file is JSON, but no object with an id (in version 1 no entry has one)."""
    lines = _lines_of(vector)
    has_ids = version_of(next((value for value in lines if isinstance(value, dict)), None)) >= 2
    return any(not isinstance(value, dict) or (has_ids and not isinstance(value.get("id"), str)) for value in lines)


def no_whole_folder_in_header(vector: Vector) -> bool:
    """The header of the session file names no working directory, or not as an absolute path without detours."""
    header = next((value for value in _lines_of(vector) if as_object(value).get("type") == "session"), None)
    cwd = as_str(as_object(header).get("cwd"))
    return header is not None and not (os.path.isabs(cwd) and os.path.normpath(cwd) == cwd)


def arguments_that_are_no_object(vector: Vector) -> bool:
    """A tool call has a text or a list for its arguments."""
    return any(isinstance(holder.get("arguments"), str | list) for holder in objects_in(vector))


def date_of_another_form(vector: Vector) -> bool:
    """The time of an entry is a text that is no ISO 8601 time."""
    return any(
        isinstance(time := holder.get("timestamp"), str) and to_milliseconds(time) is None
        for holder in objects_in(vector)
    )


def path_that_is_no_text(vector: Vector) -> bool:
    """A stored list of files holds something else than texts."""
    lists = [holder.get(key) for holder in objects_in(vector) for key in ("readFiles", "modifiedFiles")]
    return any(not isinstance(path, str) for paths in lists if isinstance(paths, list) for path in paths)


def failed_answers_lead(vector: Vector) -> bool:
    """Nothing but answers that failed stands before the first system message."""
    messages = list(objects(vector.input.get("messages")))
    roles = [message.get("role") for message in messages]
    before = messages[: roles.index("system")] if "system" in roles else []
    failed = (one.get("role") == "assistant" and one.get("stopReason") in ("error", "aborted") for one in before)
    return bool(before) and all(failed)


def fraction_of_a_millisecond(vector: Vector) -> bool:
    """A retry policy counts in fractions of a millisecond."""
    return isinstance(base := as_object(vector.input.get("policy")).get("baseDelayMs"), float) and base % 1 != 0


SESSION_PREDICATES: Mapping[str, Callable[[Vector], bool]] = {
    "arguments_that_are_no_object": arguments_that_are_no_object,
    "date_of_another_form": date_of_another_form,
    "edit_without_content": edit_without_content,
    "failed_answers_lead": failed_answers_lead,
    "fraction_of_a_millisecond": fraction_of_a_millisecond,
    "line_without_entry": line_without_entry,
    "no_whole_folder_in_header": no_whole_folder_in_header,
    "path_that_is_no_text": path_that_is_no_text,
    "prints_undefined": prints_undefined,
    "usage_that_does_not_add_up": usage_that_does_not_add_up,
}


def objects_in(vector: Vector) -> Iterator[JsonObject]:
    """Every object of a case's input, those on the lines of a session file too."""
    todo: list[Json] = [vector.input, _lines_of(vector)]
    while todo:
        match todo.pop():
            case dict() as value:
                yield value
                todo += value.values()
            case list() as values:
                todo += values
            case _:
                pass


def _lines_of(vector: Vector) -> list[Json]:
    """What the lines of a session file say; nothing for a case without one."""
    raw = resolve(vector.input.get("raw", ""))
    return parse_lines(raw_bytes(raw)) if isinstance(raw, str | bytes | list) else []


def _does_not_add_up(usage: JsonObject) -> bool:
    parts = [usage.get(key) for key in ("input", "output", "cacheRead", "cacheWrite")]
    figures = [*filter(None, [usage.get("totalTokens")]), *parts]
    return any(type(figure) is not int or figure >= 2**53 for figure in figures)
