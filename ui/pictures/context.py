"""Scenes of the Context screen for `--screenshot-all`: what if, a moment of the past, what fell off, bytes, figures.

Each is what to do to a window that shows the invented history, and how to leave it again. Development only.
"""

from typing import TYPE_CHECKING, cast

from ui.navigation import Place

if TYPE_CHECKING:
    from ui.screens.context.panel import ContextPanel
    from ui.shell.main_window import MainWindow


def _context(window: "MainWindow") -> "ContextPanel":
    window.navigator.go(Place("context"))
    return cast("ContextPanel", window.current_panel)


def _what_if(window: "MainWindow") -> None:
    panel = _context(window)
    panel.show_live()
    panel.form.budget.setValue(260)
    panel.form.error.setText("psycopg.errors.LockNotAvailable: could not obtain lock on shipments")


def _told(window: "MainWindow") -> None:
    """The context with the smallest budget: the line, and what is below it."""
    panel = _context(window)
    tightest = min(panel.receipts.receipts, key=lambda receipt: receipt.budget_tokens)
    panel.show_receipt(tightest.id)


def _compare(window: "MainWindow") -> None:
    panel = _context(window)
    panel.show_receipt(panel.receipts.receipts[0].id)
    panel.full.show_text("compare")


def _figures(window: "MainWindow") -> None:
    panel = _context(window)
    panel.full.show_side("figures")
    panel.full.show_text("printed")


def _why_not(window: "MainWindow") -> None:
    panel = _context(window)
    tightest = min(panel.receipts.receipts, key=lambda receipt: receipt.budget_tokens)
    panel.show_receipt(tightest.id)
    panel.header.set_query("tokens over")


def leave_context(window: "MainWindow", _shown: object) -> None:
    panel = _context(window)
    panel.header.set_query("")
    panel.show_live()
    panel.full.show_text("reads")


CONTEXT_SCENES = (
    ("context-what-if", _what_if),
    ("context-told", _told),
    ("context-why-not", _why_not),
    ("context-compare", _compare),
    ("context-figures", _figures),
)
