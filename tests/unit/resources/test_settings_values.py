"""Values that are not what a setting takes: each costs only itself, and is told."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.resources import settings_files
from pi_lsp.resources.settings_read import SettingError
from tests.unit.resources.settings import Place, in_memory

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
KEYS = [
    "compaction",
    "retry",
    "branchSummary",
    "skills",
    "prompts",
    "defaultTools",
    "steeringMode",
    "sessionDir",
    "rules",
    "enabled",
    "reserveTokens",
    "modelOverrides",
    "a/b",
    "provider",
    "maxRetryDelayMs",
    "maxDelayMs",
    "nested",
    "trimToolResults",
    "queueMode",
    "websockets",
]
ANY_SETTINGS = st.dictionaries(
    st.sampled_from(KEYS),
    JSON | st.dictionaries(st.sampled_from(KEYS), JSON | st.dictionaries(st.sampled_from(KEYS), JSON)),
)


def test_a_wrong_type_is_told_with_file_and_line_and_costs_only_itself(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.user.write_text('{"retry": {"maxRetries": 5}}')
    place.project.write_text('{\n "retry": {\n  "maxRetries": "7",\n  "baseDelayMs": 9\n }\n}')
    read = place.read()
    assert (read.retry.max_retries, read.retry.base_delay_ms) == (3, 9)
    (problem,) = read.problems
    assert (problem.key, problem.path, problem.line) == ("retry.maxRetries", str(place.project), 3)
    assert problem.message == (
        f'retry.maxRetries must be a whole number, not "7" (in {place.project}, line 3); it is not used'
    )


def test_a_wrong_type_of_a_client_names_the_client() -> None:
    read = in_memory({}, client={"rules": {"nested": "always"}}, initialization={"compaction": {"trimToolResults": []}})
    assert [problem.message for problem in read.problems] == [
        'rules.nested must be "offer" or "onTouch" or "off", not "always" (in the editor\'s settings); it is not used',
        "compaction.trimToolResults must be a whole number, not [] (in the settings of initialize); it is not used",
    ]


@pytest.mark.parametrize(
    ("user", "message"),
    [
        ({"reserveTokens": -1}, r"compaction\.reserveTokens must be a whole number from 0 to \d+, not -1 \(in /u\)"),
        ({"keepRecentTokens": None}, r"compaction\.keepRecentTokens must .*, not null"),
        ({"keepRecentTokens": True}, r"compaction\.keepRecentTokens must .*, not true"),
        ({"modelOverrides": {"a/b": 5}}, r'compaction\.modelOverrides\["a/b"\] must be an object, not 5'),
        (
            {"modelOverrides": {"a/b": {"reserveTokens": 1.5}}},
            r'compaction\.modelOverrides\["a/b"\]\.reserveTokens must .*, not 1\.5',
        ),
        ({"reserveTokens": -1, "modelOverrides": {"a/b": {"reserveTokens": 1}}}, r"compaction\.reserveTokens must"),
    ],
)
def test_tokens_are_not_guessed(user: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        in_memory({"compaction": user}).compaction("a", "b")


@pytest.mark.parametrize(
    ("settings", "usable", "keys"),
    [
        ({"reserveTokens": "x", "keepRecentTokens": 7}, (16384, 7), ["reserveTokens"]),
        ({"reserveTokens": 8, "keepRecentTokens": -1}, (8, 20000), ["keepRecentTokens"]),
        ({"reserveTokens": 1.5, "keepRecentTokens": None}, (16384, 20000), ["reserveTokens", "keepRecentTokens"]),
        (
            {"reserveTokens": float("inf"), "keepRecentTokens": float("nan")},
            (16384, 20000),
            ["reserveTokens", "keepRecentTokens"],
        ),
        ({"reserveTokens": 2**53, "enabled": "no"}, (16384, 20000), ["enabled", "reserveTokens"]),
        (
            {"reserveTokens": 9, "modelOverrides": {"a/b": {"reserveTokens": -1, "keepRecentTokens": 5}}},
            (9, 5),
            ['modelOverrides["a/b"].reserveTokens'],
        ),
        ({"keepRecentTokens": 4, "modelOverrides": {"a/b": 5}}, (16384, 4), ['modelOverrides["a/b"]']),
        ({"modelOverrides": "x"}, (16384, 20000), ["modelOverrides"]),
    ],
)
def test_a_number_that_is_none_costs_only_itself_and_is_told(
    settings: Any, usable: tuple[int, int], keys: list[str]
) -> None:
    read = in_memory({"compaction": settings})
    found = read.usable_compaction("a", "b")
    assert (found.reserve_tokens, found.keep_recent_tokens, found.enabled) == (*usable, True)
    assert [problem.key for problem in read.problems] == [f"compaction.{key}" for key in keys]
    assert all("(in /u)" in problem.message for problem in read.problems)


@pytest.mark.parametrize("section", ["compaction", "branchSummary", "retry", "rules"])
def test_a_section_that_is_no_object_is_told(section: str) -> None:
    for value in (5, "x", [], False):
        [problem] = in_memory({section: value}).problems
        assert problem.key == section
    assert in_memory({section: None}).problems == ()


def test_many_numbers_that_are_none_are_counted() -> None:
    overrides = {f"a/{n}": {"reserveTokens": -1} for n in range(30)}
    *_, last = in_memory({"compaction": {"modelOverrides": overrides}}).problems
    assert last.message == "10 more values in compaction.modelOverrides are not used"


def test_an_ordinary_number_that_is_none_is_told_once_however_many_models_have_their_own() -> None:
    overrides = {name: {"keepRecentTokens": 5} for name in ("a/b", "c/d")}
    [problem] = in_memory({"compaction": {"reserveTokens": -1, "modelOverrides": overrides}}).problems
    assert problem.key == "compaction.reserveTokens"


@pytest.mark.parametrize(("limit", "migrated"), [(5, {"maxRetryDelayMs": 5}), (True, None), ("5", None)])
def test_a_limit_of_an_older_pi_is_migrated_where_it_is_a_number(limit: Any, migrated: Any) -> None:
    assert settings_files.migrate({"retry": {"maxDelayMs": limit}})["retry"].get("provider") == migrated


def test_the_line_of_a_key_is_not_that_of_a_value_which_reads_the_same() -> None:
    file = settings_files.SettingsFile(scope="global", path="/u", text='{"a":\n"b",\n"b": 1}')
    assert file.line_of(["b"]) == 3
    assert settings_files.SettingsFile(scope="global", path="/u", text='{"a": "b"}').line_of(["b"]) is None


def test_without_settings_skills_are_commands() -> None:
    assert in_memory({}).enable_skill_commands
    assert not in_memory({"enableSkillCommands": False}).enable_skill_commands


@given(st.dictionaries(st.text(max_size=3), JSON), st.dictionaries(st.text(max_size=3), JSON))
def test_overlay_changes_neither_side_and_the_upper_one_is_whole_in_it(lower: Any, upper: Any) -> None:
    before = json.dumps([lower, upper])
    merged = settings_files.overlay(lower, upper)
    assert json.dumps([lower, upper]) == before
    assert settings_files.overlay(merged, upper) == merged or "defaultTools" in upper
    assert settings_files.overlay({}, upper) == upper
    assert settings_files.overlay(lower, {}) == lower
    assert merged.keys() == lower.keys() | upper.keys()


@given(ANY_SETTINGS, ANY_SETTINGS, ANY_SETTINGS)
def test_no_value_of_any_type_crashes(user: Any, project: Any, client: Any) -> None:
    read = in_memory(user, project, client=client)
    usable = read.usable_compaction("a", "b")
    assert min(usable.reserve_tokens, usable.keep_recent_tokens) >= 0
    try:
        assert read.compaction("a", "b") == usable
    except SettingError as error:
        assert any(str(error) in problem.message for problem in read.problems)


@given(ANY_SETTINGS)
def test_migrating_twice_is_migrating_once(values: Any) -> None:
    once = settings_files.migrate(values)
    assert settings_files.migrate(once) == once
