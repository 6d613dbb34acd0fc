"""The look: tokens for light and dark, the fonts, and one function that turns them into palette and stylesheet.

Whatever is painted by hand asks `tokens()` at paint time, so that a change of theme costs one repaint.
Knows nothing of settings or the engine. Source: STACK-UI section 6, UX section 5.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetricsF, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from app.resources import resource_path
from ui.stylesheet import build_stylesheet
from ui.tokens import DARK, LIGHT, Tokens

BASE_FONT_PX = 13
META_FONT_PX = 11
TITLE_FONT_PX = 18
FONT_FAMILY = "Inter"


class ThemeChoice(StrEnum):
    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(slots=True)
class _Look:
    """What holds now, for the whole process: one application, one look."""

    tokens: Tokens = LIGHT
    font_percent: int = 100
    is_motion_reduced: bool = False
    fonts: dict[tuple[int, QFont.Weight], tuple[QFont, QFontMetricsF]] = field(
        default_factory=dict
    )  # made for painters


_look = _Look()


def tokens() -> Tokens:
    """The colours that hold now."""
    return _look.tokens


def color(name: str) -> QColor:
    """The token called `name` as a QColor: `color("accent")`."""
    return QColor(getattr(_look.tokens, name))


def font_px(base_px: int = BASE_FONT_PX) -> int:
    """`base_px` at the text size that the person chose, never below 9."""
    return max(9, round(base_px * _look.font_percent / 100))


def font(base_px: int = BASE_FONT_PX, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The window's font in the given size and weight, for painters; one's own to change."""
    return QFont(_made_font(base_px, weight)[0])


def metrics(base_px: int = BASE_FONT_PX, weight: QFont.Weight = QFont.Weight.Normal) -> QFontMetricsF:
    """How wide and high `font` of the same size and weight draws."""
    return _made_font(base_px, weight)[1]


def _made_font(base_px: int, weight: QFont.Weight) -> tuple[QFont, QFontMetricsF]:
    """A card asks twenty times: each size and weight is made once a look."""
    kept = _look.fonts.get((base_px, weight))
    if kept is None:
        made = QFont(QApplication.font())
        made.setPixelSize(font_px(base_px))
        made.setWeight(weight)
        kept = _look.fonts[base_px, weight] = made, QFontMetricsF(made)
    return kept


def motion_ms(duration_ms: int) -> int:
    """`duration_ms`, or 0 when the person wants no moving parts."""
    return 0 if _look.is_motion_reduced else duration_ms


def load_fonts() -> bool:
    """True when the shipped fonts are in use; without them Qt's own choice stays."""
    loaded = [QFontDatabase.addApplicationFont(str(path)) for path in sorted(resource_path("fonts").glob("*.otf"))]
    return any(font_id >= 0 for font_id in loaded)


def choose_tokens(choice: ThemeChoice) -> Tokens:
    """Light or dark; `system` is light where the system does not say."""
    if choice is ThemeChoice.SYSTEM:
        is_dark = QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark
        return DARK if is_dark else LIGHT
    return DARK if choice is ThemeChoice.DARK else LIGHT


def apply_theme(look: Tokens, font_percent: int = 100, *, is_motion_reduced: bool = False) -> None:
    """Gives the whole application the tokens: palette, font, stylesheet."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    _look.tokens, _look.font_percent, _look.is_motion_reduced = look, font_percent, is_motion_reduced
    base = QFont(FONT_FAMILY)
    base.setPixelSize(font_px())
    with _no_collection():
        application.setStyleSheet(
            ""
        )  # replacing one sheet by another costs three times as much as off and on (measured)
        application.setFont(base)
        _look.fonts.clear()
        application.setPalette(_build_palette(look))
        application.setStyleSheet(build_stylesheet(look, font_percent))


@contextmanager
def _no_collection() -> Iterator[None]:
    """Qt walks over all widgets there are; one that a search for cycles takes away meanwhile is a crash."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _build_palette(look: Tokens) -> QPalette:
    palette = QPalette()
    role = QPalette.ColorRole
    for key, value in {
        role.Window: look.bg,
        role.WindowText: look.text,
        role.Base: look.panel,
        role.AlternateBase: look.bg,
        role.Text: look.text,
        role.Button: look.panel,
        role.ButtonText: look.text,
        role.BrightText: look.on_accent,
        role.Highlight: look.accent,
        role.HighlightedText: look.on_accent,
        role.Link: look.accent,
        role.LinkVisited: look.accent,
        role.PlaceholderText: look.sub,
        role.ToolTipBase: look.panel,
        role.ToolTipText: look.text,
        role.Mid: look.line,
        role.Dark: look.line,
        role.Light: look.panel,
        role.Shadow: look.line,
    }.items():
        palette.setColor(key, QColor(value))
    for key in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, key, QColor(look.faint))
    return palette


class Theme(QObject):
    """The person's choice, kept up with the system's. `changed` after every application of a look."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._choice = ThemeChoice.SYSTEM
        self._font_percent = 100
        self._is_motion_reduced = False
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_system_changed)

    @property
    def choice(self) -> ThemeChoice:
        return self._choice

    @property
    def font_percent(self) -> int:
        return self._font_percent

    @property
    def is_motion_reduced(self) -> bool:
        return self._is_motion_reduced

    @property
    def is_dark(self) -> bool:
        return tokens() is DARK

    @property
    def tokens(self) -> Tokens:
        return tokens()

    def set(self, choice: ThemeChoice, font_percent: int = 100, *, is_motion_reduced: bool = False) -> None:
        """Applies the choice; does nothing when it holds already."""
        wanted = (choice, font_percent, is_motion_reduced)
        is_same = wanted == (self._choice, self._font_percent, self._is_motion_reduced)
        if is_same and _look.tokens is choose_tokens(choice) and QApplication.font().family() == FONT_FAMILY:
            return
        self._choice, self._font_percent, self._is_motion_reduced = wanted
        self._apply()

    def _apply(self) -> None:
        apply_theme(choose_tokens(self._choice), self._font_percent, is_motion_reduced=self._is_motion_reduced)
        self.changed.emit()

    def _on_system_changed(self) -> None:
        if self._choice is ThemeChoice.SYSTEM:
            self._apply()
