import time

import pytest

from pi_lsp.lsp.mentions import is_head, mentions


def texts(line: str, at: str) -> list[str]:
    return [mention.text for mention in mentions(line, line.index(at))]


@pytest.mark.parametrize(
    ("line", "at", "first"),
    [
        ("see `src/a b.ts`.", "b.ts", "src/a b.ts"),
        ("see [the API](services/api/AGENTS.md#top)", "the", "services/api/AGENTS.md#top"),
        ("see [x](<docs/a.md>)", "docs", "docs/a.md"),
        ("see [x](docs/a%20b.md)", "docs", "docs/a b.md"),
        ("look into services/api, please", "api", "services/api"),
        ("(services/api/)", "api", "services/api/"),
        ("/etc/hosts is absolute", "etc", "/etc/hosts"),
        ("~/.pi/agent holds it", "agent", "~/.pi/agent"),
        ("README.md.", "README", "README.md"),
        ("@AGENTS.md", "AGENTS", "AGENTS.md"),
        ("die Datei „docs/ü.md“", "ü", "docs/ü.md"),
    ],
)
def test_what_may_be_a_path(line: str, at: str, first: str) -> None:
    assert texts(line, at)[0] == first


def test_a_line_number_is_taken_off_second() -> None:
    assert texts("src/a.py:12:3", "a.py") == ["src/a.py:12:3", "src/a.py"]
    assert texts("[x](a.md#part)", "a.md") == ["a.md#part", "a.md"]


def test_a_command_in_code_offers_its_words_after_itself() -> None:
    assert texts("run `make -C services/api`", "services") == ["make -C services/api", "services/api"]


@pytest.mark.parametrize("line", ["Just words here.", "e.g. this, or that ...", "a - b", "--- *** ###"])
def test_prose_mentions_no_path(line: str) -> None:
    found = {mention.text for index in range(len(line)) for mention in mentions(line, index)}
    assert found <= {"e.g"}  # a dot inside a word: the disk has the last word


def test_an_import_is_told_apart() -> None:
    assert next(mentions("@docs/x.md", 3)).is_import
    assert not next(mentions("docs/x.md", 3)).is_import


def test_the_place_of_a_mention_is_that_of_its_text() -> None:
    line = "💡 see `src/a.ts` now"
    mention = next(mentions(line, line.index("a.ts")))
    assert line[mention.start : mention.end] == "src/a.ts"


@pytest.mark.parametrize("line", ["[" * 200_000, "`" * 200_000, "[x](" * 50_000, "a/" * 100_000, "``x" * 60_000])
def test_a_hostile_line_costs_nothing(line: str) -> None:
    begun = time.process_time()
    for index in (0, 100_000, len(line) - 1):
        list(mentions(line, index))
    assert time.process_time() - begun < 5  # a line that costs the square of its length takes minutes


SKILL = ["---\n", "name: x\n", "---\n", "\n", "# Title\n", "text\n", "# Later\n"]


def test_the_head_of_a_skill_is_its_frontmatter_and_its_first_heading() -> None:
    assert [is_head(SKILL, number, has_frontmatter=True) for number in range(7)] == [
        True, True, True, False, True, False, False,
    ]  # fmt: skip


def test_the_head_of_a_rule_file_is_its_first_line_and_its_first_heading() -> None:
    lines = ["\n", "Intro\n", "more\n", "## Rules\n", "# Again\n"]
    assert [is_head(lines, number, has_frontmatter=False) for number in range(5)] == [True, True, False, True, False]


def test_a_heading_in_a_fence_is_no_head() -> None:
    lines = ["Intro\n", "```sh\n", "# a comment\n", "```\n"]
    assert not is_head(lines, 2, has_frontmatter=False)


def test_frontmatter_that_never_ends_is_none() -> None:
    assert [is_head(["---\n", "a: 1\n", "b\n"], number, has_frontmatter=True) for number in range(3)] == [
        True, False, False,
    ]  # fmt: skip
