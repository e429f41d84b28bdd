"""What of a message its writer said, and what was pasted into it.

Code fences, attached files and skills, logs and listings are no sentences of the writer: they become one short
placeholder. Everything is one pass over lines, with patterns that are anchored or bounded, so a line of megabytes
costs what its length says.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pi_lsp.base.text import slice_head, utf16_length, without_surrogates

SCANNED_CHARACTERS = 100_000
"""How much of one text is read: half of it from its head, half from its tail."""

_CONTROL = re.compile("\x1b\\[[0-9;?]{0,20}[A-Za-z]|[\x00-\x08\x0e-\x1b\x7f]")
_TAG = re.compile(r"<(/?(?:read-files|modified-files|summary|previous-summary|conversation)\b)", re.IGNORECASE)

_CUT = re.compile(r"… \[(\d{1,12}) more characters\]$")
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_ATTACHMENT = re.compile(r"<(skill|file) name=\"([^\"]{0,300})\"")
BULLET = re.compile(r"(?:[-*+•]|\d{1,3}[.)])(?:\s+|$)(?:\[[ xX]\](?:\s+|$))?")
_BULLETS = re.compile(f"(?:{BULLET.pattern})+")
_LOG = re.compile(
    r"""
    \s*(?: [{}\]│┃║╭╰┌└─━═➜❯⠇⎿|] | \[(?:\s|$|[\d"{\[])   # JSON, boxes, prompts
      | \$\s | >>>\s | [+-]\s?\d+\s | \d+\s{3}          # shells, numbered listings
      | at\s.{1,200}[:(]\S{0,200}\d+\)?$                # stack frames
      | Traceback\s | Caused\sby: | File\s" | npm\s(?:error|ERR|warn)
      | (?:Uncaught\s)?[\w.:]{0,80}(?:Error|Exception|ERROR|FATAL|WARN(?:ING)?)(?:\s?\[\w{1,40}\]|\s\d{1,9})?:
      | \[?\d{4}-\d\d-\d\d[T\s] | \[?\d\d:\d\d:\d\d
      | \S{1,200}:\d+(?::\d+)?(?::|$)                    # path:line
    )
    | (?=.{0,200}[=({<]).{0,200}[;{}]$                    # code
    | .{0,250}\s{3,}$                                    # lines of a terminal, padded
    | [!-~]{120}
    """,
    re.VERBOSE,
)
_ERROR_LINE = re.compile(r"(?i)\b(?:error|exception|failed|fatal|panic)\b")
_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’)\]]*\s+|[。！？]+")
_ABBREVIATIONS = ("e.g", "i.e", "etc", "vs", "cf", "resp", "approx", "z.b", "d.h", "bzw")


class Passage(NamedTuple):
    """A run of text of one kind, folded to one line."""

    text: str
    pasted: bool


def line_of(text: str, max_units: int) -> str:
    """A text as one line that cannot be taken for structure, cut with a word about it to `max_units` UTF-16 units."""
    return cut(_TAG.sub(r"‹\1", " ".join(_clean(head_and_tail(text)).split())), max_units)


def cut(text: str, max_units: int) -> str:
    """The head of a text that is too long, and how much is missing, in UTF-16 units; it may have been cut before."""
    if utf16_length(text) <= max_units:
        return text
    missing = 0
    if before := _CUT.search(text):
        text, missing = text[: before.start()], int(before[1])
    head = slice_head(text, max_units - 40).rstrip()
    return f"{head}… [{utf16_length(text) - utf16_length(head) + missing} more characters]"


def head_and_tail(text: str) -> str:
    """A text, without its middle where it is longer than `SCANNED_CHARACTERS`."""
    if len(text) <= SCANNED_CHARACTERS:
        return text
    half = SCANNED_CHARACTERS // 2
    return f"{text[:half]}\n{text[-half:]}"


def skipped(text: str) -> int:
    """The characters of that middle."""
    return max(0, len(text) - SCANNED_CHARACTERS)


def without_bullets(text: str) -> str:
    """An item without the bullets, numbers and boxes before it."""
    bullets = _BULLETS.match(text)
    return text[bullets.end() :] if bullets else text


def passages(text: str) -> list[Passage]:
    """The passages of a text: each line of prose (as its writer meant it, not as it was wrapped), each pasted block."""
    found: list[Passage] = []
    for what, lines in _blocks(_clean(head_and_tail(text)).strip().split("\n")):
        if what:
            error = next((line for line in lines if _ERROR_LINE.search(line[:500])), "")
            shown = f": {line_of(error, 200)}" if error.strip() else ""
            size = f", {len(lines)} lines" if len(lines) > 1 else ""
            found.append(Passage(f"[{what}{size}{shown}]", pasted=True))
        else:
            found += [Passage(line, pasted=False) for line in map(_fold, _unwrapped(lines)) if line]
    return found


def condensed(said: Sequence[Passage], max_units: int) -> str:
    """Passages on one line, what was pasted in short."""
    return cut(" ".join(passage.text for passage in said), max_units)


def sentences(said: Sequence[Passage]) -> Iterator[str]:
    """The sentences of the prose, each on one line and without its bullet."""
    for passage in said:
        if not passage.pasted:
            yield from _split(passage.text)


def _clean(text: str) -> str:
    return _CONTROL.sub("", without_surrogates(text))


def _fold(text: str) -> str:
    return _TAG.sub(r"‹\1", " ".join(text.split()))


def _split(text: str) -> Iterator[str]:
    start = 0
    for end in _SENTENCE_END.finditer(text):
        said = text[start : end.start()]
        if said.lower().endswith(_ABBREVIATIONS) or said.strip().isdigit():
            continue
        if sentence := without_bullets(text[start : end.end()].strip()):
            yield sentence
        start = end.end()
    if sentence := without_bullets(text[start:].strip()):
        yield sentence


def _blocks(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Runs of lines: ("", prose) or (what was pasted, its lines). A fence that never closes is none."""
    fences_left = sum(1 for line in lines if _FENCE.match(line))
    what, closing = "", ""
    block: list[str] = []
    for line in lines:
        if closing:
            ends = bool(_FENCE.match(line)) if closing == "```" else line.startswith(closing)
            if ends:
                yield what, block
                what, closing, block = "", "", []
            else:
                block.append(line)
            fences_left -= bool(_FENCE.match(line))
            continue
        fenced, attached = bool(_FENCE.match(line)), _ATTACHMENT.match(line)
        opens = fenced and fences_left > 1
        fences_left -= fenced
        kind = "code" if opens else f"{attached[1]} {attached[2]}" if attached else _kind(line, what)
        if kind != what and block:
            yield what, block
            block = []
        what = kind
        if opens or attached:
            closing = "```" if opens else f"</{attached[1] if attached else ''}>"
        else:
            block.append(line)
    if block:
        yield what, block


def _kind(line: str, before: str) -> str:
    """A log goes on over indented lines and ends at a blank one or at prose."""
    head = line[:300]
    if before == "pasted" and head[:1].isspace() and head.strip():
        return "pasted"
    return "pasted" if head.strip() and not BULLET.match(head.lstrip()) and _LOG.match(head) else ""


def _unwrapped(lines: list[str]) -> Iterator[str]:
    """Join the lines that were broken to fit a width."""
    whole: list[str] = []
    for line in lines:
        bare = line.strip()
        goes_on = whole and len(whole[-1]) >= 60 and bare[:1].islower() and whole[-1].rstrip()[-1:] not in ".!?:"
        if whole and not goes_on:
            yield " ".join(whole)
            whole = []
        if bare:
            whole.append(bare)
    if whole:
        yield " ".join(whole)
