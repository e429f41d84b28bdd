"""The skills, and why some of them do not count."""

from rich.text import Text

from pi_lsp.api.skills import SkillFile, Skills
from pi_lsp.base.text import one_line
from pi_lsp.cli.plain import clean
from pi_lsp.cli.show.screen import NO, YES, Screen, count, grid, plural


def show_skills(screen: Screen, skills: Skills) -> None:
    """Those that the model is told of first, then the others with the reason."""
    listed = [skill for skill in skills.skills if skill.listed]
    tokens = sum(skill.tokens for skill in listed)
    facts = [f"the model is told of {len(listed)}", plural(tokens, "token")] if skills.skills else []
    screen.heading("Skills", *facts)
    for problem in skills.problems:
        screen.note(problem)
    if not skills.skills:
        screen.note("None. A folder with a SKILL.md in .pi/skills or ~/.pi/agent/skills would be one.")
        return
    table = grid("left", "left", "left", "text", "right")
    for skill in skills.skills:
        table.add_row(
            Text(f"  {YES}", "green") if skill.listed else Text(f"  {NO}", "yellow"),
            Text(clean(skill.name), "bold" if skill.listed else "dim"),
            Text(skill.scope if skill.listed else "", "dim"),
            _about(screen, skill),
            count(skill.tokens) if skill.listed else "",
        )
    screen.print(table)
    if any("not trusted" in (skill.reason or "") for skill in skills.skills):
        screen.note("Trust the project in Pi or in your editor, and its skills count.")


def _about(screen: Screen, skill: SkillFile) -> Text:
    if skill.listed:
        return Text(clean(one_line(skill.description, 240)))
    place = Text().append(f"{screen.path(skill.uri)} · ", "dim")
    return place.append(screen.shorten(skill.reason or ""), "yellow")
