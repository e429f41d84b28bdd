"""Anything at all for any method: one answer each, never an internal error, and the server goes on.

`PI_LSP_FUZZ_S` says for how many seconds, `PI_LSP_FUZZ_SEED` with which beginning.
"""

import os
import time
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

from pi_lsp.api.methods import METHODS
from pi_lsp.base.paths import path_to_uri
from tests.security.params import Params
from tests.support.chats import Api
from tests.support.editor import Editor, Home, session_lines, write

SECONDS = float(os.environ.get("PI_LSP_FUZZ_S", "10"))
SEED = int(os.environ.get("PI_LSP_FUZZ_SEED", "1"))
TOGETHER = 4
"""Requests that go on at the same time."""
EXPECTED = {-32602, -32803}
"""Params that do not fit, and refusals."""
CANCELLED = -32800


def test_whatever_is_asked_gets_one_answer(home: Home, api: Api, start: Callable[..., Editor]) -> None:
    random = Random(SEED)
    editor = begin(home, start)
    params = Params(random, known_texts(home, editor))
    told: Counter[Any] = Counter()
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        asked = [ask(editor, random, params) for _ in range(random.randint(1, TOGETHER))]
        allowed = set(EXPECTED)
        if random.random() < 0.1:
            editor.notify("$/cancelRequest", {"id": random.choice(asked)[0]})
            allowed.add(CANCELLED)
        if any(method == "pi/abort" for _, method, _ in asked):
            allowed.add(CANCELLED)
        for msg_id, method, sent in asked:
            answer = editor.answer(msg_id)
            code = answer.get("error", {}).get("code")
            told[code] += 1
            assert code is None or code in allowed, (method, sent, answer["error"])
            assert "Traceback" not in str(answer.get("error"))
        del editor.messages[:]  # they are checked; `check` at the end counts none twice
        editor.asked.clear()
    assert told[None] > sum(told.values()) / 10
    assert editor.hover(home.workspace / "AGENTS.md")
    assert editor.call("pi/state")["session"]["id"]
    assert "Traceback" not in editor.stderr
    assert not [rule for rule in api.server.refusals if rule != "context"]


def ask(editor: Editor, random: Random, params: Params) -> tuple[int, str, Any]:
    method = random.choice(METHODS)
    sent = params.of(method)
    return editor.ask(method.name, sent), method.name, sent


def begin(home: Home, start: Callable[..., Editor]) -> Editor:
    write(
        home.workspace,
        {
            "AGENTS.md": "Be kind to boats.\n",
            "deep/er/AGENTS.md": "Deeper.\n",
            ".pi/skills/knots/SKILL.md": "---\nname: knots\ndescription: Tie knots.\n---\nTie.\n",
            ".pi/prompts/ask.md": "Ask $1 of $@",
            "bytes.bin": bytes(range(256)),
        },
    )
    os.mkfifo(home.workspace / "pipe")
    write(
        home.sessions,
        {
            "2026-05-04T08-12-03-000Z_a.jsonl": session_lines(
                home.workspace, *(("user" if n % 2 == 0 else "assistant", f"message {n}") for n in range(12))
            ),
            "2026-05-04T08-12-04-000Z_b.jsonl": session_lines(home.workspace, ("user", "b"), session_id="../b"),
            "2026-05-04T08-12-05-000Z_c.jsonl": "{}\n",
        },
    )
    os.mkfifo(home.sessions / "pipe.jsonl")
    write(home.agent, {"settings.json": '{"retry": {"baseDelayMs": 0, "maxRetries": 0}}'})
    editor = start()
    editor.initialize()
    editor.call("pi/model/set", {"provider": "scripted", "id": "scripted"})
    return editor


def known_texts(home: Home, editor: Editor) -> list[str]:
    """What exists: every string of these kinds leads somewhere."""
    ids = [node["id"] for node in editor.call("pi/tree")["nodes"]]
    files = [str(path) for path in (*home.workspace.rglob("*"), *home.sessions.iterdir())]
    models = ["scripted", "anthropic", "claude-sonnet-4-5", "high"]
    words = ["/skill:knots now", "/ask a b", "message", "sk-abc", "a name"]
    return [*ids * 3, *files, *map(path_to_uri, files), *models, *words]
