"""The names of the methods, for those who must not import what answers them (`methods.py` does).

A test holds both lists together.
"""

VERSION = 1
"""Of the protocol (protocol.md)."""

METHOD_NAMES = (
    "pi/state",
    "pi/rules",
    "pi/rules/all",
    "pi/skills",
    "pi/session/list",
    "pi/session/entries",
    "pi/session/open",
    "pi/session/new",
    "pi/tree",
    "pi/context",
    "pi/explain",
    "pi/compact/preview",
    "pi/trust/set",
)
