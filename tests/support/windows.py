"""Windows over copies of the sample, as a client would open them."""

import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pi_lsp.agent.window import Start, Window
from pi_lsp.base.json import JsonObject, encode
from pi_lsp.cli.stage import lay_out_sample

AT_ONCE: JsonObject = {"retry": {"baseDelayMs": 0}}
"""Settings with which nothing waits."""


class Place:
    """A workspace, an agent folder and a session file of a test's own."""

    def __init__(self, root: Path, *, sample: bool = True) -> None:
        self.workspace = root / "workspace"
        self.agent = root / "agent"
        self.session = root / "session.jsonl"
        if sample:
            lay_out_sample(self.workspace, self.agent, self.session)
        else:
            self.workspace.mkdir(parents=True)
            self.agent.mkdir()
            self.write_session([])

    def write_session(self, entries: list[dict[str, Any]]) -> None:
        """A session of these entries, each behind the one before it unless it names a parent."""
        header: JsonObject = {"type": "session", "version": 3, "id": "s", "timestamp": "", "cwd": str(self.workspace)}
        lines, parent = [header], None
        for entry in entries:
            lines.append({"parentId": parent, "timestamp": "2026-01-01T00:00:00.000Z", **entry})
            parent = entry["id"]
        self.session.write_text("".join(encode(line) + "\n" for line in lines))

    @asynccontextmanager
    async def window(self, *, settings: JsonObject | None = None, trusted: bool = True) -> AsyncIterator[Window]:
        """A window on it; it ends with the block."""
        old = time.time() - 3600
        os.utime(self.session, (old, old))
        start = Start(
            folders=(str(self.workspace),),
            agent_dir=str(self.agent),
            trusted=trusted,
            settings=settings or {},
            session=str(self.session),
        )
        window = Window(start, lambda _event: None)
        try:
            await window.begin(_no_settings())
            yield window
        finally:
            window.close()


def said(entry_id: str, text: str, **fields: Any) -> dict[str, Any]:
    """A user's message, or another message by `fields` of it."""
    message = {"role": "user", "content": [{"type": "text", "text": text}], "timestamp": 0, **fields}
    return {"type": "message", "id": entry_id, "message": message}


def answered(entry_id: str, text: str, tokens: int = 0, **fields: Any) -> dict[str, Any]:
    """An answer of the default model that was billed so many tokens."""
    own = {"provider": "anthropic", "api": "anthropic-messages", "model": "claude-sonnet-4-5", "stopReason": "stop"}
    usage = {"input": tokens, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": tokens}
    return said(entry_id, text, role="assistant", usage=usage, **{**own, **fields})


async def _no_settings() -> JsonObject:
    return {}
