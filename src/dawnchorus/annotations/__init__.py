"""What annotators reported: plain arrays of votes, labels, and the class `Annotations` for users."""
