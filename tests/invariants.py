"""What is true of all annotations, wherever they come from."""

from __future__ import annotations

import numpy as np

from dawnchorus import Annotations


def assert_sound(a: Annotations) -> None:
    key = a.visit_recording.astype(int) * a.n_annotators + a.visit_annotator
    assert np.all(np.diff(key) > 0)
    for lists in (a.reports, a.unsure):
        assert a.scopes.contains(a.visit_scope[lists.row_of_item()], lists.item).all()
    assert not a.unsure.contains(a.reports.row_of_item(), a.reports.item).any()
    assert a.scopes.distinct()[0].equals(a.scopes)
    assert a.lists.distinct()[0].equals(a.lists)
