"""Kernels get the same random numbers as Python, and leave a generator as NumPy would."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit

from dawnchorus.common import generators
from dawnchorus.common.compiled import compiled
from dawnchorus.common.generators import ASKED, BUFFERED, COMPUTED, Address, address_of

KINDS = np.random.PCG64, np.random.Philox, np.random.SFC64, np.random.MT19937


def draw(rng: np.random.Generator, n: int) -> np.ndarray:
    found = np.empty((n, 10))
    for i in range(n):
        row = found[i]
        row[0], row[1], row[2] = rng.random(), rng.standard_normal(), rng.standard_exponential()
        row[3], row[4] = rng.standard_gamma(0.1 + i % 7), rng.beta(0.3, 0.2 + i % 5)
        row[5], row[6] = rng.poisson(i % 40), rng.integers(0, 10)  # the last takes half a number
        row[7], row[8] = rng.normal(1.0, 2.0), rng.uniform(-1.0, 3.0)
        row[9] = rng.binomial(1 + i, 0.3)
    return found


kernel, by_numba = compiled(draw), njit(draw)


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_those_of_numba_to_the_bit(kind: Any) -> None:
    ours, theirs = np.random.Generator(kind(3)), np.random.Generator(kind(3))
    np.testing.assert_array_equal(kernel(ours, 4000), by_numba(theirs, 4000))
    np.testing.assert_equal(ours.bit_generator.state, theirs.bit_generator.state)


@pytest.mark.parametrize("kind", KINDS)
def test_python_and_kernels_take_turns(kind: Any) -> None:
    @compiled
    def three(rng: np.random.Generator) -> tuple[float, float, float]:
        return rng.random(), rng.standard_normal(), rng.standard_exponential()

    ours, numpy = np.random.Generator(kind(5)), np.random.Generator(kind(5))
    for _ in range(500):
        assert three(ours) == (numpy.random(), numpy.standard_normal(), numpy.standard_exponential())
        assert ours.integers(7) == numpy.integers(7)


def test_pcg64_is_computed_philox_is_buffered_and_others_are_asked() -> None:
    found = [address_of(np.random.Generator(kind(1))) for kind in KINDS]
    assert [address.way for address in found] == [COMPUTED, BUFFERED, ASKED, ASKED]
    assert address_of(np.random.Generator(np.random.PCG64DXSM(1))).way == ASKED
    assert address_of(found[0]) is found[0]


@pytest.mark.parametrize("kind", KINDS)
def test_where_states_lie_elsewhere_all_are_asked(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = np.random.Generator(kind(9)), np.random.Generator(kind(9))
    monkeypatch.setattr(generators, "_ways", dict)
    assert address_of(ours) == Address(ours.bit_generator.ctypes.bit_generator.value, ASKED)
    np.testing.assert_array_equal(kernel(ours, 100), by_numba(theirs, 100))


@pytest.mark.parametrize("before", range(5))
def test_numbers_of_philox_are_taken_wherever_its_buffer_stands(before: int) -> None:
    ours, theirs = (np.random.Generator(np.random.Philox(7)) for _ in range(2))
    assert list(ours.random(before)) == list(theirs.random(before))
    np.testing.assert_array_equal(kernel(ours, 50), by_numba(theirs, 50))
    np.testing.assert_equal(ours.bit_generator.state, theirs.bit_generator.state)


def test_a_kernel_is_compiled_once_for_all_kinds_and_takes_names() -> None:
    for kind in KINDS:
        kernel(np.random.Generator(kind(1)), n=3)
    assert len(kernel.signatures) == 1


def test_a_carry_reaches_the_upper_half_of_the_state() -> None:
    bits = np.random.PCG64(1)
    for low in (0, 2**64 - 1, 2**127, 2**128 - 1):
        state = bits.state
        state["state"]["state"] = low
        bits.state = state
        rng, same = np.random.Generator(bits), np.random.default_rng(1)
        same.bit_generator.state = state
        assert kernel(rng, 5)[0, 0] == same.random()
