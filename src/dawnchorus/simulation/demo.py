"""The data of `dawnchorus demo`: a small simulated portal, for users who have no data at hand."""

from __future__ import annotations

from . import Simulation, simulate_portal

BIRDS = (
    "Willow Warbler", "Chaffinch", "European Robin", "Tree Pipit", "Song Thrush", "Common Cuckoo",
    "Great Tit", "Eurasian Blackbird", "Garden Warbler", "Eurasian Siskin", "Redwing", "Goldcrest",
    "Common Crane", "Eurasian Wren", "Spotted Flycatcher", "Common Redstart", "Wood Warbler",
    "Yellowhammer", "Dunnock", "Eurasian Woodcock", "Lesser Whitethroat", "Hooded Crow",
    "Black Woodpecker", "Icterine Warbler", "Great Snipe", "Ural Owl", "Common Rosefinch",
    "Black-throated Loon", "Red-breasted Flycatcher", "Eurasian Pygmy Owl",
)  # fmt: skip

ANNOTATORS = (
    "Aino", "Onni", "Helmi", "Eino", "Lyyli", "Toivo", "Saima", "Väinö", "Elli", "Urho", "Impi", "Arvo",
)  # fmt: skip


def demo_simulation(seed: int = 1) -> Simulation:
    """Return the data of the demo: 600 recordings, 12 annotators, 30 species.

    >>> demo_simulation().annotations.n_species
    30
    """
    return simulate_portal(600, ANNOTATORS, BIRDS, visits=1.6, sites=8, seed=seed)
