"""Whom a window speaks to: which model at which thinking level, and the provider that reaches it.

What the user chooses in this window holds for its session until it is said there, at the next prompt; from then on
it is what the session says. Where neither says anything, the settings do.
"""

from collections.abc import Callable
from threading import Lock

import msgspec

from pi_lsp.agent.speaker import Speaker
from pi_lsp.agent.view import View
from pi_lsp.base.files import Files
from pi_lsp.base.json import as_str
from pi_lsp.context.model import Model
from pi_lsp.llm.access import Access, NoKey, Offer
from pi_lsp.llm.contract import Provider
from pi_lsp.llm.provider import AnthropicProvider
from pi_lsp.llm.scripted import SCRIPTED_MODEL, demo_provider
from pi_lsp.resources.settings import ProviderRetrySettings, Settings


class NoModelError(Exception):
    """No model can be asked; the message says why and what to do."""


class UnknownModelError(Exception):
    """No model has that name; the message says where one can be added."""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """What the user chose for a session; None where nothing."""

    session_id: str = ""
    model: Model | None = None
    level: str | None = None


class Speaking:
    """The choice of a window, its keys and its connections. For any thread, but for `speaker` and `aclose`."""

    def __init__(self, files: Files, agent_dir: str, settings: Callable[[], Settings]) -> None:
        """Nothing is read before it is asked for."""
        self._files = files
        self._agent_dir = agent_dir
        self._settings = settings
        self._access: Access | None = None
        self._lock = Lock()
        self._providers: dict[str, Provider] = {}
        self._provider_retry = ProviderRetrySettings()
        """As the settings had it when somebody was last found to speak to."""
        self._choice = Choice()

    @property
    def access(self) -> Access:
        """The models, addresses and keys."""
        with self._lock:
            if self._access is None:
                self._access = Access(self._files, self._agent_dir)
            return self._access

    def offers(self) -> list[Offer]:
        """All models, as `models.json` has them now."""
        return self._read_anew(self._settings()).offers()

    # --- the choice ---------------------------------------------------------------------------------------------

    def choice(self, session_id: str) -> Choice:
        """What was chosen for a session and not said there yet."""
        return self._choice if self._choice.session_id == session_id else Choice(session_id=session_id)

    def choose_model(self, session_id: str, provider: str | None, model_id: str) -> Model:
        """Speak to this model from the next prompt on. Raises UnknownModelError."""
        model = self._model(provider, model_id)
        self._choice = msgspec.structs.replace(self.choice(session_id), model=model)
        return model

    def choose_level(self, session_id: str, level: str) -> None:
        """Think so much from the next prompt on."""
        self._choice = msgspec.structs.replace(self.choice(session_id), level=level)

    def said(self, speaker: Speaker) -> None:
        """The session says now what was chosen, unless something else has been chosen meanwhile."""
        choice = self._choice
        if choice.model in (None, speaker.model) and choice.level in (None, speaker.level):
            self._choice = Choice()

    def default(self, settings: Settings) -> Model:
        """The model of a session that names none: the settings', where it speaks a protocol of ours."""
        catalog = self.access.catalog
        provider = settings.default_provider
        if provider == SCRIPTED_MODEL.provider:
            return SCRIPTED_MODEL
        known = provider is None or any(owner == provider for owner, _ in catalog.models)
        return catalog.find(provider, settings.default_model) if known else catalog.find(None, None)

    def find(self, provider: str | None, model_id: str | None) -> Model:
        """The model that a session names; one that nobody knows has the ordinary limits."""
        if provider == SCRIPTED_MODEL.provider:
            return SCRIPTED_MODEL
        return self.access.catalog.find(provider, model_id)

    # --- speaking -----------------------------------------------------------------------------------------------

    def speaker(self, view: View, settings: Settings) -> Speaker:
        """Whom the next request of a view goes to. Raises NoModelError."""
        self._read_anew(settings)
        self._provider_retry = settings.provider_retry
        model = self.find(view.model.provider, view.model.id)
        return Speaker(model=model, level=view.level, provider=self._provider(model))

    async def aclose(self) -> None:
        """Close all connections."""
        providers = list(self._providers.values())
        self._providers.clear()
        for provider in providers:
            await provider.aclose()

    def _read_anew(self, settings: Settings) -> Access:
        access = self.access
        access.base_url = as_str(settings.values.get("baseUrl")) or None
        access.reload()
        return access

    def _provider(self, model: Model) -> Provider:
        """The provider that reaches a model. It keeps its connections, so there is one for each protocol."""
        if model.provider == SCRIPTED_MODEL.provider:
            return self._providers.setdefault(model.api, demo_provider())
        endpoint = self.access.endpoint(model)
        if isinstance(endpoint, NoKey):
            raise NoModelError(f"{endpoint.reason}; or choose another model")
        if model.api not in self._providers:
            self._providers[model.api] = AnthropicProvider(self.access, settings=lambda: self._provider_retry)
        return self._providers[model.api]

    def _model(self, provider: str | None, model_id: str) -> Model:
        if SCRIPTED_MODEL.provider in (provider, model_id):
            return SCRIPTED_MODEL
        models = self._read_anew(self._settings()).catalog.models.values()
        found = [model for model in models if model.id == model_id and provider in (None, model.provider)]
        if not found:
            owner = f"the provider {provider}" if provider else "any provider"
            raise UnknownModelError(
                f"{owner} has no model {model_id!r}; pi/model/list names all, and Pi's models.json can add one"
            )
        return next((model for model in found if model.provider == "anthropic"), found[0])
