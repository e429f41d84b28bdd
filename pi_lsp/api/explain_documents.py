"""The files that `pi/explain` searches beside the session, and why each does or does not reach the model."""

import os
from collections.abc import Iterator

from pi_lsp.agent.session_rules import SessionRules
from pi_lsp.agent.view import View
from pi_lsp.agent.workspace import Workspace
from pi_lsp.api.skills import reason_text
from pi_lsp.base.files import Files
from pi_lsp.base.paths import path_to_uri
from pi_lsp.context.explain_hits import Document, Restore
from pi_lsp.context.prompt import PREAMBLE
from pi_lsp.context.skills_prompt import format_skills
from pi_lsp.resources.rule_reasons import why_not_loaded
from pi_lsp.resources.rule_text import decode_rule
from pi_lsp.resources.rules import RuleFile
from pi_lsp.resources.skills import Skill, SkillSet
from pi_lsp.resources.system_files import PromptFiles


def documents(workspace: Workspace, view: View, cwd: str, *, trusted: bool) -> list[Document]:
    """Rule files in and above the folders, skills, SYSTEM.md and APPEND_SYSTEM.md. Needs the index."""
    in_prompt = SessionRules.of(view.prompt, view.conversation)
    return [
        *(_rule(record, in_prompt) for record in workspace.survey(cwd)),
        *_skills(workspace.skills(cwd, trusted=trusted), view, workspace.files),
        *_prompt_files(workspace.prompt_files(cwd, trusted=trusted), view),
    ]


def _rule(record: RuleFile, in_prompt: SessionRules) -> Document:
    uri, text = path_to_uri(record.path), record.text.content
    is_sent = in_prompt.standing(record.path, text, loaded=False) == "present"
    return Document(
        uri=uri,
        text=text,
        sent=(text,) if is_sent else (),
        stage="rule",
        by=path_to_uri(record.by) if record.by else None,
        detail=_why_not_sent(record),
        restore=Restore(method="pi/rules/load", params={"uris": [uri]}) if record.reason == "belowCwd" else None,
    )


def _why_not_sent(record: RuleFile) -> str:
    if record.loaded:
        return "the system prompt does not hold it"
    by = os.path.basename(record.by or "") if record.reason == "shadowed" else record.by or ""
    return f"this rule file is not loaded: {why_not_loaded(record.reason, by=by, detail=record.detail or '')}"


def _skills(found: SkillSet, view: View, files: Files) -> Iterator[Document]:
    listed = view.sections.get("skills", "")
    for skill in found.skills:
        line = format_skills([skill]).partition("<available_skills>")[2].partition("</available")[0]
        yield Document(
            uri=path_to_uri(skill.file_path),
            text=_text(files, skill.file_path),
            sent=(skill.name, skill.description) if line and line in listed else (),
            stage="skill",
            detail=_why_not_said(skill),
        )
    for skipped in found.skipped:
        yield Document(
            uri=path_to_uri(skipped.path),
            text=_text(files, skipped.path),
            sent=(),
            stage="skill",
            by=path_to_uri(skipped.by) if skipped.by else None,
            detail=f"this skill is not loaded: {reason_text(skipped)}",
        )


def _why_not_said(skill: Skill) -> str:
    call = f"/skill:{skill.name} puts it into the conversation"
    if skill.disable_model_invocation:
        return f"the model is not told of this skill (disable-model-invocation); {call}"
    return f"of a skill only name and description are sent, the model reads the rest when a task calls for it; {call}"


def _prompt_files(found: PromptFiles, view: View) -> Iterator[Document]:
    if found.system_prompt_source and found.system_prompt:
        text = found.system_prompt
        yield Document(
            uri=path_to_uri(found.system_prompt_source),
            text=text,
            sent=(text,) if view.sections.get(PREAMBLE) == text else (),
            stage="rule",
            detail="the system prompt does not hold it",
        )
    for source, text in zip(found.append_sources, found.append, strict=False):
        yield Document(
            uri=path_to_uri(source),
            text=text,
            sent=(text,) if text in view.sections.get("addendum", "") else (),
            stage="rule",
            detail="the system prompt does not hold it",
        )


def _text(files: Files, path: str) -> str:
    """What stands in a file; nothing where it cannot be read."""
    try:
        return decode_rule(files.read(path)).content
    except OSError:
        return ""
