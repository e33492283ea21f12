"""Generators: how kernels get random numbers from a generator of NumPy, without Python in between.

Numba takes a `numpy.random.Generator` apart in Python at every call of a kernel, which takes longer than many
kernels do, and calls a function behind a pointer for every number. Here a kernel gets the address of the bit
generator instead, as two whole numbers (`Address`). Inside, these are a generator with the same methods and
the same numbers, to the bit. Those of PCG64, which every chain has, are computed in place,

    state ← state · multiplier + increment    modulo 2^128,
    number = (upper half xor lower half) rotated to the right by the six highest bits of the state

(O'Neill 2014, XSL-RR). Philox, which blocks of large data have, makes four numbers at a time: it is asked for
the first, and the other three are read from where it keeps them. Any other is asked for every number, as
numba does.

The state stays where NumPy keeps it, so that Python and kernels may take turns. Whether it lies there as it
should is looked at once: where it does not, a generator is asked for every number.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.core.datamodel.models import StructModel
from numba.extending import (
    NativeValue,
    intrinsic,
    overload,
    overload_method,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np.random.distributions import random_standard_exponential
from numba.np.random.generator_core import next_double, next_uint32, next_uint64

MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
"""Of PCG64, as NumPy has it."""
UNIT = 1.0 / 9007199254740992.0
"""The distance of numbers in double precision from 0 to 1: 2^-53."""
INT32, INT64, INT128 = ir.IntType(32), ir.IntType(64), ir.IntType(128)
NEXT = {next_uint64: (1, INT64), next_uint32: (2, INT32), next_double: (3, ir.DoubleType())}
"""Where the interface of a bit generator has its functions, and what they return; at 0 is the state."""
ASKED, COMPUTED, BUFFERED = range(3)
"""How kernels get a number: by asking, by computing it as PCG64 does, or out of the buffer of Philox."""
BUFFER = 4
"""So many numbers are in the buffer of Philox."""


class Address(NamedTuple):
    """Where the interface of a bit generator is, and how numbers are got from it."""

    interface: int
    way: int


def address_of(rng: Any) -> Any:
    """Return the address of a generator of NumPy; anything else is returned unchanged.

    >>> address_of(np.random.default_rng(1)).way == COMPUTED, address_of(7)
    (True, 7)
    """
    if type(rng) is not np.random.Generator:
        return rng
    bits = rng.bit_generator
    return Address(bits.ctypes.bit_generator.value, _ways().get(type(bits), ASKED))


@cache
def _ways() -> dict[type, int]:
    """Return how kernels get numbers from generators whose states are where kernels look for them."""
    ways: dict[type, int] = {}
    pcg, philox = np.random.PCG64(1), np.random.Philox(1)
    place = ctypes.c_uint64.from_address(pcg.ctypes.state_address).value
    words, state = (ctypes.c_uint64 * 4).from_address(place), pcg.state["state"]
    if (words[0] | words[1] << 64, words[2] | words[3] << 64) == (state["state"], state["inc"]):
        ways[np.random.PCG64] = COMPUTED
    philox.random_raw(BUFFER - 2)
    words = (ctypes.c_uint64 * (3 + BUFFER)).from_address(philox.ctypes.state_address)
    buffered = philox.state["buffer_pos"], *map(int, philox.state["buffer"])
    if (words[2] & 0xFFFFFFFF, *words[3:]) == buffered:
        ways[np.random.Philox] = BUFFERED
    return ways


class BitsType(types.Type):
    """What kernels take for a bit generator."""

    def __init__(self) -> None:
        super().__init__(name="dawnchorus.Bits")


class GeneratorType(types.NumPyRandomGeneratorType):
    """What kernels take for a generator: it has the methods that numba gives to those of NumPy."""

    def __init__(self) -> None:
        super().__init__("generator")
        self.name = "dawnchorus.Generator"


BITS, GENERATOR = BitsType(), GeneratorType()


@register_model(BitsType)
class _BitsModel(StructModel):
    """The addresses of the state, as PCG64 and Philox keep it, and of the interface; how to get numbers."""

    def __init__(self, manager: Any, kind: Any) -> None:
        addresses = ("state", types.uintp), ("interface", types.uintp)
        super().__init__(manager, kind, [*addresses, ("way", types.int64)])


@register_model(GeneratorType)
class _GeneratorModel(StructModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, [("bit_generator", BITS)])


@typeof_impl.register(Address)
def _typeof(value: Any, context: Any) -> Any:
    return GENERATOR


@unbox(GeneratorType)
def _unbox(kind: Any, value: Any, c: Any) -> Any:
    """Take an `Address` apart."""
    interface = c.pyapi.long_as_ulonglong(c.pyapi.tuple_getitem(value, 0))
    bits = cgutils.create_struct_proxy(BITS)(c.context, c.builder)
    bits.interface, bits.way = interface, c.pyapi.long_as_longlong(c.pyapi.tuple_getitem(value, 1))
    kept = _load(c.builder, interface, 0, INT64)
    computed = c.builder.icmp_signed("==", bits.way, INT64(COMPUTED))
    holder = c.builder.select(computed, kept, interface)  # that of PCG64 holds the address of its state
    bits.state = c.builder.select(computed, _load(c.builder, holder, 0, INT64), kept)
    generator = cgutils.create_struct_proxy(kind)(c.context, c.builder)
    generator.bit_generator = bits._getvalue()
    return NativeValue(generator._getvalue())


def _load(builder: Any, address: Any, place: int, kind: Any) -> Any:
    """Read a value, so many places of eight bytes after an address."""
    return builder.load(builder.inttoptr(builder.add(address, INT64(8 * place)), kind.as_pointer()))


def _bits_of(context: Any, builder: Any, argument: Any) -> Any:
    return cgutils.create_struct_proxy(BITS)(context, builder, value=argument)


def _look_up_way(context: Any, bits: Any) -> Any:
    """How to get a number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _bits_of(context, builder, arguments[0]).way

    return types.int64(bits), generate


def _count_taken(context: Any, bits: Any) -> Any:
    """How many numbers were taken from the buffer of Philox."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        taken = _load(builder, _bits_of(context, builder, arguments[0]).state, 2, INT32)
        return builder.zext(taken, INT64)

    return types.int64(bits), generate


def _take_buffered(context: Any, bits: Any) -> Any:
    """Take the next number from the buffer of Philox."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        state = _bits_of(context, builder, arguments[0]).state
        place = builder.inttoptr(builder.add(state, INT64(16)), INT32.as_pointer())
        taken = builder.load(place)
        builder.store(builder.add(taken, INT32(1)), place)
        offset = builder.mul(builder.zext(taken, INT64), INT64(8))
        return _load(builder, builder.add(state, offset), 3, INT64)

    return types.uint64(bits), generate


def _step_pcg(context: Any, bits: Any) -> Any:
    """Move the state on, and make a number of it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words = _bits_of(context, builder, arguments[0]).state
        place = builder.inttoptr(words, INT128.as_pointer())
        after = builder.inttoptr(builder.add(words, INT64(16)), INT128.as_pointer())
        state = builder.mul(builder.load(place, align=8), INT128(MULTIPLIER))
        state = builder.add(state, builder.load(after, align=8))
        builder.store(state, place, align=8)
        upper = builder.trunc(builder.lshr(state, INT128(64)), INT64)
        mixed = builder.xor(upper, builder.trunc(state, INT64))
        right = builder.lshr(upper, INT64(58))
        left = builder.and_(builder.neg(right), INT64(63))
        return builder.or_(builder.lshr(mixed, right), builder.shl(mixed, left))

    return types.uint64(bits), generate


def _asked(function: Any) -> Any:
    """Return how kernels ask a bit generator for a number, by the function of its interface."""
    place, returned = NEXT[function]
    kinds: Any = {INT64: types.uint64, INT32: types.uint32}

    def ask(context: Any, bits: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            interface = _bits_of(context, builder, arguments[0]).interface
            kind = ir.FunctionType(returned, (INT64,)).as_pointer()
            address = _load(builder, interface, place, INT64)
            return builder.call(builder.inttoptr(address, kind), (_load(builder, interface, 0, INT64),))

        return kinds.get(returned, types.float64)(bits), generate

    return intrinsic(ask)


_way_of: Any = intrinsic(_look_up_way)
_next_of_pcg: Any = intrinsic(_step_pcg)
_taken: Any = intrinsic(_count_taken)
_next_in_buffer: Any = intrinsic(_take_buffered)
_ask_uint64, _ask_uint32, _ask_double = (_asked(function) for function in NEXT)


@overload(next_uint64)
def _next_uint64(bitgen: Any) -> Any:
    if isinstance(bitgen, BitsType):

        def implementation(bitgen: Any) -> Any:
            way = _way_of(bitgen)
            if way == COMPUTED:
                return _next_of_pcg(bitgen)
            if way == BUFFERED and _taken(bitgen) < BUFFER:
                return _next_in_buffer(bitgen)
            return _ask_uint64(bitgen)

        return implementation
    return None


@overload(next_double)
def _next_double(bitgen: Any) -> Any:
    if isinstance(bitgen, BitsType):

        def implementation(bitgen: Any) -> Any:
            return (next_uint64(bitgen) >> 11) * UNIT if _way_of(bitgen) != ASKED else _ask_double(bitgen)

        return implementation
    return None


@overload(next_uint32)
def _next_uint32(bitgen: Any) -> Any:
    # Of each number that PCG64 makes, the other half is for the next call: NumPy keeps account of that.
    if isinstance(bitgen, BitsType):

        def implementation(bitgen: Any) -> Any:
            return _ask_uint32(bitgen)

        return implementation
    return None


@overload_method(GeneratorType, "standard_exponential")
def _standard_exponential(inst: Any) -> Any:
    """Numba's own method compares the name of an algorithm at every call."""

    def implementation(inst: Any) -> Any:
        return random_standard_exponential(inst.bit_generator)

    return implementation
