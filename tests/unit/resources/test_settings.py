import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_lsp.base.files import Disk, Overlay
from pi_lsp.resources import settings_files
from pi_lsp.resources.settings import CompactionSettings, Settings, effective, merge
from pi_lsp.resources.settings_files import SettingsFile, SettingsFiles
from pi_lsp.resources.settings_read import SettingError

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


class Place:
    """An agent folder and a project, and the settings in force there."""

    def __init__(self, root: Path) -> None:
        self.user = root / "agent" / "settings.json"
        self.project = root / "p" / ".pi" / "settings.json"
        self.user.parent.mkdir()
        self.project.parent.mkdir(parents=True)

    def files(self, trusted: bool = True) -> SettingsFiles:
        return settings_files.load(Disk(), str(self.project.parent.parent), str(self.user.parent), trusted=trusted)

    def read(self, **clients: Any) -> Settings:
        return effective(self.files(), **clients)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def in_memory(user: dict[str, Any], project: dict[str, Any] | None = None, **clients: Any) -> Settings:
    return effective(
        SettingsFiles(
            user=SettingsFile(scope="global", path="/u", values=settings_files.migrate(user)),
            project=SettingsFile(scope="project", path="/p", values=settings_files.migrate(project or {})),
        ),
        **clients,
    )


def test_without_files_everything_is_at_its_default(place: Place) -> None:
    read = place.read()
    assert read.compaction() == CompactionSettings(enabled=True, reserve_tokens=16384, keep_recent_tokens=20000)
    assert (read.nested_rules, read.trim_tool_results, read.default_project_trust) == ("offer", None, "ask")
    assert (read.problems, place.files().errors) == ((), ())


def test_the_stronger_place_wins_key_by_key(place: Place) -> None:
    place.user.write_text('{"compaction": {"reserveTokens": 1, "keepRecentTokens": 1, "enabled": false}}')
    place.project.write_text('{"compaction": {"keepRecentTokens": 2}}')
    read = place.read(initialization={"compaction": {"keepRecentTokens": 3}}, client={"rules": {"nested": "onTouch"}})
    assert read.compaction() == CompactionSettings(enabled=False, reserve_tokens=1, keep_recent_tokens=3)
    assert read.nested_rules == "onTouch"
    read = place.read(initialization={"rules": {"nested": "off"}}, client={"rules": {"nested": "onTouch"}})
    assert (read.compaction().keep_recent_tokens, read.nested_rules) == (2, "onTouch")


def test_a_null_of_a_client_is_no_setting(place: Place) -> None:
    place.user.write_text('{"compaction": {"reserveTokens": 1}, "sessionDir": "/s"}')
    read = place.read(
        client={"compaction": {"reserveTokens": None, "enabled": None}, "sessionDir": None, "rules": None}
    )
    assert read.compaction() == CompactionSettings(enabled=True, reserve_tokens=1)
    assert read.session_dir == "/s"


def test_an_untrusted_project_sets_nothing(place: Place) -> None:
    place.project.write_text("{broken")
    files = place.files(trusted=False)
    assert (files.project.values, files.errors) == ({}, ())


@pytest.mark.parametrize("key", ["agentDir", "baseUrl", "hooks", "serverPath", "toolPolicy"])
def test_what_a_workspace_can_write_does_not_widen(key: str) -> None:
    assert merge({key: "own"}, {key: "project"}, {key: "start"}, {key: "client"}) == {key: "own"}
    assert merge({}, {key: 1}, {key: 1}, {key: 1, "x": 2}) == {"x": 2}


@pytest.mark.parametrize("key", ["prompts", "sessionDir", "skills"])
def test_what_leads_elsewhere_is_taken_of_a_client_only_where_the_user_trusts(key: str) -> None:
    assert merge({key: "own"}, {key: "project"}, {key: "start"}, {key: "client"}) == {key: "project"}
    assert merge({}, {}, {key: 1}, {key: 1, "x": 2}) == {"x": 2}
    assert merge({}, {}, {key: 1}, {key: 3, "x": 2}, vouched=True) == {key: 3, "x": 2}


def test_what_is_not_taken_is_told(place: Place) -> None:
    place.project.write_text('{\n"toolPolicy": "allow"}')
    clients = {"initialization": {"skills": ["x"]}, "client": {"hooks": [], "sessionDir": "/evil"}}
    told = [(problem.path, problem.line, problem.message) for problem in place.read(**clients).problems]
    assert told == [
        (
            str(place.project),
            2,
            f"toolPolicy (in {place.project}) is not used: only your own settings.json may set it",
        ),
        (None, None, "skills (in the settings of initialize) is not used: you have not trusted this folder"),
        (None, None, "hooks (in the editor's settings) is not used: only your own settings.json may set it"),
        (None, None, "sessionDir (in the editor's settings) is not used: you have not trusted this folder"),
    ]
    trusting = place.read(**clients, vouched=True)
    assert [problem.key for problem in trusting.problems] == ["toolPolicy", "hooks"]
    assert (trusting.session_dir, trusting.skills) == ("/evil", ("x",))


def test_trust_by_default_is_the_users_own(place: Place) -> None:
    place.project.write_text('{"defaultProjectTrust": "always"}')
    assert place.read(client={"defaultProjectTrust": "always"}).default_project_trust == "ask"
    place.user.write_text('{"defaultProjectTrust": "never"}')
    assert place.read().default_project_trust == "never"


def test_a_broken_file_is_named_with_its_line_and_the_other_one_counts(place: Place) -> None:
    place.user.write_text('{\n  "steeringMode": "all",\n  "skills": [,]\n}')
    place.project.write_text('{"followUpMode": "all"}')
    (error,) = place.files().errors
    assert (error.scope, error.path, error.line) == ("global", str(place.user), 3)
    assert error.message.startswith(f"{place.user}: ")
    read = place.read()
    assert (read.steering_mode, read.follow_up_mode) == ("one-at-a-time", "all")
    assert place.user.read_text().startswith("{\n")


def test_files_that_are_no_settings(place: Place) -> None:
    for text in ("null", "5", '"x"', " ", "{} x"):
        place.user.write_text(text)
        assert [error.path for error in place.files().errors] == [str(place.user)]
    for text in ("", "[]", "{}", "\ufeff{}"):
        place.user.write_text(text, encoding="utf-8")
        assert (place.files().errors, place.files().user.values) == ((), {})
    place.user.unlink()
    place.user.mkdir()
    (error,) = place.files().errors
    assert str(place.user) in error.message


def test_hostile_files_are_no_crash(place: Place) -> None:
    for text in ("[" * 100_000, '{"a":' * 100_000, '{"a": "' + "x" * 1_000_000, '{"a": 1' + "0" * 10_000):
        place.user.write_text(text)
        assert place.files().errors
    place.user.write_bytes(b'{"sessionDir": "\xff\x00"}')
    assert place.files().errors
    place.user.write_text('{"skills": ["\\ud800"], "sessionDir": "\\u0000"}')
    assert place.read().skills == ("\ud800",)


def test_an_open_buffer_is_read_instead_of_the_file(place: Place) -> None:
    place.user.write_text('{"steeringMode": "one-at-a-time"}')
    files = Overlay(Disk(), {str(place.user): '{"steeringMode": "all"}'})
    read = settings_files.load(files, "/p", str(place.user.parent), trusted=True)
    assert effective(read).steering_mode == "all"


def test_a_wrong_type_is_told_with_file_and_line_and_costs_only_itself(place: Place) -> None:
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


def test_overrides_of_other_models_do_not_matter() -> None:
    read = in_memory({"compaction": {"modelOverrides": {"a/b": {"reserveTokens": -1}, "c/d": {"keepRecentTokens": 7}}}})
    assert read.compaction() == CompactionSettings()
    assert read.compaction("c", "d") == CompactionSettings(keep_recent_tokens=7)


@pytest.mark.parametrize(
    ("value", "tokens"), [(None, None), (False, None), ("off", None), (150_000, 150_000), (5.0, 5)]
)
def test_trimming_of_tool_results(value: Any, tokens: int | None) -> None:
    read = in_memory({"compaction": {"trimToolResults": value}})
    assert (read.trim_tool_results, read.problems) == (tokens, ())


def test_default_tools_of_three_places() -> None:
    read = in_memory({"defaultTools": ["read", "bash"]}, {"defaultTools": ["-bash"]}, client={"defaultTools": ["+ls"]})
    assert read.default_tools == ("read", "ls")
    assert in_memory({"defaultTools": []}).default_tools == ()
    assert in_memory({}).default_tools is None


def test_the_line_of_a_key_is_that_of_its_last_place(place: Place) -> None:
    place.user.write_text('{"a": {"k": [{"k": 1}], "x": "}\\"{"},\n"k": 1,\n"a": {\n"k":\n2}, "b": {}, "": 1}')
    file = place.files().user
    assert [file.line_of(keys) for keys in (["k"], ["a", "k"], ["a"], ["b"], [""], ["x"], [])] == [
        2,
        4,
        3,
        5,
        5,
        None,
        None,
    ]


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
