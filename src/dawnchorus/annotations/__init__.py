"""Annotations: what was said. Plain arrays, labels, and `Annotations` on top of them."""
