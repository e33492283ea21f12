"""Listening: what somebody who listens would report, as tables."""
