"""What an answer costs, by the rates of the model's table."""

from pi_lsp.base.json import JsonObject
from pi_lsp.context.model import Cost, Rates

_MILLION = 1_000_000


def cost_of(cost: Cost, *, new: int, output: int, cache_read: int, cache_write: int, long_write: int = 0) -> JsonObject:
    """The cost in US dollars, in the shape that a session stores.

    Args:
        cost: the rates of the model; the highest tier that the whole input passes holds for all of it.
        new: input tokens that were neither read from the cache nor written to it.
        output: output tokens, thinking included.
        cache_read: tokens read from the cache.
        cache_write: tokens written to the cache.
        long_write: those of them that stay for an hour; they cost twice the input rate.
    """
    rates = _rates(cost, new + cache_read + cache_write)
    parts = {
        "input": rates.input * new / _MILLION,
        "output": rates.output * output / _MILLION,
        "cacheRead": rates.cache_read * cache_read / _MILLION,
        "cacheWrite": (rates.cache_write * (cache_write - long_write) + rates.input * 2 * long_write) / _MILLION,
    }
    return {**parts, "total": sum(parts.values()), "totalFromProvider": False}


def _rates(cost: Cost, tokens: int) -> Rates:
    passed = [tier for tier in cost.tiers if tokens > tier.input_tokens_above]
    return max(passed, key=lambda tier: tier.input_tokens_above, default=cost)
