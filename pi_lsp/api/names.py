"""The names of the methods, for those who must not import what answers them (`methods.py` does).

A test holds both lists together.
"""

VERSION = 1
"""Of the protocol (protocol.md)."""

METHOD_NAMES = (
    "pi/state",
    "pi/rules",
    "pi/rules/all",
    "pi/rules/session",
    "pi/rules/load",
    "pi/skills",
    "pi/templates",
    "pi/session/list",
    "pi/session/entries",
    "pi/session/open",
    "pi/session/new",
    "pi/session/fork",
    "pi/session/clone",
    "pi/session/rename",
    "pi/session/delete",
    "pi/tree",
    "pi/tree/switch",
    "pi/tree/label",
    "pi/chat",
    "pi/abort",
    "pi/queue/set",
    "pi/model/list",
    "pi/model/set",
    "pi/thinking/set",
    "pi/auth/set",
    "pi/compact",
    "pi/compact/preview",
    "pi/compact/undo",
    "pi/context",
    "pi/context/restore",
    "pi/explain",
    "pi/trust/set",
)
