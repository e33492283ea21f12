"""Names: what the parameters of a fit are called, by annotator, species, effect of context, or by two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..model.design import Design
from ..model.sweep import Model


def parameter_names(model: Model, design: Design) -> dict[str, Any]:
    """Return the labels of the parameters, as far as they have any."""
    a = design.annotations
    labels: dict[tuple[str, ...], Any] = {
        ("annotator",): a.annotators.index,
        ("species",): a.species.index,
        ("pair",): PairNames(design),
    }
    named = {v.name: labels[v.dims] for v in model.variables if v.dims in labels}
    for v in model.variables:
        if v.names:
            named[v.name] = v.names if len(v.dims) == 1 else EffectNames(v.names, a.species.index)
    return named


class EffectNames:
    """Names of an effect and a species, made only when needed.

    Examples
    --------
    >>> EffectNames(("site: marsh", "site: wood"), ("wren", "owl"))[1]
    'site: marsh on owl'
    """

    def __init__(self, effects: Sequence[str], species: Any) -> None:
        self.effects, self.species = effects, species

    def __len__(self) -> int:
        return len(self.effects) * len(self.species)

    def __getitem__(self, place: int) -> str:
        effect, k = divmod(place, len(self.species))
        return f"{self.effects[effect]} on {self.species[k]}"


class PairNames:
    """Names of annotator and species, made only when needed; no two pairs have the same.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> import pandas as pd
    >>> from dawnchorus.model.registry import build_model
    >>> rows = {"recording": ["r1", "r1"], "annotator": ["Aino", "Salo, Onni"], "species": ["wren", "wren"]}
    >>> annotations = dc.Annotations.from_frame(pd.DataFrame(rows), absence="checklist")
    >>> model = build_model("base-hierarchical", dc.Priors.expecting(n_species=1))
    >>> print(*PairNames(model.design(annotations)), sep="; ")
    Aino, wren; "Salo, Onni", wren
    """

    def __init__(self, design: Design) -> None:
        a = design.annotations
        self.annotators = [_in_a_list(label) for label in a.annotators.index]
        self.species = [_in_a_list(label) for label in a.species.index]
        self.pair_annotator, self.pair_species = design.rate_annotator, design.pairs.item

    def __len__(self) -> int:
        return len(self.pair_species)

    def __getitem__(self, place: int) -> str:
        return f"{self.annotators[self.pair_annotator[place]]}, {self.species[self.pair_species[place]]}"

    def __iter__(self) -> Iterator[str]:
        return (self[place] for place in range(len(self)))


def _in_a_list(label: Any) -> str:
    """Return the label, in quotes if it would be taken for two."""
    text = str(label)
    quote = "," in text or text.startswith('"')
    return '"' + text.replace('"', '""') + '"' if quote else text
