"""The ops of the group system_prompt."""

from pi_lsp.base.json import Json
from pi_lsp.context import prompt_state
from pi_lsp.context.prompt import (
    DEFAULT_TOOLS,
    PromptParts,
    SectionNameError,
    ToolSet,
    build_prompt,
)
from pi_lsp.context.skills_prompt import format_skills
from pi_lsp.resources.rules import ContextFile
from tests.conformance.adapters.skills import skill_of
from tests.conformance.case import Case
from tests.conformance.shapes import to_json
from tests.conformance.wording import NAMED_WORDING


def build(case: Case) -> Json:
    given = case.input
    tools = ToolSet(
        names=given.get("selectedTools", DEFAULT_TOOLS),
        hidden=given.get("hiddenTools", ()),
        snippets=given.get("toolSnippets", {}),
        rules=given.get("toolGuidelines", {}),
    )
    skills = [skill_of(skill) for skill in given.get("skills", [])]
    parts = PromptParts(
        cwd=given["cwd"],
        tools=tools,
        rules=given.get("promptGuidelines", ()),
        custom=given.get("customPrompt", ""),
        addendum=given.get("appendSystemPrompt", ""),
        context_files=[
            ContextFile(path=file["path"], content=file["content"]) for file in given.get("contextFiles", ())
        ],
        skills=format_skills(skills, tools.skill_reader, NAMED_WORDING) if tools.skill_reader else "",
        sections=given.get("sections", {}),
        forced=given.get("forceSystemPrompt"),
    )
    try:
        prompt = build_prompt(parts, NAMED_WORDING)
    except SectionNameError as error:
        return {"error": str(error)}
    return {
        "text": prompt.text,
        "sections": to_json(prompt.sections),
        "order": list(prompt.sections),
        "state": "content" if prompt.forced else "sections",
    }


def diff(case: Case) -> Json:
    return {"patch": to_json(prompt_state.diff_sections(case.input["previous"], case.input["current"]))}


def current(case: Case) -> Json:
    message = prompt_state.current_system(case.input["messages"])
    if message is None:
        return {"message": None, "text": "", "tools": []}
    return {
        "message": message,
        "text": prompt_state.system_text(message),
        "tools": [tool["name"] for tool in message.get("toolsAdded", [])],
    }


def collapse(case: Case) -> Json:
    return {"messages": prompt_state.collapse(case.input["messages"])}


def render_update(case: Case) -> Json:
    return prompt_state.render_update(case.input["message"])


def tool_changes(case: Case) -> Json:
    return to_json(prompt_state.tool_changes(case.input["previous"], case.input["current"]))
