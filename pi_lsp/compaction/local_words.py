"""What the agent's own words tell: decisions, finished work, the plan. Quoted, and only where they plainly say so."""

import re
from collections import deque
from collections.abc import Iterator
from itertools import islice

from pi_lsp.base.text import utf16_length
from pi_lsp.compaction.local_prose import condensed, cut, head_and_tail, line_of, passages, sentences, without_bullets

OPEN_TURN = "On the latest request"
EARLIER = "Earlier: "
"""Before what an earlier summary planned."""

_SENTENCE_UNITS = 300
_TEXTS_WITH_PLAN = 40
_MOST_STEPS = 12
_SHORT_REPORT = 3
_HEAD = 2000
"""Characters of a text in which what it says first is looked for."""

_DECISION = re.compile(
    r"\b(?:instead|rather than|because|decided|rejected|chose|won't work|cannot (?:work|run|be)|trade-?off)\b",
    re.IGNORECASE,
)
_DECISION_WORDS = ("nstead", "ather than", "ecause", "ecided", "ejected", "chose", "on't work", "annot ", "rade")
_NARRATION = re.compile(
    r"(?:let me|let's|now|i'll|i will|i need|i bet|i think|if|maybe|perhaps|ah|oh|wait|hmm|actually)\b", re.IGNORECASE
)
_FINISHED = re.compile(
    r"(?:(?:all|everything|it|that)(?: is|'s)? )?(?:done|fixed|added|updated|created|implemented|removed|deleted"
    r"|renamed|moved|refactored|reverted|committed|pushed|released|merged|finished)\b"
    r"|.{0,120}\b(?:pass(?:es|ed)?|completed?)\b",
    re.IGNORECASE,
)
_TICKED = re.compile(r"^\s*[-*+] \[[xX]\] +(\S.{0,400})", re.MULTILINE)
_PLAN_LEAD = re.compile(r"\b(?:plan|next steps?|steps|to-?dos?|remaining|left to do|changes needed)\b", re.IGNORECASE)
_BOX = re.compile(r"\s*[-*+] \[ \] +\S")
_NUMBER = re.compile(r"\d{1,2}[.)]\s+\S")
_NEXT = re.compile(r"(?:(?:the )?next\b|plan:|then (?:i|we)\b|remaining\b|still to do\b)", re.IGNORECASE)


class Words:
    """The agent's texts so far."""

    def __init__(self) -> None:
        self.decisions: dict[str, None] = {}
        self._ticked: set[str] = set()
        self._recent: deque[str] = deque(maxlen=_TEXTS_WITH_PLAN)
        self._last = ""

    def say(self, text: str, *, closing: bool) -> str:
        """Take a text in. Gives the finished work that it reports, quoted, if it ends a turn and reports any."""
        text = head_and_tail(text)
        self._last = text
        self._recent.append(text)
        if any(word in text for word in _DECISION_WORDS):
            self._decide(text)
        if "[x]" in text or "[X]" in text:
            self._ticked.update(_step(line) for line in _TICKED.findall(text))
        return _report(text) if closing else ""

    def is_ticked(self, item: str) -> bool:
        """Whether the agent has ticked a piece of work off."""
        return bool(self._ticked) and _step(item.removeprefix(EARLIER)) in self._ticked

    def open_turn(self) -> str:
        """Tells that the work on the latest request goes on, and what the agent said last."""
        said = condensed(passages(self._last), _SENTENCE_UNITS)
        return f'{OPEN_TURN}, where the agent last said: "{said}"' if said else OPEN_TURN

    def plan(self) -> list[str]:
        """The steps of the last plan in the recent texts; none where there is no plan."""
        for text in reversed(self._recent):
            if steps := _plan_of(text):
                return steps
        return []

    def _decide(self, text: str) -> None:
        for sentence in sentences(passages(text)):
            whole = utf16_length(sentence) <= _SENTENCE_UNITS and not sentence.endswith(":")
            if whole and _DECISION.search(sentence) and not _NARRATION.match(sentence):
                quoted = f'"{sentence}"'
                self.decisions.pop(quoted, None)
                self.decisions[quoted] = None


def remark(text: str) -> str:
    """What the agent says first about something that failed, on one line."""
    said = sentences(passages(text[:_HEAD]))
    return next((cut(sentence, _SENTENCE_UNITS) for sentence in said if not _NARRATION.match(sentence)), "")


def _report(text: str) -> str:
    """What a text says first, quoted, if that is about finished work: more than "Done."."""
    said = ""
    for sentence in islice(sentences(passages(text[:_HEAD])), 4):
        said = f"{said} {sentence}".strip()
        if not _FINISHED.match(said):
            break
        if len(said.split()) > _SHORT_REPORT and not said.endswith(":"):
            return f'"{cut(said, _SENTENCE_UNITS)}"'
    return ""


def _plan_of(text: str) -> list[str]:
    """Boxes that are not ticked, else a numbered list behind words of a plan, else sentences on what is next."""
    lines = text.split("\n")
    boxes = [line for line in lines if _BOX.match(line)]
    steps = boxes or list(_numbered(lines))
    if steps:
        return [step for line in steps[:_MOST_STEPS] if (step := _step(line))]
    return [cut(sentence, _SENTENCE_UNITS) for sentence in sentences(passages(text)) if _NEXT.match(sentence)][:3]


def _numbered(lines: list[str]) -> Iterator[str]:
    """The first numbered list whose lead, the nearest text above it, speaks of a plan."""
    lead, taking = "", False
    for line in lines:
        if _NUMBER.match(line):
            if not taking and not _PLAN_LEAD.search(lead[-300:]):
                lead = line
                continue
            taking = True
            yield line
        elif line.strip():
            if taking and not line[:1].isspace():
                return
            lead = line


def _step(line: str) -> str:
    return line_of(without_bullets(line.strip()), _SENTENCE_UNITS)
