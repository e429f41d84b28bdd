"""Pi's session files: messages, entries, codec, migration, tree, log, tail-follow, catalogue."""
