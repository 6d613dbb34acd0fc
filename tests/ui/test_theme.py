"""Tokens, icons, text size: contrast is computed, icons are drawn, a change of theme reaches what is painted by hand."""

import ctypes
import itertools
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.resources import resource_path
from tests.patience import PATIENCE_S
from ui.icons import pixmap
from ui.screens.memories.inspector.history import ChangeView
from ui.theme import DARK, LIGHT, Theme, ThemeChoice, Tokens, color, font, font_px, motion_ms, tokens
from ui.widgets.buttons import Button
from ui.widgets.diff_view import DiffView
from ui.widgets.paint import haloed

ROOT = Path(__file__).parents[2]
_GROUNDS = ("bg", "panel", "raised")
_TEXTS = ("text", "sub", "accent", "warn", "good", "danger")


def contrast(one: str, other: str) -> float:
    """WCAG contrast of two colours, 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(value: str) -> float:
    parts = [int(value[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_black_on_white_has_the_most_contrast_there_is() -> None:
    assert round(contrast("#ffffff", "#000000"), 1) == 21.0


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=lambda look: look.name)
def test_text_can_be_read_on_every_ground(look: Tokens) -> None:
    pairs = list(itertools.product(_TEXTS, _GROUNDS))
    pairs += [
        ("on_accent", "accent"),
        ("on_accent", "accent_hover"),
        ("text", "accent_soft"),
        ("accent", "accent_soft"),
    ]
    pairs += [(hue, f"{hue}_soft") for hue in ("warn", "good", "danger")] + [("text", "mark"), ("panel", "warn")]
    low = {pair: contrast(getattr(look, pair[0]), getattr(look, pair[1])) for pair in pairs}
    assert {pair: round(value, 2) for pair, value in low.items() if value < 4.5} == {}


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=lambda look: look.name)
def test_parts_stand_out_of_their_ground(look: Tokens) -> None:
    pairs = itertools.product(("edge", "accent", "warn", "good", "danger"), ("bg", "panel"))
    low = {pair: contrast(getattr(look, pair[0]), getattr(look, pair[1])) for pair in pairs}
    assert {pair: round(value, 2) for pair, value in low.items() if value < 3.0} == {}


def test_every_icon_draws_something_in_its_colour(qapp: QApplication) -> None:
    names = [path.stem for path in resource_path("icons").glob("*.svg")]
    assert len(names) >= 40
    for name in names:
        image = pixmap(name, "#ff0000", 24).toImage()
        colours = {
            image.pixelColor(x, y).name() for x in range(24) for y in range(24) if image.pixelColor(x, y).alpha() > 200
        }
        assert colours, f"{name} draws nothing"
        assert all(colour[1:3] > "f0" for colour in colours), f"{name} brings its own colour"


def test_a_change_of_theme_reaches_palette_and_icons(qtbot: QtBot, theme: Theme) -> None:
    button = Button("Undo", "test.undo", icon_name="undo")
    qtbot.addWidget(button)
    before = button.icon().pixmap(16, 16).toImage()
    with qtbot.waitSignal(theme.changed):
        theme.set(ThemeChoice.DARK)
    assert tokens() is DARK
    assert QApplication.palette().color(QPalette.ColorRole.Window).name() == DARK.bg
    button.show()
    qtbot.waitUntil(lambda: button.icon().pixmap(16, 16).toImage() != before)
    button.hide()


def test_text_size_scales_all_text(qtbot: QtBot, theme: Theme) -> None:
    theme.set(ThemeChoice.LIGHT, 150)
    assert QApplication.font().pixelSize() == round(13 * 1.5)
    assert font_px(11) == round(11 * 1.5)
    theme.set(ThemeChoice.LIGHT, 100)
    assert QApplication.font().pixelSize() == 13


def test_reduced_motion_stops_motion(theme: Theme) -> None:
    theme.set(ThemeChoice.LIGHT, is_motion_reduced=True)
    assert motion_ms(180) == 0
    theme.set(ThemeChoice.LIGHT)
    assert motion_ms(180) == 180


def test_a_difference_that_is_shown_takes_the_colours_of_the_new_look(qtbot: QtBot, theme: Theme) -> None:
    lines, words = DiffView("diff", "What would change"), ChangeView("change", "What changed")
    lines.show_diff("+more\n-less")
    words.show_change("[-port-] {+door+}")
    for view in (lines, words):
        qtbot.addWidget(view)
        view.show()
        for choice in (ThemeChoice.LIGHT, ThemeChoice.DARK):
            theme.set(choice)
            grounds = {
                look.format.background().color().name()
                for block in (view.document().firstBlock(), view.document().lastBlock())
                for look in block.layout().formats()
            }
            assert grounds <= {color("good_soft").name(), color("danger_soft").name()}
            assert grounds


GARBAGE = """
import gc
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from ui.theme import apply_theme
from ui.theme import DARK, LIGHT

class Asks(QObject):
    def eventFilter(self, watched, event):
        if event.type() is QEvent.Type.StyleChange and gc.isenabled():
            gc.collect()  # what any allocation here may bring about
        return False

application = QApplication([])
application.setStyle("Fusion")
apply_theme(LIGHT)
kept = QWidget()
labels = [QLabel("x", kept) for _ in range(200)]
kept.show()
gc.set_threshold(1_000_000)
asks = Asks()
application.installEventFilter(asks)
for look in (DARK, LIGHT):
    for _ in range(100):
        lost = QWidget()
        lost.me = lost
        for button in [QPushButton("y", lost) for _ in range(5)]:
            button.ensurePolished()
        lost.ensurePolished()
    del lost, button
    apply_theme(look)
    gc.collect()
print("whole")
"""


def test_a_search_for_cycles_takes_no_widget_away_while_the_look_changes() -> None:
    """Qt walks over all widgets then: it was a crash."""
    program = [sys.executable, "-c", GARBAGE]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stdout) == (0, "whole\n"), done.stderr


class _Allocated(ctypes.Structure):
    """`struct mallinfo2` of glibc."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "used", "free", "keepcost")
    ]


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="only glibc tells what is allocated")
@pytest.mark.usefixtures("qapp")
def test_a_painted_picture_that_is_kept_holds_its_pixels_and_no_painter() -> None:
    told = ctypes.CDLL(None).mallinfo2
    told.restype = _Allocated

    def allocated() -> int:
        found = told()
        return int(found.used + found.hblkhd)

    names = [path.stem for path in sorted(resource_path("icons").glob("*.svg"))][:60]
    for make, most in (
        (lambda number: pixmap(names[number], "#135790"), 8_000),
        (lambda number: haloed(f"A name on the map, number {number}", font(13).toString(), 1, 2, 1.0), 60_000),
    ):
        kept = [make(0)]  # what is loaded once is no part of it
        before = allocated()
        kept += [make(number) for number in range(1, 60)]
        assert (allocated() - before) / 59 < most
        assert len(kept) == 60
