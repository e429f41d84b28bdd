"""Results behind their calls: each call with one result, in the message that follows, under an id of its own."""

from collections import Counter, defaultdict, deque

from pi_lsp.base.json import Json, as_str
from pi_lsp.context.clean import clean_text
from pi_lsp.context.fate import Change
from pi_lsp.context.pairing import MAX_ID_UNITS, no_result, normalize_id
from pi_lsp.context.trace import Item, Traced, changed, dropped
from pi_lsp.session.messages import Message, blocks_of, role_of, tool_calls_of


class _Ids:
    """Gives each call an id that the API takes and that no other call of the request has."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._tries: Counter[str] = Counter()

    def new(self, wanted: str) -> str:
        base = candidate = normalize_id(clean_text(wanted)) or "call"
        while candidate in self._used:
            self._tries[base] += 1
            suffix = f"_{self._tries[base] + 1}"
            candidate = base[: MAX_ID_UNITS - len(suffix)] + suffix
        self._used.add(candidate)
        return candidate


class _Turn:
    """An answer with calls, and the results found for it, by the ids that its calls are sent under."""

    def __init__(self, item: Item, ids: _Ids) -> None:
        self.calls = {ids.new(as_str(call.get("id"))): call for call in tool_calls_of(item.message)}
        self.renamed = any(new_id != call.get("id") for new_id, call in self.calls.items())
        self._item = item._replace(message=self._with_new_ids(item.message)) if self.renamed else item
        self._results: dict[str, Item] = {}
        self._open: dict[str, deque[str]] = defaultdict(deque)  # by the ids that the calls had
        for new_id, call in self.calls.items():
            self._open[as_str(call.get("id"))].append(new_id)
        self._stood_in: dict[str, deque[str]] = defaultdict(deque)

    def take(self, call_id: str, result: Item) -> bool:
        """Take in a result; False where each call of that id has one. One that a step added gives way to a real one."""
        if self._open[call_id]:
            new_id = self._open[call_id].popleft()
        elif self._stood_in[call_id] and not result.made:
            new_id = self._stood_in[call_id].popleft()
        else:
            return False
        if result.made:
            self._stood_in[call_id].append(new_id)
        if new_id != call_id:
            result = result._replace(message={**result.message, "toolCallId": new_id})
        self._results[new_id] = result
        return True

    def all_items(self) -> list[Item]:
        """The answer and its results, missing ones added."""
        missing = [call | {"id": new_id} for new_id, call in self.calls.items() if new_id not in self._results]
        added = [Item(self._item.source, no_result(call), made=True) for call in missing]
        return [self._item, *self._results.values(), *added]

    def _with_new_ids(self, message: Message) -> Message:
        new_ids = iter(self.calls)
        content: list[Json] = [
            {**block, "id": next(new_ids)} if block.get("type") == "toolCall" else block for block in blocks_of(message)
        ]
        return {**message, "content": content}


def pair_results(traced: Traced) -> Traced:
    """The messages with every result right behind its call.

    A late result is moved up; a second one, and one whose call is not sent, is left out; a call without any gets a
    note. Ids that the API refuses or that stand twice are replaced.
    """
    ids = _Ids()
    changes = list(traced.changes)
    order: list[Item | _Turn] = []
    latest: dict[str, _Turn] = {}  # by the ids that the calls had
    for item in traced.items:
        role = role_of(item.message)
        if role == "assistant" and any(tool_calls_of(item.message)):
            turn = _Turn(item, ids)
            latest |= {as_str(call.get("id")): turn for call in turn.calls.values()}
            order.append(turn)
            if turn.renamed:
                changes.append(changed(item, "repair", "ids of its calls were replaced"))
        elif role != "toolResult":
            order.append(item)
        else:
            changes += _place(item, latest, order)
    items = [one for part in order for one in (part.all_items() if isinstance(part, _Turn) else [part])]
    return Traced(items=items, changes=changes)


def _place(item: Item, latest: dict[str, _Turn], order: list[Item | _Turn]) -> list[Change]:
    call_id = as_str(item.message.get("toolCallId"))
    turn = latest.get(call_id)
    if turn is None:
        return [dropped(item, "repair", "the result of a call that is not sent")]
    if turn.take(call_id, item):
        return [] if order[-1] is turn else [changed(item, "repair", "it was moved up behind its call")]
    return [] if item.made else [dropped(item, "repair", "a second result of the same call")]
