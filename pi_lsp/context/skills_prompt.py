"""The section of the system prompt that tells a model which skills there are."""

from collections.abc import Iterable

from pi_lsp.context.prompt import SkillReader
from pi_lsp.context.wording import WORDING, Wording
from pi_lsp.resources.skills import Skill

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"})


def format_skills(skills: Iterable[Skill], reader: SkillReader = "read", wording: Wording = WORDING) -> str:
    """The text as Pi appends it, two newlines first; empty where there is no skill that the model may load itself."""
    listed = [skill for skill in skills if not skill.disable_model_invocation]
    if not listed:
        return ""
    how = {"read": wording.skills_read, "bash": wording.skills_bash, "indirect": wording.skills_any}[reader]
    lines = ["", "", wording.skills_lead, how, wording.skills_paths, "", "<available_skills>"]
    for skill in listed:
        lines += [
            "  <skill>",
            f"    <name>{skill.name.translate(_ESCAPES)}</name>",
            f"    <description>{skill.description.translate(_ESCAPES)}</description>",
            f"    <location>{skill.file_path.translate(_ESCAPES)}</location>",
            "  </skill>",
        ]
    lines.append("</available_skills>")
    return "\n".join(lines)
