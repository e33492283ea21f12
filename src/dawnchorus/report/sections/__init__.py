"""Sections of the report: one file each, with a template of the same name."""
