"""The key and the headers: where they go, and where they never show."""

import json
import logging
from pathlib import Path

import pytest

from pi_lsp.base.files import Disk
from pi_lsp.context.model import Model
from pi_lsp.llm.access import Access
from pi_lsp.llm.provider import AnthropicProvider
from tests.support.api_server import ApiServer
from tests.support.api_server_client import KEY, ask, provider_for
from tests.support.api_server_replies import Reply


async def test_the_key_goes_where_the_server_looks_for_it(server: ApiServer, tmp_path: Path) -> None:
    provider = provider_for(server, str(tmp_path))
    await provider.open(ask("a")).read()
    assert server.requests[0].headers["x-api-key"] == KEY
    assert "authorization" not in server.requests[0].headers
    await provider.aclose()
    access = Access(Disk(), str(tmp_path), env={"ANTHROPIC_AUTH_TOKEN": KEY}, base_url=server.url)
    provider = AnthropicProvider(access)
    await provider.open(ask("a")).read()
    assert server.requests[1].headers["authorization"] == f"Bearer {KEY}"
    assert "x-api-key" not in server.requests[1].headers
    await provider.aclose()


async def test_without_a_key_nothing_is_sent(server: ApiServer, tmp_path: Path) -> None:
    provider = AnthropicProvider(Access(Disk(), str(tmp_path), env={}))
    stream = provider.open(ask("a"))
    message = await stream.read()
    assert message["stopReason"] == "error"
    assert "ANTHROPIC_API_KEY" in message["errorMessage"]
    assert stream.failure and stream.failure.kind == "key"
    unknown = await provider.open(ask("a", model=Model(id="gpt", provider="openai"))).read()
    assert "models.json" in unknown["errorMessage"]


async def test_a_server_of_ones_own_needs_no_key(tmp_path: Path) -> None:
    async with ApiServer() as server:
        provider = AnthropicProvider(Access(Disk(), str(tmp_path), env={"ANTHROPIC_BASE_URL": server.url}))
        assert (await provider.open(ask("a")).read())["stopReason"] == "stop"
        await provider.aclose()


async def test_the_key_is_in_no_log_and_no_error(
    server: ApiServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    provider = provider_for(server, str(tmp_path), max_retries=1)
    server.replies += [
        Reply(status=500, error=f"echo {KEY}"), Reply(text="fine"), Reply(status=400, error=f"your key is {KEY}"),
        Reply(text="x", cut_after=2),
    ]  # fmt: skip
    streams = [provider.open(ask("a")) for _ in range(3)]
    messages = [await stream.read() for stream in streams]
    await provider.aclose()
    assert [message["stopReason"] for message in messages] == ["stop", "error", "error"]
    told = repr([messages, [stream.notes for stream in streams], [stream.failure for stream in streams]])
    assert "your key is …" in told
    assert KEY not in told
    assert KEY not in repr(vars(provider))
    assert KEY not in caplog.text
    assert "/v1/messages" in caplog.text  # something was logged


async def test_headers_of_the_user_s_own_go_out_and_win(server: ApiServer, tmp_path: Path) -> None:
    entry = {"headers": {"authorization": "Bearer of-gateway", "X-Team": "$TEAM"}}
    (tmp_path / "models.json").write_text(json.dumps({"providers": {"anthropic": {"baseUrl": server.url, **entry}}}))
    access = Access(Disk(), str(tmp_path), env={"ANTHROPIC_API_KEY": KEY, "TEAM": "ours"})
    provider = AnthropicProvider(access)
    assert (await provider.open(ask("a")).read())["stopReason"] == "stop"
    sent = server.requests[0].headers
    assert (sent["authorization"], sent["x-api-key"], sent["x-team"]) == ("Bearer of-gateway", KEY, "ours")
    await provider.aclose()


async def test_a_provider_that_routes_by_session_is_told_the_session(server: ApiServer, tmp_path: Path) -> None:
    entry = {"baseUrl": server.url, "compat": {"sendSessionAffinityHeaders": True}}
    (tmp_path / "models.json").write_text(json.dumps({"providers": {"anthropic": entry}}))
    provider = AnthropicProvider(Access(Disk(), str(tmp_path), env={"ANTHROPIC_API_KEY": KEY}))
    await provider.open(ask("a", session_id="s1")).read()
    await provider.open(ask("a", session_id="s2", cache=False)).read()
    assert [request.headers.get("x-session-affinity") for request in server.requests] == ["s1", None]
    await provider.aclose()
