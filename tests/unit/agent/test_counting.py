import json
from pathlib import Path

import pytest

from pi_lsp.agent.conversation import Conversation
from pi_lsp.agent.counting import Counting
from pi_lsp.context import tokens
from pi_lsp.context.calibration import Learner
from pi_lsp.session.store import Session

TEXT = "Some words of a message that weigh something. " * 40


def conversation(path: Path, factor: float, count: int = 12) -> Conversation:
    """A session whose model bills `factor` times what the vocabulary counts."""
    header = {"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/w"}
    lines: list[object] = [header]
    billed = 1000.0
    for number in range(count):
        role = "assistant" if number % 2 else "user"
        message: dict[str, object] = {"role": role, "content": [{"type": "text", "text": TEXT + str(number)}]}
        if role == "assistant":
            billed += factor * 2 * tokens.load().text(TEXT + "0")
            usage = {
                "input": int(billed),
                "output": 10,
                "cacheRead": 0,
                "cacheWrite": 0,
                "totalTokens": int(billed) + 10,
            }
            message |= {"provider": "p", "model": "m", "stopReason": "stop", "usage": usage}
        parent = f"e{number - 1}" if number else None
        head = {"type": "message", "id": f"e{number}", "parentId": parent, "timestamp": "2026-01-01T00:00:01.000Z"}
        lines.append({**head, "message": message})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return Conversation(Session.open(str(path), "/w"))


async def test_the_vocabulary_is_loaded_and_counts() -> None:
    counting = Counting()
    await counting.load()
    assert counting.counter.text(TEXT) == pytest.approx(1.15 * tokens.load().text(TEXT), rel=0.01)


async def test_what_the_model_bills_is_learned(tmp_path: Path) -> None:
    counting = Counting()
    await counting.load()
    counting.learn(conversation(tmp_path / "s.jsonl", factor=2.0))
    assert counting.counter.text(TEXT) == pytest.approx(2.0 * tokens.load().text(TEXT), rel=0.05)


async def test_another_session_is_learned_from_anew(tmp_path: Path) -> None:
    counting = Counting()
    await counting.load()
    counting.learn(conversation(tmp_path / "a.jsonl", factor=2.0))
    counting.learn(conversation(tmp_path / "b.jsonl", factor=1.0, count=0))
    assert counting.counter.text(TEXT) == pytest.approx(1.15 * tokens.load().text(TEXT), rel=0.01)


async def test_what_was_learned_is_gone_on_with_and_another_branch_is_learned_from_anew(tmp_path: Path) -> None:
    talk = conversation(tmp_path / "s.jsonl", factor=2.0, count=24)
    kept = Counting()
    await kept.load()
    for leaf in ("e5", "e8", "e9", "e23", "e3", "e12", "e23", "e23"):
        talk.session.move(leaf)
        kept.learn(talk)
        anew = Counting()
        anew.learn(talk)
        assert kept.counter.text(TEXT) == anew.counter.text(TEXT)


async def test_an_entry_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talk = conversation(tmp_path / "s.jsonl", factor=2.0, count=24)
    counting = Counting()
    await counting.load()
    talk.session.move("e19")
    counting.learn(talk)
    read: list[str] = []
    real = Learner.read
    monkeypatch.setattr(Learner, "read", lambda self, given: real(self, [read.append(one.id) or one for one in given]))
    talk.session.move("e23")
    counting.learn(talk)
    assert read == ["e20", "e21", "e22", "e23"]
