"""Assembly: parts in numbers become `Annotations`. Every way in ends here."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from .annotations import Annotations, Provenance
from .ragged import Ints, Ragged


def assemble(
    tables: Mapping[str, pd.DataFrame],
    visit_recording: Ints,
    visit_annotator: Ints,
    *,
    scopes: Ragged,
    visit_scope: Ints,
    reports: Ragged,
    unsure: Ragged,
    known: Ragged | None = None,
    annotator_known: Ints | None = None,
    provenance: Provenance,
) -> Annotations:
    """Put parts together; visits come sorted by recording, then annotator.

    Scopes become distinct, and each annotator's species list is the union of the scopes of their
    visits and, where given, the list in `known` that `annotator_known` names.
    """
    scopes, visit_scope = scopes.compact(visit_scope)
    annotators = len(tables["annotator"])
    who, which = [visit_annotator], [visit_scope]
    if known is not None and annotator_known is not None:
        who.append(np.arange(annotators))
        which.append(annotator_known + scopes.rows)
    parts = scopes if known is None else scopes.stack(known)
    lists, annotator_list = parts.unite(np.concatenate(who), np.concatenate(which), rows=annotators)
    numbers = [
        np.array(array, np.int32) for array in (visit_recording, visit_annotator, visit_scope, annotator_list)
    ]
    for array in numbers:
        array.flags.writeable = False
    return Annotations(
        recordings=tables["recording"],
        annotators=tables["annotator"],
        species=tables["species"],
        visit_recording=numbers[0],
        visit_annotator=numbers[1],
        visit_scope=numbers[2],
        scopes=scopes,
        reports=reports,
        unsure=unsure,
        lists=lists,
        annotator_list=numbers[3],
        provenance=provenance,
    )
