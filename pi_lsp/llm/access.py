"""How a model is reached: its address, and the key for it.

Keys come, from strong to weak, from the client (held in memory), Pi's `auth.json`, Pi's `models.json`, the
environment. `auth.json` is read at every request, so that a login in Pi counts at once; `models.json` when told to.
"""

import os
from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

from pi_lsp.base.files import Files
from pi_lsp.context.model import Model
from pi_lsp.llm.catalog import Catalog, ProviderEntry
from pi_lsp.llm.custom_models import load_catalog
from pi_lsp.llm.keys import Secret, UnusableValueError, checked, resolve, stored_key
from pi_lsp.llm.models import API, PROVIDER

DEFAULT_URL = "https://api.anthropic.com"
BASE_URL_VARIABLE = "ANTHROPIC_BASE_URL"

_KEYLESS = Secret("none")
"""For servers of one's own, most of which want no key, while the SDK wants one."""
_KEY_VARIABLE = "ANTHROPIC_API_KEY"
_BEARER_VARIABLE = "ANTHROPIC_AUTH_TOKEN"
_VARIABLES = (_BEARER_VARIABLE, _KEY_VARIABLE)
"""The first that is set wins, as in Pi 1.6.0."""

KeySource: TypeAlias = Literal["client", "auth.json", "models.json", "environment", "none needed"]


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """A key and where it is from."""

    secret: Secret
    source: KeySource
    bearer: bool = False
    """It goes into `Authorization: Bearer`, not into `x-api-key`."""


class NoKey(msgspec.Struct, frozen=True, kw_only=True):
    """There is no key; `reason` says what was found in its place and what to do."""

    reason: str


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """Where a request goes, and what it carries beside its body."""

    base_url: str
    key: Key
    headers: Mapping[str, Secret] = {}
    session_header: str | None = None
    """The header for the session's id, where the provider routes requests by it."""


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """A model, and whether there is a key for it."""

    model: Model
    available: bool


class Access:
    """Finds keys and addresses; owns the keys that the client handed over."""

    def __init__(
        self, files: Files, agent_dir: str, *, env: Mapping[str, str] = os.environ, base_url: str | None = None
    ) -> None:
        """`agent_dir` is Pi's; `base_url` the user's setting for our own provider."""
        self._files = files
        self._agent_dir = agent_dir
        self._env = env
        self._keys: dict[str, Secret] = {}
        self.base_url = base_url
        self.catalog: Catalog = load_catalog(files, agent_dir)

    def reload(self) -> None:
        """Read `models.json` again."""
        self.catalog = load_catalog(self._files, self._agent_dir)

    def set_key(self, provider: str, key: str) -> None:
        """Take a key from the client, for as long as the process lives; an empty one takes it back.

        Raises:
            UnusableValueError: no key looks like that. The message does not show it.
        """
        if key.strip():
            self._keys[provider] = checked(key, "the key")
        else:
            self._keys.pop(provider, None)

    def key(self, provider: str) -> Key | NoKey:
        """The key for a provider."""
        problems: list[str] = []
        for find in (self._given_key, self._stored_key, self._configured_key, self._environment_key):
            try:
                if key := find(provider):
                    return key
            except UnusableValueError as problem:
                problems.append(str(problem))
        if provider == PROVIDER and self._base_url(provider) != DEFAULT_URL:
            return Key(secret=_KEYLESS, source="none needed")
        return NoKey(reason=_no_key(provider, problems))

    def endpoint(self, model: Model) -> Endpoint | NoKey:
        """How to reach a model."""
        base_url = self._base_url(model.provider, model.base_url)
        if model.api != API or base_url is None:
            return NoKey(
                reason=f"pi-lsp cannot reach the provider {model.provider!r}: Pi's models.json has no entry for it "
                f'with a "baseUrl" and the api "{API}"'
            )
        key = self.key(model.provider)
        if isinstance(key, NoKey):
            return key
        entry = self._entry(model.provider)
        headers: dict[str, Secret] = {}
        for name, value in {**entry.headers, **entry.model_headers.get(model.id, {})}.items():
            try:
                headers[name] = resolve(value, self._env, f"models.json: providers.{model.provider}.headers.{name}")
            except UnusableValueError as problem:
                return NoKey(reason=str(problem))
        return Endpoint(base_url=base_url, key=key, headers=headers, session_header=entry.session_header)

    def offers(self) -> list[Offer]:
        """All models, in the order of their providers and ids."""
        found = {provider: isinstance(self.key(provider), Key) for provider, _ in self.catalog.models}
        models = sorted(self.catalog.models.values(), key=lambda model: (model.provider, model.id))
        return [Offer(model=model, available=found[model.provider]) for model in models]

    def _entry(self, provider: str) -> ProviderEntry:
        return self.catalog.providers.get(provider, ProviderEntry())

    def _base_url(self, provider: str, model_url: str | None = None) -> str | None:
        url = model_url or self._entry(provider).base_url
        if provider != PROVIDER:
            return url
        return self.base_url or url or self._env.get(BASE_URL_VARIABLE) or DEFAULT_URL

    def _given_key(self, provider: str) -> Key | None:
        secret = self._keys.get(provider)
        return secret and Key(secret=secret, source="client", bearer=self._entry(provider).auth_header)

    def _stored_key(self, provider: str) -> Key | None:
        secret = stored_key(self._files, self._agent_dir, provider, self._env)
        return secret and Key(secret=secret, source="auth.json", bearer=self._entry(provider).auth_header)

    def _configured_key(self, provider: str) -> Key | None:
        entry = self._entry(provider)
        if not entry.api_key:
            return None
        secret = resolve(entry.api_key, self._env, f"models.json: providers.{provider}.apiKey")
        return Key(secret=secret, source="models.json", bearer=entry.auth_header)

    def _environment_key(self, provider: str) -> Key | None:
        variable = next(filter(self._env.get, _VARIABLES), None) if provider == PROVIDER else None
        if variable is None:
            return None
        secret = checked(self._env[variable], variable)
        return Key(secret=secret, source="environment", bearer=variable == _BEARER_VARIABLE)


def _no_key(provider: str, problems: list[str]) -> str:
    found = "".join(f" ({problem})" for problem in problems)
    advice = f"store an API key for {provider!r} with Pi's /login"
    if provider == PROVIDER:
        advice = f"set {_KEY_VARIABLE}, or {advice}"
    return f"No API key for {provider!r}{found}: {advice}"
