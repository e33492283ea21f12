"""Tables in parts, which may be larger than memory: described, agreed on labels, and coded."""
