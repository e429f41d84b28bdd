from pi_lsp.llm.models import DEFAULT_MODEL, find_model, models


def test_the_table_gives_the_figures_of_its_models() -> None:
    sonnet = find_model("anthropic", "claude-sonnet-4-5")
    assert (sonnet.context_window, sonnet.max_tokens, sonnet.reasoning) == (200_000, 64_000, True)
    assert not sonnet.system_messages
    newest = find_model("anthropic", "claude-opus-5-5")
    assert newest.adaptive_thinking
    assert newest.system_messages
    assert newest.thinking_levels["off"] is None


def test_an_unknown_model_keeps_its_name_and_gets_ordinary_limits() -> None:
    model = find_model("openai", "claude-sonnet-4-6")
    assert (model.provider, model.id, model.context_window) == ("openai", "claude-sonnet-4-6", 200_000)


def test_a_session_without_a_model_gets_the_default() -> None:
    assert find_model(None, None).id == DEFAULT_MODEL
    assert DEFAULT_MODEL in models()
