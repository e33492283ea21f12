"""The functions that compilers compute for several values at once, against those of NumPy."""

import numpy as np
import pytest
from numba import njit

from dawnchorus.common.arithmetic import LARGEST_EXPONENT, exp_of, log_of, log_one_plus


def of_each(function):
    """Give the function for arrays."""

    @njit
    def loop(x):
        out = np.empty(len(x))
        for at in range(len(x)):
            out[at] = function(x[at])
        return out

    return loop


def units_off(found, right):
    """Give the largest distance in units of the last place."""
    return np.max(np.abs(found - right) / np.spacing(np.abs(right)))


@pytest.mark.parametrize("width", [1e-12, 1e-3, 0.5, 5, 50, LARGEST_EXPONENT])
def test_exp_is_right_to_the_last_places(width):
    x = np.random.default_rng(1).uniform(-width, width, 100_000)
    assert units_off(of_each(exp_of)(x), np.exp(x)) <= 2


def test_exp_beyond_its_bounds_is_that_at_the_bounds():
    x = np.array([-np.inf, -1e6, 0.0, 1e6, np.inf])
    bound = np.exp(LARGEST_EXPONENT)
    assert np.allclose(of_each(exp_of)(x), [1 / bound, 1 / bound, 1, bound, bound], rtol=1e-15)


@pytest.mark.parametrize("power", [0.01, 1, 3, 16, 300])
def test_logarithms_are_right_to_the_last_places(power):
    x = 10 ** np.random.default_rng(2).uniform(-power, power, 100_000)
    assert units_off(of_each(log_of)(x), np.log(x)) <= 2
    assert units_off(of_each(log_one_plus)(x), np.log1p(x)) <= 2


def test_logarithms_near_one_and_of_one():
    x = np.array([1.0, np.nextafter(1, 0), np.nextafter(1, 2), np.sqrt(0.5), np.sqrt(2)])
    assert np.allclose(of_each(log_of)(x), np.log(x), rtol=4e-16, atol=0)
    assert of_each(log_one_plus)(np.array([0.0]))[0] == 0
