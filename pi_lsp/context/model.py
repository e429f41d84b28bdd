"""What the projection has to know of a model; llm/ fills it from its table."""

from collections.abc import Mapping

import msgspec


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
    thinking_levels: Mapping[str, str | None] = msgspec.field(default_factory=dict[str, str | None])
    """Where a level differs from the ordinary: the effort it stands for, None where it cannot be had."""

    @property
    def takes_images(self) -> bool:
        """Whether images may be sent."""
        return "image" in self.input
