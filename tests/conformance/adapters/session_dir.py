"""The ops of the group session_dir; the runner sets the home folder and the working directory."""

from pi_lsp.base import paths
from pi_lsp.base.json import Json
from pi_lsp.session import location
from tests.conformance.case import Case
from tests.conformance.shapes import answer_or_error

_OPTIONS = {
    "expandTilde": "expand_tilde",
    "trim": "trim",
    "stripAtPrefix": "strip_at",
    "normalizeUnicodeSpaces": "plain_spaces",
}


def dir(case: Case) -> Json:  # noqa: A001  the op's name
    agent_dir = case.input.get("agentDir", "/agent")
    return answer_or_error(lambda: {"dir": location.default_session_dir(case.input["cwd"], agent_dir)})


def resolve(case: Case) -> Json:
    options = {_OPTIONS[key]: value for key, value in case.input.get("options", {}).items()}
    base = case.input.get("base", "/base")
    return answer_or_error(
        lambda: {"path": paths.absolute(paths.from_input(case.input["input"], **options), paths.from_input(base))}
    )


def valid_id(case: Case) -> Json:
    def check() -> Json:
        location.check_id(case.input["id"])
        return {"ok": True}

    return answer_or_error(check)


def file_name(case: Case) -> Json:
    return {"name": location.file_name(case.input["timestamp"], case.input["id"])}


def is_within(case: Case) -> Json:
    return paths.is_within(case.input["parent"], case.input["child"])
