"""The only code that knows LSP."""
