"""Arithmetic: exp and log(1 + x) made of additions, multiplications and one division.

Loops that call the functions of the C library compute one value at a time. These here are branchless, so that
a compiler computes several values at once (vectorises): a loop over an array takes about a fifth of the time.
Nor do their last digits depend on the library or the processor. Both are within two units in the last place.

For exp, with k the whole number next to x / log 2, exp(x) = 2^k · exp(x − k·log 2), and the last factor is a
Taylor series. For the logarithm, u = 1 + x = 2^k · m with m between √½ and √2, and the logarithm of m is
the series of 2·artanh(f / (2 + f)), f = m − 1, with the coefficients of fdlibm (Sun Microsystems, 1993). What
u has lost by rounding is added, divided by u.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic

from .compiled import inlined

LARGEST_EXPONENT = 700.0
"""Arguments of `exp_of` are kept between minus and plus this."""
LOG_2 = 0.6931471805599453
LOG_2_HIGH, LOG_2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
"""log 2 in two parts: products of the first with small whole numbers are exact."""
L = (
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
    1.479819860511658591e-01,
)
"""The coefficients of the logarithm."""
ROUNDING = 6755399441055744.0
"""Added to a number and subtracted again, 1.5 · 2^52 leaves the nearest whole number."""


def _take_bits(context: Any, x: Any) -> Any:
    """Return the 64 bits of a number in double precision as a whole number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), generate


def _put_bits(context: Any, bits: Any) -> Any:
    """Return the number in double precision with these 64 bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate


_bits: Any = intrinsic(_take_bits)
_from_bits: Any = intrinsic(_put_bits)


@inlined
def exp_of(x: float) -> float:
    """Return exp(x)."""
    x = min(max(x, -LARGEST_EXPONENT), LARGEST_EXPONENT)
    shifted = x * (1 / LOG_2) + ROUNDING
    k = shifted - ROUNDING
    r = (x - k * LOG_2_HIGH) - k * LOG_2_LOW
    series = 1 / 6227020800
    series = 1 / 479001600 + r * series
    series = 1 / 39916800 + r * series
    series = 1 / 3628800 + r * series
    series = 1 / 362880 + r * series
    series = 1 / 40320 + r * series
    series = 1 / 5040 + r * series
    series = 1 / 720 + r * series
    series = 1 / 120 + r * series
    series = 1 / 24 + r * series
    series = 1 / 6 + r * series
    series = 1 + r * (1 + r * (1 / 2 + r * series))
    # The lowest bits of `shifted` are k: moved up, they are the exponent of 2^k.
    return series * _from_bits((_bits(shifted) << 52) + 0x3FF0000000000000)


@inlined
def log_one_plus(x: float) -> float:
    """Return log(1 + x), for x from 0 to 1e300."""
    u = 1 + x
    return _log(u, x - (u - 1))


@inlined
def log_of(x: float) -> float:
    """Return log(x), for x from 1e-300 to 1e300."""
    return _log(x, 0.0)


@inlined
def _log(u: float, lost: float) -> float:
    """Return log(u + lost), where the second is tiny beside the first."""
    # Exponents change where m is √½: the bits are moved by as much as those of 1 and √½ differ, and back.
    bits = _bits(u) + (0x3FF0000000000000 - 0x3FE6A09E00000000)
    k = float((bits >> 52) - 1023)
    f = _from_bits((bits & 0x000FFFFFFFFFFFFF) + 0x3FE6A09E00000000) - 1
    s = f / (2 + f)
    z = s * s
    w = z * z
    even = w * (L[1] + w * (L[3] + w * L[5]))
    odd = z * (L[0] + w * (L[2] + w * (L[4] + w * L[6])))
    half = 0.5 * f * f
    return k * LOG_2_HIGH - ((half - (s * (half + odd + even) + (k * LOG_2_LOW + lost / u))) - f)
