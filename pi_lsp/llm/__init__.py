"""Talking to a model: stream contract, model table, request body, retry."""
