"""What happens in a window, as `pi/event` tells it (protocol.md, Events)."""

from collections.abc import Callable
from typing import Literal, TypeAlias

from pi_lsp.agent.deltas import DeltaKind
from pi_lsp.base.json import JsonObject
from pi_lsp.base.wire import Wire
from pi_lsp.context.refs import EntryRef

Source: TypeAlias = Literal["measured", "estimated"]
CompactionReason: TypeAlias = Literal["manual", "threshold", "overflow"]
RetryOperation: TypeAlias = Literal["chat", "compaction", "branchSummary"]
StopReason: TypeAlias = Literal["done", "cancelled", "error", "maxTurns"]


class AgentStart(Wire, frozen=True, kw_only=True, tag_field="type", tag="agent_start"):
    """A run begins."""


class TurnStart(Wire, frozen=True, kw_only=True, tag_field="type", tag="turn_start"):
    """A request to the model, and what is done with its answer."""


class MessageStart(Wire, frozen=True, kw_only=True, tag_field="type", tag="message_start"):
    """A message begins; deltas may follow."""

    role: str


class MessageDelta(Wire, frozen=True, kw_only=True, tag_field="type", tag="message_delta"):
    """More of a block of the message, by its index."""

    block: int
    kind: DeltaKind
    delta: str


class MessageEnd(Wire, frozen=True, kw_only=True, tag_field="type", tag="message_end"):
    """The whole message as it is stored, and the entry that holds it."""

    message: JsonObject
    entry_id: str | None = None


class TurnEnd(Wire, frozen=True, kw_only=True, tag_field="type", tag="turn_end"):
    """The turn is over."""


class AgentEnd(Wire, frozen=True, kw_only=True, tag_field="type", tag="agent_end"):
    """The run is over."""

    stop_reason: StopReason


class QueueChanged(Wire, frozen=True, kw_only=True, tag_field="type", tag="queue"):
    """The texts that wait for the run."""

    steer: list[str]
    follow_up: list[str]


class CompactionStart(Wire, frozen=True, kw_only=True, tag_field="type", tag="compaction_start"):
    """A compaction begins."""

    reason: CompactionReason


class CompactionEnd(Wire, frozen=True, kw_only=True, tag_field="type", tag="compaction_end"):
    """A compaction is over: with an entry, or with the reason why there is none."""

    reason: CompactionReason
    entry_id: str | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    summarizer: str | None = None
    error: str | None = None
    cancelled: bool = False


class BranchSummaryStart(Wire, frozen=True, kw_only=True, tag_field="type", tag="branch_summary_start"):
    """The branch that is left is being summarised."""


class BranchSummaryEnd(Wire, frozen=True, kw_only=True, tag_field="type", tag="branch_summary_end"):
    """It was, or it was not."""

    error: str | None = None
    cancelled: bool = False


class RetryScheduled(Wire, frozen=True, kw_only=True, tag_field="type", tag="retry_scheduled"):
    """A request failed in a way that will pass; it goes out again after `delay_ms`. `reason`: the error for people."""

    operation: RetryOperation
    attempt: int
    max_attempts: int
    delay_ms: float
    error: str
    reason: str


class RetryAttemptStart(Wire, frozen=True, kw_only=True, tag_field="type", tag="retry_attempt_start"):
    """The pause is over."""

    operation: RetryOperation
    attempt: int


class RetryFinished(Wire, frozen=True, kw_only=True, tag_field="type", tag="retry_finished"):
    """No more retries: it worked, or it did not."""

    operation: RetryOperation
    attempt: int
    success: bool


class RulesOffered(Wire, frozen=True, kw_only=True, tag_field="type", tag="rules_offered"):
    """Rule files below the working directory that the session could load."""

    uris: list[str]


class Warned(Wire, frozen=True, kw_only=True, tag_field="type", tag="warning"):
    """Something that the person should know and that stops nothing. A face shows it by itself."""

    message: str


class HookFailed(Wire, frozen=True, kw_only=True, tag_field="type", tag="hook_failed"):
    """A hook raised, took too long or made no sense; the work goes on without it. No `hook`: the whole plugin."""

    plugin: str
    error: str
    hook: str | None = None


class SessionChanged(Wire, frozen=True, kw_only=True, tag_field="type", tag="session_changed"):
    """The window has another session, or its leaf moved. The face adds the state."""


class EntryAppended(Wire, frozen=True, kw_only=True, tag_field="type", tag="entry_appended"):
    """An entry is in the file, written by whomever, behind `parent_id`. `leaf_id` is the window's leaf now."""

    entry: EntryRef
    parent_id: str | None
    leaf_id: str | None


class ForeignAppend(Wire, frozen=True, kw_only=True, tag_field="type", tag="foreign_append"):
    """Another program wrote into the session."""

    count: int
    leaf_moved: bool


class ResourcesChanged(Wire, frozen=True, kw_only=True, tag_field="type", tag="resources_changed"):
    """Rule files, skills or settings changed, in a buffer or on disk."""

    rules: bool
    skills: bool
    settings: bool

    def __or__(self, other: "ResourcesChanged") -> "ResourcesChanged":
        """Both changes as one."""
        return ResourcesChanged(
            rules=self.rules or other.rules,
            skills=self.skills or other.skills,
            settings=self.settings or other.settings,
        )


class ContextChanged(Wire, frozen=True, kw_only=True, tag_field="type", tag="context"):
    """How full the model's window is; null where nobody knows."""

    tokens: int | None
    percent: float | None
    source: Source


ToldAsItIs: TypeAlias = (
    AgentStart
    | TurnStart
    | MessageStart
    | MessageDelta
    | MessageEnd
    | TurnEnd
    | AgentEnd
    | QueueChanged
    | CompactionStart
    | CompactionEnd
    | BranchSummaryStart
    | BranchSummaryEnd
    | RetryScheduled
    | RetryAttemptStart
    | RetryFinished
    | EntryAppended
    | ForeignAppend
    | ResourcesChanged
    | RulesOffered
    | Warned
    | HookFailed
    | ContextChanged
)
"""The events that a client gets in the very form that they have here."""

Event: TypeAlias = ToldAsItIs | SessionChanged
Emit: TypeAlias = Callable[[Event], object]
