"""Writers: one file per format."""
