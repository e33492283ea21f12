"""The commands that sample: a fit, and the update of one."""
