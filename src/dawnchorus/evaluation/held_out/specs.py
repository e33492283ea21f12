"""Specs: models as a user writes them, a name and parts with + between them.

    base-hierarchical + difficulty + skill(level) + context(site + cc(hour, df=6))

`PARTS` is the only list of parts: what is written there can be compared, and searched for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...annotations.labels import several
from ...common.errors import AnnotationError
from ...model.registry import DEFAULT, MAJORITY_VOTE, PAIRS, model_name


class Part(NamedTuple):
    """A part of a model: an option of `fit`, or another name of the model.

    Attributes
    ----------
    name
        As it is written in a model.
    option, value
        The option of `fit`, and its value; None if the value is written in brackets after the name.
    renames
        The name of the model with this part, by the name without it.
    number
        Whether the value in brackets is a whole number.
    brings
        The part that `fit` adds to this one, unless another value of its option is given.
    """

    name: str
    option: str = ""
    value: Any = None
    renames: Mapping[str, str] = {}
    number: bool = False
    brings: str = ""

    @property
    def in_brackets(self) -> bool:
        """Whether a value has to be written after the name."""
        return self.value is None and not self.renames


HIERARCHICAL = "hierarchical"
"""The part that many others need."""
PARTS: dict[str, Part] = {
    part.name: part
    for part in (
        Part(HIERARCHICAL, renames={name: f"{name}-hierarchical" for name in ("base", "dp-bmm", "bmm")}),
        Part("communities", renames={"base": "dp-bmm", "base-hierarchical": "dp-bmm-hierarchical"}),
        Part("learned", "priors", "learned"),
        Part("difficulty", "difficulty", True, brings="learned"),
        Part("faint", "faint", True),
        Part("deceptive", "deceptive", True),
        Part("unsure", "unsure", "ordered"),
        Part("skill", "skill"),
        Part("context", "context"),
        Part("components", "components", number=True),
        Part("priors", "priors"),
        Part("spread", "spread"),
        Part("scores", "scores"),
    )
}
"""All parts by name; a new part of a model is one line here."""
SEARCHED = tuple(name for name, part in PARTS.items() if not part.in_brackets)
"""The parts that a search tries unless it is told which."""


class ModelSpec(NamedTuple):
    """A model to be compared: its name, and its parts with their values, in the order of `PARTS`."""

    name: str
    parts: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """The model as it is written; the same for the same model.

        >>> read_spec("Base + hierarchical+learned + difficulty").text
        'base-hierarchical + learned + difficulty'
        """
        parts = (f"{name}({value})" if PARTS[name].in_brackets else name for name, value in self.parts)
        return " + ".join([self.name, *parts])

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of `fit`.

        >>> read_spec("bmm + components(5)").options
        {'model': 'bmm', 'components': 5}
        """
        found: dict[str, Any] = {"model": self.name}
        for name, value in self.parts:
            part = PARTS[name]
            found[part.option] = (int(value) if part.number else value) if part.in_brackets else part.value
        return found

    @property
    def size(self) -> int:
        """How many parts there are, those in the name included: simpler models have fewer."""
        return len(self.parts) + (HIERARCHICAL in self.name) + ("bmm" in self.name)

    def plus(self, part: str) -> ModelSpec | None:
        """Return the model with one more part as it is written; None if the part is there or cannot be."""
        name, value = _name_and_value(part)
        known = PARTS[name]
        if known.renames:
            return self._replace(name=known.renames[self.name]) if self.name in known.renames else None
        taken = {PARTS[other].option for other, _ in self.parts}
        if known.option in taken:
            return None
        parts = {**dict(self.parts), name: value}
        if known.brings and PARTS[known.brings].option not in taken:
            parts[known.brings] = ""
        return self._replace(parts=tuple((one, parts[one]) for one in PARTS if one in parts))


def read_spec(text: str) -> ModelSpec:
    """Return a model as a user writes it.

    >>> read_spec("base + context(site + cc(hour, df=6))").parts
    (('context', 'site + cc(hour, df=6)'),)
    >>> read_spec("base-hierarchical + difficulty").text  # which learns its priors
    'base-hierarchical + learned + difficulty'
    """
    first, *parts = _split(text)
    spec = ModelSpec(model_name(first))
    parts.sort(key=lambda part: bool(PARTS[_name_and_value(part)[0]].brings))  # what is written comes first
    if spec.name == MAJORITY_VOTE:
        raise AnnotationError(
            "majority vote does not predict votes, so it cannot be compared by them",
            f"leave it out, or compare with {DEFAULT} by a truth",
        )
    for part in parts:
        more = spec.plus(part)
        if more is None:
            raise AnnotationError(
                f"'{part.strip()}' cannot be added to {spec.text}, which has it or is no model for it",
                f"leave it out, or use one of: {', '.join(PAIRS)}",
            )
        spec = more
    return spec


def read_specs(models: str | Sequence[str]) -> list[ModelSpec]:
    """Return models, each once; commas may stand between them.

    >>> [spec.text for spec in read_specs("base, base + context(cc(hour, df=6)), Base")]
    ['base', 'base + context(cc(hour, df=6))']
    """
    texts = [text for one in several(models) for text in _split(one, ",")]
    return list(dict.fromkeys(read_spec(text) for text in texts))


def check_part(text: str) -> str:
    """Return a part as it is written, without blanks around it; an error if there is none."""
    name, value = _name_and_value(text)
    return f"{name}({value})" if PARTS[name].in_brackets else name


def _name_and_value(text: str) -> tuple[str, str]:
    text = text.strip()
    name, bracket, rest = text.partition("(")
    name = name.strip().lower()
    if name not in PARTS:
        raise AnnotationError(
            f"there is no part '{text}' of a model", f"use one of: {', '.join(map(_shown, PARTS))}"
        )
    if bool(bracket) != PARTS[name].in_brackets or (bracket and not rest.rstrip().endswith(")")):
        raise AnnotationError(f"'{text}' is not understood", f"write {_shown(name)}")
    value = rest.rstrip()[:-1].strip() if bracket else ""
    if PARTS[name].in_brackets and (not value or (PARTS[name].number and not value.isdigit())):
        raise AnnotationError(f"'{text}' is not understood", f"write {_shown(name)}")
    return name, value


def _shown(name: str) -> str:
    """Return how a part is written."""
    part = PARTS[name]
    return f"{name}({'20' if part.number else '…'})" if part.in_brackets else name


def _split(text: str, sign: str = "+") -> list[str]:
    """Return what stands between signs outside of brackets."""
    parts, depth = [""], 0
    for character in str(text):
        depth += (character == "(") - (character == ")")
        if character == sign and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    if depth or not all(part.strip() for part in parts):
        raise AnnotationError(
            f"the model '{text}' is not understood",
            "write a name and parts with + between them: 'base-hierarchical + difficulty + context(site)'",
        )
    return parts
