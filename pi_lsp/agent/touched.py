"""What a changed file may have changed: rules, skills, settings."""

import os

from pi_lsp.agent.events import ResourcesChanged
from pi_lsp.resources.rules import RULE_NAMES, meant_name

NOTHING = ResourcesChanged(rules=False, skills=False, settings=False)

_PROMPT_FILES = frozenset({"SYSTEM.md", "APPEND_SYSTEM.md"})
_SKILL_FOLDERS = (f"{os.sep}skills{os.sep}", f"{os.sep}prompts{os.sep}")
_IGNORE_FILES = frozenset({".gitignore", ".ignore", ".fdignore"})
_PROJECT_SETTINGS = os.path.join(os.sep, ".pi", "settings.json")


def kinds_of(path: str, agent_dir: str) -> ResourcesChanged:
    """Which resources a path may belong to, by its text alone."""
    name = os.path.basename(path)
    of_user = os.path.dirname(path) == agent_dir and name in ("settings.json", "trust.json")
    return ResourcesChanged(
        rules=name in RULE_NAMES or meant_name(name) is not None or name in _PROMPT_FILES,
        skills=name == "SKILL.md" or name in _IGNORE_FILES or (name.endswith(".md") and is_among_skills(path)),
        settings=of_user or path.endswith(_PROJECT_SETTINGS),
    )


def is_among_skills(path: str) -> bool:
    """Whether a path lies in a folder for skills or prompt templates."""
    return any(folder in path for folder in _SKILL_FOLDERS)
