"""pi-lsp: context engineering for coding agents, inside the editor."""

__version__ = "0.1.0"
