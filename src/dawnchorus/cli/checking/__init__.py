"""The command `dawnchorus check`."""
