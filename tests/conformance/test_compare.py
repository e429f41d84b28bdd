"""The comparison must refuse every answer that is not Pi's, and take every one that is."""

import re
from typing import Any

import pytest

from tests.conformance.compare import Comparison, digest
from tests.conformance.messages import Messages, Rule, load_messages

A, B = "0a1b2c3d", "ffffffff"
UUID = "01234567-89ab-7def-8123-456789abcdef"
LONG = "漢字 😀 \ud83d " * 400
NO_MESSAGES = Messages()


def same(expected: Any, got: Any, op: str = "toy.op", given: Any = None, messages: Messages = NO_MESSAGES) -> bool:
    comparison = Comparison(op, given or {"op": "op", "id": "e001"}, "/tmp/xyz/root", "/tmp", messages)
    return comparison.differences(expected, got) == []


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (None, None),
        (5, 5.0),
        (1.2345678901234568e29, 123456789012345678901234567890),
        (0, -0.0),
        (None, float("nan")),
        (None, float("inf")),
        ({"a": 1, "b": [2]}, {"b": (2,), "a": 1}),
        ("$ROOT/a", "/tmp/xyz/root/a"),
        ({"$ROOT": 1}, {"/tmp/xyz/root": 1}),
        ("\ud83d", "\ud83d"),
        (digest(LONG), LONG),
        (["$ID1", "$ID2", "$ID1", "Entry $ID2 not found"], [A, UUID, A, f"Entry {UUID} not found"]),
        ("$TS", "2026-03-01T10:00:00.000Z"),
        (["$NOW", "$TSMS"], [1_772_000_000_000, 1_772_000_000_001]),
        ("$ROOT/sess/$SESSION_FILE", f"/tmp/xyz/root/sess/2026-01-01_{UUID}.jsonl"),
        ("$NEWFILE", f"/tmp/xyz/root/sess/2026-01-01_{UUID}.jsonl"),
        ("$PROCESS_CWD/a", "/tmp/a"),
        ("Failed to read $ROOT/t.json: $JSON_ERROR", "Failed to read /tmp/xyz/root/t.json: line 1, column 2"),
        ("[Full output: $FULL_OUTPUT]", "[Full output: /tmp/out-1.log]"),
        ("cost $NOWHERE $1", "cost $NOWHERE $1"),
    ],
)
def test_same(expected: Any, got: Any) -> None:
    assert same(expected, got)


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ({}, {"a": None}),
        ({"a": None}, {}),
        ({"a": 1}, {"a": 1, "b": 1}),
        ({"a": {}}, {"a": []}),
        ([1, 2], [2, 1]),
        ([1], [1, None]),
        ([1, None], [1]),
        (1, True),
        (0, False),
        (False, 0),
        (None, False),
        (None, ""),
        (1, "1"),
        ("1", 1),
        ("a", "a "),
        ("é", "e\u0301"),
        ("\ud83d", "\ufffd"),
        (b"", ""),
        ("", b""),
        (digest(LONG), LONG + " "),
        (digest(LONG), LONG.replace("字", "宇", 1)),
        (digest(LONG), digest(LONG)),
        (digest(LONG), None),
        ("$ROOT/a", "/tmp/other/a"),
        (["$ID1", "$ID2"], [A, A]),
        (["$ID1", "$ID1"], [A, B]),
        ("$ID1", "e001"),
        ("$ID1", "0A1B2C3D"),
        ("$ID1", "$ID1x"),
        ("$ID1", None),
        ("$TS", "2026-03-01"),
        ("$TS", 1_772_000_000_000),
        ("$NOW", "1772000000000"),
        ("$NOW", 1_772_000_000),
        ("$NOW", True),
        ("$NEWFILE", "a.jsonl"),
        ("$SESSION_FILE", "a/b.jsonl"),
        ("$PROCESS_CWD/a", "/home/a"),
        ("error: $JSON_ERROR", "error: "),
        ("cost $NOWHERE", "cost 1772000000000"),
    ],
)
def test_different(expected: Any, got: Any) -> None:
    assert not same(expected, got)


def test_a_generated_value_may_not_stand_in_the_input() -> None:
    assert not same("$ID1", A, given={"entries": [{"id": A}]})
    assert not same("$TS", "2026-03-01T10:00:00.000Z", given={"raw": '{"timestamp":"2026-03-01T10:00:00.000Z"}'})
    assert not same("$NOW", 1_772_000_000_000, given={"messages": [{"timestamp": 1_772_000_000_000}]})


def test_every_difference_names_its_place() -> None:
    comparison = Comparison("toy.op", {}, "/r", "/", NO_MESSAGES)
    found = comparison.differences({"a": [{"b": 1}, {"b": 2}], "c": 3}, {"a": [{"b": 9}, {}], "d": 4})
    assert [difference.path for difference in found] == ["a[0].b", "a[1].b", "c", "d"]
    assert str(found[1]).split("\n")[1:] == ["    expected: 2", "    got:      (absent)"]


def test_half_a_pair_at_the_edge_of_a_digest_stays() -> None:
    text = "😀" * 2000
    assert digest("a" + text)["head"] == "a" + "😀" * 29 + "\ud83d"
    assert digest(text + "a")["tail"] == "\ude00" + "😀" * 29 + "a"
    assert digest("x\ud83d")["bytes"] == 4


def test_deep_nesting_is_compared() -> None:
    deep: list[Any] = []
    other: list[Any] = [1]
    for _ in range(300):
        deep, other = [deep], [other]
    assert same(deep, deep)
    assert not same(deep, other)


class TestSystemPrompt:
    DOCS = "<docs>\n$DOCS\n</docs>"
    EXPECTED = {  # noqa: RUF012
        "text": f"p\n\n{DOCS}\n\n<cwd>\n/\n</cwd>",
        "sections": {"preamble": "p", "docs": DOCS, "cwd": "<cwd>\n/\n</cwd>"},
        "order": ["preamble", "docs", "cwd"],
    }

    def test_the_docs_may_be_left_out(self) -> None:
        got = {
            "text": "p\n\n<cwd>\n/\n</cwd>",
            "sections": {"preamble": "p", "cwd": "<cwd>\n/\n</cwd>"},
            "order": ["preamble", "cwd"],
        }
        assert same(self.EXPECTED, got, "system_prompt.build")
        assert same(self.EXPECTED, self.EXPECTED, "system_prompt.build")
        assert not same(self.EXPECTED, got | {"text": "p\n\n\n\n<cwd>\n/\n</cwd>"}, "system_prompt.build")

    def test_the_docs_of_a_case_itself_stay(self) -> None:
        own = {"text": "<docs>\nmine\n</docs>", "sections": {"docs": "<docs>\nmine\n</docs>"}, "order": ["docs"]}
        assert not same(own, {"text": "", "sections": {}, "order": []}, "system_prompt.build")

    def test_the_docs_may_stand_last(self) -> None:
        expected = {"text": f"p\n\n{self.DOCS}", "sections": {"a": "p", "docs": self.DOCS}, "order": ["a", "docs"]}
        assert same(expected, {"text": "p", "sections": {"a": "p"}, "order": ["a"]}, "system_prompt.build")

    def test_the_order_of_sections_counts(self) -> None:
        assert not same({"sections": {"a": "1", "b": "2"}}, {"sections": {"b": "2", "a": "1"}}, "system_prompt.build")
        assert same({"other": {"a": "1", "b": "2"}}, {"other": {"b": "2", "a": "1"}}, "system_prompt.build")
        assert same({"sections": {"a": "1", "b": "2"}}, {"sections": {"b": "2", "a": "1"}}, "branch.prepare")


class TestMessages:
    TABLE = Messages(
        (Rule(re.compile(r"(\d+) characters are too many \(at most (\d+)\): (.+)"), r"\3 exceeds \2 (\1)", ("toy.*",)),)
    )

    @pytest.mark.parametrize(
        ("expected", "got", "same_"),
        [
            ({"error": "x exceeds 64 (65)"}, {"error": "65 characters are too many (at most 64): x"}, True),
            ({"error": "$ROOT exceeds 64 (65)"}, {"error": "65 characters are too many (at most 64): /r"}, True),
            ({"error": "x exceeds 64 (65)"}, {"error": "66 characters are too many (at most 64): x"}, False),
            ({"error": "x exceeds 64 (65)"}, {"error": "65 characters are too many (at most 64): y"}, False),
            ({"error": "other"}, {"error": "65 characters are too many (at most 64): x"}, False),
            ({"text": "x exceeds 64 (65)"}, {"text": "65 characters are too many (at most 64): x"}, False),
        ],
    )
    def test_figures_are_carried_over(self, expected: Any, got: Any, same_: bool) -> None:
        comparison = Comparison("toy.op", {}, "/r", "/", self.TABLE)
        assert (comparison.differences(expected, got) == []) is same_

    def test_only_for_its_ops(self) -> None:
        got = {"error": "65 characters are too many (at most 64): x"}
        assert not same({"error": "x exceeds 64 (65)"}, got, "branch.op", messages=self.TABLE)

    @pytest.mark.parametrize("path", ["error", "result.error", "a[1].message", "warnings[0]", "x.error"])
    def test_places(self, path: str) -> None:
        assert self.TABLE.stands_at("toy.op", path)

    @pytest.mark.parametrize("path", ["", "text", "errorMessage", "message.content", "warnings", "no_error", "[0]"])
    def test_other_places(self, path: str) -> None:
        assert not self.TABLE.stands_at("toy.op", path)

    def test_yaml_error_is_no_message_of_pi(self) -> None:
        table = load_messages()
        assert same("$YAML_ERROR", "line 2: a mapping may not hold a tab", "skills.load", messages=table)
        assert not same("$YAML_ERROR", "description is required", "skills.load", messages=table)
        assert not same("$YAML_ERROR", "", "skills.load", messages=table)

    def test_every_rule_carries_its_groups_over_and_is_about_whole_messages(self) -> None:
        for rule in load_messages().rules:
            used = {int(number) for number in re.findall(r"\\(\d)", rule.pi)}
            assert used == set(range(1, rule.ours.groups + 1)), rule.ours.pattern
            assert not re.search(r"\d", re.sub(r"\\\d", "", rule.pi)), "figures must be carried over"
