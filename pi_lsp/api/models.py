"""`pi/model/list`, `pi/model/set`, `pi/thinking/set`, `pi/auth/set`: whom the window speaks to."""

import asyncio

from pi_lsp.agent.events import SessionChanged
from pi_lsp.agent.window import Window
from pi_lsp.api.errors import ParamsError
from pi_lsp.api.refusals import refusals
from pi_lsp.api.state import State, state
from pi_lsp.base.wire import Wire
from pi_lsp.context.model import Model
from pi_lsp.llm.keys import UnusableValueError
from pi_lsp.llm.thinking import LEVELS, supported_levels


class ListedModel(Wire, frozen=True, kw_only=True):
    """A model; sizes in tokens. `available`: there is a key for its provider."""

    provider: str
    id: str
    name: str
    context_window: int
    max_tokens: int
    thinking_levels: list[str]
    available: bool


class ModelList(Wire, frozen=True, kw_only=True):
    """All models. `problems`: what of Pi's `models.json` is not used, and why."""

    models: list[ListedModel]
    problems: tuple[str, ...] = ()


class ModelParams(Wire, frozen=True, kw_only=True):
    """A model by its id; of several providers that have it, Anthropic's or the first."""

    provider: str | None = None
    id: str


class ThinkingParams(Wire, frozen=True, kw_only=True):
    """A level: off, minimal, low, medium, high, xhigh, max."""

    level: str


class AuthParams(Wire, frozen=True, kw_only=True):
    """An API key for this process alone: it is never written. An empty one takes it back."""

    provider: str
    api_key: str


class AuthResult(Wire, frozen=True, kw_only=True):
    """The result of `pi/auth/set`: nothing."""


async def list_models(window: Window, _params: object) -> ModelList:
    """All models that pi-lsp can speak to."""
    await window.ready()
    offers = await asyncio.to_thread(window.talk.speaking.offers)
    return ModelList(
        models=[_listed(offer.model, available=offer.available) for offer in offers],
        problems=tuple(problem.message for problem in window.talk.speaking.access.catalog.problems),
    )


async def set_model(window: Window, params: ModelParams) -> State:
    """Speak to another model from the next prompt on. Raises RefusedError for one that nobody has."""
    speaking = window.talk.speaking
    with refusals():
        await window.in_session(lambda conversation: speaking.choose_model(conversation.id, params.provider, params.id))
    window.emit(SessionChanged())
    return await state(window, None)


async def set_thinking(window: Window, params: ThinkingParams) -> State:
    """Think more or less from the next prompt on; a level that the model does not know gives way to the nearest.

    Raises ParamsError for what is no level.
    """
    if params.level not in LEVELS:
        raise ParamsError(f"level must be one of {', '.join(LEVELS)}")
    await window.in_session(lambda conversation: window.talk.speaking.choose_level(conversation.id, params.level))
    window.emit(SessionChanged())
    return await state(window, None)


async def set_auth(window: Window, params: AuthParams) -> AuthResult:
    """Take an API key. Raises ParamsError for one that no header can hold, without showing it."""
    await window.ready()
    try:
        window.talk.speaking.access.set_key(params.provider, params.api_key)
    except UnusableValueError as error:
        raise ParamsError(f"apiKey: {error}") from None
    return AuthResult()


def _listed(model: Model, *, available: bool) -> ListedModel:
    return ListedModel(
        provider=model.provider,
        id=model.id,
        name=model.name or model.id,
        context_window=model.context_window,
        max_tokens=model.max_tokens,
        thinking_levels=supported_levels(model),
        available=available,
    )
