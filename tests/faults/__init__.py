"""Deliberate faults: lines of the samplers that are changed in a copy of them, and the tests that see it.

Chosen by walking through each kernel line by line. `trying` tries them, `page` makes a page of them.
"""
