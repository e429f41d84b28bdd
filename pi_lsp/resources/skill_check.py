"""What an editor can say of a skill file while it is being written, with the lines."""

import os
from typing import Literal

import msgspec

from pi_lsp.resources.frontmatter import split
from pi_lsp.resources.rule_text import decode_rule
from pi_lsp.resources.scan import SKILL_NAME
from pi_lsp.resources.skills import is_described, validate_description, validate_name


class Finding(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One finding. `line` counts from 1; an error means that the skill does not load."""

    severity: Literal["error", "warning", "information"]
    code: Literal["encoding", "yaml", "noDescription", "description", "name", "nameDiffers"]
    message: str
    line: int


def check_skill(path: str, raw: bytes) -> list[Finding]:
    """Check one file. A Markdown file of another name that has no description need not be a skill: no findings."""
    folder, file_name = os.path.split(path)
    is_declared = file_name == SKILL_NAME
    findings: list[Finding] = []
    front = split(raw.decode(errors="replace"))
    if (bad_byte := decode_rule(raw).bad_byte) is not None:
        line = raw.count(b"\n", 0, bad_byte) + 1
        message = f"this is not UTF-8 text from byte {bad_byte} on; save the file as UTF-8"
        findings.append(Finding(severity="warning", code="encoding", message=message, line=line))
    if (problem := front.problem) is not None:
        findings.append(Finding(severity="error", code="yaml", message=problem.message, line=problem.line))
        return findings if is_declared else []

    description = front.fields.get("description")
    if not is_declared and not is_described(description):
        return []
    line = front.lines.get("description", 1)
    for message in validate_description(description):
        if is_described(description):
            findings.append(Finding(severity="warning", code="description", message=message, line=line))
        else:
            message = f"{message}: without one the skill does not load"
            findings.append(Finding(severity="error", code="noDescription", message=message, line=line))
    folder_name = os.path.basename(folder)
    given = front.fields.get("name")
    name = given if isinstance(given, str) and given else folder_name
    line = front.lines.get("name", 1)
    findings += [
        Finding(severity="warning", code="name", message=message, line=line) for message in validate_name(name)
    ]
    if is_declared and name != folder_name:
        message = f"the skill is called {name!r}, its folder {folder_name!r}: Pi accepts that, other agents may not"
        findings.append(Finding(severity="information", code="nameDiffers", message=message, line=line))
    return findings
