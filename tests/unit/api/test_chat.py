"""`pi/chat`, `pi/abort` and `pi/queue/set` as the wire has them."""

import asyncio
from pathlib import Path

import msgspec

from pi_lsp.agent import events
from pi_lsp.agent.prompting import Image
from pi_lsp.api.chat import ChatParams, QueueParams, abort, set_queue
from pi_lsp.api.state import state
from pi_lsp.session.messages import blocks_of, text_of
from tests.support.api_server_replies import Reply
from tests.support.chats import talking
from tests.support.waiting import until
from tests.unit.agent.plugins import Gate, of_user
from tests.unit.agent.test_prompting import png


def test_the_params_of_protocol_md() -> None:
    wire = {
        "text": "x",
        "images": [{"data": "d", "mimeType": "image/png"}],
        "references": [
            {"uri": "file:///a"},
            {"uri": "file:///b", "range": {"start": {"line": 0, "character": 1}, "end": {"line": 2, "character": 3}}},
        ],
        "mode": "followUp",
    }
    params = msgspec.convert(wire, ChatParams, strict=True)
    assert msgspec.json.decode(msgspec.json.encode(params)) == wire
    assert msgspec.convert({"text": "x"}, ChatParams, strict=True).mode == "prompt"


async def test_the_result_of_a_run(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        result = msgspec.to_builtins(await talk.say("x"))
        assert set(result) == {"stopReason", "leafId", "usage"}
        assert set(result["usage"]) == {"input", "output", "cacheRead", "cacheWrite", "totalTokens", "cost"}
        assert set(result["usage"]["cost"]) == {"total"}
        assert result["leafId"] == talk.window.leaf_id


async def test_usage_is_that_of_all_requests_of_the_run(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        tool = [{"id": "t", "name": "read", "input": {}}]
        talk.server.replies = [Reply(tools=tool), Reply(text="done")]
        result = await talk.say("x")
        assert result.usage
        assert result.usage.output == sum(request.usage["output_tokens"] for request in talk.server.requests)
        assert (await state(talk.window, None)).cost.total == result.usage.cost.total


async def test_a_run_that_fails_gives_back_what_was_still_to_be_said(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        talk.server.replies = [Reply(status=400, error="no", wait_s=0.1)]
        run = talk.begin("x")
        await until(lambda: talk.server.requests)
        await talk.say("later", mode="followUp")
        result = await run
        assert result.stop_reason == "error"
        assert result.queue
        assert result.queue.follow_up == ["later"]
        assert (await state(talk.window, None)).queue.follow_up == []


async def test_a_queued_message_keeps_its_images(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        talk.server.replies = [Reply(text="one", wait_s=0.1)]
        run = talk.begin("x")
        await until(lambda: talk.server.requests)
        await talk.say("look", mode="steer", images=(Image(data=png(), mime_type="image/png"),))
        await set_queue(talk.window, QueueParams(steer=["look", "/nothing"], follow_up=[]))
        await run
        assert [text for role, text in await talk.said() if role == "user"] == ["x", "look", "/nothing"]
        [message] = [entry.message for entry in await talk.path() if text_of(entry.message) == "look"]
        assert [block["type"] for block in blocks_of(message)] == ["text", "image"]


async def test_what_is_delivered_while_the_queue_is_edited_does_not_wait_anew(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        gate = Gate(tmp_path)
        of_user(talk, f"@hookimpl\ndef input(text):\n    if text == 'b': {gate.stopping}\n    return text")
        talk.server.replies = [Reply(text="one", wait_s=0.15), Reply(text="two", wait_s=1)]
        run = talk.begin("x")
        await until(lambda: talk.server.requests)
        await talk.say("a", mode="steer")
        editing = asyncio.create_task(set_queue(talk.window, QueueParams(steer=["a", "b"], follow_up=[])))
        await until(gate.is_reached)
        await until(lambda: len(talk.server.requests) == 2)  # a was delivered
        gate.open()
        assert (await editing).queue.steer == ["b"]
        await run
        assert [text for role, text in await talk.said() if role == "user"] == ["x", "a", "b"]


async def test_an_abort_of_nothing(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        result = await abort(talk.window, None)
        assert (result.queue.steer, result.queue.follow_up) == ([], [])
        assert talk.told(events.QueueChanged) == []
