"""One row of the table: a figure of ours beside what it is measured against, and whether the promise holds."""

import msgspec


class Row(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A figure. All numbers of a row have its unit."""

    name: str
    unit: str = ""
    ours: float | None = None
    baseline: float | None = None
    against: str = ""
    """What the baseline is."""
    limit: str = ""
    """The promise in words; empty where the figure is only reported."""
    allowed: float | None = None
    """The most that ours may be, by the promise."""
    missing: str = ""
    """Why nothing was measured."""

    @property
    def ratio(self) -> float | None:
        """Ours by the baseline."""
        return self.ours / self.baseline if self.ours is not None and self.baseline else None

    @property
    def state(self) -> str:
        if self.ours is None:
            return "missing"
        if self.allowed is None:
            return "reported"
        return "ok" if self.ours <= self.allowed else "over"


def times(name: str, unit: str, ours: float, baseline: float, against: str, factor: float | None = None) -> Row:
    """Ours is at most `factor` baselines; without a factor both are only reported."""
    row = Row(name=name, unit=unit, ours=ours, baseline=baseline, against=against)
    if factor is None:
        return row
    return msgspec.structs.replace(row, limit=f"≤ {factor:.2g} ×", allowed=factor * baseline)


def above(name: str, unit: str, ours: float, baseline: float, against: str, most: float) -> Row:
    """Ours is at most `most` above the baseline."""
    return Row(
        name=name,
        unit=unit,
        ours=ours,
        baseline=baseline,
        against=against,
        limit=f"≤ + {most:g} {unit}",
        allowed=baseline + most,
    )


def below(name: str, unit: str, ours: float, most: float) -> Row:
    """Ours is at most `most`."""
    return Row(name=name, unit=unit, ours=ours, limit=f"≤ {most:g} {unit}", allowed=most)


def missing(name: str, why: str) -> Row:
    """Nothing could be measured."""
    return Row(name=name, missing=why)
