"""What is said right behind a prompt, before its run has taken its first step, belongs to that run."""

import asyncio
from pathlib import Path

import pytest

from tests.support.chats import talking


@pytest.mark.parametrize("mode", ["steer", "followUp"])
async def test_a_text_that_comes_with_the_prompt_waits_for_its_run(tmp_path: Path, mode: str) -> None:
    async with talking(tmp_path) as talk:
        prompt, text = await asyncio.gather(talk.say("go"), talk.say("and this", mode=mode))
        assert (prompt.stop_reason, text.stop_reason) == ("done", "queued")
        assert [text for role, text in await talk.said() if role == "user"] == ["go", "and this"]
