"""The table of models: its figures are data (models.json), read at first need."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec

from pi_lsp.context.model import Cost, Model

PROVIDER = "anthropic"
API = "anthropic-messages"
"""The protocol that all models here speak, by the name that Pi gives it."""

DEFAULT_MODEL = "claude-sonnet-4-5"

_TABLE = Path(__file__).with_name("models.json")


class _Takes(msgspec.Struct, frozen=True, rename="camel"):
    force_adaptive_thinking: bool = False
    supports_mid_convo_system_messages: bool = False


class _Row(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    name: str
    context_window: int
    max_tokens: int
    reasoning: bool
    input: tuple[str, ...]
    cost: Cost = Cost()
    takes: _Takes = _Takes()
    thinking_level_map: dict[str, str | None] = {}


class _Table(msgspec.Struct, frozen=True):
    models: list[_Row]


def models() -> Mapping[str, Model]:
    """Every model of the table by its id."""
    return _load()


def find_model(provider: str | None, model_id: str | None) -> Model:
    """The model of that name; one that the table does not hold has the ordinary limits of `Model`.

    A session that names no model gets DEFAULT_MODEL.
    """
    model_id = model_id or DEFAULT_MODEL
    provider = provider or PROVIDER
    known = models().get(model_id) if provider == PROVIDER else None
    return known or Model(id=model_id, provider=provider, name=model_id)


@cache
def _load() -> dict[str, Model]:
    table = msgspec.json.decode(_TABLE.read_bytes(), type=_Table)
    return {row.id: _model(row) for row in table.models}


def _model(row: _Row) -> Model:
    return Model(
        id=row.id,
        provider=PROVIDER,
        name=row.name,
        context_window=row.context_window,
        max_tokens=row.max_tokens,
        reasoning=row.reasoning,
        input=row.input,
        system_messages=row.takes.supports_mid_convo_system_messages,
        adaptive_thinking=row.takes.force_adaptive_thinking,
        thinking_levels=row.thinking_level_map,
        cost=row.cost,
    )
