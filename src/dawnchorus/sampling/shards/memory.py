"""Memory: whether shards of a dataset fit into the memory of those who work on them, before any is loaded."""

from __future__ import annotations

from pathlib import Path

from ...common.errors import AnnotationError
from ...common.workers.cluster import Cluster
from ...io.parts.coded import CodedDataset

BYTES = 120
"""A shard takes so many bytes for each visit and each report, most of them while it is loaded."""
REPORT, REPORT_OF_CHAIN, PAIR_OF_CHAIN = 200, 40, 300
"""If rates differ by species, one place takes so many bytes for each report, for each report in each chain,
and for each pair of annotator and species in each chain."""
WORKER = 400 << 20
"""A worker takes so many bytes besides."""
MEMORY = Path("/proc/meminfo")


def available() -> int | None:
    """Return the bytes of memory that are free on this machine, or None if that is not known."""
    try:
        lines = dict(line.split(":", 1) for line in MEMORY.read_text().splitlines())
        return int(lines["MemAvailable"].split()[0]) << 10
    except (OSError, KeyError, ValueError):
        return None


def check_memory(coded: CodedDataset, cluster: Cluster | None) -> None:
    """Raise an error with numbers if shards would need more memory than there is.

    On a cluster, that is the sum of the limits of its workers; workers without a limit are not asked.
    """
    need = BYTES * (coded.total("visits") + coded.total("reports"))
    if cluster is None:
        room, where = available(), "of this machine is free"
    else:
        limits = cluster.memory_limits()
        room = None if 0 in limits else sum(limit - WORKER for limit in limits)
        where = f"is left to the {len(limits)} workers of the cluster"
    if room is None or need <= room:
        return
    visits, reports = coded.total("visits"), coded.total("reports")
    raise AnnotationError(
        f"{visits:,} visits and {reports:,} reports need about {need / 2**30:,.1f} GB of memory, and "
        f"{max(room, 0) / 2**30:,.1f} GB {where}",
        "use more workers, on more machines or with more memory (see `dawnchorus docs cluster`)",
    )


def check_memory_here(coded: CodedDataset, pairs: int, chains: int) -> None:
    """Raise an error with numbers if this process would need more memory for rates that differ by species."""
    room, reports = available(), coded.total("reports")
    need = (REPORT + REPORT_OF_CHAIN * chains) * reports + PAIR_OF_CHAIN * chains * pairs
    if room is None or need <= room:
        return
    raise AnnotationError(
        f"rates differ by species: {reports:,} reports, and {pairs:,} pairs of annotator and species in "
        f"{chains} chains, need about {need / 2**30:,.1f} GB of memory in one place, and "
        f"{room / 2**30:,.1f} GB of this machine is free",
        "start the fit on a machine with more memory, with fewer chains, or with the model base",
    )
