"""Commands that read annotations without fitting them, and the options that all such commands share."""
