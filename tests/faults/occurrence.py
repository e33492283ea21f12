"""Faults in the draws of where species occur."""

from __future__ import annotations

from .fault import JOINT, TESTS, Fault, case, step

RARE, COMPONENTS, FILLING = "occurrence/rare_species.py", "occurrence/components.py", "occurrence/filling.py"
PROCESS, FINITE = step("assignments in a Dirichlet process"), step("assignments in a finite mixture")
REFINE = TESTS + "rare_species.py::test_refine_keeps_the_density_given_votes_and_silent_cells"
JOINS = TESTS + "assignments.py::test_a_recording_joins_components_by_their_weights"

FAULTS = [
    Fault(
        "present cells count as absent ones too",
        "occurrence/independent.py",
        "b + (voted - present), candidates)",
        "b + voted, candidates)",
        step("occurrence given presence"),
    ),
    Fault(
        "the prior weighs a fifth less with presence summed out",
        RARE,
        "gain = a * math.log(new / p)",
        "gain = 0.8 * a * math.log(new / p)",
        step("occurrence of a rare species"),
    ),
    Fault(
        "absent cells weigh a tenth more",
        RARE,
        "+ b * math.log((1 - new) / (1 - p))",
        "+ 1.1 * b * math.log((1 - new) / (1 - p))",
        step("occurrence of a rare species"),
    ),
    Fault(
        "votes weigh a tenth more",
        RARE,
        "times *= (new * ratio + 1 - new) / (p * ratio + 1 - p)",
        "times *= ((new * ratio + 1 - new) / (p * ratio + 1 - p)) ** 1.1",
        step("occurrence of a rare species"),
    ),
    Fault(
        "present reported cells count as silent ones",
        RARE,
        "silent -= present[cell]",
        "silent -= 0",
        REFINE,
    ),
    Fault(
        "reported cells count as absent too",
        RARE,
        "voted[k] - n\n",
        "voted[k]\n",
        REFINE,
    ),
    Fault(
        "a recording is a member of its own component while it chooses",
        COMPONENTS,
        "            log_members[own] = math.log(members[own] + each)\n        highest",
        "            log_members[own] = math.log(members[own] + 1 + each)\n        highest",
        PROCESS,
    ),
    Fault(
        "species that were only marked unsure count as absent",
        COMPONENTS,
        "value -= log_absent[r, unvoted_item[u]]",
        "value -= 0.0",
        PROCESS,
    ),
    Fault(
        "species that were only marked unsure count for the weight of a new component",
        COMPONENTS,
        "        n_voted -= unvoted_start[i + 1] - unvoted_start[i]\n",
        "",
        PROCESS,
    ),
    Fault(
        "present species count for a tenth less",
        COMPONENTS,
        "value += log_odds[r, present_item[s]]",
        "value += 0.9 * log_odds[r, present_item[s]]",
        PROCESS,
    ),
    Fault(
        "present species count as absent too in a new component",
        COMPONENTS,
        "fresh += (n_voted - n_present) * log_not",
        "fresh += n_voted * log_not",
        PROCESS,
    ),
    Fault(
        "as many components may be opened as one likes",
        COMPONENTS,
        "left = total - each * occupied",
        "left = total",
        FINITE,
    ),
    Fault(
        "the sum over voted species has the wrong species",
        COMPONENTS,
        "silent[r, p] = total - part if inverted[p] else part",
        "silent[r, p] = part",
        PROCESS,
    ),
    Fault(
        "a new component forgets its first recording",
        COMPONENTS,
        "rng.beta(a + (seen[k] == 2), b + (seen[k] == 1))",
        "rng.beta(a, b)",
        JOINS,
    ),
    Fault(
        "species that were only marked unsure count as absent in a new component",
        COMPONENTS,
        "seen[voted.unvoted.item[place]] = 0",
        "seen[voted.unvoted.item[place]] = 1",
        JOINS,
    ),
    Fault(
        "species that were only marked unsure count for the occurrence in components",
        COMPONENTS,
        "counts[1, r, unvoted_item[place]] -= 1",
        "counts[1, r, unvoted_item[place]] -= 0",
        step("occurrence in components"),
    ),
    Fault(
        "present recordings count as absent too",
        COMPONENTS,
        "draw_rate(rng, a + there, b + (looked - there))",
        "draw_rate(rng, a + there, b + looked)",
        step("occurrence in components"),
    ),
    Fault(
        "species that nobody voted on are accepted a fifth too often, with more groups than tables",
        FILLING,
        "if rng.random() * max_odds[t, k] >= rates[g, k]",
        "if rng.random() * max_odds[t, k] >= 1.2 * rates[g, k]",
        step("filling in what nobody voted on"),
    ),
    Fault(
        "species that nobody voted on are accepted a fifth too rarely, with more groups than tables",
        FILLING,
        "if rng.random() * max_odds[t, k] >= rates[g, k]",
        "if rng.random() * max_odds[t, k] >= 0.8 * rates[g, k]",
        step("filling in what nobody voted on"),
    ),
    Fault(
        "a species may be filled in twice",
        FILLING,
        "rates[g, k] or has(species, since, found, k):",
        "rates[g, k]:",
        step("filling in what nobody voted on"),
    ),
    Fault(
        "species that somebody voted on are filled in",
        FILLING,
        "            if seen:\n",
        "            if False:\n",
        step("filling in what nobody voted on"),
    ),
    Fault(
        "the number of components counts once too often",
        "occurrence/dirichlet_process.py",
        "more, fewer = prior.shape + components - 1, n * rate",
        "more, fewer = prior.shape + components, n * rate",
        TESTS + "conditionals.py::test_the_concentration_keeps_its_density",
    ),
    Fault(
        "the auxiliary variable has the wrong shape",
        "occurrence/dirichlet_process.py",
        "rng.beta(concentration + 1, n)",
        "rng.beta(concentration, n)",
        step("concentration"),
    ),
    Fault(
        "the concentration does not know how many components there are",
        "occurrence/dirichlet_process.py",
        "draw_concentration(rng, now, len(occurrence), n, self.concentration)",
        "draw_concentration(rng, now, 1, n, self.concentration)",
        case(JOINT, "dirichlet process, per annotator"),
    ),
]
