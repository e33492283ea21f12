"""Report: a posterior as one self-contained HTML page, and feedback pages for annotators."""

from __future__ import annotations

from .feedback import write_feedback
from .report import report_html, write_report

__all__ = ["report_html", "write_feedback", "write_report"]
