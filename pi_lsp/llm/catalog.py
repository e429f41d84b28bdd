"""All models that can be asked for, and how their providers are reached."""

from collections.abc import Mapping, Sequence

import msgspec

from pi_lsp.context.model import Model
from pi_lsp.llm.models import DEFAULT_MODEL, PROVIDER, find_model, models


class ModelsProblem(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Something in `models.json` that is not used. The message names file and key, too."""

    path: str
    key: str
    message: str


class ProviderEntry(msgspec.Struct, frozen=True, kw_only=True):
    """How a provider of the user's file is reached. Key and headers stand as they are written: see `keys.resolve`."""

    base_url: str | None = None
    api_key: str | None = None
    auth_header: bool = False
    """The key goes into `Authorization: Bearer`."""
    headers: Mapping[str, str] = {}
    model_headers: Mapping[str, Mapping[str, str]] = {}
    """More headers, by the id of the model that is asked."""
    session_header: str | None = None
    """The header that tells the requests of a session apart, for providers that route by it."""

    def __repr__(self) -> str:
        return f"ProviderEntry(base_url={self.base_url!r}, …)"


class Catalog(msgspec.Struct, frozen=True, kw_only=True):
    """The models of the table and of the user."""

    models: Mapping[tuple[str, str], Model]
    """By provider and id."""
    providers: Mapping[str, ProviderEntry] = {}
    problems: Sequence[ModelsProblem] = ()

    def find(self, provider: str | None, model_id: str | None) -> Model:
        """The model of that name; one that nobody knows has the ordinary limits, no name the default's."""
        known = self.models.get((provider or PROVIDER, model_id or DEFAULT_MODEL))
        return known or find_model(provider, model_id)


def table() -> Catalog:
    """The models of our own table."""
    return Catalog(models={(PROVIDER, model_id): model for model_id, model in models().items()})
