"""Moments of variables whose draws are not kept, and what they say of convergence."""

from __future__ import annotations

import numpy as np
import pytest

from dawnchorus.sampling.moments import BATCH, RunningMoments, diagnose_moments


def autocorrelated(rng, draws, parameters, correlation):
    """Give a chain of draws with variance 1 and this correlation from draw to draw."""
    values = np.empty((draws, parameters))
    values[0] = rng.standard_normal(parameters)
    for i in range(1, draws):
        values[i] = correlation * values[i - 1] + np.sqrt(1 - correlation**2) * rng.standard_normal(
            parameters
        )
    return values


def moments_of(values):
    moments = RunningMoments()
    for value in values:
        moments.add({"rate": value})
    return moments


@pytest.mark.parametrize(("correlation", "mean"), [(0.0, 0), (0.5, 0), (0.8, 0), (0.5, 200)])
def test_effective_sample_size_is_that_of_the_theory(correlation, mean):
    """With a batch that is not whole, too, and where the mean is far from 0."""
    rng, draws = np.random.default_rng(1), 120 * BATCH - 11
    chains = [moments_of(mean + autocorrelated(rng, draws, 400, correlation)) for _ in range(4)]
    found = diagnose_moments(chains, {})
    right = 4 * draws * (1 - correlation) / (1 + correlation)
    assert 0.6 * right < found.min_ess < 1.1 * right
    assert found.worst_family(1.01) is None


def test_chains_that_disagree_on_one_parameter_are_seen():
    rng = np.random.default_rng(2)
    chains = [autocorrelated(rng, 500, 400, 0.0) for _ in range(4)]
    chains[2][:, 123] += 1
    found = diagnose_moments([moments_of(chain) for chain in chains], {})
    assert found.families[0].worst == 123
    assert found.max_rhat > 1.05
    assert not found.reaches(400)


def test_a_parameter_that_never_changes_counts_as_converged():
    chains = [moments_of(np.full((10 * BATCH, 3), 0.7)) for _ in range(2)]
    found = diagnose_moments(chains, {})
    assert found.max_rhat == 1
    assert found.min_ess == 20 * BATCH


def test_short_chains_say_nothing():
    assert diagnose_moments([moments_of(np.zeros((BATCH, 2)))], {}) is None


def test_moments_go_on_from_a_file_as_if_nothing_had_happened():
    values = autocorrelated(np.random.default_rng(3), 90, 5, 0.5)
    begun, whole = moments_of(values[:40]), moments_of(values)
    packed = {key: np.array(value) for key, value in begun.pack().items()}
    again = RunningMoments()
    again.unpack(packed)
    for value in values[40:]:
        again.add({"rate": value})
    assert all(np.array_equal(again.pack()[key], value) for key, value in whole.pack().items())
    assert np.allclose(whole.mean["rate"], values.mean(axis=0))
    assert np.allclose(whole.squares["rate"] / 90, values.var(axis=0))
