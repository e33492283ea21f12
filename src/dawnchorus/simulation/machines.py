"""A simulated classifier that listens to every recording: good for common species, poor for rare ones.

With q from 1 for the most common species to 0 for the rarest, by the logarithm of the rank, it reports a
present species with logit(tpr) = −1 + 2.5·q and an absent one with logit(fpr) = −4 − q, and gives a report a
score whose logit is Normal(0.5 + 2.2·q, 1.1²) if the species is present and Normal(−0.3, 0.8²) if it is not.
All of these vary from species to species.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.special import expit

from ..annotations.annotations import Annotations
from ..annotations.assembly import assemble
from ..annotations.joining import joined
from ..annotations.labelled import LabelledVotes
from ..annotations.labels import as_text
from ..annotations.truth import Truth
from ..annotations.votes import CLIP
from ..common.errors import AnnotationError
from ..common.ragged import Ints, Ragged

VARIED = 0.4
"""How far species differ beyond what their rank says, as the standard deviation of logits."""
DIGITS = 4
"""Scores are rounded, as classifiers write them."""


def machine_name(name: object) -> str:
    """Return the name of a machine; raise an error if it is none.

    >>> machine_name("BirdNET ")
    'BirdNET'
    """
    found = as_text(name) if isinstance(name, str) else ""
    if not found:
        raise AnnotationError(f"machine is {name!r}", "give the name of the classifier, such as 'BirdNET'")
    return found


def with_machine(
    rng: np.random.Generator, votes: LabelledVotes, truth: Truth, name: str
) -> tuple[Annotations, Truth]:
    """Return votes and truth with those of a classifier of this name."""
    if name in votes.annotators.index:
        raise AnnotationError(f"there is an annotator '{name}' already", "give the machine another name")
    table = _drawn(rng, name, votes.species.index)
    presence, n_species = truth.presence, votes.n_species
    there = rng.random(len(presence.item)) < table["tpr"].to_numpy()[presence.item]
    recording, species = presence.row_of_item()[there], presence.item[there]
    wrong, invented = _false_reports(rng, table["fpr"].to_numpy(), votes.n_recordings)
    absent = ~presence.contains(wrong, invented)
    recording = np.concatenate([recording, wrong[absent]])
    species = np.concatenate([species, invented[absent]]).astype(np.int64)
    side = np.repeat(["present", "absent"], [there.sum(), absent.sum()])
    score = np.empty(len(side))
    for word in ("present", "absent"):
        here = side == word
        mean, sd = (table[f"score_{what}_{word}"].to_numpy()[species[here]] for what in ("mean", "sd"))
        score[here] = expit(rng.normal(mean, sd))
    order = np.lexsort((species, recording))
    n = votes.n_recordings
    machine = assemble(
        {
            "recording": votes.recordings,
            "annotator": pd.DataFrame(index=pd.Index([name], dtype=object, name="annotator")),
            "species": votes.species,
        },
        np.arange(n),
        np.zeros(n, np.int64),
        scopes=Ragged.from_sizes([n_species], np.arange(n_species)),
        visit_scope=np.zeros(n, np.int64),
        reports=Ragged.from_pairs(recording, species, rows=n),
        unsure=Ragged.empty(n),
        provenance=replace(votes.provenance, score_scale="probability"),
        scores=np.clip(score, CLIP, 1 - CLIP).round(DIGITS)[order],
    )
    means = {"annotator": name, "tpr": table["tpr"].mean(), "fpr": table["fpr"].mean()}
    pairs = table.rename(columns={"machine": "annotator"})[["annotator", "species", "tpr", "fpr"]]
    truth = replace(
        truth,
        annotators=pd.concat([truth.annotators, pd.DataFrame([means])], ignore_index=True),
        annotator_species=pd.concat([truth.annotator_species, pairs], ignore_index=True),
        machines=table,
    )
    return Annotations.of(joined(votes, machine)), truth


def _drawn(rng: np.random.Generator, name: str, species: pd.Index) -> pd.DataFrame:
    """Draw what a classifier is like, for each species from the most common to the rarest."""
    n = len(species)
    q = 1 - np.log(np.arange(1, n + 1)) / np.log(max(n, 2))
    varied = VARIED * rng.standard_normal((4, n))
    return pd.DataFrame(
        {
            "machine": name,
            "species": species,
            "tpr": expit(-1 + 2.5 * q + varied[0]),
            "fpr": expit(-4 - q + varied[1]),
            "score_mean_present": 0.5 + 2.2 * q + varied[2],
            "score_sd_present": 1.1 * np.exp(0.15 * rng.standard_normal(n)),
            "score_mean_absent": -0.3 + varied[3],
            "score_sd_absent": 0.8 * np.exp(0.15 * rng.standard_normal(n)),
        }
    )


def _false_reports(rng: np.random.Generator, fpr: np.ndarray, recordings: int) -> tuple[Ints, Ints]:
    """Return recordings and species of reports as if all species were absent."""
    number = rng.binomial(recordings, fpr)
    where = [rng.choice(recordings, size=n, replace=False) for n in number]
    return np.concatenate([np.empty(0, np.int64), *where]), np.repeat(np.arange(len(fpr)), number)
