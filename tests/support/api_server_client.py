"""What tests need to reach the server through the product's provider."""

from typing import Any

from pi_lsp.base.files import Disk
from pi_lsp.context.finish import finish
from pi_lsp.context.model import Model
from pi_lsp.llm.access import Access
from pi_lsp.llm.contract import ChatRequest
from pi_lsp.llm.models import models
from pi_lsp.llm.provider import AnthropicProvider
from pi_lsp.resources.settings import ProviderRetrySettings
from pi_lsp.session.messages import Message
from tests.support.api_server import ApiServer

KEY = "sk-ant-test-4711"
SONNET = models()["claude-sonnet-4-5"]
BOUND = models()["claude-opus-5-5"]
"""A model whose thinking is bound to what was sent before it."""


def provider_for(server: ApiServer, agent_dir: str, key: str = KEY, **settings: Any) -> AnthropicProvider:
    """A provider for the server. Close it."""
    access = Access(Disk(), agent_dir, env={"ANTHROPIC_API_KEY": key}, base_url=server.url)
    return AnthropicProvider(access, settings=lambda: ProviderRetrySettings(**settings))


def ask(*said: str | Message, model: Model = SONNET, **fields: Any) -> ChatRequest:
    """A conversation after a short system prompt; texts are the user's."""
    messages: list[Message] = [{"role": "system", "content": "Be brief."}]
    messages += [{"role": "user", "content": one} if isinstance(one, str) else one for one in said]
    return ChatRequest(messages=finish(messages, model).messages, model=model, **fields)
