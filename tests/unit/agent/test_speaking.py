"""Whom a window speaks to."""

import json
from pathlib import Path

import pytest

from pi_lsp.agent.chat import speaker_of
from pi_lsp.agent.speaking import NoModelError
from pi_lsp.agent.window import Window
from pi_lsp.api.errors import ParamsError, RefusedError
from pi_lsp.api.models import (
    AuthParams,
    ModelParams,
    ThinkingParams,
    list_models,
    set_auth,
    set_model,
    set_thinking,
)
from pi_lsp.api.state import state
from tests.support.chats import KEYS, talking
from tests.support.waiting import until
from tests.support.windows import Place, answered, said

CUSTOM = {
    "providers": {
        "local": {
            "baseUrl": "http://127.0.0.1:9",
            "api": "anthropic-messages",
            "apiKey": "k",
            "models": [{"id": "tiny", "contextWindow": 8000, "maxTokens": 1000}],
        }
    }
}


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path, sample=False)
    place.session.write_text("")
    return place


async def spoken(window: Window) -> tuple[str, str, str]:
    speaker = await speaker_of(window)
    return speaker.model.provider, speaker.model.id, speaker.level


async def test_the_settings_count_where_the_session_says_nothing(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    async with place.window(settings={"defaultModel": "claude-opus-4-5", "defaultThinkingLevel": "low"}) as window:
        assert await spoken(window) == ("anthropic", "claude-opus-4-5", "low")
    async with place.window() as window:
        assert await spoken(window) == ("anthropic", "claude-sonnet-4-5", "medium")
    # Pi's settings may name a provider that speaks another protocol.
    async with place.window(settings={"defaultProvider": "openai", "defaultModel": "gpt"}) as window:
        assert await spoken(window) == ("anthropic", "claude-sonnet-4-5", "medium")


async def test_the_session_counts_more_and_the_choice_most(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    place.write_session(
        [
            {"type": "model_change", "id": "m", "provider": "anthropic", "modelId": "claude-haiku-4-5"},
            {"type": "thinking_level_change", "id": "t", "thinkingLevel": "off"},
            said("u", "x"),
        ]
    )
    async with place.window(settings={"defaultThinkingLevel": "high"}) as window:
        assert await spoken(window) == ("anthropic", "claude-haiku-4-5", "off")
        now = await set_model(window, ModelParams(id="claude-opus-4-5"))
        assert now.model
        assert now.model.id == "claude-opus-4-5"
        assert (await set_thinking(window, ThinkingParams(level="high"))).thinking_level == "high"
        assert await spoken(window) == ("anthropic", "claude-opus-4-5", "high")
        with pytest.raises(ParamsError, match="minimal"):
            await set_thinking(window, ThinkingParams(level="loud"))
        # The choice is for this session; nothing of it is in the file before something is said.
        assert "claude-opus-4-5" not in place.session.read_text()
        await window.replace_session(lambda _: window.begin_session())
        assert await spoken(window) == ("anthropic", "claude-sonnet-4-5", "high")


async def test_a_choice_is_said_with_the_next_prompt_and_is_the_sessions_from_then_on(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.say("one")
        await set_model(talk.window, ModelParams(id="claude-haiku-4-5"))
        await set_thinking(talk.window, ThinkingParams(level="off"))
        await talk.say("two")
        assert talk.server.requests[-1].body["model"] == "claude-haiku-4-5"
        changes = [entry.body for entry in await talk.path() if entry.type.endswith("_change")]
        assert [change.get("modelId") or change.get("thinkingLevel") for change in changes] == [
            *["claude-sonnet-4-5", "medium"],
            *["claude-haiku-4-5", "off"],
        ]
        assert talk.window.talk.speaking.choice(talk.window.session_id).model is None
        await talk.say("three")
        assert len([entry for entry in await talk.path() if entry.type.endswith("_change")]) == 4
        assert talk.server.requests[-1].body["model"] == "claude-haiku-4-5"


async def test_a_level_that_a_model_does_not_know_gives_way_to_the_nearest(place: Place) -> None:
    async with place.window(settings={"defaultThinkingLevel": "max"}) as window:
        assert (await state(window, None)).thinking_level == "high"


async def test_no_key_says_what_to_do(place: Place) -> None:
    async with place.window() as window:
        with pytest.raises(NoModelError, match=r"ANTHROPIC_API_KEY.*another model"):
            await speaker_of(window)
        await set_auth(window, AuthParams(provider="anthropic", api_key="sk-of-the-client"))
        assert (await spoken(window))[1] == "claude-sonnet-4-5"
        await set_auth(window, AuthParams(provider="anthropic", api_key=""))
        with pytest.raises(NoModelError):
            await speaker_of(window)
        with pytest.raises(ParamsError) as wrong:
            await set_auth(window, AuthParams(provider="anthropic", api_key="sk\nsecret"))
        assert "secret" not in str(wrong.value)
        assert "sk-of-the-client" not in repr(window.talk.speaking.access.__dict__)


async def test_a_session_of_a_provider_that_cannot_be_reached(place: Place) -> None:
    place.write_session([said("u", "x"), answered("a", "y", provider="openai", api="openai-responses", model="gpt")])
    async with place.window() as window:
        with pytest.raises(NoModelError, match="openai"):
            await speaker_of(window)
        now = (await state(window, None)).model
        assert now
        assert (now.provider, now.id) == ("openai", "gpt")


async def test_models_of_the_user_are_listed_and_chosen(place: Place) -> None:
    (place.agent / "models.json").write_text(json.dumps(CUSTOM))
    async with place.window() as window:
        listed = {(model.provider, model.id): model for model in (await list_models(window, None)).models}
        assert listed["local", "tiny"].available
        assert listed["local", "tiny"].context_window == 8000
        assert listed["local", "tiny"].thinking_levels == ["off"]
        assert not listed["anthropic", "claude-sonnet-4-5"].available
        assert "high" in listed["anthropic", "claude-sonnet-4-5"].thinking_levels
        now = await set_model(window, ModelParams(id="tiny"))
        assert now.model
        assert (now.model.provider, now.model.context_window) == ("local", 8000)
        assert await spoken(window) == ("local", "tiny", "off")
        for wrong in (ModelParams(id="nobody"), ModelParams(provider="local", id="claude-sonnet-4-5")):
            with pytest.raises(RefusedError) as refused:
                await set_model(window, wrong)
            assert refused.value.reason == "notFound"
            assert "models.json" in str(refused.value)


async def test_what_is_wrong_in_models_json_is_told(place: Place) -> None:
    (place.agent / "models.json").write_text('{"providers": {"local": {"baseUrl": 5}}}')
    async with place.window() as window:
        assert "providers.local" in (await list_models(window, None)).problems[0]


async def test_the_scripted_model_needs_no_key(place: Place) -> None:
    async with place.window(settings={"defaultProvider": "scripted"}) as window:
        assert await spoken(window) == ("scripted", "scripted", "off")


async def test_closing_the_window_closes_the_connections(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.say("go")
        assert talk.server.tasks
        await talk.window.aclose()
        await until(lambda: not talk.server.tasks)
