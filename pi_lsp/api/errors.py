"""How a pi/ method says no. A face turns these into its protocol's errors; no traceback ever reaches a client."""

from typing import Literal

Reason = Literal[
    "busy",
    "untrusted",
    "noModel",
    "staleTip",
    "notFound",
    "nothingToCompact",
    "alreadyCompacted",
    "openToolCall",
    "messagesFollow",
    "cancelledByHook",
    "readOnly",
    "invalidSession",
]


class RefusedError(Exception):
    """The request was understood and is refused; the message says why and what to do (JSON-RPC -32803)."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason: Reason = reason


class ParamsError(Exception):
    """The params do not fit; one line for each misfit, with wire names (JSON-RPC -32602)."""

    def __init__(self, *errors: str) -> None:
        super().__init__("; ".join(errors))
        self.errors = list(errors)
