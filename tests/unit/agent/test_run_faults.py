"""A disk that is full and a folder that is gone while a run goes on: what was told ends, and no text is lost."""

import asyncio
import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_lsp.agent import events
from pi_lsp.agent.window import Window
from pi_lsp.api.chat import abort
from pi_lsp.api.state import state
from pi_lsp.base.json import JsonObject
from pi_lsp.session.log import SessionLog
from tests.support.api_server_replies import Reply
from tests.support.chats import Talk, talking
from tests.support.waiting import until


def fill_the_disk(monkeypatch: pytest.MonkeyPatch, full: Callable[[JsonObject], bool]) -> None:
    """From now on no message is written that is `full`."""
    append = SessionLog.append

    def appended(log: SessionLog, body: JsonObject) -> object:
        message = body.get("message")
        if isinstance(message, dict) and full(message):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return append(log, body)

    monkeypatch.setattr(SessionLog, "append", appended)


def ended(talk: Talk) -> tuple[list[str], list[str | None]]:
    """The roles of the messages that began, and the entries of those that ended."""
    return (
        [event.role for event in talk.told(events.MessageStart)],
        [event.entry_id for event in talk.told(events.MessageEnd)],
    )


@pytest.mark.parametrize("mode", ["steer", "followUp"])
async def test_a_text_that_waited_and_cannot_be_written_is_given_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    async with talking(tmp_path, settings={"steeringMode": "all", "followUpMode": "all"}) as talk:
        talk.server.replies = [Reply(text="one", delay_s=0.05)]
        run = talk.begin("go")
        await until(lambda: talk.server.requests)
        for text in ("first", "second", "third"):
            await talk.say(text, mode=mode)
        fill_the_disk(monkeypatch, lambda message: "second" in str(message.get("content")))
        result = await run
        assert (result.stop_reason, "No space" in (result.error or "")) == ("error", True)
        assert result.queue and result.queue.steer + result.queue.follow_up == ["second", "third"]
        monkeypatch.undo()
        assert [text for role, text in await talk.said() if role == "user"] == ["go", "first"]
        assert talk.told(events.QueueChanged)[-1] == events.QueueChanged(steer=[], follow_up=[])


async def test_an_answer_that_cannot_be_stored_ends_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with talking(tmp_path) as talk:
        await talk.say("hi")
        talk.events.clear()
        fill_the_disk(monkeypatch, lambda message: message["role"] == "assistant")
        result = await talk.say("go")
        assert (result.stop_reason, result.leaf_id == talk.window.leaf_id) == ("error", True)
        roles, entries = ended(talk)
        assert roles == ["user", "assistant"]
        assert entries[0] and entries[1:] == [None]
        assert talk.told(events.MessageEnd)[-1].message["content"] == [{"type": "text", "text": "I got 3 messages."}]


async def test_an_abort_in_the_middle_of_a_write_does_not_keep_the_end_of_a_message_from_the_client(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as talk:
        write, aborting = Window.write, list[asyncio.Task[object]]()

        async def write_and_abort(window: Window, call: object) -> object:
            aborting.append(asyncio.create_task(abort(window, None)))
            return await write(window, call)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

        for told in ("user", "assistant"):
            talk.events.clear()
            with pytest.MonkeyPatch.context() as patch:
                if told == "assistant":
                    talk.server.replies = [Reply(text="an answer", delay_s=0.01)]
                    run = talk.begin("go")
                    await until(lambda: talk.told(events.MessageDelta))
                    patch.setattr(Window, "write", write_and_abort)
                else:
                    patch.setattr(Window, "write", write_and_abort)
                    run = talk.begin("go")
                assert (await run).stop_reason == "cancelled"
                await asyncio.gather(*aborting)
            roles, entries = ended(talk)
            assert roles[-1] == told
            assert len(entries) == len(roles)
            assert entries[-1] == talk.window.leaf_id


async def test_a_run_is_over_also_where_the_file_cannot_be_looked_at(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        folder = talk.place.session.parent / "sessions"
        folder.mkdir()
        talk.place.session.rename(folder / "s.jsonl")
        talk.place.session = folder / "s.jsonl"
        async with talk.place.window() as window:
            again = Talk(window, talk.server, talk.place)
            await again.say("hi")
            again.events.clear()
            talk.server.replies = [Reply(text="an answer", delay_s=0.05)]
            run = again.begin("go")
            await until(lambda: again.told(events.MessageDelta))
            folder.rename(tmp_path / "moved")
            folder.write_text("no folder")
            assert (await run).stop_reason == "error"
            shown = await state(window, None)
            assert (shown.phase, shown.session.leaf_id) == ("idle", window.leaf_id)
            assert [text for _, text in await again.said()][-1] == "go"
            folder.unlink()
            (tmp_path / "moved").rename(folder)
            assert (await window.in_session(lambda conversation: conversation.session.running)) is False
            assert (await again.say("on")).stop_reason == "done"
