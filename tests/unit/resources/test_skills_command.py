"""`/skill:NAME`."""

from pathlib import Path

import pytest

from pi_lsp.base.files import Disk
from pi_lsp.resources.resource import local_source
from pi_lsp.resources.skill_command import Expansion, expand_skill_command
from pi_lsp.resources.skills import Skill, load_folder
from tests.unit.resources.test_skills import skill, write


@pytest.fixture
def skills(tmp_path: Path) -> tuple[Skill, ...]:
    hidden = "---\nname: hid\ndescription: d\ndisable-model-invocation: true\n---\n\n Hidden. \n"
    write(tmp_path, {"pdf/SKILL.md": skill("pdf"), "extract/SKILL.md": skill("extract-text"), "hid/SKILL.md": hidden})
    return load_folder(Disk(), str(tmp_path), local_source("user")).skills


def expand(text: str, skills: tuple[Skill, ...]) -> Expansion:
    return expand_skill_command(Disk(), text, skills)


def test_call(skills: tuple[Skill, ...], tmp_path: Path) -> None:
    block = (
        f'<skill name="pdf" location="{tmp_path}/pdf/SKILL.md">\n'
        f"References are relative to {tmp_path}/pdf.\n\nBody.\n</skill>"
    )
    assert expand("/skill:pdf", skills) == Expansion(text=block)
    assert expand("/skill:pdf  the first page\n ", skills) == Expansion(text=f"{block}\n\nthe first page")


def test_hidden_skill_can_be_called(skills: tuple[Skill, ...]) -> None:
    assert "\n\nHidden.\n</skill>" in expand("/skill:hid", skills).text


@pytest.mark.parametrize(
    ("text", "unknown", "nearest"),
    [
        ("/skill:pfd now", "pfd", "pdf"),
        ("/skill:extract-txt", "extract-txt", "extract-text"),
        ("/skill:zzz", "zzz", None),
        ("/skill:pdf\nnow", "pdf\nnow", "pdf"),
        ("/skill:" + "p" * 100_000, "p" * 100_000, None),
    ],
)
def test_R13_unknown_name_stays_and_is_flagged(
    skills: tuple[Skill, ...], text: str, unknown: str, nearest: str | None
) -> None:
    assert expand(text, skills) == Expansion(text=text, unknown=unknown, nearest=nearest)


@pytest.mark.parametrize("text", ["", "pdf", " /skill:pdf", "/Skill:pdf", "/skills:pdf"])
def test_other_text_stays(skills: tuple[Skill, ...], text: str) -> None:
    assert expand(text, skills) == Expansion(text=text)


def test_file_that_is_gone_or_broken_meanwhile(skills: tuple[Skill, ...], tmp_path: Path) -> None:
    (tmp_path / "pdf/SKILL.md").write_text("---\nname: pdf\na: b: c\n---\n")
    broken = expand("/skill:pdf x", skills)
    assert (broken.text, broken.error is not None and "SKILL.md, line 3: " in broken.error) == ("/skill:pdf x", True)
    (tmp_path / "pdf/SKILL.md").unlink()
    gone = expand("/skill:pdf x", skills)
    assert gone.text == "/skill:pdf x"
    assert gone.error is not None
    assert "cannot be read" in gone.error
