"""From the terminal to the editor and back, ten times: no message is lost, and what a hop costs is bounded."""

from pathlib import Path
from typing import Any

import pytest

from pi_lsp.base.json import encode
from pi_lsp.base.paths import path_to_uri
from pi_lsp.context.tokens import load
from pi_lsp.session.messages import texts_of
from tests.interop.agree import assert_pi_agrees
from tests.support.api_server import ApiServer
from tests.support.api_server_replies import Reply
from tests.support.editor import Editor, Home, write
from tests.support.pi_rpc import PiRpc

HOPS = 10
MOST_TOKENS = 1300
"""What the prompt entries of one hop may take: each side states its own prompt."""

RULES = "# Harbour\n\n" + "- Bookings are sorted by tide, then by berth; never by the name of the ship.\n" * 30


@pytest.fixture
def rules(home: Home) -> None:
    write(
        home.workspace,
        {
            "AGENTS.md": RULES,
            ".pi/skills/tides/SKILL.md": "---\nname: tides\ndescription: Reads tide tables.\n---\nRead them.\n",
        },
    )


def prompt_entries(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [entry for entry in entries if (entry.get("message") or {}).get("role") == "system"]


@pytest.mark.usefixtures("rules")
def test_ten_hops(pi: PiRpc, editor: Editor, api: ApiServer, capsys: pytest.CaptureFixture[str]) -> None:
    api.replies += [Reply(text="Answer 0 of Pi.")]
    pi.prompt("Question 0 to Pi")
    file, known = pi.file, len(pi.entries())
    costs: list[int] = []
    expected = ["Question 0 to Pi", "Answer 0 of Pi."]
    for hop in range(1, HOPS + 1):
        who = "us" if hop % 2 else "Pi"
        api.replies += [Reply(text=f"Answer {hop} of {who}.")]
        _say(pi, editor, file, f"Question {hop} to {who}", ours=bool(hop % 2))
        expected += [f"Question {hop} to {who}", f"Answer {hop} of {who}."]
        seen = assert_pi_agrees(pi, editor, file)
        entries = [entry.body for entry in seen.session.tree]
        costs.append(sum(load().text(encode(entry["message"])) for entry in prompt_entries(entries[known:])))
        known = len(entries)
        said = [text for message in pi.messages() if message["role"] != "system" for text in texts_of(message)]
        assert said == expected
        sent = [message for message in api.requests[-1].body["messages"] if message["role"] != "system"]
        assert [text for message in sent for text in texts_of(message)] == said[:-1]
    with capsys.disabled():
        print(f"\nprompt entries of {HOPS} hops, tokens: {costs}")
    assert max(costs) <= MOST_TOKENS


def _say(pi: PiRpc, editor: Editor, file: Path, text: str, *, ours: bool) -> None:
    if ours:
        editor.call("pi/session/open", {"file": path_to_uri(str(file))})
        assert editor.call("pi/chat", {"text": text})["stopReason"] == "done"
    else:
        pi.call("switch_session", sessionPath=str(file))
        pi.prompt(text)
