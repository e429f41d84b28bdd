"""The assistant message of one request while it arrives. It is a valid message at every moment."""

import time
from typing import Literal, NamedTuple, TypeAlias

from pi_lsp.base.json import JsonObject
from pi_lsp.base.text import without_surrogates
from pi_lsp.context.model import Model
from pi_lsp.llm.arguments import partial_arguments, whole_arguments
from pi_lsp.llm.failure import Failure
from pi_lsp.llm.pricing import cost_of
from pi_lsp.session.messages import Block, Message

DeltaKind: TypeAlias = Literal["text", "thinking", "toolArguments"]
StopReason: TypeAlias = Literal["stop", "length", "toolUse"]

REDACTED = "[Reasoning redacted]"
"""What a person sees of thinking that the provider keeps to itself; Pi 1.6.0 stores the same."""


class Delta(NamedTuple):
    """A piece of an answer."""

    block: int
    """Index in the content of the message."""
    kind: DeltaKind
    delta: str
    """For `toolArguments` a piece of JSON text."""


class Part:
    """One block of the answer, growing."""

    def __init__(self, index: int, kind: DeltaKind, fields: Block) -> None:
        """`fields` are those of the stored block that do not grow."""
        self.index = index
        self.kind: DeltaKind = kind
        self.whole = False
        """Nothing more will come."""
        self._fields = fields
        self._texts: list[str] = []
        self._signatures: list[str] = []

    def add(self, text: str) -> Delta:
        """Take in the next piece."""
        self._texts.append(text)
        return Delta(self.index, self.kind, text)

    def sign(self, signature: str) -> None:
        """Take in the next piece of the signature of thinking."""
        self._signatures.append(signature)

    def block(self) -> Block:
        """The block as a session stores it."""
        text = _joined(self._texts)
        match self.kind:
            case "text":
                return {**self._fields, "text": text}
            case "thinking":
                return {"type": "thinking", "thinking": text, "thinkingSignature": "".join(self._signatures)} | (
                    self._fields
                )
            case "toolArguments":
                return {**self._fields, **self._arguments(text)}

    def _arguments(self, text: str) -> Block:
        if not text:
            return {}
        if not self.whole:
            return {"arguments": partial_arguments(text)}
        arguments, error = whole_arguments(text)
        return {"arguments": arguments} if error is None else {"arguments": arguments, "argumentsError": error}


class Usage:
    """Tokens, as far as they are known."""

    def __init__(self) -> None:
        self.new = self.output = self.cache_read = self.cache_write = 0
        self.long_write = 0
        """Those of `cache_write` that stay for an hour."""
        self.reasoning: int | None = None
        """Those of `output` that went into thinking."""


class Answer:
    """What has arrived of an answer. Its provider alone writes to it."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.usage = Usage()
        self.failure: Failure | None = None
        self.notes: list[str] = []
        """What the provider did beside asking, for a person."""
        self.details: JsonObject = {}
        """Optional fields of the message: `responseId`, `responseModel`, `rawStopReason`."""
        self._parts: list[Part] = []
        self._stop_reason: StopReason | None = None
        self._error = ""
        self._timestamp = int(time.time() * 1000)

    def open(self, kind: DeltaKind, fields: Block) -> Part:
        """Begin the next block."""
        part = Part(len(self._parts), kind, fields)
        self._parts.append(part)
        return part

    def end(self, reason: StopReason) -> None:
        """The answer is whole, unless it has failed before."""
        self._stop_reason = reason

    def fail(self, text: str, failure: Failure) -> None:
        """The answer will not be whole. `text` goes into the message; whether to try again is told by it."""
        self._error = without_surrogates(text)
        self.failure = failure

    def message(self) -> Message:
        """The message in the shape that Pi stores. One that has not ended counts as aborted."""
        stopped = "error" if self.failure else self._stop_reason or "aborted"
        message: Message = {
            "role": "assistant",
            "content": [part.block() for part in self._parts],
            "api": self.model.api,
            "provider": self.model.provider,
            "model": self.model.id,
            "usage": self._usage(),
            "stopReason": stopped,
            "timestamp": self._timestamp,
            **self.details,
        }
        if stopped == "error":
            message["errorMessage"] = self._error
        elif stopped == "aborted":
            message["errorMessage"] = "Request was aborted"
        return message

    def _usage(self) -> JsonObject:
        used = self.usage
        usage: JsonObject = {
            "input": used.new,
            "output": used.output,
            "cacheRead": used.cache_read,
            "cacheWrite": used.cache_write,
            "totalTokens": used.new + used.output + used.cache_read + used.cache_write,
        }
        if used.long_write:
            usage["cacheWrite1h"] = used.long_write
        if used.reasoning is not None:
            usage["reasoning"] = used.reasoning
        usage["cost"] = cost_of(
            self.model.cost,
            new=used.new,
            output=used.output,
            cache_read=used.cache_read,
            cache_write=used.cache_write,
            long_write=used.long_write,
        )
        return usage


def _joined(texts: list[str]) -> str:
    """The pieces as one text. A character whose halves came in two pieces is whole again; a lone half is dropped."""
    text = "".join(texts)
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
    return text
