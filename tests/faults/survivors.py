"""Changes that no test sees: nearly all of them leave what is drawn as it is."""

from __future__ import annotations

from .fault import Fault

FAULTS = [
    Fault(
        "candidates that their own visit did not vote on are not left out at once",
        "presence/silent.py",
        "if other <= visit and voted != (other == visit):",
        "if other < visit and voted:",
        "",
        "a shortcut: such a candidate has no ratio of its own, and is left out below",
    ),
    Fault(
        "all cells of a visit are candidates only if there would be twice as many",
        "presence/silent.py",
        "if length > high - low:",
        "if length > 2 * (high - low):",
        "",
        "both ways are exact; it decides which is faster",
    ),
    Fault(
        "the quick test of thinning is left out",
        "presence/silent.py",
        "present = u < w and (u < w - 0.5 * w * w or u < np.log1p(w))",
        "present = u < np.log1p(w)",
        "",
        "it only saves logarithms",
    ),
    Fault(
        "fewer groups have a table of their own",
        "presence/candidates.py",
        "OWN_TABLES = 4",
        "OWN_TABLES = 2",
        "",
        "a bound that is too large has more candidates, of which fewer are accepted",
    ),
    Fault(
        "the one tangent of a logit touches at the level, not near the mode",
        "expertise/logits/draws.py",
        "sd, mean + move, gap)",
        "sd, mean, gap)",
        "",
        "any tangent will do; with this one fewer candidates are accepted",
    ),
    Fault(
        "outer tangents touch elsewhere",
        "expertise/logits/tangents.py",
        "TANGENT = 1.4",
        "TANGENT = 1.0",
        "",
        "any tangent lies above the density; it decides how often candidates are accepted",
    ),
    Fault(
        "the slice starts twice as wide",
        "spreads.py",
        "step = 2 / math.sqrt(2 * count + 1)",
        "step = 4 / math.sqrt(2 * count + 1)",
        "",
        "any width is exact; it decides how many steps are needed",
    ),
    Fault(
        "proposals are nearer to the reflection",
        "reflection.py",
        "JITTER = 0.3",
        "JITTER = 0.2",
        "",
        "any jitter is exact; it decides how well chains mix, which benchmarks measure",
    ),
    Fault(
        "the grid of rare species has fewer points",
        "occurrence/rare_species.py",
        "POINTS = 14",
        "POINTS = 12",
        "",
        "proposals are corrected for the grid; it decides how often they are accepted",
    ),
    Fault(
        "candidates under tangents are accepted a little too often",
        "expertise/logits/tangents.py",
        "if rng.standard_exponential() > hat - (density - top):",
        "if rng.standard_exponential() > 0.9 * (hat - (density - top)):",
        "",
        "tangents are so close to the density that it changes by less than 3 % anywhere; half is seen",
    ),
    Fault(
        "threads share the room for classes of birds",
        "presence/blocks.py",
        "mine = says.with_own_room()",
        "mine = says",
        "",
        "threads would have to meet in the same microsecond; a test that sees it now and then is none",
    ),
]
