"""The page about deliberate faults; `make docs` writes it."""

from __future__ import annotations

from pathlib import Path

from faults import (
    cut_off,
    deceptive,
    difficulty,
    effects,
    evenness,
    expertise,
    faint,
    machines,
    occurrence,
    presence,
    skill,
    spreads,
    survivors,
    together,
    unsure,
)

ROOMS = {
    "Presence, and what it is given": presence.FAULTS,
    "Rates": expertise.FAULTS,
    "Levels and spreads of rates": spreads.FAULTS,
    "Who reports at random": evenness.FAULTS,
    "Species that are hard for everyone": difficulty.FAULTS,
    "Faint birds": faint.FAULTS,
    "Deceptive birds": deceptive.FAULTS,
    "Everything together": together.FAULTS,
    "What annotators say of themselves": skill.FAULTS,
    "Unsure marks that are votes": unsure.FAULTS,
    "Scores of machines": machines.FAULTS,
    "Scores that are cut off": cut_off.FAULTS,
    "Occurrence": occurrence.FAULTS,
    "Effects of context": effects.FAULTS,
}
FAULTS = [fault for faults in (*ROOMS.values(), survivors.FAULTS) for fault in faults]
PAGE = Path(__file__).parents[2] / "docs" / "developer" / "deliberate_faults.md"

HEAD = [
    "# Deliberate faults",
    "How do we know that the tests would see a fault in the samplers? We put one in. Each line below was "
    "changed in a copy of the package, and the test beside it failed, by an assertion; without the "
    "fault it passes. The faults were chosen by walking through each kernel line by line. `make "
    f"test-slow` tries them all ({len(FAULTS) - len(survivors.FAULTS)} that are seen, "
    f"{len(survivors.FAULTS)} that survive). That takes about 45 minutes of a processor's time, "
    "half of it on two cores that have nothing else to do. This is reckoned from what was measured on "
    "2026-11-20: 4.3 seconds for a fault that is seen (of 21 tried by the command below), 70 for one that "
    "survives, and 3 minutes without a fault. The tests named here are "
    "fast ones, which `make test` runs.",
    "Four kinds of tests see faults:",
    "- *Every conditional step against its own density* (`tests/steps`, `tests/model/test_steps.py`). "
    "Values are drawn, or start from draws of the exact density and are moved, and are compared with "
    "it. The same is done with each term of the density a tenth too small or too large in what the step "
    "is told, and the test has to fail then. So a step's test sees a change of 10 % in any of its "
    "terms.\n"
    "- *Every decision of a step against its own ratio* (`tests/steps/accepted.py`). A proposal that is "
    "close to the density hides a wrong ratio: one that is wrong by a factor that is the same on the way "
    "back only makes acceptance rarer. So the random number that decides is known, and lies just "
    "above or just below the ratio of the densities and of the ways there and back, worked out plainly.\n"
    "- *The draw of presence against a loop over every cell*, on portals as wild as real ones "
    "(`tests/portals.py`): recordings with many visits whose scopes overlap only in part, unsure marks, "
    "empty scopes, annotators with one visit or none, species that nobody voted on, more groups than "
    "tables of candidates.\n"
    "- *Whole sweeps*: chains against exact enumeration, draws from the prior that sweeps have to leave "
    "as they are, and ranks of the truth.",
    "To add a fault, add it to a list in `tests/faults` with the test that should see it, and run `make "
    "docs`. The line that it changes has to be in its file exactly once. Then try it:",
    "```sh\n"
    "PYTHONPATH=tests .venv/bin/python -m faults                   # all, on all cores, a line for each\n"
    "PYTHONPATH=tests .venv/bin/python -m faults 'learned shapes'  # those with these words\n"
    "```",
    "Numba does not notice when a function that a kernel calls has changed in another file. When you "
    "try a fault by hand, work on a copy and remove its `__pycache__` folders, or run small checks with "
    "`NUMBA_DISABLE_JIT=1`. Otherwise the old code may run, and the fault seems to survive.",
]
SURVIVORS = [
    "## Which survive, and why",
    "These changes, but for the last two, leave the distribution of draws as it is, so no test of it can "
    "see them. They are tried too: all steps have to keep their densities.",
]


def page() -> str:
    """Return the whole page."""
    parts = list(HEAD)
    for title, faults in ROOMS.items():
        rows = [f"| `{fault.file}` | {fault.words} | {_test(fault.seen_by)} |" for fault in faults]
        parts += [f"## {title}", "\n".join(["| file | fault | seen by |", "|---|---|---|", *rows])]
    rows = [f"| `{fault.file}` | {fault.words} | {fault.why} |" for fault in survivors.FAULTS]
    parts += [*SURVIVORS, "\n".join(["| file | change | why no test sees it |", "|---|---|---|", *rows])]
    return "\n\n".join(parts) + "\n"


def _test(path: str) -> str:
    """Return a test's file, its name in words and its case; a step's case says all."""
    file, _, test = path.partition("::")
    name, _, case = test.rstrip("]").partition("[")
    words = name.removeprefix("test_").replace("_", " ")
    shown = case if "steps" in file else f"{words} ({case})" if case else words
    return f"`{file.removeprefix('tests/model/')}`: {shown}"


if __name__ == "__main__":
    print(page(), end="")
