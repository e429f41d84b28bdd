"""The events of the Messages API's stream, read into an answer.

Servers of many makers speak this protocol, so nothing is taken for granted: an event that is not known, a block that
was never opened, a count that is none are passed over; what an answer cannot do without is missed at the end.
"""

from pi_lsp.base.json import JsonError, JsonObject, as_int, as_object, as_str, decode_object
from pi_lsp.base.text import one_line
from pi_lsp.llm.answer import REDACTED, Answer, Delta, Part, StopReason
from pi_lsp.llm.failure import Failure, in_words

_STOPS: dict[str, StopReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "max_tokens": "length",
    "tool_use": "toolUse",
}
_REFUSED = "The model refused to complete the request"


class EventReader:
    """Reads events into an answer, in the order of their arrival."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._parts: dict[int, Part] = {}
        self.started = False
        """The first event of an answer has been read."""
        self._stopped = False
        self.ended = False
        """The answer's last event has been read, or one that says that none will come."""

    def read(self, name: str | None, data: str) -> Delta | None:
        """Take in one server-sent event."""
        if self.ended or name not in _EVENTS:
            return None
        if name == "error":
            self._fail(in_words(data) or "The server sent an error without a text")
            return None
        try:
            event = decode_object(data)
        except JsonError as error:
            self._fail(f"Could not parse event {name}: {error}; data={one_line(data)}")
            return None
        return self._take(name, event)

    def finish(self) -> None:
        """No more events will come."""
        if not self.ended:
            self._fail(f"The stream ended {'before message_stop' if self.started else 'without a stop reason'}")

    def _take(self, name: str, event: JsonObject) -> Delta | None:
        match name:
            case "content_block_delta":
                return self._add(self._part(event), as_object(event.get("delta")))
            case "content_block_start":
                return self._open(event, as_object(event.get("content_block")))
            case "content_block_stop":
                if part := self._part(event):
                    part.whole = True
            case "message_start":
                self._start(as_object(event.get("message")))
            case "message_delta":
                self._count(as_object(event.get("usage")))
                self._stop(as_object(event.get("delta")))
            case _:
                if not self._stopped:
                    self._fail("The stream ended without a stop reason")
                self.ended = True
        return None

    def _part(self, event: JsonObject) -> Part | None:
        """The block that an event is about: their count of blocks is not ours, which has no unknown ones."""
        return self._parts.get(as_int(event.get("index")))

    def _start(self, message: JsonObject) -> None:
        self.started = True
        if response_id := as_str(message.get("id")):
            self._answer.details["responseId"] = response_id
        if (model := as_str(message.get("model"))) and model != self._answer.model.id:
            self._answer.details["responseModel"] = model
        self._count(as_object(message.get("usage")))

    def _open(self, event: JsonObject, block: JsonObject) -> Delta | None:
        match block.get("type"):
            case "text":
                part, text = self._answer.open("text", {"type": "text"}), block.get("text")
            case "thinking":
                part, text = self._answer.open("thinking", {"type": "thinking"}), block.get("thinking")
                part.sign(as_str(block.get("signature")))
            case "redacted_thinking":
                part, text = self._answer.open("thinking", {"thinking": REDACTED, "redacted": True}), None
                part.sign(as_str(block.get("data")))
            case "tool_use":
                call: JsonObject = {
                    "type": "toolCall",
                    "id": as_str(block.get("id")),
                    "name": as_str(block.get("name")),
                }
                call["arguments"] = as_object(block.get("input"))
                part, text = self._answer.open("toolArguments", call), None
            case _:
                return None
        self._parts[as_int(event.get("index"))] = part
        return part.add(as_str(text)) if text else None

    def _add(self, part: Part | None, delta: JsonObject) -> Delta | None:
        if part is None or part.whole:
            return None
        match part.kind, delta.get("type"):
            case "text", "text_delta":
                text = delta.get("text")
            case "thinking", "thinking_delta":
                text = delta.get("thinking")
            case "toolArguments", "input_json_delta":
                text = delta.get("partial_json")
            case "thinking", "signature_delta":
                part.sign(as_str(delta.get("signature")))
                return None
            case _:
                return None
        return part.add(as_str(text)) if text else None

    def _stop(self, delta: JsonObject) -> None:
        """Why the answer ends. A reason that is unknown, or no end (`model_context_window_exceeded`), fails it."""
        reason = as_str(delta.get("stop_reason"))
        if not reason:
            return
        self._stopped = True
        self._answer.details["rawStopReason"] = reason
        if reason in _STOPS:
            self._answer.end(_STOPS[reason])
        elif reason == "refusal":
            explanation = as_str(as_object(delta.get("stop_details")).get("explanation"))
            self._answer.fail(explanation or _REFUSED, Failure(kind="refused"))
        else:
            self._fail(f"The answer stopped with {reason}", ended=False)

    def _count(self, reported: JsonObject) -> None:
        """Counts are totals so far; one that is missing leaves what is known."""
        usage = self._answer.usage
        usage.new = _tokens(reported, "input_tokens", usage.new)
        usage.output = _tokens(reported, "output_tokens", usage.output)
        usage.cache_read = _tokens(reported, "cache_read_input_tokens", usage.cache_read)
        usage.cache_write = _tokens(reported, "cache_creation_input_tokens", usage.cache_write)
        written = as_object(reported.get("cache_creation"))
        usage.long_write = min(_tokens(written, "ephemeral_1h_input_tokens", usage.long_write), usage.cache_write)
        thinking = as_object(reported.get("output_tokens_details")).get("thinking_tokens")
        usage.reasoning = usage.reasoning if thinking is None else max(as_int(thinking), 0)

    def _fail(self, text: str, *, ended: bool = True) -> None:
        self._answer.fail(text, Failure(kind="stream"))
        self.ended = ended


_EVENTS = frozenset(
    {
        "error",
        "message_start",
        "message_delta",
        "message_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
    }
)


def _tokens(counts: JsonObject, key: str, known: int) -> int:
    return known if counts.get(key) is None else max(as_int(counts[key]), 0)
