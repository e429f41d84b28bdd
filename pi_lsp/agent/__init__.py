"""The state of one editor window and what happens in it."""
