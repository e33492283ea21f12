"""Workers: work in pieces that do not depend on each other, in processes or on a cluster."""
