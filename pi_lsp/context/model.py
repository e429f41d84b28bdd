"""What the projection has to know of a model; llm/ fills it from its table."""

from collections.abc import Mapping

import msgspec


class Rates(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """US dollars per million tokens."""

    input: float = 0
    output: float = 0
    cache_read: float = 0
    cache_write: float = 0


class Tier(Rates, frozen=True, kw_only=True, rename="camel"):
    """The rates of a whole request from so many input tokens on."""

    input_tokens_above: float


class Cost(Rates, frozen=True, kw_only=True, rename="camel"):
    """What a model costs; free where nothing is known."""

    tiers: tuple[Tier, ...] = ()


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """A model as the lower layers see it. Counts are tokens."""

    id: str
    provider: str = "anthropic"
    api: str = "anthropic-messages"
    name: str = ""
    context_window: int = 200_000
    max_tokens: int = 64_000
    reasoning: bool = False
    input: tuple[str, ...] = ("text", "image")
    """What a message may hold: `text`, `image`."""
    system_messages: bool = False
    """Takes system messages in the middle of a conversation (`supportsMidConvoSystemMessages`)."""
    adaptive_thinking: bool = False
    """Decides itself how long it thinks and takes an effort, not a budget (`forceAdaptiveThinking`)."""
    takes_empty_signatures: bool = False
    """Takes its own thinking back without a signature (`allowEmptySignature`); else it is sent as text."""
    cache_marks_on_tools: bool = True
    """Takes a cache breakpoint on a tool (`supportsCacheControlOnTools`)."""
    cost: Cost = Cost()
    base_url: str | None = None
    """The address in front of `/v1/messages`, where it is not the provider's own."""
    thinking_levels: Mapping[str, str | None] = msgspec.field(default_factory=dict[str, str | None])
    """Where a level differs from the ordinary: the effort it stands for, None where it cannot be had."""

    @property
    def takes_images(self) -> bool:
        """Whether images may be sent."""
        return "image" in self.input
