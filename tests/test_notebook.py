"""What a notebook and a prompt show of the things that users hold in their hands: short, and safe."""

from __future__ import annotations

import html.parser

import pytest

import dawnchorus as dc

EVIL = "<script>alert(1)</script>"


class Reader(html.parser.HTMLParser):
    """Collects tags that are open, all tags, and the text."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.text = [], set(), []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def things():
    simulation = dc.simulate_portal(40, 4, 6, visits=2, sites=2, seed=1)
    frame = simulation.annotations.to_frame("scope").replace({"a1": EVIL})
    annotations = dc.Annotations.from_frame(frame, "checklist")
    posterior = dc.fit(annotations, "base", warmup=100, draws=100, min_ess=None, seed=1)
    one = dc.Annotations.from_frame(frame.head(1), "checklist")
    return {
        "Annotations": annotations,
        "Annotations of one visit": one,
        "Posterior": posterior,
        "Findings": posterior.findings,
        "Evaluation": dc.evaluate(posterior, simulation.truth),
        "Truth": simulation.truth,
        "MajorityVote": dc.MajorityVote(annotations),
        "Comparison": dc.compare_to_truth(posterior, simulation.truth),
        "Labels": posterior.labels(),
        "Summary": annotations.summary(),
        "Posterior of one chain": dc.fit(one, "base", chains=1, warmup=1, draws=1, min_ess=None),
    }


NAMES = [
    "Annotations", "Annotations of one visit", "Posterior", "Posterior of one chain", "Findings",
    "Evaluation", "Truth", "MajorityVote", "Comparison", "Labels", "Summary",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore")
def test_what_is_shown_is_short_and_safe(things, name):
    thing = things[name]
    short = repr(thing)
    assert short.startswith(f"<{name.split()[0]}: ")
    assert "\n" not in short
    assert len(short) < 220
    page = thing._repr_html_()
    reader = Reader()
    reader.feed(page)
    assert reader.open == []
    assert reader.tags <= {"div", "strong", "table", "tbody", "tr", "th", "td", "p"}
    assert 3 <= page.count("<tr>") <= 20
    assert len("".join(reader.text)) < 2500


@pytest.mark.filterwarnings("ignore")
def test_what_is_shown_says_what_a_person_wants_to_know(things):
    pages = {name: things[name]._repr_html_() for name in NAMES}
    assert "never visited" in pages["Annotations"]
    assert "prior of tpr" in pages["Posterior"]
    assert "independent draws" in pages["Posterior"]
    assert "in doubt" in pages["Findings"]
    assert "AUC" in pages["Evaluation"]
    assert "present" in pages["Truth"]
    one = repr(things["Posterior of one chain"])
    assert "1 chain × 1 draw of <Annotations: 1 visit by 1 annotator to 1 recording; 1 report" in one


def test_what_is_below_them_is_short_too(things):
    posterior = things["Posterior"]
    assert repr(posterior.diagnostics).startswith(
        ("<Diagnostics: converged; R-hat", "<Diagnostics: not conv")
    )
    assert len(repr(posterior.diagnostics)) < 120
    assert repr(things["Labels"]) == f"<Labels: {len(things['Labels'].table)} of 234 cells from 0.5 on>"
