"""Priors: what is believed before any vote is seen. They are explicit, checked, and printed in words.

>>> import dawnchorus as dc
>>> priors = dc.Priors.expecting(species_per_recording=3, n_species=120, tpr=0.85, fpr=0.005)
>>> print(priors.occurrence)
Beta(2, 78): mean 0.025, 90 % between 0.00452 and 0.0586
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from scipy.special import logit

from ...common.checked import finite_number, whole_number
from ...common.errors import AnnotationError, AnnotationWarning
from ...common.warn import warn
from . import Beta, Gamma, HalfNormal, HalfNormalForMost, LearnedBeta, LearnedNormal, Normal, need, usual


@dataclass(frozen=True)
class Priors:
    """The priors of all quantities; each model uses those that it needs.

    `Priors.default` makes those that `fit` uses, `Priors.expecting` makes them from a few numbers that one
    knows, `Priors.learning` learns them all, and `PRIORS` has those of the paper by name.

    Attributes
    ----------
    occurrence
        The probability of a species in a recording (in mixtures: in a component).
    tpr, fpr
        True and false positive rate of an annotator, where these are the same for all species.
    tpr_level, fpr_level
        Overall level of an annotator on the logit scale, where rates differ by species.
    tpr_spread, fpr_spread
        The standard deviation of an annotator's logits over species: the same for all, or for most.
    tpr_difficulty, fpr_difficulty
        The standard deviation, over species, of what all annotators' logits of a species have in common.
    faintness
        The standard deviation, over birds that are present, of how audible they are, on the logit scale.
    deception
        The standard deviation, over recordings where a bird is absent, of how far people are misled.
    unsure_step
        By how much the logit of "report or unsure" is above that of a report, if unsure marks are votes.
    tpr_skill, fpr_skill
        The standard deviation of the effects, on levels, of what annotators say of themselves.
    concentration
        Of the Dirichlet process: the larger, the more components.
    components
        Of the finite mixture: the number of components, more than are needed.
    known_tpr, known_fpr
        True and false positive rate of an expert who says what is known (`known_as="expert"`).

    Raises
    ------
    AnnotationError
        If a prior is not the distribution that it should be, or `components` not a whole number, 1 or more.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> priors = dc.Priors.expecting(n_species=120, species_per_recording=2.4)
    >>> print(priors.occurrence)
    Beta(2, 98): mean 0.02, 90 % between 0.0036 and 0.047
    >>> priors.replace(fpr=dc.Beta(1, 199)).fpr.mean
    0.005
    """

    occurrence: Beta | LearnedBeta
    tpr: Beta | LearnedBeta
    fpr: Beta | LearnedBeta
    tpr_level: Normal | LearnedNormal
    fpr_level: Normal | LearnedNormal
    tpr_spread: HalfNormal | HalfNormalForMost = usual.SPREAD
    fpr_spread: HalfNormal | HalfNormalForMost = usual.SPREAD
    tpr_difficulty: HalfNormal = usual.DIFFICULTY
    fpr_difficulty: HalfNormal = usual.DIFFICULTY
    faintness: HalfNormal = usual.FAINTNESS
    deception: HalfNormal = usual.DECEPTION
    unsure_step: HalfNormal = usual.UNSURE_STEP
    tpr_skill: HalfNormal = usual.SKILL
    fpr_skill: HalfNormal = usual.SKILL
    concentration: Gamma = usual.CONCENTRATION
    components: int = 20
    known_tpr: Beta = usual.KNOWN_TPR
    known_fpr: Beta = usual.KNOWN_FPR

    def __post_init__(self) -> None:
        object.__setattr__(self, "components", whole_number("components", self.components, least=1))
        for field in fields(self):
            value = getattr(self, field.name)
            kinds = str(field.type).split(" | ")
            if field.name in usual.EXAMPLES and type(value).__name__ not in kinds:
                raise AnnotationError(
                    f"{field.name} is {value!r}, but a prior is a distribution, here a {' or '.join(kinds)}",
                    f"give for example {usual.EXAMPLES[field.name]}",
                )

    @classmethod
    def expecting(
        cls,
        *,
        n_species: int,
        species_per_recording: float | None = None,
        tpr: float = 0.8,
        fpr: float = 0.01,
        occurrence_strength: float | None = None,
        tpr_strength: float = 10,
        fpr_strength: float = 100,
        **others: Any,
    ) -> Priors:
        """Return priors that say what one knows.

        Parameters
        ----------
        n_species
            How many species there are.
        species_per_recording
            How many of them a recording is expected to hold (3), at most half of them.
        tpr, fpr
            How often a typical annotator reports a species that is there, and one that is not.
        occurrence_strength, tpr_strength, fpr_strength
            How sure one is of each: as if one had seen so many trials. By default, the prior of a species
            weighs as much as the recordings in which it would be present twice, but at most 100.
        others
            Other fields of `Priors` as they are.

        Returns
        -------
        Priors

        Raises
        ------
        AnnotationError
            If a number cannot be a prior, or there is no such field.

        Warns
        -----
        AnnotationWarning
            If `species_per_recording` is more than half of the species, and half of them is expected instead.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> dc.Priors.expecting(n_species=100, tpr=0.9, tpr_strength=50).tpr
        Beta(a=45.0, b=5.0)
        """
        n_species = whole_number("n_species", n_species, least=1)
        for name, value in (("tpr", tpr), ("fpr", fpr), ("tpr_strength", tpr_strength)):
            finite_number(name, value)
        finite_number("fpr_strength", fpr_strength)
        if species_per_recording is not None:
            finite_number("species_per_recording", species_per_recording, above=0)
            if species_per_recording > n_species * usual.MOST_OCCURRENCE:
                warn(
                    f"species_per_recording is {species_per_recording:g}, but there are {n_species:,} "
                    "species: at most half of them are expected in a recording, so "
                    f"{n_species * usual.MOST_OCCURRENCE:g} is used",
                    AnnotationWarning,
                )
        mean = min((species_per_recording or usual.SPECIES_PER_RECORDING) / n_species, usual.MOST_OCCURRENCE)
        if occurrence_strength is None:
            occurrence_strength = min(usual.SIGHTINGS / mean, usual.MOST_RECORDINGS)
        occurrence = Beta.around(mean, occurrence_strength)
        true, false = Beta.around(tpr, tpr_strength), Beta.around(fpr, fpr_strength)
        unknown = set(others) - {field.name for field in fields(cls)}
        need(not unknown, f"a prior of '{', '.join(sorted(unknown))}'", "see the fields of dc.Priors")
        parts: dict[str, Any] = {
            "occurrence": occurrence,
            "tpr": true,
            "fpr": false,
            "tpr_level": usual.level_around(tpr, tpr_strength),
            "fpr_level": usual.level_around(fpr, fpr_strength),
        }
        return cls(**(parts | others))

    @classmethod
    def default(
        cls,
        *,
        n_species: int,
        species_per_recording: float | None = None,
        tpr: float = 0.8,
        fpr: float = 0.01,
        occurrence_strength: float | None = None,
        tpr_strength: float | None = None,
        fpr_strength: float | None = None,
        reported: float | None = None,
        **others: Any,
    ) -> Priors:
        """Return the priors that `fit` uses: occurrence and true positive rates are learned from the data.

        They start from a guess that may be far off, unless a strength says how sure one is of it. False
        positive rates are as in `expecting`: votes alone tell little of them, and learning them takes long.
        But a few annotators may report at random, at rates that hardly differ between species. Otherwise a
        single one of them would let the rates of all others seem to be alike.

        Parameters
        ----------
        n_species, species_per_recording, tpr, fpr, occurrence_strength, tpr_strength, others
            As in `expecting`.
        fpr_strength
            As in `expecting`; by default as many trials as hold a single false report, at most 100.
        reported
            For a model with communities (`bmm`, `dp-bmm`), the share of votes that are reports. Then
            occurrence is not learned: what is learned of it and the number of communities depend on each
            other so much that chains would not agree. It is guessed from this share instead, or as in
            `expecting` if you give `species_per_recording` or `occurrence_strength`.

        Returns
        -------
        Priors

        Raises
        ------
        AnnotationError
            If a number cannot be a guess, or there is no such field.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> priors = dc.Priors.default(n_species=100, tpr=0.9, tpr_strength=50)
        >>> print(priors.occurrence)
        learned from the data: mean about 0.03 (90 % between 0.00262 and 0.267), worth about 10 trials
        >>> print(priors.tpr)
        Beta(45, 5): mean 0.9, 90 % between 0.823 and 0.959
        """
        if fpr_strength is None:
            fpr_strength = usual.trials_with_one(finite_number("fpr", fpr))
        given = cls.expecting(
            n_species=n_species,
            species_per_recording=species_per_recording,
            tpr=tpr,
            fpr=fpr,
            occurrence_strength=occurrence_strength,
            tpr_strength=10 if tpr_strength is None else tpr_strength,
            fpr_strength=fpr_strength,
        )
        parts: dict[str, Any] = {"fpr_spread": HalfNormalForMost(usual.SPREAD.scale)}
        if occurrence_strength is None:
            if reported is None:
                parts["occurrence"] = LearnedBeta(given.occurrence.mean)
            elif species_per_recording is None:
                parts["occurrence"] = usual.occurrence_from_reports(reported / tpr)
        if tpr_strength is None:
            parts |= {"tpr": usual.learned_tpr(tpr), "tpr_level": usual.learned_tpr_level(tpr, uneven=0)}
        return given.replace(**(parts | others))

    @classmethod
    def learning(
        cls,
        *,
        n_species: int,
        species_per_recording: float | None = None,
        tpr: float = 0.8,
        fpr: float = 0.01,
        **others: Any,
    ) -> Priors:
        """Return priors that are all learned from the data, starting from a guess that may be far off.

        Annotators may also differ in how much their rates vary between species.

        Parameters
        ----------
        n_species, species_per_recording, tpr, fpr, others
            As in `expecting`.

        Returns
        -------
        Priors

        Raises
        ------
        AnnotationError
            If a number cannot be a guess, or there is no such field.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> print(dc.Priors.learning(n_species=100).tpr)
        learned from the data: mean about 0.8 (90 % between 0.436 and 0.954), worth about 10 trials
        """
        given = cls.expecting(
            n_species=n_species, species_per_recording=species_per_recording, tpr=tpr, fpr=fpr
        )
        parts: dict[str, Any] = {
            "occurrence": LearnedBeta(given.occurrence.mean),
            "tpr": usual.learned_tpr(tpr),
            "fpr": LearnedBeta(fpr, strength=100),
            "tpr_level": usual.learned_tpr_level(tpr),
            "fpr_level": LearnedNormal(float(logit(fpr))),
        }
        return given.replace(**(parts | others))

    def replace(self, **others: Any) -> Priors:
        """Return these priors with some fields changed.

        Parameters
        ----------
        others
            Fields of `Priors` and their new values.

        Returns
        -------
        Priors

        Examples
        --------
        >>> import dawnchorus as dc
        >>> dc.Priors.expecting(n_species=100).replace(tpr=dc.Beta(9, 1)).tpr.mean
        0.9
        """
        return replace(self, **others)

    def as_dict(self) -> dict[str, str]:
        """Return the priors in words, by name."""
        return {f.name: str(getattr(self, f.name)) for f in fields(self)}
