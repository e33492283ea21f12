"""Make docs/python.md from the docstrings of the public names: `make docs`."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import dawnchorus as dc

IMAGES = Path(__file__).parents[1] / "images"
SECTIONS = {
    "Annotations": [
        "read",
        "open_dataset",
        "Dataset",
        "look",
        "Look",
        "convert",
        "Annotations",
        "concatenate",
        "datasets.kerttu",
        "read_context",
        "Context",
        "AnnotationError",
    ],
    "Models": [
        "fit",
        "update",
        "Posterior",
        "PosteriorInParts",
        "Findings",
        *("Priors", "Beta", "Normal", "HalfNormal", "HalfNormalForMost", "Gamma"),
        "Model",
        "MajorityVote",
        "write_result",
        "read_result",
        "export",
    ],
    "Pages for people": ["write_report", "write_feedback"],
    "Evaluation": [
        "read_truth",
        "evaluate",
        "Evaluation",
        "compare_to_truth",
        "Comparison",
        "compare",
        "ModelComparison",
        "predictive_checks",
        "PredictiveChecks",
    ],
    "Plots": [
        *(f"plots.{name}" for name in ("occurrence", "present_or_reported", "communities", "correlation")),
        *(f"plots.{name}" for name in ("when", "where", "where_on_map")),
        *(
            f"plots.{name}"
            for name in ("annotators", "annotator_intervals", "among_others", "self_knowledge", "skills")
        ),
        *(
            f"plots.{name}"
            for name in ("roc", "calibration", "thresholds", "curves", "compared", "predictive_check")
        ),
        *(f"plots.{name}" for name in ("traces", "ranks", "prior_and_posterior")),
    ],
    "Studies": ["studies.reproduce_simulation", "studies.reproduce_kerttu", "studies.reproduce_beyond"],
    "Simulation": [
        "simulate_paper",
        "simulate_portal",
        "Simulation",
        "Truth",
        "write_simulation",
        "write_portal",
    ],
}

INTRODUCTION = """\
# The Python interface

This page is made from the docstrings by `make docs`; its examples run in the tests.
"""


def main() -> None:
    """Print the page."""
    print(INTRODUCTION)
    for title, names in SECTIONS.items():
        print(f"## {title}\n")
        for name in names:
            value = dc
            for part in name.split("."):
                value = getattr(value, part)
            print(entry(f"dc.{name}", value, level=3))


def entry(name: str, value: object, level: int) -> str:
    """Give a heading with the signature, the docstring in Markdown and, for a class, its methods."""
    text = f"{'#' * level} `{name}`\n\n"
    if not inspect.isclass(value):
        text += f"```\n{name}{signature(value)}\n```\n\n"
    text += markdown(inspect.getdoc(value) or "")
    picture = IMAGES / "plots" / f"{name.rpartition('.')[2]}.png"
    if name.startswith("dc.plots.") and picture.exists():
        text += f"![The figure that {name} draws of simulated data.](images/plots/{picture.name})\n\n"
    for method, member in methods(value):
        text += entry(f"{value.__name__}.{method}", member, level + 1)
    return text


def signature(value: object) -> str:
    """Give the parameters and defaults, without types, which the text explains."""
    found = inspect.signature(value)  # type: ignore[arg-type]
    plain = [
        p.replace(annotation=inspect.Parameter.empty) for p in found.parameters.values() if p.name != "self"
    ]
    return str(found.replace(parameters=plain, return_annotation=inspect.Signature.empty))


def methods(value: object) -> list[tuple[str, object]]:
    """Give the public methods of a class by name."""
    if not inspect.isclass(value) or issubclass(value, Exception):
        return []
    ours = [kind for kind in reversed(value.__mro__) if kind.__module__.startswith("dawnchorus")]
    members = {name: getattr(value, name) for kind in ours for name in vars(kind) if not name.startswith("_")}
    return [
        (name, member)
        for name, member in members.items()
        if inspect.isfunction(member) or inspect.ismethod(member)
    ]


def markdown(doc: str) -> str:
    """Turn a docstring in NumPy's style into Markdown."""
    parts = re.split(r"^(\w+)\n-+\n", doc, flags=re.MULTILINE)
    text = parts[0].strip() + "\n\n"
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        if title == "Examples":
            text += f"```python\n{body.strip()}\n\n```\n\n"
            continue
        text += f"*{title}*\n\n"
        for item in re.split(r"\n(?=\S)", body.strip()):
            head, _, description = item.partition("\n")
            names = [head] if title == "Returns" else head.split(",")
            words = " ".join(description.split())
            text += f"- {', '.join(f'`{name.strip()}`' for name in names)}{': ' if words else ''}{words}\n"
        text += "\n"
    return text


if __name__ == "__main__":
    main()
