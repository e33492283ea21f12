"""A formula and the metadata of recordings, or of annotators, become a context."""
