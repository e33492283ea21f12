"""Truth: which species are really present, known in simulations and, for some cells, from an expert."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from ..common.errors import AnnotationError
from ..common.ragged import Ragged
from ..common.showing.notebook import as_html
from .frames.columns import Source
from .frames.names import read_names
from .frames.reading import read_columns, refuse_blank
from .frames.spelling import one_way, variants
from .labels import Names, counted, places
from .votes import UNSURE, VOTES

WORDS = ["recording", "species", "present"]
MOST_CELLS = 50_000_000


@dataclass(frozen=True, repr=False)
class Truth:
    """The true presence of species, and the true rates of annotators, of a simulation.

    Attributes
    ----------
    recordings
        Labels of the recordings.
    presence
        For each recording, the positions of the species that are present.
    species
        Columns species and occurrence: the probability that the species is present in a recording.
    annotators
        Columns annotator, `tpr` (true positive rate) and `fpr` (false positive rate), among others. If skill
        varies over species in `simulate_paper`, these are the rates for a typical species. They differ from
        the mean over species: with a spread of 2 on the logit scale, the mean TPR is about 0.1 lower. In
        `simulate_portal`, `tpr` is the mean over the present species that the annotator could hear, and `fpr`
        is the mean over their scope.
    annotator_species
        Columns annotator, species, tpr and fpr, if skill varies over species; otherwise none. In
        `simulate_portal`, only pairs in which the annotator could hear the species.
    machines
        Columns machine, species, tpr, fpr, and mean and standard deviation of scores, as logits, where the
        species is present and where it is absent; none if there is no machine.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> dc.simulate_paper(visits=2.4, seed=1).truth.annotators.columns.tolist()
    ['annotator', 'type', 'tpr', 'fpr']
    """

    recordings: pd.Index
    presence: Ragged
    species: pd.DataFrame
    annotators: pd.DataFrame
    annotator_species: pd.DataFrame | None = None
    machines: pd.DataFrame | None = None

    def __repr__(self) -> str:
        cells, present = len(self.recordings) * len(self.species), len(self.presence.item)
        return (
            f"<Truth: {counted(len(self.recordings), 'recording')}, {counted(len(self.species), 'species')}, "
            f"{present:,} of {counted(cells, 'cell')} present>"
        )

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        recordings, species = len(self.recordings), len(self.species)
        present = len(self.presence.item)
        rows = [
            ("recordings", f"{recordings:,}"),
            ("species", f"{species:,}"),
            ("cells present", f"{present:,} of {recordings * species:,}"),
            ("species in a recording", f"{present / max(recordings, 1):.2f} on average"),
            ("annotators", f"{len(self.annotators):,}, with their true rates"),
        ]
        return as_html("Truth", rows, "A table of all cells: truth.to_frame().")

    def to_frame(self, recordings: Names | None = None) -> pd.DataFrame:
        """Return the truth as a long table, one row per cell (recording and species).

        Parameters
        ----------
        recordings
            Labels of recordings, or a single label; by default all.

        Returns
        -------
        pandas.DataFrame
            Columns recording, species and present (1 or 0).

        Raises
        ------
        AnnotationError
            If there is no such recording, or the table would have more than 50 million rows.

        Examples
        --------
        >>> import dawnchorus as dc
        >>> truth = dc.simulate_paper(recordings=3, species=2, visits=5, seed=1).truth
        >>> truth.to_frame(["r2"])
          recording species  present
        0        r2      s1        0
        1        r2      s2        0
        """
        every = np.arange(len(self.recordings))
        which = every if recordings is None else places(self.recordings, recordings)
        n_species = len(self.species)
        if len(which) * n_species > MOST_CELLS:
            raise AnnotationError(
                f"{len(which):,} × {n_species:,} cells are more than {MOST_CELLS:,}", "name fewer recordings"
            )
        present = self.presence.take(which).to_csr(n_species).toarray().astype(np.int8)
        return pd.DataFrame(
            {
                "recording": np.repeat(self.recordings[which].to_numpy(object), n_species),
                "species": np.tile(self.species["species"].to_numpy(object), len(which)),
                "present": present.ravel(),
            }
        )


def truth_frame(
    frame: Any,
    *,
    columns: Mapping[str, str] | None = None,
    keep_na: bool = True,
    fold_case: bool = False,
    species: Sequence[str] | pd.Index = (),
    names: Any = None,
    source: Source = Source("the truth table"),  # noqa: B008  (a constant)
) -> pd.DataFrame:
    """Check a truth table, and return it with columns recording, species (text) and present (0 or 1).

    With `fold_case`, species that differ only in case are one, in the spelling of `species` if it is there.
    `names` has one name for each code or synonym.
    """
    if isinstance(frame, str | PathLike):
        raise TypeError(
            f"{source.name}: expected a frame, got a path; read the file with dc.read_truth(path)"
        )
    told: dict[str, Any] = {"columns": columns, "keep_na": keep_na, "fold_case": fold_case}
    return truth_rows(frame, **told, species=species, names=names, source=source).reset_index(drop=True)


def truth_rows(
    frame: Any,
    *,
    columns: Mapping[str, str] | None = None,
    keep_na: bool = True,
    fold_case: bool = False,
    species: Sequence[str] | pd.Index = (),
    names: Any = None,
    where: str = "recording",
    source: Source,
) -> pd.DataFrame:
    """Return the same as `truth_frame`, with the positions of rows in the given table as the index.

    `where` is what the column of recordings has, such as a site, and its name in what is returned.
    """
    _, cells, wrong = read_columns(frame, WORDS, [], source, columns, keep_na=keep_na)
    cells[where] = cells.pop("recording")
    cells["species"] = read_names(names).renamed(cells["species"], fold_case=fold_case)
    if fold_case:
        known = set(species)
        spelt = one_way(variants(cells["species"], known, known))
        spelt = {text: name for text, name in spelt.items() if text not in known}
        cells["species"] = cells["species"].renamed(spelt)
    row = np.flatnonzero(~np.all([column.blank for column in cells.values()], axis=0))
    if not len(row):
        raise AnnotationError(
            "all rows are blank", "check that the table is complete", file=source.name, row=2
        )
    refuse_blank(cells, (where, "species"), row, source, wrong)
    present = cells["present"]
    vote = np.array([VOTES.get(text.lower(), UNSURE) for text in present.text])[present.code][row]
    if len(bad := row[vote == UNSURE]):
        raise AnnotationError(
            f"'present' is '{present.text[present.code[bad[0]]]}', but must be 1 or 0",
            "write 1 or 0, or delete the rows where the truth is not known",
            file=source.name,
            row=source.row(bad[0]),
        )
    table = pd.DataFrame(
        {word: cells[word].text[cells[word].code[row]] for word in (where, "species")}
    ).assign(present=vote.astype(np.int8))
    again = (table.duplicated([where, "species"]) & ~table.duplicated()).to_numpy()
    if again.any():
        i = int(np.argmax(again))
        same = (table[where] == table[where][i]) & (table["species"] == table["species"][i])
        first = source.row(row[int(np.argmax(same))])
        raise AnnotationError(
            f"species '{table['species'][i]}' in {where} '{table[where][i]}' "
            f"is both present and absent (see row {first})",
            "keep the correct row and delete the other",
            file=source.name,
            row=source.row(row[i]),
        )
    return table.set_axis(row)[~table.duplicated().to_numpy()]
