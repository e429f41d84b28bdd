"""The shape of everything that crosses the wire of the pi/ methods."""

import msgspec


class Wire(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Base of params, results and events: camelCase outside, a field at its default left out, unknown keys ignored."""
