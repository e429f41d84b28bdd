"""`pi/skills`: the skills of the working directory, and why some of them do not count."""

import asyncio
from typing import Literal, TypeAlias

from pi_lsp.agent.window import Window
from pi_lsp.base.paths import path_to_uri
from pi_lsp.base.wire import Wire
from pi_lsp.context.estimate import TokenCounter
from pi_lsp.context.skills_prompt import format_skills
from pi_lsp.resources.resource import Skipped, Source
from pi_lsp.resources.skills import Skill, SkillSet

ResourceScope: TypeAlias = Literal["project", "user", "settings"]
"""Who brings a skill or a template: a place in the project, one of the user's, or a path or package in settings."""


class SkillFile(Wire, frozen=True, kw_only=True):
    """A skill. `listed`: the prompt names it; `tokens` (an estimate) is what its line there takes."""

    name: str
    description: str
    uri: str
    scope: ResourceScope
    listed: bool
    reason: str | None = None
    tokens: int


class SkillCollision(Wire, frozen=True, kw_only=True):
    """Two skills of one name: the winner counts."""

    name: str
    winner: str
    loser: str


class Skills(Wire, frozen=True, kw_only=True):
    """All skills, those that count first and in order of precedence. `problems`: what was not looked at, and why."""

    skills: list[SkillFile]
    collisions: list[SkillCollision]
    problems: tuple[str, ...] = ()


async def skills(window: Window, _params: object) -> Skills:
    """The skills of the working directory."""
    await window.ready()
    found = await asyncio.to_thread(window.workspace.skills, window.place, trusted=window.trust().trusted)
    return wire_skills(found, window.counting.counter)


def wire_skills(found: SkillSet, counter: TokenCounter) -> Skills:
    """A set of skills as the wire has it."""
    return Skills(
        skills=[
            *(_counting(skill, counter) for skill in found.skills),
            *(_skipped(skipped) for skipped in found.skipped),
        ],
        collisions=[
            SkillCollision(
                name=collision.name,
                winner=path_to_uri(collision.winner_path),
                loser=path_to_uri(collision.loser_path),
            )
            for diagnostic in found.diagnostics
            if (collision := diagnostic.collision)
        ],
        problems=found.problems,
    )


def _counting(skill: Skill, counter: TokenCounter) -> SkillFile:
    listed = not skill.disable_model_invocation
    return SkillFile(
        name=skill.name,
        description=skill.description,
        uri=path_to_uri(skill.file_path),
        scope=scope_of(skill.source),
        listed=listed,
        reason=None if listed else "disable-model-invocation: only you can call it, by /skill:" + skill.name,
        tokens=counter.text(format_skills([skill, skill])) - counter.text(format_skills([skill])) if listed else 0,
    )


def _skipped(skipped: Skipped) -> SkillFile:
    """Which place it belongs to is not told: nothing but its path is known of a file that was not read."""
    return SkillFile(
        name=skipped.name,
        description="",
        uri=path_to_uri(skipped.path),
        scope="project",
        listed=False,
        reason=reason_text(skipped),
        tokens=0,
    )


def reason_text(skipped: Skipped, what: str = "skill") -> str:
    """Why a file is no skill (or no template) of the session, in words."""
    line = f" (line {skipped.line})" if skipped.line else ""
    words = {
        "shadowed": f"another {what} has this name: {skipped.by}",
        "duplicate": f"the same file as {skipped.by}",
        "noDescription": "it has no description, so no agent would know when to use it",
        "invalid": f"its frontmatter cannot be read: {skipped.detail}{line}",
        "unreadable": f"it cannot be read: {skipped.detail}",
        "ignored": "an ignore file hides it",
        "excluded": "the settings exclude it",
        "untrusted": "its project is not trusted",
    }
    return words[skipped.reason]


def scope_of(source: Source) -> ResourceScope:
    """Who brings what comes from there."""
    if source.source == "auto" and source.scope in ("project", "user"):
        return "project" if source.scope == "project" else "user"
    return "settings"
