"""Skills: one folder, Pi's two orders, the text for the model, the command."""

from typing import Any

from pi_lsp.base.files import Disk
from pi_lsp.base.json import Json
from pi_lsp.context.skills_prompt import format_skills
from pi_lsp.resources import settings_files, skills
from pi_lsp.resources.all_skills import find_skills
from pi_lsp.resources.places import Places
from pi_lsp.resources.resource import Diagnostic, Source, local_source
from pi_lsp.resources.skill_command import expand_skill_command
from pi_lsp.resources.skills import Skill, SkillSet
from tests.conformance.case import Case
from tests.conformance.shapes import drop_none, pick, to_json
from tests.conformance.wording import NAMED_WORDING


def load(case: Case) -> Json:
    given = case.paths(case.input)
    loaded = skills.load_skills(
        Disk(),
        cwd=given.get("cwd", case.path("$ROOT/p")),
        agent_dir=given.get("agentDir", case.path("$ROOT/agent")),
        skill_paths=given.get("skillPaths", []),
        include_defaults=given.get("includeDefaults", True),
    )
    return {**_answer(loaded), "prompt": format_skills(loaded.skills, wording=NAMED_WORDING)}


def from_dir(case: Case) -> Json:
    given = case.paths(case.input)
    source = given.get("source", "user")
    sources = {"user": local_source("user"), "project": local_source("project"), "path": local_source("temporary")}
    source_of = sources.get(source, local_source("temporary", source))
    return _answer(skills.load_folder(Disk(), given.get("dir", case.path("$ROOT/skills")), source_of))


def format(case: Case) -> Json:  # noqa: A001  the op's name
    listed = [skill_of(skill) for skill in case.input["skills"]]
    return {"prompt": format_skills(listed, wording=NAMED_WORDING, **pick(case.input, "reader"))}


def validate_name(case: Case) -> Json:
    return to_json(skills.validate_name(case.input["name"]))


def validate_description(case: Case) -> Json:
    return to_json(skills.validate_description(case.input["description"]))


def expand_command(case: Case) -> Json:
    given = case.paths(case.input)
    loaded = skills.load_skills(
        Disk(),
        cwd=case.path("$ROOT/p"),
        agent_dir=case.path("$ROOT/agent"),
        skill_paths=given.get("skillPaths", [case.path("$ROOT/skills")]),
        include_defaults=False,
    )
    expanded = expand_skill_command(Disk(), given["text"], loaded.skills)
    return {"text": expanded.text, "errors": [expanded.error] if expanded.error else []}


def resource_loader(case: Case) -> Json:
    given = case.paths(case.input)
    cwd = given.get("cwd", case.path("$ROOT/p"))
    agent_dir = given.get("agentDir", case.path("$ROOT/home/.pi/agent"))
    trusted = given.get("projectTrusted", True)
    settings = settings_files.load(Disk(), cwd, agent_dir, trusted=trusted)
    places = Places(
        cwd=cwd,
        agent_dir=agent_dir,
        trusted=trusted,
        user_settings=settings.user.values,
        project_settings=settings.project.values,
    )
    named = given.get("additionalSkillPaths", [])
    return _answer(find_skills(Disk(), places, named, only_named=given.get("noSkills", False)))


def skill_of(given: Any) -> Skill:
    """A skill as a case states it, which says nothing of its source."""
    return Skill(
        name=given["name"],
        description=given["description"],
        file_path=given["filePath"],
        base_dir=given["baseDir"],
        disable_model_invocation=given.get("disableModelInvocation", False),
        source=Source(path=given["filePath"], source="local", scope="temporary", origin="top-level"),
    )


def _answer(loaded: SkillSet) -> dict[str, Any]:
    return {"skills": to_json(loaded.skills), "diagnostics": [_diagnostic(each) for each in loaded.diagnostics]}


def _diagnostic(diagnostic: Diagnostic) -> Json:
    """As Pi has it: without the line."""
    return drop_none({**to_json(diagnostic), "line": None})
