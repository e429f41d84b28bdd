import pytest

from pi_lsp.agent.touched import kinds_of

AGENT = "/home/u/.pi/agent"


@pytest.mark.parametrize(
    ("path", "rules", "skills", "settings"),
    [
        ("/w/AGENTS.md", True, False, False),
        ("/w/x/claude.md", True, False, False),
        ("/w/.pi/SYSTEM.md", True, False, False),
        ("/w/.pi/skills/a/SKILL.md", False, True, False),
        ("/w/.pi/skills/loose.md", False, True, False),
        ("/w/.pi/prompts/fix.md", False, True, False),
        ("/w/.gitignore", False, True, False),
        ("/w/.pi/settings.json", False, False, True),
        (f"{AGENT}/settings.json", False, False, True),
        (f"{AGENT}/trust.json", False, False, True),
        ("/w/settings.json", False, False, False),
        ("/w/README.md", False, False, False),
        ("/w/src/main.py", False, False, False),
    ],
)
def test_kinds(path: str, rules: bool, skills: bool, settings: bool) -> None:
    kinds = kinds_of(path, AGENT)
    assert (kinds.rules, kinds.skills, kinds.settings) == (rules, skills, settings)
