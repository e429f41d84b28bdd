"""Pi's models.json: what is taken, what is told, and that one mistake costs nothing else."""

import json
from pathlib import Path
from typing import Any

import pytest

from pi_lsp.base.files import Disk
from pi_lsp.context.model import Cost, Tier
from pi_lsp.llm.catalog import Catalog, table
from pi_lsp.llm.custom_models import load_catalog
from pi_lsp.llm.models import models

SONNET = models()["claude-sonnet-4-5"]
LOCAL = {"baseUrl": "http://localhost:1", "api": "anthropic-messages", "apiKey": "SECRET"}


def load(agent_dir: Path, providers: Any, raw: str | None = None) -> Catalog:
    (agent_dir / "models.json").write_text(json.dumps({"providers": providers}) if raw is None else raw, "utf-8")
    return load_catalog(Disk(), str(agent_dir))


def test_without_a_file_there_is_the_table(tmp_path: Path) -> None:
    assert load_catalog(Disk(), str(tmp_path)) == table()


def test_a_model_gets_pi_s_defaults(tmp_path: Path) -> None:
    catalog = load(tmp_path, {"local": {**LOCAL, "models": [{"id": "m"}]}})
    model = catalog.models["local", "m"]
    assert catalog.problems == ()
    assert (model.provider, model.name, model.api, model.base_url) == (
        "local", "m", "anthropic-messages", "http://localhost:1",
    )  # fmt: skip
    assert (model.context_window, model.max_tokens, model.input, model.reasoning) == (128_000, 16_384, ("text",), False)
    assert model.cost == Cost()
    assert catalog.find("local", "m") is model
    assert catalog.find("local", "unknown").id == "unknown"
    assert catalog.find(None, None) == SONNET


def test_every_field_of_a_model(tmp_path: Path) -> None:
    definition = {
        "id": "m", "name": "Mine", "baseUrl": "https://other/", "reasoning": True, "input": ["text", "image"],
        "contextWindow": 5000, "maxTokens": 500, "thinkingLevelMap": {"off": None, "max": "max"},
        "cost": {"input": 1, "output": 2.5, "cacheRead": 0.1, "cacheWrite": 1.25,
                 "tiers": [{"inputTokensAbove": 100, "input": 2, "output": 5, "cacheRead": 0.2, "cacheWrite": 2.5}]},
        "compat": {"forceAdaptiveThinking": True, "allowEmptySignature": True, "supportsCacheControlOnTools": False},
        "samplingParams": {"top_k": 1}, "promptCache": {"short": 300},
    }  # fmt: skip
    provider = {**LOCAL, "compat": {"supportsMidConvoSystemMessages": True, "allowEmptySignature": False}}
    catalog = load(tmp_path, {"local": {**provider, "models": [definition]}})
    assert catalog.problems == ()
    model = catalog.models["local", "m"]
    assert (model.name, model.base_url, model.reasoning, model.input) == (
        "Mine", "https://other/", True, ("text", "image"),
    )  # fmt: skip
    assert (model.context_window, model.max_tokens) == (5000, 500)
    assert model.thinking_levels == {"off": None, "max": "max"}
    assert (model.adaptive_thinking, model.system_messages) == (True, True)
    assert (model.takes_empty_signatures, model.cache_marks_on_tools) == (True, False)
    tier = Tier(input_tokens_above=100, input=2, output=5, cache_read=0.2, cache_write=2.5)
    assert model.cost == Cost(input=1, output=2.5, cache_read=0.1, cache_write=1.25, tiers=(tier,))


def test_changes_to_the_table_are_merged_field_by_field(tmp_path: Path) -> None:
    override = {"name": "Mine", "cost": {"input": 9}, "contextWindow": 1_000_000, "thinkingLevelMap": {"max": "max"}}
    entry = {"baseUrl": "https://proxy", "modelOverrides": {SONNET.id: override, "unknown": {"name": 5}}}
    catalog = load(tmp_path, {"anthropic": entry})
    assert catalog.problems == ()
    model = catalog.models["anthropic", SONNET.id]
    assert (model.name, model.context_window, model.max_tokens) == ("Mine", 1_000_000, SONNET.max_tokens)
    assert (model.cost.input, model.cost.output) == (9, SONNET.cost.output)
    assert model.thinking_levels == {**SONNET.thinking_levels, "max": "max"}
    assert {one.base_url for (provider, _), one in catalog.models.items() if provider == "anthropic"} == {
        "https://proxy"
    }


def test_a_model_of_ours_can_be_replaced_and_added_without_an_address(tmp_path: Path) -> None:
    catalog = load(tmp_path, {"anthropic": {"models": [{"id": SONNET.id, "maxTokens": 7}, {"id": "new"}]}})
    assert catalog.problems == ()
    assert catalog.models["anthropic", SONNET.id].max_tokens == 7
    assert catalog.find(None, None).max_tokens == 7  # also as the model of a session that names none
    assert catalog.models["anthropic", SONNET.id].context_window == 128_000
    assert catalog.models["anthropic", "new"].base_url is None


def test_other_protocols_are_pi_s_business(tmp_path: Path) -> None:
    providers = {
        "ollama": {"baseUrl": "http://x", "api": "openai-completions", "models": [{"id": "q"}]},
        "mixed": {**LOCAL, "models": [{"id": "a", "api": "openai-responses"}, {"id": "b"}]},
        "openrouter": {"headers": {"x": "y"}},
    }
    catalog = load(tmp_path, providers)
    assert catalog.problems == ()
    assert set(catalog.models) - set(table().models) == {("mixed", "b")}
    assert set(catalog.providers) == {"mixed"}


@pytest.mark.parametrize(
    ("provider", "key"),
    [
        (5, "providers"),
        ({**LOCAL, "models": {}}, "providers.p.models"),
        ({**LOCAL, "baseUrl": "ftp://x", "models": [{"id": "m"}]}, "providers.p.baseUrl"),
        ({**LOCAL, "apiKey": ["SECRET"]}, "providers.p.apiKey"),
        ({**LOCAL, "headers": {"x": 5}}, "providers.p.headers"),
        ({"api": "anthropic-messages", "models": [{"id": "m"}]}, "providers.p.models[0].baseUrl"),
        ({"baseUrl": "http://x", "models": [{"id": "m"}]}, "providers.p.models[0].api"),
        ({**LOCAL, "models": [{}]}, "providers.p.models[0]"),
        ({**LOCAL, "models": [{"id": ""}]}, "providers.p.models[0].id"),
        ({**LOCAL, "models": [{"id": "m", "maxTokens": "many"}]}, "providers.p.models[0].maxTokens"),
        ({**LOCAL, "models": [{"id": "m", "contextWindow": 0}]}, "providers.p.models[0].contextWindow"),
        ({**LOCAL, "models": [{"id": "m", "input": ["video"]}]}, "providers.p.models[0].input"),
        ({**LOCAL, "models": [{"id": "m", "cost": {"input": -1}}]}, "providers.p.models[0].cost.input"),
        ({**LOCAL, "models": [{"id": "m", "compat": {"allowEmptySignature": 1}}]}, "providers.p.models[0].compat"),
        ({**LOCAL, "models": [{"id": "m", "thinkingLevelMap": {"off": 1}}]}, "providers.p.models[0].thinkingLevelMap"),
    ],
)
def test_a_mistake_is_told_by_file_and_key_and_costs_nothing_else(tmp_path: Path, provider: Any, key: str) -> None:
    catalog = load(tmp_path, {"p": provider, "good": {**LOCAL, "models": [{"id": "m"}]}} if key != "providers" else 5)
    [problem] = catalog.problems
    assert problem.key.startswith(key)
    assert problem.message.startswith(f"{tmp_path / 'models.json'}: {key}")
    assert "SECRET" not in problem.message
    assert ("p", "m") not in catalog.models
    assert (("good", "m") in catalog.models) == (key != "providers")


def test_comments_and_last_commas_are_taken_as_pi_takes_them(tmp_path: Path) -> None:
    raw = """\ufeff// mine
    {"providers": {"local": {"baseUrl": "http://x//y", // not in a text
      "api": "anthropic-messages", "models": [{"id": "a,]//b", }, ], }, }, }"""
    catalog = load(tmp_path, None, raw)
    assert catalog.problems == ()
    assert catalog.models["local", "a,]//b"].base_url == "http://x//y"


@pytest.mark.parametrize("raw", ["", "{", "[]", "5", '{"providers": null}', "\0", '"' * 99_999, "[" * 99_999])
def test_a_file_that_is_none_is_told_and_the_table_stays(tmp_path: Path, raw: str) -> None:
    catalog = load(tmp_path, None, raw)
    assert len(catalog.problems) == 1
    assert catalog.problems[0].path == str(tmp_path / "models.json")
    assert catalog.models == table().models


def test_secrets_of_the_file_are_not_shown(tmp_path: Path) -> None:
    catalog = load(tmp_path, {"local": {**LOCAL, "headers": {"x": "SECRET"}, "models": [{"id": "m"}]}})
    assert "SECRET" not in repr(catalog)
