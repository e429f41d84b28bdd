"""What stands on disk around a session: rules, skills, templates, settings, trust, the workspace index."""
