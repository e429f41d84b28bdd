"""The ops of the group truncate; read_tool, bash_tool and user_bash wait for the tools."""

from pi_lsp.base import text
from pi_lsp.base.json import Json
from pi_lsp.context import truncate
from tests.conformance.case import Case
from tests.conformance.shapes import to_json


def constants(case: Case) -> Json:
    return {
        "DEFAULT_MAX_LINES": truncate.MAX_LINES,
        "DEFAULT_MAX_BYTES": truncate.MAX_BYTES,
        "GREP_MAX_LINE_LENGTH": truncate.MAX_LINE_UNITS,
    }


def head(case: Case) -> Json:
    return to_json(truncate.truncate_head(case.input["content"], **_limits(case)))


def tail(case: Case) -> Json:
    return to_json(truncate.truncate_tail(case.input["content"], **_limits(case)))


def line(case: Case) -> Json:
    return to_json(truncate.truncate_line(case.input["line"], case.input.get("maxChars", truncate.MAX_LINE_UNITS)))


def format_size(case: Case) -> Json:
    return truncate.format_size(case.input["bytes"])


def slice_head(case: Case) -> Json:
    return text.slice_head(case.input["text"], case.input["maxUnits"])


def slice_tail(case: Case) -> Json:
    return text.slice_tail(case.input["text"], case.input["maxUnits"])


def _limits(case: Case) -> dict[str, int]:
    names = {"maxLines": "max_lines", "maxBytes": "max_bytes"}
    return {names[key]: value for key, value in case.input.get("options", {}).items()}
