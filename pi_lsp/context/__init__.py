"""The projection: what of everything stored reaches the model, and why the rest does not."""
