"""Draws of everything at once: parameters, presence and votes, on small designs; the ground of joint tests.

Who visits what, scopes and, where they are no votes, unsure marks stay the same; only votes change. So a
design is laid out once, and `with_reports` replaces the few arrays that depend on votes.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import stats

import contexts
from dawnchorus.annotations.labelled import Scores
from dawnchorus.common.ragged import Ragged
from dawnchorus.model.design import Design, Totals, reported_cells
from dawnchorus.model.distributions import (
    Beta,
    Gamma,
    HalfNormal,
    HalfNormalForMost,
    LearnedBeta,
    LearnedNormal,
    Normal,
)
from dawnchorus.model.expertise.deceptive.linked import visits_of
from dawnchorus.model.expertise.logits.difficulty import logits_by_species
from dawnchorus.model.expertise.logits.levels import Skill
from dawnchorus.model.expertise.logits.trials import owners
from dawnchorus.model.expertise.per_annotator import PerAnnotator
from dawnchorus.model.expertise.per_annotator_species import PerAnnotatorSpecies, SidePrior
from dawnchorus.model.expertise.scored.reports import ScoredReports
from dawnchorus.model.occurrence.dirichlet_process import DirichletProcess
from dawnchorus.model.occurrence.in_context import InContext
from dawnchorus.model.occurrence.independent import Independent
from dawnchorus.model.occurrence.mixture import Mixture
from dawnchorus.model.occurrence.voted_patterns import voted_on, voted_patterns
from dawnchorus.model.presence.draw import Presence
from dawnchorus.model.rates import pack_vote, reports_by_rate
from dawnchorus.model.sweep import Model, State

OCCURRENCES = {
    "independent": Independent(Beta(2, 3)),
    "mixture": Mixture(Beta(2, 3), components=3),
    "dirichlet process": DirichletProcess(Beta(2, 3), Gamma(4, 1)),
    "in context": InContext(
        contexts.made_up(1), Normal(-0.5, 0.8), HalfNormal(0.8), Normal(0, 0.7), HalfNormal(0.9)
    ),
}
"""The process often has more components than there are tables of candidates (OWN_TABLES). The context is made
up anew for the recordings of the data."""
SIDES = SidePrior(Normal(0.8, 0.8), HalfNormal(0.8)), SidePrior(Normal(-1.2, 0.8), HalfNormal(0.8))
EXPERTISES = {
    "per annotator": PerAnnotator(Beta(3, 2), Beta(1.5, 4)),
    "per annotator and species": PerAnnotatorSpecies(*SIDES),
}
MODELS = {
    f"{occurrence}, {expertise}": Model(OCCURRENCES[occurrence], EXPERTISES[expertise])
    for occurrence in OCCURRENCES
    for expertise in EXPERTISES
}
LEARNED_SIDES = (
    SidePrior(LearnedNormal(0.8, 0.7, 0.6), HalfNormal(0.8)),
    SidePrior(LearnedNormal(-1.2, 0.7, 0.6), HalfNormal(0.8)),
)
LEARNED = {
    "independent, per annotator, learned": Model(
        Independent(LearnedBeta(0.4, 0.8, 5, 2)),
        PerAnnotator(LearnedBeta(0.6, 0.7, 5, 2), LearnedBeta(0.3, 0.7, 6, 2)),
    ),
    "dirichlet process, per annotator and species, learned": Model(
        DirichletProcess(LearnedBeta(0.4, 0.8, 5, 2), Gamma(4, 1)), PerAnnotatorSpecies(*LEARNED_SIDES)
    ),
}
"""With priors that are learned."""
HARD = {
    "independent, per annotator and species, difficulty": Model(
        OCCURRENCES["independent"],
        PerAnnotatorSpecies(*(side._replace(difficulty=HalfNormal(0.9)) for side in SIDES)),
    ),
    "mixture, per annotator and species, difficulty, learned": Model(
        OCCURRENCES["mixture"],
        PerAnnotatorSpecies(*(side._replace(difficulty=HalfNormal(0.9)) for side in LEARNED_SIDES)),
    ),
}
"""With species that are hard for everyone."""
FAINT = {
    "independent, per annotator and species, faint": Model(
        OCCURRENCES["independent"],
        PerAnnotatorSpecies(SIDES[0]._replace(varied=HalfNormal(1.5)), SIDES[1]),
    ),
    "mixture, per annotator and species, difficulty and faint, learned": Model(
        OCCURRENCES["mixture"],
        PerAnnotatorSpecies(
            LEARNED_SIDES[0]._replace(difficulty=HalfNormal(0.9), varied=HalfNormal(1.5)),
            LEARNED_SIDES[1]._replace(difficulty=HalfNormal(0.9)),
        ),
    ),
}
"""With birds that are faint for everybody."""
DECEPTIVE = {
    "independent, per annotator and species, deceptive": Model(
        OCCURRENCES["independent"],
        PerAnnotatorSpecies(SIDES[0], SIDES[1]._replace(varied=HalfNormal(1.5))),
    ),
    "independent, per annotator and species, faint and deceptive": Model(
        OCCURRENCES["independent"],
        PerAnnotatorSpecies(*(side._replace(varied=HalfNormal(1.5)) for side in SIDES)),
    ),
    "mixture, per annotator and species, difficulty and deceptive, learned": Model(
        OCCURRENCES["mixture"],
        PerAnnotatorSpecies(
            LEARNED_SIDES[0]._replace(difficulty=HalfNormal(0.9)),
            LEARNED_SIDES[1]._replace(difficulty=HalfNormal(0.9), varied=HalfNormal(1.5)),
        ),
    ),
    "independent, per annotator and species, difficulty, faint, deceptive and unsure": Model(
        OCCURRENCES["independent"],
        PerAnnotatorSpecies(
            *(side._replace(difficulty=HalfNormal(0.9), varied=HalfNormal(1.5)) for side in SIDES),
            step=HalfNormal(0.8),
        ),
    ),
}
"""With something that misleads everybody where birds are absent."""
TOGETHER = {
    "independent, per annotator and species, difficulty, faint and deceptive, learned": Model(
        Independent(LearnedBeta(0.4, 0.8, 5, 2)),
        PerAnnotatorSpecies(
            *(side._replace(difficulty=HalfNormal(0.9), varied=HalfNormal(1.5)) for side in LEARNED_SIDES)
        ),
    ),
    "in context, per annotator and species, faint and deceptive": Model(
        OCCURRENCES["in context"],
        PerAnnotatorSpecies(*(side._replace(varied=HalfNormal(1.5)) for side in SIDES)),
    ),
    "mixture, per annotator and species, faint and deceptive, learned": Model(
        OCCURRENCES["mixture"],
        PerAnnotatorSpecies(*(side._replace(varied=HalfNormal(1.5)) for side in LEARNED_SIDES)),
    ),
}
"""With rates, spreads and occurrence that move together: with every occurrence, and with learned priors."""
MARKED = {
    "independent, per annotator and species, unsure": Model(
        OCCURRENCES["independent"], PerAnnotatorSpecies(*SIDES, step=HalfNormal(0.8))
    ),
    "mixture, per annotator and species, difficulty, faint and unsure, learned": Model(
        OCCURRENCES["mixture"],
        PerAnnotatorSpecies(
            LEARNED_SIDES[0]._replace(difficulty=HalfNormal(0.9), varied=HalfNormal(1.5)),
            LEARNED_SIDES[1]._replace(difficulty=HalfNormal(0.9)),
            step=HalfNormal(0.8),
        ),
    ),
    "independent, per annotator and species, difficulty and unsure": Model(
        OCCURRENCES["independent"],
        PerAnnotatorSpecies(
            *(side._replace(difficulty=HalfNormal(0.9)) for side in SIDES), step=HalfNormal(0.8)
        ),
    ),
}
"""With unsure marks that are votes."""
SKILL = Skill(contexts.made_up_ratings(3), HalfNormal(0.8))
SKILLED = {
    "independent, per annotator and species, skill": Model(
        OCCURRENCES["independent"], PerAnnotatorSpecies(*(side._replace(skill=SKILL) for side in SIDES))
    ),
    "mixture, per annotator and species, difficulty and skill, learned": Model(
        OCCURRENCES["mixture"],
        PerAnnotatorSpecies(
            *(side._replace(difficulty=HalfNormal(0.9), skill=SKILL) for side in LEARNED_SIDES)
        ),
    ),
}
"""With levels that depend on what annotators say of themselves; that is made up anew for the annotators."""
MACHINES = ScoredReports(("a1", "a3"), (1.0, 0.0), (2.0, 1.0))
CUT_OFF = replace(MACHINES, cut=(-0.5, -0.4))
SCORED = {
    "independent, per annotator, scored": Model(
        OCCURRENCES["independent"], EXPERTISES["per annotator"], scored=MACHINES
    ),
    "independent, per annotator and species, scored": Model(
        OCCURRENCES["independent"], EXPERTISES["per annotator and species"], scored=MACHINES
    ),
    "independent, per annotator, scored and cut off": Model(
        OCCURRENCES["independent"], EXPERTISES["per annotator"], scored=CUT_OFF
    ),
    "independent, per annotator and species, scored and cut off": Model(
        OCCURRENCES["independent"], EXPERTISES["per annotator and species"], scored=CUT_OFF
    ),
    "mixture, per annotator and species, difficulty, faint, unsure and scored, learned": Model(
        OCCURRENCES["mixture"],
        PerAnnotatorSpecies(
            LEARNED_SIDES[0]._replace(difficulty=HalfNormal(0.9), varied=HalfNormal(1.5)),
            LEARNED_SIDES[1]._replace(difficulty=HalfNormal(0.9)),
            step=HalfNormal(0.8),
        ),
        scored=MACHINES,
    ),
}
"""With two annotators whose reports have scores, all of them or those above a cut-off."""
FOR_MOST = HalfNormalForMost(0.8, even=0.4, times=0.2, higher=0.9)
EVEN = {
    "independent, per annotator and species, even": Model(
        OCCURRENCES["independent"], PerAnnotatorSpecies(*(side._replace(spread=FOR_MOST) for side in SIDES))
    ),
    "mixture, per annotator and species, difficulty, faint, deceptive, skill and unsure, even": Model(
        OCCURRENCES["mixture"],
        PerAnnotatorSpecies(
            *(
                side._replace(
                    spread=FOR_MOST, difficulty=HalfNormal(0.9), varied=HalfNormal(1.5), skill=SKILL
                )
                for side in SIDES
            ),
            step=HalfNormal(0.8),
        ),
    ),
}
"""With annotators who report at random, alone and with all other parts."""
POLYA_GAMMA = Model(OCCURRENCES["independent"], PerAnnotatorSpecies(*SIDES, update_by="polya-gamma"))


def made_for(model: Model, n_recordings: int, n_annotators: int) -> Model:
    """Give the model with a context of so many recordings and ratings of so many annotators, if any."""
    if isinstance(model.occurrence, InContext):
        context = contexts.made_up(n_recordings)
        model = replace(model, occurrence=replace(model.occurrence, context=context))
    if getattr(model.expertise, "said", None):
        skill = replace(SKILL, said=contexts.made_up_ratings(n_annotators))
        sides = {name: getattr(model.expertise, name)._replace(skill=skill) for name in ("tpr", "fpr")}
        model = replace(model, expertise=replace(model.expertise, **sides))
    return model


@dataclass(frozen=True)
class Votes:
    """Every vote that is cast, with its cell and rate, and the cells with a vote."""

    visit: np.ndarray
    recording: np.ndarray
    species: np.ndarray
    rate: np.ndarray
    cell: np.ndarray
    cell_recording: np.ndarray
    cell_species: np.ndarray

    @classmethod
    def of(cls, design: Design) -> Votes:
        a = design.annotations
        cast = [(v, k) for v in range(a.n_visits) for k in a.visit_votes(v)[0]]
        visit, species = np.array(cast).T
        recording = a.visit_recording[visit].astype(np.int64)
        cells, cell = np.unique(recording * a.n_species + species, return_inverse=True)
        rate = design.rates_at(a.visit_annotator[visit], species)
        return cls(visit, recording, species, rate, cell, *np.divmod(cells, a.n_species))


OF_VISITS = {voted_on, voted_patterns, logits_by_species, owners, visits_of, InContext._voted}
"""What is derived of who visits what alone, and stays the same when votes change."""


class Derived(dict):
    """What a design derives; what it derives of visits alone, the design that it was made from has too."""

    def __init__(self, before: dict) -> None:
        super().__init__({make: made for make, made in before.items() if self.of_visits(make)})
        self.before = before

    def __setitem__(self, make, made) -> None:
        super().__setitem__(make, made)
        if self.of_visits(make):
            self.before[make] = made

    @staticmethod
    def of_visits(make) -> bool:
        return getattr(make, "__func__", make) in OF_VISITS


def with_reports(design: Design, votes: Votes, said: np.ndarray) -> Design:
    """Give the design with all votes being silences, reports or, if they are votes, unsure marks: 0, 1, 2."""
    new = copy.copy(design)
    new._derived = Derived(design._derived)
    n_cells, a, said = len(votes.cell_recording), design.annotations, np.asarray(said, int)
    reported, marked = said > 0, said == 2
    new.marks = Ragged.from_pairs(votes.visit[marked], votes.species[marked], rows=a.n_visits)
    listed = np.zeros(n_cells, bool)
    listed[votes.cell[reported]] = True
    order = np.argsort(votes.cell, kind="stable")
    order = order[listed[votes.cell[order]]]
    cells = Ragged.from_sizes(
        np.bincount(votes.cell_recording[listed], minlength=a.n_recordings), votes.cell_species[listed]
    )
    order = np.repeat(order, 1 + marked[order])  # a mark is a report and a silence
    n_votes = np.bincount(votes.cell[order], minlength=n_cells)[listed]
    second = np.append(False, order[1:] == order[:-1])[: len(order)]
    codes = pack_vote(votes.rate[order], reported[order] & ~second)
    new.layout = design.layout._replace(
        reported=reported_cells(cells, n_votes, codes, a.n_species, design.n_rates)
    )
    reports, silences, marks = (
        np.bincount(votes.rate[said == what], minlength=design.n_rates) for what in (1, 0, 2)
    )
    new.sure, new.totals = Totals(reports, silences), Totals(reports + marks, silences + marks)
    return new


def as_presence(present, design: Design, votes: Votes) -> Presence:
    """Give what the presence draw would give, from presence by recording and species."""
    layout = design.layout.reported
    reported = present[layout.recording, layout.cells.item]
    listed = np.zeros(present.shape, bool)
    listed[layout.recording, layout.cells.item] = True
    at = votes.cell_recording, votes.cell_species
    there = present[at]
    silent = there & ~listed[at]
    missed = (present & ~listed)[votes.recording, votes.species]
    return Presence(
        reported,
        votes.cell_recording[silent].astype(np.int32),
        votes.cell_species[silent].astype(np.int32),
        np.bincount(votes.cell_species[there], minlength=present.shape[1]),
        np.bincount(
            layout.vote[np.repeat(reported, np.diff(layout.vote_start))], minlength=2 * design.n_rates
        ),
        np.bincount(votes.rate[missed], minlength=design.n_rates),
        np.ones(len(reported)),
    )


def as_table(presence: Presence, design: Design) -> np.ndarray:
    """Give presence by recording and species; False where nobody voted."""
    reported, a = design.layout.reported, design.annotations
    present = np.zeros((a.n_recordings, a.n_species), bool)
    present[reported.recording, reported.cells.item] = presence.reported
    present[presence.recording, presence.species] = True
    return present


def draw_votes(rng, model: Model, expertise, present, votes: Votes) -> np.ndarray:
    """Give silences, reports and unsure marks: 0, 1, 2."""
    tpr, fpr, heard, unsure, deception = model.expertise.rates(expertise)
    chances = []
    for rate, classes in ((tpr, heard), (fpr, deception)):
        chance = rate[votes.rate]
        if len(classes.factor):
            times = rng.choice(classes.factor, len(votes.cell_recording), p=classes.share)[votes.cell]
            chance = chance * times / (1 - chance + chance * times)
        chances.append(chance)
    chance = np.where(present[votes.recording, votes.species], *chances)
    or_unsure = chance * (1 + unsure) / (1 + chance * unsure)
    u = rng.random(len(chance))
    return np.where(u < chance, 1, np.where(u < or_unsure, 2, 0))


def with_scores(rng, model: Model, scored, design: Design, votes: Votes, said, present) -> Design:
    """Give the design with scores of the reports of machines, if there are any; marks have none."""
    if not model.scored:
        return design
    a = design.annotations
    place = pd.Index(model.scored.machines).get_indexer(a.annotators.index)[a.visit_annotator[votes.visit]]
    by = np.flatnonzero((place >= 0) & (said == 1))
    recording, species, machine = votes.recording[by], votes.species[by], place[by]
    score = model.scored.simulate(rng, scored, present[recording, species], (machine, species))
    design.scores = Scores(recording, species, machine, score)
    return design


def simulate(rng, model: Model, design: Design, votes: Votes) -> tuple[State, Design]:
    """Draw parameters from the prior, then presence, then votes."""
    occurrence, present = model.occurrence.simulate(rng, design)
    expertise = model.expertise.simulate(rng, design)
    said = draw_votes(rng, model, expertise, present, votes)
    drawn = with_reports(design, votes, said)
    state = State(occurrence, expertise, as_presence(present, drawn, votes))
    if model.scored:
        state = state._replace(scored=model.scored.init(rng, design.annotations.n_species))
    return state, with_scores(rng, model, state.scored, drawn, votes, said, present)


def step(rng, model: Model, state: State, design: Design, votes: Votes) -> tuple[State, Design]:
    """Sweep, then draw the votes anew."""
    state, _ = model.sweep(rng, state, design)
    present = as_table(state.presence, design)
    said = draw_votes(rng, model, state.expertise, present, votes)
    drawn = with_reports(design, votes, said)
    drawn = with_scores(rng, model, state.scored, drawn, votes, said, present)
    return state._replace(presence=as_presence(present, drawn, votes)), drawn


def quantities(model: Model, state: State, design: Design) -> dict[str, float]:
    """Give what joint tests and calibration look at; no label of a component matters."""
    occurrence, (tpr, fpr, *_) = state.occurrence, model.expertise.rates(state.expertise)
    values = {"tpr": tpr[0], "fpr": fpr[0], "last tpr": tpr[-1], "last fpr": fpr[-1]}
    if isinstance(model.occurrence, Independent):
        values |= {"occurrence": occurrence.occurrence[0], "last occurrence": occurrence.occurrence[-1]}
    elif isinstance(model.occurrence, InContext):
        effect, common, scale = occurrence
        values |= {"intercept": effect[0, 0], "last intercept": effect[-1, 0]}
        values |= {"level": effect[0, 3], "last level": effect[-1, 5], "slope": effect[0, 1]}
        values |= {"mean": common[0], "common level": common[4], "common slope": common[2]}
        values |= {"spread": scale[0], "scale of levels": scale[2], "scale of slopes": scale[1]}
    else:
        first, second = occurrence.occurrence[occurrence.group[[0, 2]]]
        values |= {"occurrence": first[0], "last occurrence": first[-1]}
        values |= {"components": len(occurrence.occurrence), "together": first[0] == second[0]}
    if isinstance(model.occurrence, DirichletProcess):
        values["concentration"] = float(occurrence.concentration)
    if isinstance(model.expertise, PerAnnotatorSpecies):
        sides = state.expertise
        values |= {"tpr level": sides.tpr.level[1], "fpr level": sides.fpr.level[1]}
        values |= {"tpr spread": float(sides.tpr.spread), "fpr spread": float(sides.fpr.spread)}
        if isinstance(model.expertise.tpr.level, LearnedNormal):
            values |= {"tpr level mean": sides.tpr.among[0], "fpr level sd": sides.fpr.among[1]}
            values |= {"own tpr spread": sides.tpr.own[0], "own fpr spread": sides.fpr.own[-1]}
        if model.expertise.fpr.even:
            values |= {"even tpr": (sides.tpr.own < 1).sum(), "even fpr": (sides.fpr.own < 1).sum()}
        if model.expertise.tpr.difficulty:
            values |= {"tpr shift": sides.tpr.shift[0], "fpr shift": sides.fpr.shift[-1]}
            values |= {"tpr difficulty": sides.tpr.hard, "fpr difficulty": sides.fpr.hard}
        if model.expertise.tpr.varied:
            values["faintness"] = sides.tpr.varied
        if model.expertise.fpr.varied:
            values["deception"] = sides.fpr.varied
        if model.expertise.step:
            values |= {"unsure step": sides.step, "marks": design.n_marks}
        if model.expertise.said:
            tpr, fpr = sides.tpr, sides.fpr
            values |= {"tpr effect of a rating": tpr.effect[1], "fpr effect of years": fpr.effect[2]}
            values |= {"tpr scale of ratings": tpr.effect_scale[0], "fpr scale of years": fpr.effect_scale[1]}
    elif isinstance(model.expertise.tpr, LearnedBeta):
        values |= {"tpr shape": state.expertise.tpr_shapes[0], "fpr shape": state.expertise.fpr_shapes[1]}
    if isinstance(getattr(model.occurrence, "prior", None), LearnedBeta):
        values |= {"first shape": occurrence.shapes[0], "second shape": occurrence.shapes[1]}
    if model.scored:
        mean, precision, common = state.scored
        values |= {"score mean": mean[0, 0, 0], "last score mean": mean[1, 1, -1]}
        values |= {"score sd": -np.log(precision[0, 0, 0]), "last score sd": -np.log(precision[1, 1, -1])}
        names = ("centre", "width", "alike", "typical")
        values |= {f"score {name}": common[0, 0, at] for at, name in enumerate(names)}
        values |= {f"last score {name}": common[1, 1, at] for at, name in enumerate(names)}
        values["scores"] = np.tanh(design.scores.score / 3).sum()
    hits = reports_by_rate(state.presence.votes).sum()
    values |= {"present": state.presence.by_species.sum(), "hits": hits, "reports": design.reports.sum()}
    return {name: float(value) for name, value in values.items()}


def smallest_p(model: Model, annotations, *, replications: int, sweeps: int, seed: int) -> float:
    """Compare draws from the prior with draws that sweeps went over; give the smallest p-value × their
    number.

    Geweke (2004) runs one chain that alternates sweeps and new votes, and thins it. Here each replication
    starts from a draw from the prior of its own, which a correct sweep leaves as it is, and takes as many
    steps as one would thin by: the same cost, and independent draws, so that the tests hold as they are.
    Whole distributions are compared (Kolmogorov and Smirnov), and the means of squares.
    """
    rng, model = (
        np.random.default_rng(seed),
        made_for(model, annotations.n_recordings, annotations.n_annotators),
    )
    design = model.design(annotations)
    votes = Votes.of(design)
    prior, swept = [], []
    for _ in range(4 * replications):
        state, drawn = simulate(rng, model, design, votes)
        prior.append(quantities(model, state, drawn))
    for _ in range(replications):
        state, drawn = simulate(rng, model, design, votes)
        for _ in range(sweeps):
            state, drawn = step(rng, model, state, drawn, votes)
        swept.append(quantities(model, state, drawn))
    prior, swept = pd.DataFrame(prior), pd.DataFrame(swept)
    p_values = []
    for name in prior.columns:
        one, two = prior[name].to_numpy(), swept[name].to_numpy()
        p_values.append(stats.ks_2samp(one, two, method="asymp").pvalue)
        p_values.append(stats.ttest_ind(one**2, two**2, equal_var=False).pvalue)
    return min(p_values) * len(p_values)
