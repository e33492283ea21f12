"""Deceptive birds: given absence, something in a recording misleads everybody in the same way.

Given that species k is absent from recording i, all who listen have the same effect h[i, k] on their logits,

    P(report of j | absent) = σ(x[j, k] + h[i, k]),   h[i, k] ~ Normal(0, spread²),

in classes as in ../../audibility.py. Absent cells with a report are few: they are listed, like present cells
with faint birds. Silent ones are too many to be listed, so that the silences on them are brought into the
form of counts by rate, exactly, by auxiliary variables. With G the probability of one silence over all
classes, and g that of it in a class, the silences on a cell have the probability

    Σ over classes share · ∏ g  =  ∏ G · (1 + excess),   excess ≥ 0,

since all g fall from class to class. Each cell is *linked*, with probability excess / (1 + excess), or not.
Silences on cells that are not linked are independent of each other. Linked cells are about as few as false
reports of several people on the same cell: linked.py finds them without going through all. silences.py has
the trials that silences on linked and on other cells amount to.
"""

WORDS = "something in a recording may mislead everybody in the same way"
