"""The list of skills that a model gets."""

import msgspec
import pytest

from pi_lsp.context.prompt import SkillReader
from pi_lsp.context.skills_prompt import format_skills
from pi_lsp.context.wording import WORDING
from pi_lsp.resources.resource import local_source
from pi_lsp.resources.skills import Skill


def skill(name: str, *, disabled: bool = False) -> Skill:
    path = f"/s/{name}/SKILL.md"
    return Skill(
        name=name,
        description=f'Does <{name}> & "more".',
        file_path=path,
        base_dir=f"/s/{name}",
        disable_model_invocation=disabled,
        source=local_source("user")(path),
    )


def test_values_are_escaped() -> None:
    text = format_skills([skill("a'b")])
    assert "<name>a&apos;b</name>" in text
    assert "<description>Does &lt;a&apos;b&gt; &amp; &quot;more&quot;.</description>" in text
    assert text.startswith(f"\n\n{WORDING.skills_lead}\n{WORDING.skills_read}\n")


def test_disabled_skills_are_left_out() -> None:
    assert format_skills([skill("a", disabled=True)]) == ""
    assert "<name>a</name>" not in format_skills([skill("a", disabled=True), skill("b")])


@pytest.mark.parametrize(
    ("reader", "field"), [("read", "skills_read"), ("bash", "skills_bash"), ("indirect", "skills_any")]
)
def test_sentence_by_reader(reader: SkillReader, field: str) -> None:
    wording = msgspec.structs.replace(WORDING, **{field: "SENTENCE"})
    assert "\nSENTENCE\n" in format_skills([skill("a")], reader, wording)
