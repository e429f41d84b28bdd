"""The parts of a request's body, and the list that a rule joins."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from pi_lsp.context.model import Model

Body: TypeAlias = dict[str, Any]
Rule: TypeAlias = Callable[[Body, Model], Iterator[str]]


class Rules(list[Rule]):
    """The rules of one subject, in the order in which they are asked."""

    def add(self, check: Rule) -> Rule:
        """Decorate a rule; its findings bear its name."""
        self.append(check)
        return check


def blocks_of(body: Body) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every block with its place and the role of its message, those inside tool results too."""
    for index, message in enumerate(body["messages"]):
        for place, block in enumerate(content_of(message)):
            yield f"messages.{index}.content.{place}", message["role"], block
            if block["type"] == "tool_result" and isinstance(block.get("content"), list):
                for inner, part in enumerate(block["content"]):
                    yield f"messages.{index}.content.{place}.content.{inner}", "tool_result", part


def content_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
