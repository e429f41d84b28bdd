"""The second half of the projection: the selected messages become those of a request, and every change is recorded."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pi_lsp.context.convert import convert
from pi_lsp.context.fate import Change, Fate
from pi_lsp.context.model import Model
from pi_lsp.context.pairing import transform
from pi_lsp.context.trace import Traced
from pi_lsp.context.valid import framed, repaired
from pi_lsp.context.wording import WORDING, Wording
from pi_lsp.session.messages import Message


def finish(messages: Iterable[Message], model: Model, wording: Wording = WORDING) -> Traced:
    """The messages of a valid request to `model`, each with its source among the given ones, and all changes.

    Pure and synchronous: converted and paired as Pi 1.6.0 does it, then repaired where Pi would be refused.
    """
    return framed(prepare(messages, model, wording), model, wording)


def prepare(messages: Iterable[Message], model: Model, wording: Wording = WORDING) -> Traced:
    """All of `finish` but what makes a whole of it: the first and the last message, and the place of system ones."""
    return repaired(transform(convert(Traced.of(messages), wording), model), model)


def changed_fates(before: Mapping[str, Fate], owners: Sequence[str], changes: Sequence[Change]) -> Mapping[str, Fate]:
    """The fates of a path after further changes; what was done to an entry before stays told.

    `owners` are the ids of the entries behind the messages that the changes name. An entry of several messages is
    absent only where all of them are.
    """
    gone = Counter(owners[index] for index in {change.index for change in changes if change.fate == "absent"})
    owned = Counter(owners)
    fates = dict(before)
    for change in changes:
        owner = owners[change.index]
        earlier = fates[owner]
        fates[owner] = Fate(
            fate="absent" if gone[owner] == owned[owner] else "changed",
            stage=change.stage,
            by=earlier.by,
            detail="; ".join(filter(None, [earlier.detail, change.detail])),
        )
    return fates
