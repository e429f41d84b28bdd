"""`kill -9` at a random moment: whatever the client or the model was told is on disk, and the file opens in both.

`PI_LSP_KILLS` is the number of kills. Eight of them in a row hit the same session.
"""

import itertools
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.session.log import SessionLog
from pi_lsp.session.messages import texts_of
from pi_lsp.session.presence import is_open_elsewhere
from tests.support.api_server import ApiServer
from tests.support.api_server_replies import Reply
from tests.support.editor import Editor, Home
from tests.support.pi_install import Pi
from tests.support.pi_models import local_api, use_local_api
from tests.support.pi_rpc import load_all

KILLS = int(os.environ.get("PI_LSP_KILLS", "25"))
ON_ONE_SESSION = 8
MOST_MESSAGES = 24
LONGEST_S = 0.02
"""The moment is within so long after one of so many messages of the server, or after its last answer."""
LONG = "The harbour master wants the bookings sorted by tide. " * 12


class Doomed(Editor):
    """A server that will be killed."""

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.ended()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream
            stream.close()

    def acknowledged(self) -> set[str]:
        """The ids of entries that answers and events have named."""
        found: set[str] = set()
        for message in self.messages:
            result = message.get("result") or {}
            found |= {result[key] for key in ("leafId", "entryId", "summaryEntryId") if result.get(key)}
        for event in self.events():
            match event:
                case {"type": "message_end", "entryId": entry_id}:
                    found.add(entry_id)
                case {"type": "entry_appended", "entry": entry}:
                    found.add(entry["entryId"])
                case _:
                    pass
        return found


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, set[str]]:
    """The session files after all kills, each with the ids of the entries that were acknowledged."""
    chance = random.Random(KILLS)
    home = Home(tmp_path_factory.mktemp("home"))
    files: dict[Path, set[str]] = {}
    file: Path | None = None
    compaction = {"reserveTokens": 4000, "keepRecentTokens": 60}
    with local_api() as api:
        use_local_api(home, api.url, compaction=compaction, retry={"baseDelayMs": 1, "maxRetries": 2})
        for number in range(KILLS):
            file = kill_once(home, api, chance, file if number % ON_ONE_SESSION else None, files)
            if file:
                log = SessionLog.open(str(file))
                missing = files[file] - {entry.id for entry in log.entries}
                assert not missing, f"kill {number}: {missing} were acknowledged and are not in {file}"
                assert not is_open_elsewhere(str(file)), f"kill {number} left a mark on {file}"
                assert_the_model_saw_only_what_is_stored(api, log)
        assert api.refusals == []
    return files


def test_what_was_acknowledged_is_on_disk(sessions: dict[Path, set[str]], capsys: pytest.CaptureFixture[str]) -> None:
    """`sessions` has looked after every kill."""
    told = sum(map(len, sessions.values()))
    torn = sum(bool(SessionLog.open(str(file)).problems) for file in sessions)
    with capsys.disabled():
        print(f"\n{KILLS} kills, {len(sessions)} sessions, {told} entries acknowledged, {torn} files with a torn line")
    assert told > KILLS


def test_real_pi_opens_every_session(sessions: dict[Path, set[str]], program: Pi) -> None:
    files = list(sessions)
    for file, loaded in zip(files, load_all(program, files), strict=True):
        assert "error" not in loaded, (file, loaded)
        assert sessions[file] <= {entry_id for entry_id, _ in loaded["entries"]}


def kill_once(
    home: Home, api: ApiServer, chance: random.Random, file: Path | None, files: dict[Path, set[str]]
) -> Path | None:
    """Start a server on a session, ask something of it, kill it; gives the session's file where there is one."""
    api.replies[:] = [Reply(text=f"Answer {chance.random()}. {LONG}", delay_s=0.002) for _ in range(4)]
    api.requests.clear()
    doomed = Doomed(home)
    try:
        doomed.initialize(session={"file": str(file)} if file else "new")
        requests = plan(chance, doomed if file else None)
        for method, params in requests[:-1]:
            doomed.answer(doomed.ask(method, params))
        since = doomed.seen
        last = doomed.ask(*requests[-1])
        left = itertools.count(chance.randrange(MOST_MESSAGES), -1)
        doomed.wait(lambda message: next(left) <= 0 or message.get("id") == last, since)
        time.sleep(chance.random() * LONGEST_S)  # the random moment
    finally:
        doomed.kill()
    written = file or next((path for path in home.sessions.glob("*.jsonl") if path not in files), None)
    assert written or not doomed.acknowledged()
    if written:
        files.setdefault(written, set()).update(doomed.acknowledged())
    return written


def plan(chance: random.Random, doomed: Doomed | None) -> list[tuple[str, Any]]:
    """What is asked, one after the other; a new session is begun by a chat."""
    wanted = [_chat(chance)]
    if doomed is None:
        return wanted
    entries = doomed.call("pi/session/entries", {"limit": 100_000})["entries"]
    for _ in range(chance.randrange(3)):
        target = chance.choice(entries)["id"]
        summarizer = chance.choice(["model", "local"])
        more = [
            _chat(chance),
            ("pi/compact", {"summarizer": summarizer}),
            ("pi/tree/switch", {"targetId": target, "summarizer": chance.choice([summarizer, "none"])}),
            ("pi/tree/label", {"entryId": target, "label": "here"}),
        ]
        wanted.append(chance.choice(more))
    chance.shuffle(wanted)
    return wanted


def _chat(chance: random.Random) -> tuple[str, Any]:
    return "pi/chat", {"text": f"Question {chance.random()}. {LONG}"}


def assert_the_model_saw_only_what_is_stored(api: ApiServer, log: SessionLog) -> None:
    """The user's words are on disk before they leave (S8)."""
    stored = {text for entry in log.entries for text in texts_of(entry.message)}
    for request in list(api.requests):
        asked = texts_of(request.body["messages"][-1])
        assert {text for text in asked if text.startswith("Question")} <= stored
