"""What a hover says of a skill, as pure functions over the values of the API."""

import os

from pi_lsp.api.skills import SkillFile, Skills
from pi_lsp.lsp.page import Page, about_tokens, paragraphs


def skill_head(page: Page, skills: Skills, skill: SkillFile, file_tokens: int) -> str:
    """What a skill is called, whether the prompt names it and why not, and whom it collides with."""
    name = page.code(skill.name)
    if skill.listed:
        state = f"The prompt names it ({about_tokens(skill.tokens)}); the model reads the file when it is needed."
    else:
        state = f"The prompt does not name it: {page.prose(skill.reason or '')}."
    collisions = [
        f"Wins over {page.uri(collision.loser)}, which has the same name."
        for collision in skills.collisions
        if collision.winner == skill.uri
    ]
    return paragraphs(
        page.strong(f"Skill {name}"),
        page.code(skill.description) if skill.description else None,
        state,
        *collisions,
        f"{about_tokens(file_tokens).capitalize()} in this file.",
    )


def skill_elsewhere(page: Page, path: str, cwd: str | None) -> str:
    """That a SKILL.md lies where this window's agent does not look for skills."""
    agent = f"This window's agent, which works in {page.path(cwd)}," if cwd else "This window's agent"
    name = page.code(os.path.basename(os.path.dirname(path)))
    return paragraphs(page.strong(f"Skill {name}"), f"{agent} does not find it: it looks for no skills in this place.")
