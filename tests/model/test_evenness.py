"""Who reports at random: what the common tests do not see."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import logit

import contexts
import joint
import portals
from dawnchorus.model.distributions import HalfNormal, HalfNormalForMost, LearnedNormal, Normal
from dawnchorus.model.distributions.priors import Priors
from dawnchorus.model.earlier import Earlier
from dawnchorus.model.expertise.logits.evenness import log_integral
from dawnchorus.model.expertise.logits.levels import Skill
from dawnchorus.model.expertise.logits.trials import Counts, Trials
from dawnchorus.model.expertise.per_annotator_species import PerAnnotatorSpecies
from dawnchorus.model.expertise.sides import SidePrior
from dawnchorus.model.expertise.starting import side_from
from dawnchorus.model.predictive.parameters import Asked
from dawnchorus.model.together import moves

MANY = 300
PRIOR = SidePrior(Normal(-4, 1), HalfNormalForMost(0.8, even=0.3, times=0.2, higher=3))
FACTORS = np.array([0.25, 8.0])


def design_of(n_annotators):
    """Give a design in which everybody visits one recording of four species."""
    visits = {(0, j): (0, 1, 2, 3) for j in range(n_annotators)}
    model = joint.EVEN["independent, per annotator and species, even"]
    return model.design(portals.lay_out(visits, sizes=(1, n_annotators, 4)))


@pytest.mark.parametrize("several", [False, True])
def test_logits_are_summed_out(several):
    rng = np.random.default_rng(1)
    for _ in range(60):
        n, mean, sd = int(10 ** rng.uniform(0, 3.5)), rng.uniform(-8, 3), 10 ** rng.uniform(-2.5, 0.4)
        s = int(rng.binomial(n, 10 ** rng.uniform(-4, 0)))
        number, factor = np.array([n // 2, n - n // 2]), FACTORS if several else np.ones(2)

        def log_density(x, s=s, number=number, factor=factor, mean=mean, sd=sd):
            logs = np.logaddexp(0, np.add.outer(np.log(factor), x))
            return s * x - np.tensordot(number, logs, 1) - 0.5 * ((x - mean) / sd) ** 2

        x = mean + sd * np.linspace(-12, 12, 100_001)
        there = np.append(x, np.linspace(-12, 12, 20_001))
        top, middle = log_density(there).max(), there[log_density(there).argmax()]
        inside = there[log_density(there) > top - 40]
        area, _ = quad(
            lambda x, f=log_density, top=top: np.exp(f(x) - top),
            *(inside.min(), inside.max()),
            points=[middle],
            limit=400,
            epsabs=0,
            epsrel=1e-11,
        )
        counts = Counts(s, n, np.int64(0), np.int64(2 if several else 0))
        found = log_integral(counts, number, factor, mean, sd**-2)
        assert np.isclose(found, top + np.log(area / (sd * np.sqrt(2 * np.pi))), atol=3e-6, rtol=1e-9)


def test_rates_of_those_who_report_at_random_are_high_and_alike():
    design, rng = design_of(MANY), np.random.default_rng(2)
    side = PRIOR.draw(rng, design, np.array([-4.0, 1.0]), np.array([0.8, 0, 0]))
    even = side.own < 1
    assert 0.2 < even.mean() < 0.4
    assert abs(side.level[even].mean() + 1) < 0.4 > abs(side.level[~even].mean() + 4)
    away = (side.logit - side.level[design.rate_annotator]).reshape(MANY, 4)
    assert away[even].std() < 0.25 < 0.6 < away[~even].std()
    # New annotators of an old fit are so too.
    values = {"species_fpr": np.zeros((1, 4)), "fpr_level": np.zeros((1, 1)), "fpr_spread": np.array([0.8])}
    values["fpr_unevenness"] = np.full((1, 1), 0.8)
    nobody = Asked(design, np.full(MANY, -1), np.arange(4), rng)
    x = logit(PRIOR.rates_in("fpr", values.get, design_of(1), nobody)).reshape(MANY, 4)
    spread, level = x.std(axis=1), x.mean(axis=1)
    low, high = level[spread > 0.5].mean(), level[spread < 0.15].mean()
    assert abs(low + 4) < 0.4
    assert abs(high + 1) < 0.5


def test_learned_levels_and_the_papers_spread_know_nobody_who_reports_at_random():
    assert PRIOR._replace(level=LearnedNormal(-4, uneven=0)).even is None
    priors = Priors.default(n_species=4, fpr_spread=HalfNormalForMost(2))
    assert isinstance(PerAnnotatorSpecies.from_priors(priors).fpr.spread, HalfNormalForMost)
    for options in ({"spread": "empirical-bayes"}, {"update": "polya-gamma"}):
        plain = priors if "spread" in options else Priors.expecting(n_species=4, fpr_spread=priors.fpr_spread)
        assert PerAnnotatorSpecies.from_priors(plain, **options).fpr.spread == HalfNormal(2)


def test_chains_start_with_nobody_who_reports_at_random():
    expertise = joint.EVEN["independent, per annotator and species, even"].expertise
    state = expertise.init(np.random.default_rng(3), design_of(MANY), chain=0)
    assert all((side.own == 1).all() for side in state.sides)


def test_an_update_knows_who_reported_at_random():
    design, rng = design_of(MANY), np.random.default_rng(4)
    side = PRIOR.draw(rng, design, np.array([-4.0, 1.0]), np.array([0.7, 0, 0]))
    values = {"fpr_level": side.level, "fpr_spread": side.spread, "fpr_unevenness": side.own * side.spread}
    here = np.arange(MANY)
    new = side_from(rng, design, "fpr", PRIOR, Earlier(values, {}, design, here, np.arange(4)), 0.3)
    assert np.array_equal(new.own, side.own)
    assert np.array_equal(new.level, side.level)
    nobody = Earlier(values, {}, design, np.where(here < 10, here, -1), np.arange(4))
    new = side_from(rng, design, "fpr", PRIOR, nobody, 0.3)
    assert new.level[new.own < 1].mean() > -2 > -3 > new.level[new.own == 1].mean()


def test_what_annotators_say_is_not_blamed_for_random_reports():
    said = contexts.made_up_ratings(MANY)
    prior, design = PRIOR._replace(skill=Skill(said, HalfNormal(0.5))), design_of(MANY)
    rng = np.random.default_rng(5)
    side = prior.draw(rng, design, np.array([-4.0, 1.0]), np.array([0.8, 0, 0, 0.1, 0.1]))
    own = np.where(np.arange(MANY) % 2 == 1, 0.2, 1.0)  # those with a high rating
    level = -4 + 3.0 * (own < 1) + rng.normal(0, 0.1, MANY)
    side = side._replace(own=own, level=level, effect=np.zeros(3), among=np.array([-4.0, 0.1]))
    nothing = np.zeros(len(side.logit), np.int64)
    trials = Trials(nothing, nothing, design.rate_annotator.copy(), design.pairs.start.copy(), np.empty(0))
    for _ in range(5):
        side = prior.next(rng, side, side.effect, trials)
    assert abs(side.effect).max() < 0.2


def test_levels_that_move_with_everything_know_who_reports_at_random(monkeypatch):
    """Logits are so tight around levels that these cannot be far from them."""
    monkeypatch.setattr(moves, "DENSE", 1)
    model = joint.EVEN[
        "mixture, per annotator and species, difficulty, faint, deceptive, skill and unsure, even"
    ]
    rng, annotations = np.random.default_rng(6), portals.small()
    model = joint.made_for(model, annotations.n_recordings, annotations.n_annotators)
    design = model.design(annotations)
    occurrence, _ = model.occurrence.simulate(rng, design)
    expertise, asked = model.expertise.simulate(rng, design), 0
    for _ in range(30):
        (_, new), _ = moves.move_together(
            rng, (model.occurrence, model.expertise), (occurrence, expertise), design
        )
        if new is expertise:
            continue
        asked += 1
        for prior, side in zip((model.expertise.tpr, model.expertise.fpr), new.sides, strict=True):
            mean, sd, _ = prior.numbers(side)
            by_prior = (
                prior.level.mean + prior.expected(side.effect, len(side.level)) + prior.higher(side.own)
            )
            assert np.allclose(mean, by_prior)
            tight = side.spread * side.own
            away = side.logit - side.offset(design) - side.level[design.rate_annotator]
            sums = np.bincount(design.rate_annotator, away, minlength=len(tight))
            n = np.diff(design.pairs.start)
            # a level given logits: the residual of a regression, standard normal
            precision = sd**-2 + n / tight**2
            residual = ((side.level - mean) / sd**2 - sums / tight**2) / np.sqrt(precision)
            assert abs(residual).max() < 5
    assert asked > 3
