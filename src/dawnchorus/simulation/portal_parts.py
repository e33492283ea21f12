"""A simulated portal in parts: more reports than fit into memory, as partitioned Parquet files.

The birds and the listeners are those of portal.py, drawn once. Recordings come in parts of `PART`, each with
random numbers of its own, spawned from the seed; so a part depends on the seed and its place alone, and only
one is in memory at a time. What an annotator and a species have in common has to be the same in all parts,
but there may be too many pairs to draw them all. So the logit of the true positive rate of a pair,

    logit tpr[j, k] = skill[j] + ease[k] + 0.7 · z[j, k],   z ~ Normal(0, 1),

has a z that is computed from the seed and the number of the pair: a hash of 64 bits (splitmix64; Steele, Lea
and Flood 2014), read as a number between 0 and 1, becomes a normal quantile.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit, ndtri

from .._version import __version__
from ..common.checked import finite_number, whole_number
from ..common.files.whole import whole_folder
from ..common.json_text import write_json
from ..common.lazy import lazy
from ..common.ragged import Bools, Floats, Ints, Ragged
from ..common.showing.progress import Phases, no_phases
from ..io.writers.csv_tables import write_table
from .birds import HOUR_SHARES, Birds
from .listeners import Listeners, drawn_visits, hits_in_scope, visit_rate
from .simulation import labels

pa = lazy("pyarrow", extra="parquet", purpose="writing Parquet")
pq = lazy("pyarrow.parquet", extra="parquet", purpose="writing Parquet")

PART = 200_000
"""A part has so many recordings."""
SPREAD = 0.7
"""The standard deviation of pairs of an annotator and a species."""


class World(NamedTuple):
    """What all parts have in common."""

    birds: Birds
    who: Listeners
    visit_rate: float
    unsure: float
    key: int
    """What the hashes of pairs begin with."""


class Votes(NamedTuple):
    """The visits of a part, and what they say."""

    recording: Ints
    annotator: Ints
    reports: Ragged
    unsure: Ragged


def write_portal(
    path: str | Path,
    recordings: int = 2000,
    annotators: int = 60,
    species: int = 120,
    *,
    visits: float = 1.5,
    present_species: float | None = None,
    false_reports: float = 0.1,
    unsure: float = 0.1,
    sites: int = 40,
    seed: int = 0,
    overwrite: bool = False,
    record: dict[str, Any] | None = None,
    progress: Phases | None = None,
) -> dict[str, Any]:
    """Write simulated data like those of a portal as partitioned Parquet files, of any size.

    It takes the memory of one part, whatever the number of recordings. The data are not those of
    `simulate_portal` with the same seed, but of the same kind.

    Parameters
    ----------
    path
        The folder to create: visits/ (recording, annotator, species, present, scope), recordings/ (recording,
        site, hour) and truth/ (recording, species: the present ones), each in parts; scope.csv,
        annotators.csv, species.csv, true_annotators.csv, true_species.csv and simulation.json.
    recordings, annotators, species
        The number of each.
    visits, present_species, false_reports, unsure, sites
        As in `simulate_portal`.
    seed
        A whole number, which gives the same data each time.
    overwrite
        Whether to replace the folder if it exists and Dawnchorus wrote everything in it.
    record
        Further entries for simulation.json.
    progress
        Called with what is being done, the steps done and their number.

    Returns
    -------
    dict
        What simulation.json contains.

    Raises
    ------
    AnnotationError
        If the numbers are not possible, alone or together.
    OutputError
        If the folder exists or cannot be written.

    Examples
    --------
    >>> import dawnchorus as dc
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as home:
    ...     contents = dc.write_portal(f"{home}/big", recordings=500, seed=1)
    >>> contents["parts"], contents["data"]["recordings"]
    (1, 500)
    """
    n = {"recordings": recordings, "annotators": annotators, "species": species, "sites": sites}
    n = {name: whole_number(name, value, least=1) for name, value in n.items()}
    for name, value in (("visits", visits), ("false_reports", false_reports), ("unsure", unsure)):
        finite_number(name, value, least=0)
    if present_species is None:
        present_species = min(2.5, n["species"] / 10)
    finite_number("present_species", present_species, least=0)
    seeds = np.random.SeedSequence(whole_number("seed", seed, least=0))
    starts = range(0, n["recordings"], PART)
    world = _world(seeds.spawn(1)[0], n, visits, present_species, false_reports, unsure)
    say, counts = progress or no_phases, _Counts.none(n["annotators"])
    with whole_folder(path, overwrite=overwrite) as folder:
        files = _Files(folder, n)
        for part, (first, own) in enumerate(zip(starts, seeds.spawn(len(starts)), strict=True)):
            say("Simulating", part, len(starts))
            rng, size = np.random.default_rng(own), min(PART, n["recordings"] - first)
            counts = files.write(part, first, rng, size, world, counts)
        say("Simulating", len(starts), len(starts))
        files.write_tables(world, counts)
        data = {name: n[name] for name in ("recordings", "annotators", "species")}
        data |= {"visits": counts.visits, "reports": counts.reports, "unsure": counts.unsure}
        contents = {"version": __version__, **(record or {}), "absence": "scope", "format": "parquet"}
        contents |= {"parts": len(starts), "files": files.names, "data": data}
        write_json(contents, folder / "simulation.json")
    return contents


def _world(
    seed: np.random.SeedSequence,
    n: dict[str, int],
    visits: float,
    present_species: float,
    false_reports: float,
    unsure: float,
) -> World:
    rng = np.random.default_rng(seed)
    times = np.tile(HOUR_SHARES, (n["sites"], 1))
    birds = Birds.draw(rng, n["sites"], n["species"]).as_common_as(present_species, times)
    who = Listeners.draw(rng, n["annotators"], n["species"], false_reports)
    return World(birds, who, visit_rate(who.activity, visits), unsure, int(rng.integers(2**63)))


class _Counts(NamedTuple):
    """What has been written so far: sums of true positive rates over present cells, and how many cells."""

    visits: int
    reports: int
    unsure: int
    rates: Floats
    cells: Ints

    @classmethod
    def none(cls, annotators: int) -> _Counts:
        return cls(0, 0, 0, np.zeros(annotators), np.zeros(annotators, np.int64))


class _Files:
    """The files of a portal, part by part."""

    def __init__(self, folder: Path, n: dict[str, int]) -> None:
        self.folder, self.n, self.names = folder, n, ["visits/", "recordings/", "truth/"]
        folder.mkdir(exist_ok=True)
        for name in self.names:
            (folder / name).mkdir()
        self.annotators = labels("annotator", n["annotators"])
        self.species = labels("species", n["species"])
        self.text = {"annotator": pa.array(self.annotators), "species": pa.array(self.species)}
        self.text["scope"] = pa.array([])

    def write(
        self, part: int, first: int, rng: np.random.Generator, size: int, world: World, counts: _Counts
    ) -> _Counts:
        """Simulate a part and write it; return the counts with it."""
        who, sites = world.who, self.n["sites"]
        self.text["scope"] = pa.array([f"list{number + 1:02}" for number in range(who.scopes.rows)])
        width = len(str(self.n["recordings"]))
        self.text["recording"] = pa.array([f"r{i:0{width}}" for i in range(first + 1, first + size + 1)])
        site = rng.integers(sites, size=size)
        hour = rng.choice(24, size=size, p=HOUR_SHARES)
        presence = world.birds.present(rng, site, hour)
        votes, (rate, by) = _votes(rng, world, presence, size)
        every = np.arange(size)
        place = pa.array(labels("site", sites))
        place = pa.DictionaryArray.from_arrays(pa.array(site.astype(np.int32)), place)
        columns = {"recording": self._texts("recording", every), "site": place, "hour": hour.astype(np.int8)}
        self._save("recordings", part, columns)
        there = {"recording": presence.row_of_item(), "species": presence.item}
        self._save("truth", part, {word: self._texts(word, code) for word, code in there.items()})
        self._save("visits", part, self._rows(votes, who.scope))
        n = len(counts.cells)
        return _Counts(
            counts.visits + len(votes.annotator),
            counts.reports + len(votes.reports.item),
            counts.unsure + len(votes.unsure.item),
            counts.rates + np.bincount(by, weights=rate, minlength=n),
            counts.cells + np.bincount(by, minlength=n),
        )

    def _rows(self, votes: Votes, scope: Ints) -> dict[str, Any]:
        """Return a row for each report and unsure mark, and for each visit with neither."""
        reports, unsure = votes.reports, votes.unsure
        silent = np.flatnonzero((reports.sizes == 0) & (unsure.sizes == 0))
        visit = np.concatenate([reports.row_of_item(), unsure.row_of_item(), silent])
        species = np.concatenate([reports.item, unsure.item, np.full(len(silent), -1)])
        order = np.lexsort((species, visit))
        said = order < len(reports.item)
        visit, species = visit[order], species[order]
        annotator = votes.annotator[visit]
        code = {"recording": votes.recording[visit], "annotator": annotator, "species": species}
        columns = {word: self._texts(word, each) for word, each in code.items()}
        columns["present"] = pa.array(np.ones(len(order), np.int8), mask=~said)
        return columns | {"scope": self._texts("scope", scope[annotator])}

    def _texts(self, word: str, code: Ints) -> Any:
        codes = pa.array(np.maximum(code, 0).astype(np.int32), mask=code < 0)
        return pa.DictionaryArray.from_arrays(codes, self.text[word])

    def _save(self, name: str, part: int, columns: dict[str, Any]) -> None:
        pq.write_table(pa.table(columns), self.folder / name / f"part-{part:05}.parquet")

    def write_tables(self, world: World, counts: _Counts) -> None:
        """Write the tables that are the same for all parts."""
        who, (sites, species) = world.who, (self.n["sites"], self.species)
        lists, level = self.text["scope"].to_pylist(), who.level + 1
        tpr = np.full(len(level), np.nan)  # of annotators who could not hear any present species
        np.divide(counts.rates, counts.cells, out=tpr, where=counts.cells > 0)
        occurrence = world.birds.occurrence(np.tile(HOUR_SHARES, (sites, 1)))
        true = {"annotator": self.annotators, "level": level, "tpr": tpr, "fpr": who.mean_fpr()}
        scope = np.array(lists, object)[who.scopes.row_of_item()]
        tables = {
            "scope": pd.DataFrame({"scope": scope, "species": species[who.scopes.item]}),
            "annotators": pd.DataFrame({"annotator": self.annotators, "level": level}),
            "species": pd.DataFrame({"species": species}),
            "true_annotators": pd.DataFrame(true),
            "true_species": pd.DataFrame({"species": species, "occurrence": occurrence}),
        }
        for name, table in tables.items():
            write_table(table, self.folder / f"{name}.csv")
            self.names.append(f"{name}.csv")


def _votes(
    rng: np.random.Generator, world: World, presence: Ragged, recordings: int
) -> tuple[Votes, tuple[Floats, Ints]]:
    """Draw who visits these recordings and what they say; also the rate and annotator of each cell heard."""
    who = world.who
    i, j = drawn_visits(rng, recordings, who.activity, world.visit_rate)
    seen = presence.take(i)
    seen = seen.keep(_in_scope(who)[who.scope[j][seen.row_of_item()], seen.item])
    visit = seen.row_of_item()
    by = j[visit]
    normal = pair_normal(world.key, by * len(who.ease) + seen.item)
    rate = expit(who.skill[by] + who.ease[seen.item] + SPREAD * normal)
    found = rng.random(len(rate)) < rate
    invented_by, invented = hits_in_scope(rng, who, j, who.false[j])
    wrong = ~presence.contains(i[invented_by], invented)
    marks = Ragged.from_pairs(*hits_in_scope(rng, who, j, np.full(len(j), world.unsure)), rows=len(i))
    reports = Ragged.from_pairs(
        np.concatenate([visit[found], invented_by[wrong]]),
        np.concatenate([seen.item[found], invented[wrong]]),
        rows=len(i),
    )
    reports = reports.keep(~marks.contains(reports.row_of_item(), reports.item))
    return Votes(i, j, reports, marks), (rate, by)


def _in_scope(who: Listeners) -> Bools:
    return np.asarray(who.scopes.to_csr(len(who.ease)).toarray() > 0)


def pair_normal(key: int, pair: Ints) -> Floats:
    """Return a normal number for each pair, which depends on the key and the number of the pair alone.

    >>> pair_normal(5, np.array([3, 4, 3])).round(3).tolist()
    [-1.285, -0.885, -1.285]
    """
    with np.errstate(over="ignore"):
        z = np.uint64(key) + (pair.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return np.asarray(ndtri(((z >> np.uint64(11)) + 0.5) * 2.0**-53))
