"""Prompt templates: arguments, placeholders, files."""

from pi_lsp.base.files import Disk
from pi_lsp.base.json import Json
from pi_lsp.resources import template_arguments, templates
from tests.conformance.case import Case
from tests.conformance.shapes import drop_none, pick, to_json


def parse_args(case: Case) -> Json:
    return to_json(template_arguments.parse_arguments(case.input["args"]))


def substitute(case: Case) -> Json:
    return template_arguments.substitute(case.input["content"], case.input["args"])


def expand(case: Case) -> Json:
    given = case.paths(case.input)
    loaded = templates.load_templates(Disk(), given.get("promptPaths", [case.path("$ROOT/prompts")])).templates
    text = given.get("text")
    fields = ("name", "description", "argumentHint", "content", "filePath")
    return drop_none(
        {
            "templates": [pick(to_json(each), *fields) for each in loaded],
            "expanded": None if text is None else templates.expand_template(text, loaded),
        }
    )
