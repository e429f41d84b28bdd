"""How long a model thinks: Pi's levels, and what a request says for each."""

from pi_lsp.base.json import JsonObject
from pi_lsp.context.model import Model

LEVELS = ("off", "minimal", "low", "medium", "high", "xhigh", "max")

MIN_BUDGET = 1024
"""Tokens; the API takes no less."""

_BUDGETS = {"minimal": 1024, "low": 2048, "medium": 8192}
_LARGEST_BUDGET = 16_384
_ROOM_FOR_ANSWER = 1024
_EFFORTS = {"minimal": "low", "low": "low", "medium": "medium"}


def supported_levels(model: Model) -> list[str]:
    """The levels a model knows, from `off` upwards. The two highest only where its table names them."""
    if not model.reasoning:
        return ["off"]
    by_table = model.thinking_levels
    return [level for level in LEVELS if by_table.get(level, None if level in ("xhigh", "max") else level) is not None]


def nearest_level(model: Model, level: str) -> str:
    """The level itself where the model knows it, else the next higher one, else the next lower one."""
    supported = supported_levels(model)
    wanted = LEVELS.index(level) if level in LEVELS else 0
    higher = [one for one in supported if LEVELS.index(one) >= wanted]
    return (higher or supported[::-1])[0]


def thinking_fields(model: Model, level: str, max_tokens: int) -> JsonObject:
    """The fields of a request that set its thinking; none for a model that does not think.

    `max_tokens` is the request's; a budget leaves 1,024 of them to the answer, and where that cannot be the request
    goes without thinking.
    """
    if not model.reasoning:
        return {}
    level = nearest_level(model, level)
    if level == "off":
        return {"thinking": {"type": "disabled"}}
    if model.adaptive_thinking:
        effort = model.thinking_levels.get(level) or _EFFORTS.get(level, "high")
        return {"thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": effort}}
    budget = min(_BUDGETS.get(level, _LARGEST_BUDGET), max_tokens - _ROOM_FOR_ANSWER)
    if budget < MIN_BUDGET:
        return {"thinking": {"type": "disabled"}}
    return {"thinking": {"type": "enabled", "budget_tokens": budget, "display": "summarized"}}
