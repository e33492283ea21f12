"""A formula and the metadata of recordings become a context."""
