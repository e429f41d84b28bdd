"""Rule files, SYSTEM.md and APPEND_SYSTEM.md on disk."""

from pi_lsp.base.files import Disk
from pi_lsp.base.json import Json
from pi_lsp.resources import rules, system_files
from tests.conformance.case import Case
from tests.conformance.shapes import drop_none, to_json


def load(case: Case) -> Json:
    loaded = rules.load(Disk(), case.path(case.input["cwd"]), case.path(case.input["agentDir"]))
    return drop_none({"files": to_json(loaded.files), "warnings": to_json(loaded.warnings) or None})


def from_dir(case: Case) -> Json:
    return to_json(rules.load_folder(Disk(), case.path(case.input["dir"])))


def system_prompt_files(case: Case) -> Json:
    given = case.paths(case.input)
    found = system_files.load_prompt_files(
        Disk(),
        given.get("cwd", case.path("$ROOT/p")),
        given.get("agentDir", case.path("$ROOT/agent")),
        trusted=given.get("projectTrusted", True),
        system_prompt=given.get("systemPrompt"),
        append_system_prompt=given.get("appendSystemPrompt"),
        context_files=not given.get("noContextFiles", False),
    )
    return {
        "systemPrompt": found.system_prompt,
        "systemPromptSource": found.system_prompt_source,
        "append": list(found.append),
        "appendSources": list(found.append_sources),
        "agentsFiles": to_json(found.context_files),
    }
