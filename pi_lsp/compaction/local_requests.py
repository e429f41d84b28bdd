"""What the user asked for, and what they said must or must not be, in their own words."""

import re

from pi_lsp.compaction.local_prose import condensed, cut, head_and_tail, passages, sentences
from pi_lsp.session.messages import Message, blocks_of, text_of

LATEST = "Latest: "

_LATEST_UNITS = 2000
_REQUEST_UNITS = 300
_CONSTRAINT_UNITS = 1000

_CONSTRAINT = re.compile(
    r"""
    \b(?: must(?:n['’]t)? | never | always | do(?:es)?n['’]?t | do(?:es)?\ not | only | make\ sure | be\ sure | avoid
      | prefer | should(?:n['’]t|\ not) | may\ not | forbidden | (?:not\ )?allowed | required
      | ensure | no\ longer | under\ no\ circumstances
      | niemals | nie | immer | nicht | kein(?:e[nmrs]?)? | nur | muss(?:t|en)? | müssen
      | darf(?:st)? | dürfen | unbedingt
    )\b
    | 必须 | 不要 | 禁止 | 总是 | 务必 | 不得 | 切勿 | 永远 | 绝不 | 只能 | 不能 | 不许 | 始终
    """,
    re.IGNORECASE | re.VERBOSE,
)
# A message of these words alone asks for nothing.
# A message of these words alone asks for nothing.
_CHATTER = frozenset(
    """
    a ahead alright amazing awesome commit continue cool do done excellent fine go good great hello hey hi hm hmm it
    job keep lovely nice ok okay on perfect please proceed resume sure sweet thank thanks that the this very well
    works wow yeah yep yes yo you
    """.split()  # noqa: SIM905  words are read more easily so
)


class Requests:
    """The user's messages so far. `others` and `constraints` are oldest first; everything is quoted."""

    def __init__(self) -> None:
        self.others: list[str] = []
        self.latest = ""
        self.constraints: dict[str, None] = {}

    def recall_goal(self, item: str) -> None:
        """Take a line of an earlier summary's goals in."""
        if item.startswith(f'{LATEST}"'):
            self.latest = item.removeprefix(LATEST)
        else:
            self.others.append(item)

    def recall_constraint(self, item: str) -> None:
        """Take a line of an earlier summary's constraints in; one that is said again counts as new."""
        self.constraints.pop(item, None)
        self.constraints[item] = None

    def add(self, message: Message) -> None:
        """Take a user's message in."""
        text = head_and_tail(text_of(message))
        images = sum(block.get("type") == "image" for block in blocks_of(message))
        parts = passages(text)
        said = condensed(parts, _LATEST_UNITS) + (f" [{images} image{'s' * (images > 1)}]" if images else "")
        if not said.strip():
            return
        self._settle_latest()
        self.latest = _quoted(said)
        if _CONSTRAINT.search(text):
            for sentence in sentences(parts):
                if _CONSTRAINT.search(sentence):
                    self.recall_constraint(_quoted(cut(sentence, _CONSTRAINT_UNITS)))

    def latest_within(self, max_units: int) -> list[str]:
        """The latest request, cut where it is longer: one line, or none before anything was asked for."""
        return [LATEST + _quoted(cut(self.latest[1:-1], max_units))] if self.latest else []

    def _settle_latest(self) -> None:
        """What was the latest is one of many now: shorter, and left out where it asks for nothing."""
        words = re.findall(r"\w+", self.latest[:200].lower())
        if not _CHATTER.issuperset(words):
            self.others.append(_quoted(cut(self.latest[1:-1], _REQUEST_UNITS)))


def _quoted(text: str) -> str:
    return f'"{text}"'
