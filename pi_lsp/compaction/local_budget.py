"""Lists of lines that share a budget of tokens. Of each the most important stay; the rest is counted, not forgotten."""

from collections.abc import Sequence

import msgspec

from pi_lsp.context.estimate import TokenCounter


class Group(msgspec.Struct, kw_only=True):
    """Lines of one kind."""

    what: str
    """What to say of those left out, behind their number: "older requests left out"."""
    items: list[str]
    """In the order in which they are shown."""
    share: int
    """How much of the budget is set aside for these, in hundredths."""
    left_out: int = 0
    newest_first: bool = True
    """Which end matters more."""
    most: int | None = None
    """How many are enough, whatever room there is."""
    pinned: tuple[int, ...] = ()
    """Indices that come before all others."""

    @property
    def note(self) -> str:
        """Says how many are missing; empty where none is."""
        return f"({self.left_out} {self.what})" if self.left_out else ""


def fit(groups: Sequence[Group], max_tokens: int, counter: TokenCounter) -> None:
    """Cut the groups down to a budget together. What fits once fits again, so a second pass changes nothing.

    Every group gets its share first; what is not used goes to the others, in their order. An item of many lines that
    does not fit is shown by its first line.
    """
    spare = 0
    waiting: list[tuple[Group, list[int], int]] = []
    for group in groups:
        budget = max_tokens * group.share // 100
        kept, used = _take(group, [], budget, counter)
        order = _order(group)
        if len(kept) == len(order):
            _keep(group, kept)
        else:
            # The most important item can at least be shown in short.
            reserved = 0 if kept else min(budget, _cost(_short(group.items[order[0]]), counter))
            waiting.append((group, kept, reserved))
            used += reserved
        spare += budget - used
    for group, kept, reserved in waiting:
        room = spare + reserved
        more, used = _take(group, kept, room, counter)
        rest = _order(group)[len(more) :]
        if rest and (short := _short(group.items[rest[0]])) != group.items[rest[0]]:
            cost = _cost(short, counter)
            if used + cost <= room:
                group.items[rest[0]] = short
                more.append(rest[0])
                used += cost
        spare = room - used
        _keep(group, more)


def _take(group: Group, kept: list[int], budget: int, counter: TokenCounter) -> tuple[list[int], int]:
    """The indices that fit, behind those already kept, and the tokens of the new ones."""
    kept, used = list(kept), 0
    for index in _order(group)[len(kept) :]:
        cost = _cost(group.items[index], counter)
        if used + cost > budget:
            break
        kept.append(index)
        used += cost
    return kept, used


def _order(group: Group) -> list[int]:
    indices = range(len(group.items))
    rest = [index for index in indices if index not in group.pinned]
    return [*group.pinned, *(reversed(rest) if group.newest_first else rest)][: group.most]


def _cost(item: str, counter: TokenCounter) -> int:
    lines = item.count("\n") + 1
    return counter.text(f"{item}\n") + 2 * lines  # bullet and indentation


def _short(item: str) -> str:
    head, *lines = item.split("\n")
    return f"{head}\n- ({len(lines)} more lines left out)" if len(lines) > 1 else item


def _keep(group: Group, kept: list[int]) -> None:
    group.left_out += len(group.items) - len(kept)
    group.items = [group.items[index] for index in sorted(kept)]
