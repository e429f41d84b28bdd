"""The strict server and the product's provider in front of it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pi_lsp.llm.provider import AnthropicProvider
from tests.support.api_server import ApiServer
from tests.support.api_server_client import KEY, provider_for


@pytest.fixture
async def server() -> AsyncIterator[ApiServer]:
    async with ApiServer(api_key=KEY) as running:
        yield running


@pytest.fixture
async def provider(server: ApiServer, tmp_path: Path) -> AsyncIterator[AnthropicProvider]:
    made = provider_for(server, str(tmp_path))
    yield made
    await made.aclose()
