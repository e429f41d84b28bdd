"""What the server refuses, with the API's own statuses and words where they are known."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from pi_lsp.context.model import Model
from tests.support.api_server_cache import digest_of, pieces
from tests.support.strict_api import violations

VERSIONS = {"2023-01-01", "2023-06-01", "2026-10-21"}
MOST_BYTES = 32 * 1024 * 1024
TYPES = {
    400: "invalid_request_error", 401: "authentication_error", 402: "billing_error", 403: "permission_error",
    404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 504: "timeout_error",
    529: "overloaded_error",
}  # fmt: skip
_BOUND = re.compile(r"claude-(?:fable|mythos)-5-[12]|claude-(?:opus|sonnet|haiku)-5-5")
_LONE = re.compile("[\ud800-\udfff]")

_TEXTS: Mapping[str, str] = {
    "messages_empty": "messages: at least one message is required",
    "first_user": 'messages: first message must use the "user" role',
    "empty_content": "{0}: user messages must have non-empty content",
    "prefill": "This model does not support assistant message prefill. The conversation must end with a user message.",
    "blank_text": "messages: text content blocks must contain non-whitespace text",
    "extra": "{0}: Extra inputs are not permitted",
    "tool_unique": "tools: Tool names must be unique.",
    "tool_use_dup": "messages: `tool_use` ids must be unique",
    "signature_missing": "{0}.thinking.signature: Field required",
    "surrogates": "The request body is not valid JSON: no low surrogate in string: line 1 column 1 (char 0)",
    "max_tokens": "max_tokens: {0} > {1}, which is the maximum allowed number of output tokens for {2}",
}


class RefusalError(Exception):
    """The request breaks a rule; `rule` is its name."""

    def __init__(self, status: int, message: str, rule: str) -> None:
        super().__init__(message)
        self.status = status
        self.rule = rule

    def body(self) -> dict[str, Any]:
        return error_body(TYPES[self.status], str(self))


def error_body(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_011CTestTestTestTestTest"}


def check_headers(headers: Mapping[str, str], api_key: str | None) -> None:
    given = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
    if not given:
        raise RefusalError(401, "x-api-key header is required", "auth")
    if api_key is not None and given != api_key:
        raise RefusalError(401, "invalid x-api-key", "auth_value")
    version = headers.get("anthropic-version")
    if not version:
        raise RefusalError(400, "anthropic-version: header is required", "version")
    if version not in VERSIONS:
        raise RefusalError(400, f'anthropic-version: "{version}" is not a valid version', "version_value")


def read_body(raw: bytes) -> dict[str, Any]:
    if len(raw) > MOST_BYTES:
        raise RefusalError(413, "Request exceeds the maximum size", "body_size")
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise RefusalError(400, f"The request body is not valid UTF-8: {error}", "utf8") from None
    try:
        body = json.loads(text)
    except ValueError as error:
        raise RefusalError(400, f"The request body is not valid JSON: {error}", "json") from None
    if not isinstance(body, dict):
        raise RefusalError(400, "The request body is not valid JSON: an object is required", "json")
    if b"\\u" in raw and _LONE.search(json.dumps(body, ensure_ascii=False)):
        raise RefusalError(400, _TEXTS["surrogates"], "surrogates")
    return body


def check_body(body: dict[str, Any], models: Callable[[str], Model | None], window: int | None) -> None:
    """Raise RefusalError for the first broken rule."""
    name = body.get("model")
    model = models(name) if isinstance(name, str) else None
    if isinstance(name, str) and model is None:
        raise RefusalError(404, f"model: {name}", "model")
    model = model or Model(id="")
    found = violations({key: value for key, value in body.items() if key != "stream"}, model)
    found = found or [*_cache_order(body), *_tool_choice(body)]
    if found:
        rule, _, where = found[0].partition(": ")
        raise RefusalError(400, _TEXTS.get(rule, "{0}").format(where, model.max_tokens, model.id), rule)
    tokens = sum(piece.tokens for piece in pieces(body))
    most = window or model.context_window
    if tokens > most:
        raise RefusalError(400, f"prompt is too long: {tokens} tokens > {most} maximum", "context")


def _cache_order(body: dict[str, Any]) -> list[str]:
    ttls = [piece.block["cache_control"].get("ttl", "5m") for piece in pieces(body) if piece.marked]
    late = any(later == "1h" for place, first in enumerate(ttls) if first == "5m" for later in ttls[place:])
    return ["cache_ttl_order: a ttl='1h' cache_control block must not come after a ttl='5m' one"] if late else []


def _tool_choice(body: dict[str, Any]) -> list[str]:
    choice = body.get("tool_choice")
    if choice is None:
        return []
    if not body.get("tools"):
        return ["tool_choice: tool_choice may only be specified while providing tools."]
    if choice.get("type") in ("any", "tool") and body.get("thinking", {}).get("type") in ("enabled", "adaptive"):
        return ["thinking_forced_tool: Thinking may not be enabled when tool_choice forces tool use."]
    return []


class Signatures:
    """Signs thinking, and knows its own signatures again."""

    def __init__(self) -> None:
        self._issued: set[str] = set()

    def sign(self, model: str, prefix: str, text: str) -> str:
        """The signature of thinking that follows a prefix (its digest)."""
        signature = digest_of(prefix if _BOUND.search(model) else "", text)
        self._issued.add(signature)
        return signature

    def check(self, body: dict[str, Any]) -> None:
        """Raise RefusalError for thinking that was not signed here, or, on newer models, not behind this prefix."""
        prefix = ""
        for place, piece in enumerate(pieces(body)):
            kind = piece.block.get("type")
            if kind in ("thinking", "redacted_thinking"):
                self._check(body["model"], prefix, piece.block, f"messages: block {place}", kind)
            prefix = piece.digest

    def _check(self, model: str, prefix: str, block: dict[str, Any], place: str, kind: str) -> None:
        text = block.get("thinking", "")
        signature = block["signature"] if kind == "thinking" else block["data"]
        wrong = f"{place}: Invalid `signature` in `{kind}` block"
        if signature not in self._issued:
            raise RefusalError(400, wrong, "signature")
        if signature == digest_of(prefix if _BOUND.search(model) else "", text):
            return
        if not _BOUND.search(model):
            raise RefusalError(400, wrong, "signature")
        raise RefusalError(
            400,
            f"{wrong}. The block is bound to a different conversation. Remove the block, or set "
            '`thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
            "signature_binding",
        )
