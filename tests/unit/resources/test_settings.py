from pathlib import Path
from typing import Any

import pytest

from pi_lsp.base.files import Disk, Overlay
from pi_lsp.resources import settings_files
from pi_lsp.resources.settings import CompactionSettings, effective, merge
from pi_lsp.resources.settings_read import SettingError
from tests.unit.resources.settings import Place, in_memory


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


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


def test_a_file_of_a_mark_alone_is_broken_and_folders_may_begin_with_a_tilde(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.user.write_bytes(b"\xef\xbb\xbf")
    place.project.write_text('{"a": 1}')
    monkeypatch.setenv("HOME", str(place.project.parents[1]))
    files = settings_files.load(Disk(), "~", str(place.user.parent), trusted=True)
    assert ([error.scope for error in files.errors], files.project.values) == (["global"], {"a": 1})


def test_the_ordinary_value_is_complained_of_before_an_override(place: Place) -> None:
    place.user.write_text('{"compaction": {"reserveTokens": -1, "modelOverrides": {"a/m": 5}}}')
    with pytest.raises(SettingError, match=r"^compaction\.reserveTokens must"):
        place.read().compaction("a", "m")
    place.user.write_text('{"compaction": {"keepRecentTokens": 1e400, "modelOverrides": {"a/m": 5}}}')
    with pytest.raises(SettingError, match=r"modelOverrides.* must be an object, not 5"):
        place.read().compaction("a", "m")
    with pytest.raises(SettingError, match="not Infinity"):
        place.read().compaction()
