"""`/skill:NAME arguments`: the user calls a skill by its name."""

from collections.abc import Iterable
from difflib import get_close_matches

import msgspec

from pi_lsp.base.files import Files
from pi_lsp.base.text import JS_SPACE
from pi_lsp.resources.frontmatter import split
from pi_lsp.resources.skills import MAX_NAME_LENGTH, Skill

PREFIX = "/skill:"


class Expansion(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What a text becomes; itself where it calls no skill.

    `error` says why a skill that is known could not be read. `unknown` is a name that no skill has, and `nearest`
    the name that may have been meant.
    """

    text: str
    error: str | None = None
    unknown: str | None = None
    nearest: str | None = None


def expand_skill_command(files: Files, text: str, skills: Iterable[Skill]) -> Expansion:
    """Replace a call by the skill's text, as Pi 1.6.0 does. A skill that is hidden from the model can be called.

    The name ends at the first blank; a newline belongs to it.
    """
    if not text.startswith(PREFIX):
        return Expansion(text=text)
    name, _, arguments = text.removeprefix(PREFIX).partition(" ")
    by_name = {skill.name: skill for skill in skills}
    skill = by_name.get(name)
    if skill is None:
        near = get_close_matches(name, by_name, n=1) if len(name) <= MAX_NAME_LENGTH else []
        return Expansion(text=text, unknown=name, nearest=near[0] if near else None)
    try:
        front = split(files.read(skill.file_path).decode(errors="replace"))
    except OSError as error:
        return Expansion(text=text, error=f"{skill.file_path} cannot be read: {error.strerror or error}")
    if front.problem is not None:
        where = f"{skill.file_path}, line {front.problem.line}"
        return Expansion(text=text, error=f"{where}: {front.problem.message}")
    block = (
        f'<skill name="{skill.name}" location="{skill.file_path}">\n'
        f"References are relative to {skill.base_dir}.\n\n{front.body.strip(JS_SPACE)}\n</skill>"
    )
    arguments = arguments.strip(JS_SPACE)
    return Expansion(text=f"{block}\n\n{arguments}" if arguments else block)
