"""Making a long history short: cut point, plan, summaries, branches."""
