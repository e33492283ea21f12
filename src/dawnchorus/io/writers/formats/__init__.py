"""The formats that can be written: one file each."""
