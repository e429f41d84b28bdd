import re
import time
import uuid
from pathlib import Path

import pytest

from pi_lsp.session import location


def test_the_agent_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", "/home/u")
    monkeypatch.chdir(tmp_path)
    assert location.agent_dir({}) == "/home/u/.pi/agent"
    assert location.agent_dir({"PI_CODING_AGENT_DIR": ""}) == "/home/u/.pi/agent"
    assert location.agent_dir({"PI_CODING_AGENT_DIR": "~/x/"}) == "/home/u/x"
    assert location.agent_dir({"PI_CODING_AGENT_DIR": "file:///a%20b"}) == "/a b"
    assert location.agent_dir({"PI_CODING_AGENT_DIR": "rel"}) == f"{tmp_path}/rel"


def test_the_override_order_of_the_session_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/u")
    environ = {"PI_CODING_AGENT_SESSION_DIR": "~/env"}

    def chosen(option: str | None, environ: dict[str, str], setting: str | None) -> str:
        return location.session_dir("/p", "/agent", option=option, environ=environ, setting=setting)

    assert chosen("/option", environ, "/setting") == "/option"
    assert chosen(None, environ, "/setting") == "/home/u/env"
    assert chosen(None, {}, "sessions") == "/p/sessions"
    assert chosen("", {"PI_CODING_AGENT_SESSION_DIR": ""}, "") == "/agent/sessions/--p--"


@pytest.mark.parametrize("bad", ["", "-a", "a-", ".", "..", "a/b", "a\nb", "a\n", "ä", "a b", "../x", "a\0"])
def test_ids_that_cannot_name_a_file(bad: str) -> None:
    with pytest.raises(location.SessionIdError, match="session id"):
        location.check_id(bad)


def test_new_session_ids_are_uuids_of_version_7_in_order_of_time() -> None:
    first = location.new_session_id()
    time.sleep(0.002)
    second = location.new_session_id()
    for text in (first, second):
        parsed = uuid.UUID(text)
        assert (parsed.version, parsed.variant) == (7, uuid.RFC_4122)
        assert abs((parsed.int >> 80) / 1000 - time.time()) < 10
        location.check_id(text)
    assert first < second
    assert len({location.new_session_id() for _ in range(1000)}) == 1000


def test_new_entry_ids() -> None:
    assert re.fullmatch("[0-9a-f]{8}", location.new_entry_id(()))


def test_an_entry_id_is_a_uuid_where_short_ones_are_taken() -> None:
    class Everything:
        asked = 0

        def __contains__(self, _: object) -> bool:
            self.asked += 1
            return True

    taken = Everything()
    assert uuid.UUID(location.new_entry_id(taken)).version == 4
    assert taken.asked == 100
