import msgspec
import pytest

from pi_lsp.context.prompt import (
    PromptParts,
    SectionNameError,
    SkillReader,
    ToolSet,
    build_prompt,
    build_sections,
)
from pi_lsp.context.wording import WORDING
from pi_lsp.resources.rules import ContextFile

PARTS = PromptParts(cwd="/home/dev/project")


def with_(**fields: object) -> PromptParts:
    return msgspec.structs.replace(PARTS, **fields)


def test_sections_stand_in_order_and_the_text_is_made_of_them() -> None:
    prompt = build_prompt(
        with_(
            addendum="more",
            context_files=[ContextFile(path="/a/AGENTS.md", content="rule")],
            skills="\n\nlisted",
            sections={"memory": "m"},
        )
    )
    assert list(prompt.sections) == [
        "preamble", "tools", "rules", "addendum", "project_context", "skills", "cwd", "memory",
    ]  # fmt: skip
    assert prompt.text == "\n\n".join(prompt.sections.values())
    assert prompt.sections["preamble"] == WORDING.preamble
    assert prompt.sections["skills"] == "<skills>\nlisted\n</skills>"
    assert '<project_instructions path="/a/AGENTS.md">\nrule\n</project_instructions>' in prompt.text


def test_docs_stand_behind_the_rules_where_there_are_some() -> None:
    assert "docs" not in build_sections(PARTS)
    sections = build_sections(PARTS, msgspec.structs.replace(WORDING, docs="manual"))
    assert list(sections)[2:4] == ["rules", "docs"]


def test_a_custom_prompt_leaves_what_belongs_to_the_project() -> None:
    sections = build_sections(with_(custom="You are a poet.", addendum="more"))
    assert list(sections) == ["preamble", "addendum", "cwd"]
    assert sections["preamble"] == "You are a poet."


def test_rules_are_trimmed_and_each_stands_once() -> None:
    tools = ToolSet(names=["read", "grep"], rules={"read": ["  one \ufeff", "", "one"], "write": ["never"]})
    rules = build_sections(with_(tools=tools, rules=["two", "one"]))["rules"]
    assert rules.split("\n")[1:-1] == ["- one", "- two", f"- {WORDING.rule_concise}", f"- {WORDING.rule_paths}"]


@pytest.mark.parametrize(
    ("names", "hidden", "rule"),
    [
        (["bash"], [], WORDING.rule_bash),
        (["powershell"], [], WORDING.rule_powershell),
        (["powershell", "bash"], [], WORDING.rule_bash_or_powershell),
        (["bash", "ls"], [], WORDING.rule_concise),
        (["bash", "ls"], ["ls"], WORDING.rule_bash),
        (["bash"], ["bash"], WORDING.rule_concise),
    ],
)
def test_how_to_look_around_depends_on_the_tools(names: list[str], hidden: list[str], rule: str) -> None:
    rules = build_sections(with_(tools=ToolSet(names=names, hidden=hidden)))["rules"]
    assert rules.split("\n")[1] == f"- {rule}"


@pytest.mark.parametrize(
    ("names", "hidden", "reader"),
    [
        (["bash", "read"], [], "read"),
        (["bash", "read"], ["read"], "bash"),
        (["bash", "read"], ["read", "bash"], "indirect"),
        (["edit"], [], None),
    ],
)
def test_who_reads_skills(names: list[str], hidden: list[str], reader: SkillReader | None) -> None:
    assert ToolSet(names=names, hidden=hidden).skill_reader == reader


@pytest.mark.parametrize("name", ["preamble", "Bad Name", "9a", "", "a\n", "ä", "-a", "x>"])
def test_a_name_that_cannot_be_a_tag_is_refused(name: str) -> None:
    with pytest.raises(SectionNameError, match="Invalid system prompt section name"):
        build_prompt(with_(sections={name: "x"}))


def test_a_section_of_a_built_in_name_takes_its_place_and_an_empty_one_nothing() -> None:
    sections = build_sections(with_(sections={"rules": "mine", "cwd": ""}))
    assert list(sections) == ["preamble", "tools", "rules", "cwd"]
    assert sections["rules"] == "<rules>\nmine\n</rules>"
    assert sections["cwd"] == "<cwd>\n/home/dev/project\n</cwd>"


def test_a_forced_prompt_is_sent_and_the_sections_are_still_there() -> None:
    prompt = build_prompt(with_(forced=""))
    assert (prompt.text, prompt.forced, "cwd" in prompt.sections) == ("", True, True)


def test_the_prompt_is_the_same_every_time() -> None:
    assert build_prompt(PARTS) == build_prompt(msgspec.structs.replace(PARTS))
