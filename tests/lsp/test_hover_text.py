import re

import msgspec
import pytest

from pi_lsp.api.rules import RuleFile, Rules
from pi_lsp.api.skills import SkillCollision, SkillFile, Skills
from pi_lsp.lsp.page import Page
from pi_lsp.lsp.rule_text import Here, inert_import, rule_head, rules_at
from pi_lsp.lsp.skill_text import skill_head

MARKDOWN = Page(markdown=True, folders=("/w/harbour",), home="/home/u")
PLAIN = msgspec.structs.replace(MARKDOWN, markdown=False)
HERE = Here(cwd="/w/harbour", session_known=True)
UNKNOWN = Here(cwd="/w/harbour", session_known=False)


def rule(path: str, **more: object) -> RuleFile:
    fields = {"scope": "ancestor", "loaded": True, "in_session": False, "tokens": 10, "bytes": 40, "lines": 2}
    return RuleFile(uri=f"file://{path}", **{**fields, **more})  # pyright: ignore[reportArgumentType]


def rules(directory: str, *files: RuleFile) -> Rules:
    return Rules(
        directory=f"file://{directory}", files=list(files), tokens=sum(f.tokens for f in files if f.loaded), bytes=0
    )


GLOBAL = rule("/home/u/.pi/agent/AGENTS.md", scope="global", in_session=True)
ROOT = rule("/w/harbour/AGENTS.md", in_session=True, changed_since=True)
SHADOWED = rule("/w/harbour/CLAUDE.md", loaded=False, reason="shadowed", by=ROOT.uri)
NESTED = rule("/w/harbour/api/AGENTS.md", scope="directory")


def test_R7_the_order_of_reading_is_told_and_which_is_closer() -> None:
    text = rules_at(MARKDOWN, rules("/w/harbour/api", GLOBAL, ROOT, SHADOWED, NESTED), "/w/harbour/api/x.py", HERE)
    assert text == (
        "**Rules for `harbour/api/x.py`**\n\n"
        "An agent started in `harbour/api` reads about 30 tokens, the closest last:\n\n"
        "1. `~/.pi/agent/AGENTS.md`, about 10 tokens, in this session\n"
        "2. `harbour/AGENTS.md`, about 10 tokens, changed since this session got it\n"
        "3. `harbour/api/AGENTS.md`, about 10 tokens\n\n"
        "Not read:\n\n"
        "- `harbour/CLAUDE.md`: `harbour/AGENTS.md` is read instead\n\n"
        "This window's agent works in `harbour` and does not read the rules of `harbour/api`: "
        "it reads none below or beside its working directory."
    )


def test_R1_a_shadowed_file_says_by_whom() -> None:
    text = rule_head(MARKDOWN, rules("/w/harbour", ROOT, SHADOWED), SHADOWED, HERE)
    assert text.startswith("**Not read by any agent**: `harbour/AGENTS.md` is read instead.")


def test_the_file_that_is_read_says_whom_it_shadows() -> None:
    assert "Read instead of `harbour/CLAUDE.md`." in rule_head(
        MARKDOWN, rules("/w/harbour", ROOT, SHADOWED), ROOT, HERE
    )


def test_R3_a_nested_file_says_that_this_agent_does_not_read_it() -> None:
    text = rule_head(MARKDOWN, rules("/w/harbour/api", ROOT, NESTED), NESTED, HERE)
    assert "Not read by this window's agent, which works in `harbour`: it reads no rules below that." in text


def test_R12_a_changed_file_says_that_the_model_has_the_older_text() -> None:
    text = rule_head(MARKDOWN, rules("/w/harbour", ROOT), ROOT, HERE)
    assert "the model still has the older text" in text


def test_nothing_is_said_of_a_session_that_is_not_known() -> None:
    assert "session" not in rule_head(MARKDOWN, rules("/w/harbour", GLOBAL, ROOT), ROOT, UNKNOWN)


def test_R2_an_import_says_what_becomes_of_it() -> None:
    found = rules("/w/harbour", ROOT, SHADOWED)
    assert "reads that file anyway" in inert_import(MARKDOWN, "@AGENTS.md", "/w/harbour/AGENTS.md", found)
    assert "There is no such file" in inert_import(MARKDOWN, "@docs/x.md", None, found)
    assert "tell the model when to read" in inert_import(MARKDOWN, "@docs/x.md", "/w/harbour/docs/x.md", found)


def skill(**more: object) -> SkillFile:
    fields = {"name": "release", "description": "Releases.", "uri": "file:///w/s/SKILL.md", "scope": "project"}
    return SkillFile(**{**fields, "listed": True, "tokens": 9, **more})  # pyright: ignore[reportArgumentType]


def test_R10_a_skill_names_those_it_wins_over_and_those_that_win_over_it() -> None:
    winner, loser = (
        skill(),
        skill(uri="file:///home/u/s/SKILL.md", listed=False, reason="another skill has this name: /w/s/SKILL.md"),
    )
    found = Skills(
        skills=[winner, loser],
        collisions=[SkillCollision(name="release", winner=winner.uri, loser=loser.uri)],
    )
    assert "Wins over `~/s/SKILL.md`" in skill_head(MARKDOWN, found, winner, 90)
    assert "does not name it: `another skill has this name: /w/s/SKILL.md`" in skill_head(MARKDOWN, found, loser, 90)


HOSTILE = [
    "[click](command:workbench.action.terminal.kill)",
    "![x](https://evil.example/pixel.png)",
    "<img src=x onerror=alert(1)>",
    "`code` ``more`` `",
    "a\n\n# heading\n- item",
    "\x00\x07\u202e",
    "https://evil.example www.evil.example",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_foreign_text_stands_in_one_code_span(text: str) -> None:
    shown = MARKDOWN.code(text)
    ticks = len(shown) - len(shown.lstrip("`"))
    fence, inner = "`" * ticks, shown[ticks:-ticks]
    assert shown == fence + inner + fence and ticks
    assert "\n" not in shown and all(char.isprintable() for char in shown)
    assert max((len(run) for run in re.findall("`+", inner)), default=0) < ticks  # so it ends where it should


@pytest.mark.parametrize("text", HOSTILE[:-2])
def test_a_hostile_skill_brings_no_markdown_of_its_own(text: str) -> None:
    hostile = skill(name=text, description=text, listed=False, reason=text)
    shown = skill_head(MARKDOWN, Skills(skills=[hostile], collisions=[]), hostile, 1)
    outside = "".join(shown.split("`")[::2]) if "`" not in text else ""
    assert "](" not in outside and "<img" not in outside and "://" not in outside


def test_without_markdown_there_are_no_marks() -> None:
    text = rules_at(PLAIN, rules("/w/harbour", GLOBAL, ROOT, SHADOWED), "/w/harbour", HERE)
    assert "`" not in text and "*" not in text
    assert "Rules for harbour" in text


def test_no_rules_at_all() -> None:
    assert rules_at(MARKDOWN, rules("/x"), "/x", Here(cwd=None, session_known=False)) == (
        "**Rules for `/x`**\n\nNo rule file applies there."
    )
