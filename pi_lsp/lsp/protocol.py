"""JSON-RPC as pi-lsp promises it, on top of pygls: every request is answered exactly once, whatever it holds.

pygls 2.1 leaves gaps that were measured: params that do not fit get no answer, nor do requests after `shutdown` or
results that cannot be encoded; nested objects with a `jsonrpc` key are taken for messages; every notification leaves
a future behind. Each method here closes one of them. Params of methods that LSP does not know (`pi/...`) stay plain
JSON and are read by msgspec where they are handled; results may be msgspec structs.
"""

import json
import logging
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, TypeGuard, cast

import attrs
import cattrs
import msgspec
from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError, JsonRpcInvalidParams
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
    LanguageServerProtocol,
    default_converter,
    lsp_method,
)

from pi_lsp.base import json as pi_json
from pi_lsp.lsp.buffers import Documents

if TYPE_CHECKING:
    from pygls.io_ import Writer

# pygls has no public way to any of this.
# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

logger = logging.getLogger(__name__)

NOT_INITIALIZED = -32002
INVALID_REQUEST = -32600
PARSE_ERROR = -32700

_GENERIC = (JsonRPCRequestMessage, JsonRPCResponseMessage, JsonRPCNotification)
_PARTS_OF_A_CALL = ("jsonrpc", "id", "method", "params")
_LIFECYCLE = {types.INITIALIZE, types.EXIT}


def _nothing(*_: object) -> None:
    return None


class PiProtocol(LanguageServerProtocol):
    """The protocol of one connection."""

    _initialized = False
    custom_handler: Callable[[str], Any] = staticmethod(_nothing)
    """Gives the handler of a method that LSP does not know, or None."""
    amend: Callable[[types.ServerCapabilities], None] = staticmethod(_nothing)
    """Changes the capabilities that pygls made, before they are sent."""
    before_answer: Callable[[], object] = staticmethod(_nothing)
    """Sends what an answer must not overtake."""

    @property
    def was_shut_down(self) -> bool:
        """Whether the client asked for `shutdown`; an `exit` without it is a failure by LSP."""
        return self._shutdown

    # --- what comes in ------------------------------------------------------------------------------------------

    def structure_message(self, data: dict[str, Any]) -> dict[str, Any]:
        """Leave every object as it is: pygls calls this for nested ones too; `handle_message` structures the outer."""
        return data

    def handle_message(self, message: Any) -> None:
        """Structure one decoded message and run it; answer what cannot be run."""
        if not _is_object(message) or message.get("jsonrpc") != self.VERSION:
            if _is_object(message) and "method" not in message:
                return
            self._refuse(message, INVALID_REQUEST, "not a JSON-RPC 2.0 message (batches are not part of LSP)")
            return
        if "method" in message:
            method = message["method"]
            if why := self._misuse(message):
                self._refuse(message, INVALID_REQUEST, why)
                return
            if self._shutdown and method != types.EXIT:
                self._refuse(message, INVALID_REQUEST, "the server is shutting down")
                return
            if not self._initialized and method not in _LIFECYCLE:
                self._refuse(message, NOT_INITIALIZED, "initialize comes first")
                return
            if method == types.INITIALIZE and self._initialized:
                self._refuse(message, INVALID_REQUEST, "initialize was already answered")
                return
            message = {"params": None} | {key: message[key] for key in _PARTS_OF_A_CALL if key in message}
        elif not _is_id(message.get("id")):
            logger.warning("ignored a response without the id of a request")
            return
        try:
            structured = super().structure_message(message)
        except JsonRpcException as error:
            self._report_misfit(message, error)
            return
        if message.get("method") == types.INITIALIZE:
            self._initialized = True
        super().handle_message(cast("Any", structured))

    def _misuse(self, message: dict[str, Any]) -> str | None:
        """What is wrong with the envelope of a request or a notification."""
        method = message["method"]
        if not isinstance(method, str):
            return "the method is a string"
        if "id" not in message:
            return None
        if not (message["id"] is None or _is_id(message["id"])):
            return "an id is a string or a number"
        kind = self.get_message_type(method)
        if kind is not None and "id" not in attrs.fields_dict(kind):
            return f"{method} is a notification: it has no id"
        return None

    def answer_unreadable(self, error: Exception) -> None:
        """Answer a body that is no JSON; its id is unknown."""
        self._send_data(types.ResponseErrorMessage(id=None, error=types.ResponseError(PARSE_ERROR, str(error))))

    def _refuse(self, message: Any, code: int, why: str) -> None:
        # A notification gets no answer, not even this one.
        if _is_object(message) and "id" not in message:
            return
        msg_id = message.get("id") if _is_object(message) else None
        msg_id = msg_id if _is_id(msg_id) else None  # JSON-RPC: null where it cannot be told
        self._send_data(types.ResponseErrorMessage(id=msg_id, error=types.ResponseError(code, why)))

    def _report_misfit(self, message: dict[str, Any], error: JsonRpcException) -> None:
        cause = error.__cause__
        errors = misfits(cause) if isinstance(cause, Exception) else [str(error)]
        if "method" in message and "id" in message:
            failure = types.ResponseError(JsonRpcInvalidParams.CODE, JsonRpcInvalidParams.MESSAGE, {"errors": errors})
            self._send_data(types.ResponseErrorMessage(id=message["id"], error=failure))
        elif "method" in message:
            logger.warning("ignored a notification %s: %s", message["method"], "; ".join(errors))
        else:
            future = self._request_futures.pop(message["id"], None)
            if future and not future.done():
                future.set_exception(JsonRpcInvalidParams("; ".join(errors)))

    # --- what runs ----------------------------------------------------------------------------------------------

    def _execute_handler(
        self,
        msg_id: str | int,
        handler: Callable[[Any], Any],
        callback: Callable[[Any], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        def done(future: Any) -> None:
            self._request_futures.pop(msg_id, None)
            callback(future)

        super()._execute_handler(msg_id, handler, done, args, kwargs)

    def _handle_notification(self, method_name: str, params: Any) -> None:
        if self.custom_handler(method_name) is not None:
            logger.warning("ignored %s: it is a request, and came without an id", method_name)
            return
        super()._handle_notification(method_name, params)

    def _get_handler(self, feature_name: str) -> Any:
        return self.custom_handler(feature_name) or super()._get_handler(feature_name)

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Answer `initialize` with our own capabilities added, and keep open documents in our own way."""
        result = yield from super().lsp_initialize(params)
        self._workspace = Documents(
            params.root_uri,
            workspace_folders=params.workspace_folders,
            position_encoding=result.capabilities.position_encoding or types.PositionEncodingKind.Utf16,
        )
        self.amend(result.capabilities)
        return result

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *args: Any) -> Generator[Any, Any, None]:
        """Cancel what still runs, over a copy: commands that end meanwhile change the dictionary."""
        current = self.msg_id
        self._shutdown = True
        if (user_handler := self.fm.features.get(types.SHUTDOWN)) is not None:
            yield user_handler, args, None
        for msg_id, future in list(self._request_futures.items()):
            if msg_id != current and not future.done():
                future.cancel()

    # --- what goes out ------------------------------------------------------------------------------------------

    def notify(self, method: str, params: Any | None = None) -> None:
        """Send a notification; one of our own, whose params are a struct, goes out without pygls' classes."""
        if isinstance(params, msgspec.Struct):
            self._send_data({"jsonrpc": self.VERSION, "method": method, "params": params})
        else:
            super().notify(method, params)

    def _send_data(self, data: Any) -> None:
        """Encode and write one message. One that cannot be encoded becomes an internal error, never silence."""
        if self.writer is None:
            logger.error("no transport to write to")
            return
        try:
            body = self._encode(data)
        except Exception as error:
            logger.exception("could not encode %s", type(data).__name__)
            msg_id = getattr(data, "id", None)
            if isinstance(data, types.ResponseErrorMessage) or hasattr(data, "method") or msg_id is None:
                return
            failure = types.ResponseError(JsonRpcInternalError.CODE, f"the result could not be encoded: {error}")
            body = self._encode(types.ResponseErrorMessage(id=msg_id, error=failure))
        # We serve stdio alone, whose writer is synchronous.
        cast("Writer", self.writer).write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def _encode(self, data: Any) -> bytes:
        if isinstance(data, dict):
            payload: Any = data
        elif isinstance(data, _GENERIC):
            payload = attrs.asdict(data, recurse=False)
            for key in ("result", "params"):
                if attrs.has(type(payload.get(key))):
                    payload[key] = self._converter.unstructure(payload[key])
        else:
            payload = self._converter.unstructure(data)
            if isinstance(data, types.ResponseErrorMessage):
                payload.setdefault("id", None)  # JSON-RPC wants it, where it could not be read
        try:
            return msgspec.json.encode(payload)
        except UnicodeEncodeError:  # a lone surrogate: other programs' JSON readers refuse the escape
            return pi_json.to_utf8(json.dumps(msgspec.to_builtins(payload), ensure_ascii=False))

    def _send_response(self, msg_id: Any, result: Any = None, error: types.ResponseError | None = None) -> None:
        if error is not None and isinstance(error.data, dict) and "traceback" in error.data:
            logger.error("request %s failed: %s\n%s", msg_id, error.message, "".join(error.data["traceback"]))
            error = types.ResponseError(error.code, error.message)
        self.before_answer()
        super()._send_response(msg_id, result, error)

    def _check_handler_result(self, future: Any) -> None:
        if not future.cancelled() and (error := future.exception()) is not None:
            logger.error("a notification failed", exc_info=error)


def make_converter() -> cattrs.Converter:
    """The converter of lsprotocol with strict scalars, and with plain JSON where LSP does not know the method."""
    converter = default_converter()
    for scalar in (str, int, bool):
        converter.register_structure_hook(scalar, _strict(scalar))
    for cls in _GENERIC:
        converter.register_structure_hook(cls, _plain(cls))
    return converter


def misfits(error: Exception) -> list[str]:
    """What did not fit, one line each, with the names that stand on the wire."""
    return [_wire_path(line) for line in cattrs.transform_error(error, path="$")]


def _strict(scalar: type) -> Callable[[Any, Any], Any]:
    def structure(value: Any, _: Any) -> Any:
        if type(value) is scalar:
            return value
        raise TypeError(f"expected {_JSON_NAMES[scalar]}, got {pi_json.kind(value)}")

    return structure


_JSON_NAMES = {str: "a string", int: "an integer", bool: "a boolean"}


def _plain(cls: type) -> Callable[[Any, Any], Any]:
    names = {field.name for field in attrs.fields(cls)}

    def structure(value: dict[str, Any], _: Any) -> Any:
        return cls(**{name: value.get(name) for name in names})

    return structure


def _wire_path(line: str) -> str:
    """Put wire names into a line of cattrs: `... @ $.params.text_document` becomes `$.params.textDocument`."""
    what, at, path = line.rpartition(" @ ")
    parts = [_camel(part) for part in path.split(".")]
    return f"{what}{at}{'.'.join(parts)}"


def _camel(name: str) -> str:
    head, *rest = name.rstrip("_").split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in rest)


def _is_id(value: Any) -> TypeGuard[str | int]:
    """Whether a value can be the id of a request; other numbers than integers are allowed by JSON-RPC alone."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)
