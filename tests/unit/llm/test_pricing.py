"""Costs, against figures worked out by hand."""

import pytest

from pi_lsp.context.model import Cost, Tier
from pi_lsp.llm.models import models
from pi_lsp.llm.pricing import cost_of

FIVE = Cost(input=5, output=25, cache_read=0.5, cache_write=6.25)


def test_each_kind_of_token_has_its_rate() -> None:
    cost = cost_of(FIVE, new=1_000_000, output=100_000, cache_read=200_000, cache_write=80_000)
    assert cost == {
        "input": 5.0,
        "output": 2.5,
        "cacheRead": pytest.approx(0.1),
        "cacheWrite": 0.5,
        "total": pytest.approx(8.1),
        "totalFromProvider": False,
    }


def test_what_is_kept_for_an_hour_costs_twice_the_input() -> None:
    cost = cost_of(FIVE, new=0, output=0, cache_read=0, cache_write=100_000, long_write=40_000)
    assert cost["cacheWrite"] == pytest.approx(0.06 * 6.25 + 0.04 * 10)


def test_the_highest_tier_that_the_input_passes_holds_for_all_of_it() -> None:
    low, high = Tier(input_tokens_above=100, input=10), Tier(input_tokens_above=200, input=20)
    tiered = Cost(input=1, tiers=(high, low))
    for new, read, written, rate in ((100, 0, 0, 1), (101, 0, 0, 10), (100, 50, 50, 10), (100, 100, 1, 20)):
        cost = cost_of(tiered, new=new, output=0, cache_read=read, cache_write=written)
        assert cost["input"] == pytest.approx(rate * new / 1e6)


def test_a_model_without_rates_is_free() -> None:
    assert cost_of(Cost(), new=10, output=10, cache_read=10, cache_write=10)["total"] == 0


def test_the_table_has_a_price_for_every_model() -> None:
    assert all(model.cost.input > 0 and model.cost.output > model.cost.input for model in models().values())
