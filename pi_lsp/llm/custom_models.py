"""Pi's `models.json`: providers and models of the user's own, and changes to those of the table.

Only what speaks the Messages API is taken; other entries are Pi's business and no mistake. Where Pi 1.6.0 drops the
whole file for one wrong value, here only the model or the provider is dropped that has it.
"""

import os
import re
from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from pi_lsp.base.files import Files
from pi_lsp.base.json import Json, JsonError, JsonObject, decode_object
from pi_lsp.context.model import Model, Tier
from pi_lsp.llm.catalog import Catalog, ModelsProblem, ProviderEntry, table
from pi_lsp.llm.keys import BOM
from pi_lsp.llm.models import API, PROVIDER

T = TypeVar("T")

_STRING_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*')
_STRING_OR_COMMA = re.compile(r'"(?:\\.|[^"\\])*"|,(?=\s*[}\]])')

_Text: TypeAlias = Annotated[str, Meta(min_length=1)]
_Url: TypeAlias = Annotated[str, Meta(pattern=r"^https?://[^\s/]")]
_Tokens: TypeAlias = Annotated[int, Meta(ge=1, le=2**53 - 1)]
_Rate: TypeAlias = Annotated[float, Meta(ge=0, le=1e9)]


class _Given(msgspec.Struct, frozen=True, rename="camel"):
    """Fields of which any may be missing."""

    def given(self) -> dict[str, object]:
        """Those that are there."""
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        return {name: value for name, value in values.items() if value is not UNSET}


class _Cost(_Given, frozen=True, rename="camel"):
    input: _Rate | UnsetType = UNSET
    output: _Rate | UnsetType = UNSET
    cache_read: _Rate | UnsetType = UNSET
    cache_write: _Rate | UnsetType = UNSET
    tiers: tuple[Tier, ...] | UnsetType = UNSET


class _Compat(_Given, frozen=True, rename="camel"):
    adaptive_thinking: bool | UnsetType = msgspec.field(default=UNSET, name="forceAdaptiveThinking")
    system_messages: bool | UnsetType = msgspec.field(default=UNSET, name="supportsMidConvoSystemMessages")
    takes_empty_signatures: bool | UnsetType = msgspec.field(default=UNSET, name="allowEmptySignature")
    cache_marks_on_tools: bool | UnsetType = msgspec.field(default=UNSET, name="supportsCacheControlOnTools")


class _Routing(msgspec.Struct, frozen=True, rename="camel"):
    send_session_affinity_headers: bool = False
    session_affinity_format: str | None = None


class _Fields(_Given, frozen=True, rename="camel"):
    name: _Text | UnsetType = UNSET
    reasoning: bool | UnsetType = UNSET
    input: tuple[Literal["text", "image"], ...] | UnsetType = UNSET
    context_window: _Tokens | UnsetType = UNSET
    max_tokens: _Tokens | UnsetType = UNSET


class _Change(msgspec.Struct, frozen=True, rename="camel"):
    thinking_level_map: dict[str, str | None] = {}
    cost: _Cost = _Cost()
    compat: _Compat = _Compat()
    headers: dict[str, str] = {}


class _Definition(msgspec.Struct, frozen=True, rename="camel"):
    id: _Text
    api: str | None = None
    base_url: _Url | None = None


class _Provider(msgspec.Struct, frozen=True, rename="camel"):
    base_url: _Url | None = None
    api: str | None = None
    api_key: _Text | None = None
    auth_header: bool = False
    headers: dict[str, str] = {}
    compat: JsonObject = {}
    models: list[JsonObject] = []
    model_overrides: dict[str, JsonObject] = {}


class _InvalidError(Exception):
    def __init__(self, key: str, why: str) -> None:
        super().__init__(why)
        self.key = key


def load_catalog(files: Files, agent_dir: str) -> Catalog:
    """The table with the user's `models.json` laid over it. What cannot be used is told by `problems`."""
    path = os.path.join(agent_dir, "models.json")
    reading = _Reading(path)
    try:
        reading.read(_load(files, path))
    except _InvalidError as error:
        reading.report(error, "the file is not used")
    return Catalog(models=reading.models, providers=reading.providers, problems=tuple(reading.problems))


def _load(files: Files, path: str) -> Mapping[str, JsonObject]:
    if files.kind(path) is None:
        return {}
    try:
        text = files.read(path).removeprefix(BOM).decode(errors="replace")
        for pattern in (_STRING_OR_COMMENT, _STRING_OR_COMMA):
            text = pattern.sub(lambda match: match[0] if match[0].startswith('"') else "", text)
        return _typed(decode_object(text).get("providers"), dict[str, JsonObject], "providers")
    except OSError as error:
        raise _InvalidError("", error.strerror or str(error)) from None
    except JsonError as error:
        raise _InvalidError("", str(error)) from None


class _Reading:
    """What has been read so far."""

    def __init__(self, path: str) -> None:
        self.models = dict(table().models)
        self.providers: dict[str, ProviderEntry] = {}
        self.problems: list[ModelsProblem] = []
        self._path = path

    def report(self, error: _InvalidError, consequence: str) -> None:
        place = f"{self._path}: {error.key}" if error.key else self._path
        self.problems.append(ModelsProblem(path=self._path, key=error.key, message=f"{place}: {error}; {consequence}"))

    def read(self, providers: Mapping[str, JsonObject]) -> None:
        for name, value in providers.items():
            key = f"providers.{name}"
            try:
                self._provider(name, _typed(value, _Provider, key), key)
            except _InvalidError as error:
                self.report(error, "the provider is not used")

    def _provider(self, name: str, provider: _Provider, key: str) -> None:
        compat = _typed(provider.compat, _Compat, f"{key}.compat").given()
        routing = _typed(provider.compat, _Routing, f"{key}.compat")
        known = [model for (owner, _), model in self.models.items() if owner == name]
        for model in known:
            self._put(msgspec.structs.replace(model, base_url=provider.base_url, **compat))
        headers: dict[str, Mapping[str, str]] = {}
        for index, value in enumerate(provider.models):
            self._define(name, provider, compat, value, headers, f"{key}.models[{index}]")
        for model in known:
            if model.id in provider.model_overrides:
                at = f"{key}.modelOverrides.{model.id}"
                self._change(self.models[name, model.id], provider.model_overrides[model.id], headers, at)
        if any(owner == name for owner, _ in self.models):
            self.providers[name] = ProviderEntry(
                base_url=provider.base_url,
                api_key=provider.api_key,
                auth_header=provider.auth_header,
                headers=provider.headers,
                model_headers=headers,
                session_header=_session_header(routing),
            )

    def _define(
        self,
        name: str,
        provider: _Provider,
        compat: Mapping[str, object],
        value: JsonObject,
        headers: dict[str, Mapping[str, str]],
        key: str,
    ) -> None:
        """Add a model, unless it speaks another protocol."""
        try:
            definition = _typed(value, _Definition, key)
            api = definition.api or provider.api or (API if name == PROVIDER else None)
            base_url = definition.base_url or provider.base_url
            if api is None:
                raise _InvalidError(
                    f"{key}.api", f'it names no "api", neither here nor for the provider (such as "{API}")'
                )
            if api != API:
                return
            if base_url is None and name != PROVIDER:
                raise _InvalidError(f"{key}.baseUrl", 'it names no "baseUrl", neither here nor for the provider')
        except _InvalidError as error:
            self.report(error, "the model is not used")
            return
        model = msgspec.structs.replace(_NEW_MODEL, id=definition.id, name=definition.id, provider=name)
        self._change(msgspec.structs.replace(model, base_url=base_url, **compat), value, headers, key)

    def _change(self, model: Model, value: JsonObject, headers: dict[str, Mapping[str, str]], key: str) -> None:
        """Add a model with the fields of an entry laid over it."""
        try:
            fields, change = _typed(value, _Fields, key), _typed(value, _Change, key)
        except _InvalidError as error:
            self.report(error, "the entry is not used")
            return
        if change.headers:
            headers[model.id] = change.headers
        self._put(
            msgspec.structs.replace(
                model,
                **fields.given(),
                **change.compat.given(),
                cost=msgspec.structs.replace(model.cost, **change.cost.given()),
                thinking_levels={**model.thinking_levels, **change.thinking_level_map},
            )
        )

    def _put(self, model: Model) -> None:
        self.models[model.provider, model.id] = model


_NEW_MODEL = Model(id="", context_window=128_000, max_tokens=16_384, input=("text",))


def _session_header(routing: _Routing) -> str | None:
    if not routing.send_session_affinity_headers:
        return None
    return "x-session-id" if routing.session_affinity_format == "openrouter" else "x-session-affinity"


def _typed(value: Json, shape: type[T], key: str) -> T:
    """The value as that type. Raises _InvalidError, which names the key."""
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        why, _, place = str(error).partition(" - at `$")
        why = "expected a URL that begins with http:// or https://" if "regex" in why else why
        raise _InvalidError((key + place.rstrip("`")).removesuffix("[...]"), why) from None
