"""Headings in menus: `QMenu.addSection` draws none in a menu that a style sheet paints."""

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu


def add_heading(menu: QMenu, text: str) -> QAction:
    """A line of text that cannot be chosen; the keys pass it over."""
    heading = menu.addAction(text)
    heading.setEnabled(False)
    return heading
