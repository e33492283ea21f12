"""Checks that tests pass and deliberate faults fail: draws against what is exact. Each gives a p-value."""

from __future__ import annotations

import numpy as np
from scipy import stats
from scipy.special import expit

import dawnchorus as dc
import joint
import naive
import portals
from dawnchorus.common.ragged import Ragged
from dawnchorus.model import design as design_module
from dawnchorus.model.audibility import ALIKE, VoteRates, evidence, evidence_from_logits
from dawnchorus.model.design import Design
from dawnchorus.model.expertise.logits.trials import ONE_CLASS, Classes, Trials
from dawnchorus.model.expertise.summed_out import refined, reflected
from dawnchorus.model.expertise.summed_out.reflected import VotesByRate, votes_by_rate
from dawnchorus.model.presence import draw as presence
from dawnchorus.model.presence.odds import Odds
from dawnchorus.model.presence.reported import odds_given_votes

FALSE_ALARM = 1e-3


CASES = {
    "ordinary": {},
    "silence raises the odds": {"raised": True},
    "silence raises the odds, by species": {"raised": True, "by_species": True},
    "common species": {"occurrence": (0.8, 0.95)},
    "common species, by species": {"occurrence": (0.8, 0.95), "by_species": True},
    "many groups": {"groups": 7},
    "many groups, by species": {"groups": 7, "by_species": True},
    "by species": {"by_species": True},
    "two terms": {"terms": 2},
    "two terms, by species": {"terms": 2, "by_species": True},
    "two terms, silence raises the odds": {"terms": 2, "raised": True, "occurrence": (0.1, 0.7)},
    "some share a list": {"own_list": 1, "by_species": True},
    "all share a list": {"own_list": 0, "by_species": True},
    "all share a list, silence raises the odds": {"own_list": 0, "by_species": True, "raised": True},
    "all share a list, many groups": {"own_list": 0, "by_species": True, "groups": 7},
    "every group has a table": {"groups": 7, "own_tables": True},
    "every group has a table, by species": {"groups": 7, "own_tables": True, "by_species": True},
    "every group has a table, silence raises the odds": {
        "groups": 7,
        "own_tables": True,
        "by_species": True,
        "raised": True,
    },
    "several blocks": {"block": 9},
    "several blocks, by species, silence raises the odds": {"block": 9, "by_species": True, "raised": True},
    "several blocks, every group has a table": {"block": 9, "groups": 7, "own_tables": True},
    "without tables": {"table": 0},
    "without tables, by species": {"table": 0, "by_species": True},
}


def grouped(odds, group, own_tables=False) -> Odds:
    """Give odds that are the same for all recordings of a group, from a table, groups × species."""
    return Odds(odds, group[:, None], group, odds, np.bincount(group, minlength=len(odds)), own_tables)


def site_by_hour(rng, recordings, odds) -> Odds:
    """Give odds that are products of a term of the site and one of the hour, from those of one hour."""
    sites, hours = 3, 5
    factor = np.concatenate(
        [odds * rng.uniform(0.5, 2, (sites, 1)), rng.uniform(0.2, 3, (hours, odds.shape[1]))]
    )
    row = np.stack(
        [rng.integers(sites, size=recordings), sites + rng.integers(hours, size=recordings)], axis=1
    )
    group = row[:, 0].astype(np.int32)
    max_odds = factor[:sites] * factor[sites:].max(axis=0)
    return Odds(factor, row.astype(np.int32), group, max_odds, np.bincount(group, minlength=sites))


def presence_case(
    monkeypatch,
    raised=False,
    by_species=False,
    occurrence=(0.02, 0.5),
    groups=1,
    terms=1,
    table=design_module.TABLE,
    own_list=design_module.OWN_LIST,
    own_tables=False,
    marks_vote=False,
    block=design_module.BLOCK,
):
    """Give a design, odds and rates; a `block` of presence has so many visits."""
    monkeypatch.setattr(design_module, "TABLE", table)
    monkeypatch.setattr(design_module, "OWN_LIST", own_list)
    monkeypatch.setattr(design_module, "BLOCK", block)
    annotations = portals.wild()
    design = Design(annotations, by_species=by_species, marks_vote=marks_vote)
    rng = np.random.default_rng(5)
    tpr, fpr = random_rates(rng, design.n_rates)
    if raised:
        tpr[::2], fpr[::2] = fpr[::2], tpr[::2]
    probability = rng.uniform(*occurrence, (groups, annotations.n_species))
    group = rng.permutation(np.arange(annotations.n_recordings) % groups).astype(np.int32)
    odds = probability / (1 - probability)
    if terms == 2:
        return design, site_by_hour(rng, annotations.n_recordings, odds), tpr, fpr
    return design, grouped(odds, group, own_tables), tpr, fpr


def rate_table(design: Design, rate):
    """Give rates by annotator and species; without a rate, empty (nan)."""
    a = design.annotations
    table = np.full((a.n_annotators, a.n_species), np.nan)
    if design.by_species:
        table[design.rate_annotator, design.pairs.item] = rate
    else:
        table[:] = np.asarray(rate)[:, None]
    return table


def draw_tables(design: Design, odds: Odds, *rates, draws: int, seed: int):
    """Draw presence again and again: draws × recordings × species."""
    rng, given = np.random.default_rng(seed), VoteRates(*rates)
    draw = presence.draw
    return np.array([joint.as_table(draw(rng, design.layout, odds, given), design) for _ in range(draws)])


def marked_cube(design: Design):
    """Give all votes: −1 for none, 0 for silence, 1 for a report and, if they are votes, 2 for a mark."""
    cube, a = dc.Annotations.of(design.annotations).to_cube(), design.annotations
    visit = design.marks.row_of_item()
    cube[a.visit_recording[visit], a.visit_annotator[visit], design.marks.item] = 2
    return cube


def presence_p(design: Design, odds: Odds, tpr, fpr, *, draws: int, seed: int, step=0.0) -> float:
    """Compare how often each cell is present with its exact probability; rare cells are taken together."""
    rates = rate_table(design, tpr), rate_table(design, fpr)
    exact = naive.dense_presence_probabilities(marked_cube(design), naive.odds_table(odds), *rates, step)
    given = tpr, fpr, ALIKE, float(np.expm1(step))
    tables = draw_tables(design, odds, *given, draws=draws, seed=seed)
    voted = ~np.isnan(exact)
    assert not tables[:, ~voted].any()
    wanted, found = draws * exact[voted], tables.sum(axis=0)[voted]
    variance = wanted * (1 - exact[voted])
    often = variance > 5
    squares = (found[often] - wanted[often]) ** 2 / variance[often]
    p = stats.chi2.sf(squares.sum(), len(squares))
    rare, rarely = wanted[~often].sum(), found[~often].sum()
    if rare > 0:
        p = min(2 * p, 4 * stats.poisson.cdf(rarely, rare), 4 * stats.poisson.sf(rarely - 1, rare))
    return p


def independence_p(design: Design, odds: Odds, tpr, fpr, *, draws: int, seed: int) -> float:
    """Test that cells of one recording are uncorrelated, over all pairs of cells that are not rare."""
    tables = draw_tables(design, odds, tpr, fpr, draws=draws, seed=seed)
    squares = []
    for i in range(tables.shape[1]):
        cells = tables[:, i].astype(float)
        cells = cells[:, cells.var(axis=0) > 100 / draws]
        if cells.shape[1] > 1:
            pairs = np.corrcoef(cells, rowvar=False)[np.triu_indices(cells.shape[1], 1)]
            squares.extend(draws * pairs**2)
    assert len(squares) >= 10
    return stats.chi2.sf(sum(squares), len(squares))


def grid_cdf(log_density, low, high, points=40_001):
    """Give the distribution function of a density on an interval, and its inverse."""
    x = np.linspace(low, high, points)
    density = log_density(x)
    density = np.exp(density - density.max())
    total = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2)])
    total /= total[-1]
    return lambda value: np.interp(value, x, total), lambda u: np.interp(u, total, x)


def logit_log_density(x, s, n, level, spread):
    return s * x - n * np.logaddexp(0, x) - 0.5 * ((x - level) / spread) ** 2


def logit_cdf(s, n, level, spread):
    """Give the same for a logit given counts, on an interval around its mode that is wide enough."""
    grid = np.linspace(level - 12 * spread - 12, level + 12 * spread + 12, 400_001)
    density = logit_log_density(grid, s, n, level, spread)
    inside = grid[density > density.max() - 45]
    margin = grid[1] - grid[0]
    return grid_cdf(
        lambda x: logit_log_density(x, s, n, level, spread), inside[0] - margin, inside[-1] + margin
    )


def ks_p(values, cdf) -> float:
    return stats.kstest(values, cdf).pvalue


def half_normal_p(values, scale) -> float:
    """Compare draws with a half-normal distribution: as a whole, and by their squares, which know scales."""
    squares = ((np.asarray(values) / scale) ** 2).sum()
    sides = stats.chi2.cdf(squares, len(values)), stats.chi2.sf(squares, len(values))
    return 2 * min(ks_p(values, stats.halfnorm(scale=scale).cdf), 2 * min(sides))


def z_of_mean(values, exact) -> np.ndarray:
    """Give how many standard errors the mean of a chain is off, by means of 40 batches."""
    values = np.asarray(values, float)
    batches = values[: len(values) // 40 * 40].reshape(40, -1, *values.shape[1:]).mean(axis=1)
    error = batches.std(axis=0, ddof=1) / np.sqrt(40)
    off = batches.mean(axis=0) - exact
    return np.where(np.abs(off) < 1e-12, 0, off / np.maximum(error, 1e-12))


def random_rates(rng, n):
    """Give rates all over the place, not far from those of people."""
    return expit(rng.normal(1, 1, n)), expit(rng.normal(-2, 1, n))


def trials(s, n, owner, offset=(), factors=()) -> Trials:
    """Give counts with owners, whose logits are one after the other.

    With `factors`, every second trial of a logit is of another class.
    """
    owner = np.asarray(owner)
    start = np.searchsorted(owner, np.arange(owner.max(initial=0) + 2))
    return Trials(
        np.asarray(s, int), np.asarray(n), owner, start, np.array(offset, float), two_classes(n, factors)
    )


def two_classes(n, factors) -> Classes:
    """Give every second trial of each logit another factor; a class without a trial is left out."""
    if not len(factors):
        return ONE_CLASS
    number = np.stack([np.asarray(n) // 2, -(-np.asarray(n) // 2)], axis=1)
    start = np.append(0, np.cumsum((number > 0).sum(axis=1)))
    return Classes(start, number[number > 0], np.broadcast_to(factors, number.shape)[number > 0])


def unchanged(given):
    return given


def reflected_p(name: str, fault=unchanged, draws: int = 3000) -> float:
    """Compare three rates, presence in reported cells summed out, with their densities on a grid.

    `fault` may change what the kernel is given: odds of cells, silences, level and spread.
    """
    annotations = dc.simulate_portal(
        recordings=40, annotators=5, species=6, visits=2.5, present_species=1.5, false_reports=0.8, seed=4
    ).annotations
    design, rng = Design(annotations, by_species=True), np.random.default_rng(10)
    cube, reported = annotations.to_cube(), design.layout.reported
    rates = dict(zip(("tpr", "fpr"), random_rates(rng, design.n_rates), strict=True))
    group = rng.integers(0, 2, 40).astype(np.int32)
    odds = grouped(rng.uniform(0.05, 1.5, (2, 6)), group)
    drawn = joint.as_presence(rng.random((40, 6)) < 0.3, design, joint.Votes.of(design))
    present = joint.as_table(drawn, design)
    by_rate = design.derived(votes_by_rate)
    silent = {"tpr": drawn.misses, "fpr": by_rate.silences - drawn.misses}[name]
    density_of = {"tpr": naive.true_rate_log_density, "fpr": naive.false_rate_log_density}[name]
    level, spread = {"tpr": (1.0, 1.2), "fpr": (-1.5, 1.2)}[name]
    stride = {"tpr": refined.TPR_STRIDE, "fpr": refined.FPR_STRIDE}[name]
    least = np.minimum(np.minimum(design.reports, design.silences - by_rate.silences), silent)
    mixed = np.flatnonzero(least[by_rate.rate] >= 2)
    assert len(mixed) >= 3
    tables = [rate_table(design, rates[side]) for side in ("tpr", "fpr")]

    def weights(x):
        says = evidence(VoteRates(**(rates | {name: expit(x)})))
        w = odds_given_votes(reported, odds, says.ratio, says.together)
        logits_of = {side: np.log(rate / (1 - rate)) for side, rate in rates.items()} | {name: x}
        same = evidence_from_logits(reported.rates, logits_of["tpr"], logits_of["fpr"], ALIKE, 0.0, ALIKE)
        assert np.allclose(w, odds_given_votes(reported, odds, same.ratio, same.together))
        return w if name == "fpr" else 1 / w

    worst = 1.0
    for place in mixed[:3]:
        rate = by_rate.rate[place]
        here = design.rate_annotator[rate], design.pairs.item[rate], present, level, spread

        def density(x, here=here):
            return density_of(x, cube, naive.odds_table(odds), *tables, *here)

        cdf, inverse = grid_cdf(density, level - 9, level + 9, points=4001)
        starts, x = inverse(rng.random(draws)), np.log(rates[name] / (1 - rates[name]))
        values = np.empty(draws)
        for at, start in enumerate(starts):
            x[rate] = start
            given = fault({"w": weights(x), "silent": silent, "level": np.full(5, level), "spread": spread})
            moved = _move(rng, x, by_rate, [place], stride, **given)
            assert moved == (x[rate] != start)
            assert fault is not unchanged or np.allclose(given["w"] / weights(x), 1)
            _move(rng, x, by_rate, [place] * 12, stride, **given)
            values[at] = x[rate]
        worst = min(worst, 3 * ks_p(values, cdf))
    return worst


def _move(rng, x, by_rate, places, stride, w, silent, level, spread):
    """Move the rates at these places, one after the other."""
    votes = Ragged.from_sizes(by_rate.cells.sizes, np.arange(len(by_rate.said))).take(places)
    some = VotesByRate(
        by_rate.rate[places],
        by_rate.annotator[places],
        by_rate.cells.take(places),
        by_rate.said[votes.item],
        by_rate.reports[places],
        by_rate.silences,
    )
    side = reflected.Side(level, spread, x, np.ones(len(level)), np.empty(0))
    return reflected.reflect_logits(rng, side, w, some, silent, 0.0, stride, 1, 1)
