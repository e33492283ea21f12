"""Scores that are cut off: moves against a joint density, draws against the prior and a dense grid."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats
from scipy.special import log_ndtr, logsumexp

import naive
from checks import FALSE_ALARM
from dawnchorus.model.expertise.scored import cut_off
from dawnchorus.model.expertise.scored.draws import draw_given_presence
from dawnchorus.model.expertise.scored.pooling import Placed, State, Sums
from dawnchorus.model.expertise.scored.reports import ScoredReports

SCORES = ([0.3, -0.8, 1.2], [], [-0.95], [2.0, 0.1])
CUT = -1.0
MOVES = ("MEAN", "SPREAD", "SLOPE", "SHIFT", "STRETCH", "SCALE", "EVEN", "TILT", "ALONE")


def made_up():
    mean = np.array([[[0.5, 9.0, -0.7, 1.1]], [[-1.2, 9.0, -2.2, 0.2]]])
    precision = np.array([[[1.7, 9.0, 0.6, 2.5]], [[0.8, 9.0, 3.0, 0.4]]])
    return State(mean, precision, np.array([[[0.6, 0.8, 4.0, 0.7]], [[-0.4, 1.1, 2.5, 0.9]]]))


def side_of(state, side, scores=SCORES, cut=CUT):
    n, total, square = (np.array([np.sum(np.array(of) ** p) for of in scores]) for p in (0, 1, 2))
    return cut_off._side(state, Sums(n, total, square), side, 0, cut)


def flat(s):
    """Give the coordinates of which densities are."""
    c = s.common
    some = s.some
    return np.concatenate([c[:1], np.log(c[1:]), s.mean[some], np.log(s.precision[some])])


def moved(s, which, by, k):
    """Give one side after a move, with everything copied."""
    new = s._replace(common=s.common.copy(), mean=s.mean.copy(), precision=s.precision.copy())
    for at in [k] if which <= cut_off.SLOPE else s.some if which != cut_off.ALONE else []:
        new.mean[at], new.precision[at] = cut_off._moved(by, which, s, at)
    if which > cut_off.SLOPE:
        new.common[:] = cut_off._moved_common(by, which, s)
    return new


def log_volume(s, which, by, k):
    """Give the logarithm of how much larger a small volume is after a move, by differences."""
    some, n = s.some, 4 + len(s.some)

    def image(place):
        common = np.concatenate([place[:1], np.exp(place[1:4])])
        mean, precision = s.mean.copy(), s.precision.copy()
        mean[some], precision[some] = place[4:n], np.exp(place[n:])
        return flat(moved(s._replace(common=common, mean=mean, precision=precision), which, by, k))

    here, step = flat(s), 1e-5
    columns = [(image(here + step * e) - image(here - step * e)) / (2 * step) for e in np.eye(len(here))]
    return np.linalg.slogdet(np.array(columns))[1]


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("name", MOVES)
def test_moves_have_the_joint_density_and_their_volume(name, side):
    which, k = getattr(cut_off, name), 3
    s, other = side_of(made_up(), side), made_up().common[1 - side, 0, 0]

    def right(by):
        new = moved(s, which, by, k)
        args = new.mean, new.precision, new.common, SCORES, CUT, other, side
        return naive.score_density(*args) + log_volume(s, which, by, k)

    for by in (-0.7, -0.1, 0.4):
        found = cut_off._log_density(by, which, s, k) - cut_off._log_density(0.0, which, s, k)
        assert found == pytest.approx(right(by) - right(0.0), abs=1e-6)


def test_a_centre_does_not_pass_the_other_one():
    for side, far in ((0, -1.5), (1, 1.5)):
        s = side_of(made_up(), side)
        assert cut_off._log_density(far, cut_off.SHIFT, s, 0) == -np.inf


@pytest.mark.parametrize("name", MOVES)
def test_a_step_moves_what_its_density_says(name):
    which, s, k = getattr(cut_off, name), side_of(made_up(), 0), 3
    before = moved(s, which, 0.0, k)
    cut_off.move(np.random.default_rng(1), which, s, k, 1.0)
    assert np.abs(flat(s) - flat(before)).max() > 1e-3

    def away(by):
        return np.abs(flat(moved(before, which, by, k)) - flat(s)).max()

    grid = np.linspace(-4, 4, 801)
    near = grid[np.argmin([away(by) for by in grid])]
    bounds = near - 0.01, near + 0.01
    nearest = optimize.minimize_scalar(away, bounds=bounds, method="bounded", options={"xatol": 1e-10})
    assert nearest.fun < 1e-6


@pytest.mark.parametrize("z", [-200.0, -30.001, -29.999, -3.0, 0.0, 2.0, 40.0])
def test_the_part_that_is_kept_is_told_far_out(z):
    assert cut_off.log_kept(z) == pytest.approx(log_ndtr(z), rel=1e-10, abs=1e-300)


def test_draws_given_scores_keep_the_prior():
    """Prior, scores, then draws: what is drawn has to be like draws from the prior (Geweke 2004)."""
    rng, replications, n_species = np.random.default_rng(3), 8000, 4
    scored = ScoredReports(("a1",), (0.0,), (1.0,), (-0.6,))
    species = np.repeat(np.arange(n_species), [1, 3, 0, 12])
    machine, there = np.zeros(len(species), int), np.zeros(len(species), bool)
    before, after = [], []
    for _ in range(replications):
        state = scored.init(rng, n_species)
        before.append(values(state))
        there[:] = rng.random(len(species)) < 0.5
        for _ in range(3):
            score = scored.simulate(rng, state, there, (machine, species))
            draw_given_presence(rng, state, there, Placed(machine, species, score, scored.cuts))
        after.append(values(state))
    found = [stats.ks_2samp(a, b).pvalue for a, b in zip(np.array(before).T, np.array(after).T, strict=True)]
    assert min(found) * len(found) > FALSE_ALARM


def values(state):
    """Give what is compared: everything, and products that tell whether it goes together as it should."""
    mean, precision, common = state
    centre, width, alike, typical = common[:, 0].T
    logs = np.log(precision[:, 0])
    apart = np.abs(mean[:, 0] - centre[:, None]) / width[:, None]
    return np.concatenate(
        [
            common[:, 0].ravel(),
            mean[:, 0].ravel(),
            logs.ravel(),
            apart.ravel(),
            (logs + np.log(typical)[:, None]).ravel(),
            (alike[:, None] * logs).ravel(),
            mean[:, 0, 3] * logs[:, 3],
            centre * np.log(typical),
            width * np.log(typical),
        ]
    )


def test_one_species_is_as_a_dense_grid_says():
    rng, scores = np.random.default_rng(5), np.array([-0.9, -0.8, -0.3, 0.4, -0.6])
    state = made_up()
    common = state.common[1, 0]
    s = side_of(state, 1, ([], [], [], scores))
    mean, log = np.meshgrid(np.linspace(-9, 5, 561), np.linspace(-9, 5, 561), indexing="ij")
    q = np.exp(log)
    density = stats.norm.logpdf(mean, common[0], common[1])
    density += common[2] * (log - common[3] * q)
    for score in scores:
        density += stats.norm.logpdf(score, mean, q**-0.5) - log_ndtr(np.sqrt(q) * (mean - CUT))
    weight = np.exp(density - logsumexp(density))
    drawn = []
    for _ in range(40_000):
        for which in (cut_off.MEAN, cut_off.SPREAD, cut_off.SLOPE):
            cut_off.move(rng, which, s, 3, 1.0)
        drawn.append((s.mean[3], np.log(s.precision[3])))
    drawn = np.array(drawn)
    for part, value in zip(drawn.T, (mean, log), strict=True):
        batches = part.reshape(100, -1).mean(axis=1)
        assert abs(part.mean() - (weight * value).sum()) < 4.5 * batches.std() / 10
    product = (drawn[:, 0] * drawn[:, 1]).reshape(100, -1).mean(axis=1)
    assert abs(product.mean() - (weight * mean * log).sum()) < 4.5 * product.std() / 10


@pytest.mark.parametrize("cut", [-0.8, 1.0])
def test_what_is_left_is_described_and_no_nonsense_is_believed(cut):
    """Of 40 species with 60 scores each; the higher cut-off leaves one score in six."""
    rng, n_species = np.random.default_rng(8), 40
    middle, sd = rng.normal(0, 0.4, n_species), np.exp(0.15 * rng.standard_normal(n_species))
    species = np.repeat(np.arange(n_species), 60)
    tail = stats.norm.sf(cut, middle, sd)
    score = middle[species] + sd[species] * stats.norm.isf(rng.random(len(species)) * tail[species])
    scored = ScoredReports(("a1",), (float(score.mean()),), (float(score.std()),), (cut,))
    z, low = ((of - scored.middle[0]) / scored.unit[0] for of in (score, np.array([cut])))
    placed = Placed(np.zeros(len(z), int), species, z, low)
    state, centres, tails = scored.init(rng, n_species), [], []
    for sweep in range(1500):
        draw_given_presence(rng, state, np.zeros(len(z), bool), placed)
        if sweep >= 300:
            values = scored.keep(state)
            mean, spread = values["score_mean_absent"][0], values["score_sd_absent"][0]
            assert mean.min() > -8
            assert spread.max() < 5
            centres.append(values["score_centre_absent"][0])
            tails.append(np.exp(log_ndtr((mean - cut - 0.7) / spread) - log_ndtr((mean - cut) / spread)))
    low_tail, high_tail = np.quantile(tails, [0.05, 0.95], axis=0)
    right = stats.norm.sf(cut + 0.7, middle, sd) / tail
    assert 31 <= np.sum((low_tail <= right) & (right <= high_tail)) <= 40
    assert abs(np.mean(tails) - right.mean()) < 0.03
    if cut < 0:
        low_centre, high_centre = np.quantile(centres, [0.005, 0.995])
        assert low_centre < middle.mean() < high_centre
        assert score.mean() > high_centre
