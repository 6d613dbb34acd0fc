"""The look: tokens for light and dark, the fonts, and one function that turns them into palette and stylesheet.

Whatever is painted by hand asks `tokens()` at paint time, so that a change of theme costs one repaint. Knows nothing
of settings or the engine.

The stylesheet: one text from tokens and text size. Widgets choose by the properties `role` and `kind`.

Colour tokens of both themes, as plain text values: no Qt, so that a test can compute their contrast.

Source: STACK-UI section 6, UX section 5.
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


@dataclass(frozen=True, slots=True)
class Tokens:
    """One theme. `…_soft` are grounds for text of the same hue, `faint` is for what is switched off."""

    name: str
    bg: str
    panel: str
    raised: str  # grounds that stand out of a panel: hovered rows, code
    line: str  # hairlines
    edge: str  # borders of what can be pressed or typed into: 3:1 on panel
    scroll: str  # the handle of a scroll bar: seen when looked for, darker under the pointer
    text: str
    sub: str
    faint: str
    accent: str
    accent_hover: str
    accent_soft: str
    on_accent: str
    warn: str
    warn_soft: str
    good: str
    good_soft: str
    danger: str
    danger_soft: str
    mark: str  # ground of found words
    violet: str  # kinds that are none of the above, in the graph
    teal: str


LIGHT = Tokens(
    name="light",
    bg="#f6f7f9",
    panel="#ffffff",
    raised="#f0f2f6",
    line="#e3e6ec",
    edge="#868e9c",
    scroll="#c9ced8",
    text="#1b1f27",
    sub="#5b6472",
    faint="#9aa1ad",
    accent="#3b5bdb",
    accent_hover="#3450c4",
    accent_soft="#e7ecfd",
    on_accent="#ffffff",
    warn="#8a5200",
    warn_soft="#fdf1dc",
    good="#1f6e30",
    good_soft="#e5f5e9",
    danger="#c0262d",
    danger_soft="#fdeaea",
    mark="#ffe8a3",
    violet="#7a3fc4",
    teal="#0b7075",
)

DARK = Tokens(
    name="dark",
    bg="#15171c",
    panel="#1d2027",
    raised="#272b34",
    line="#2c313b",
    edge="#737d8e",
    scroll="#414855",
    text="#e8eaef",
    sub="#9aa3b2",
    faint="#5d6675",
    accent="#7c93ff",
    accent_hover="#93a6ff",
    accent_soft="#262d4a",
    on_accent="#12141a",
    warn="#ff922b",
    warn_soft="#3a2a1c",
    good="#51cf66",
    good_soft="#1d3325",
    danger="#ff8787",
    danger_soft="#3b2226",
    mark="#5c4a12",
    violet="#c29bff",
    teal="#3fc6c6",
)


def build_stylesheet(look: Tokens, font_percent: int) -> str:
    """The application's stylesheet for one look and text size."""

    def px(base: int) -> int:
        return max(9, round(base * font_percent / 100))

    return "\n".join(
        (
            _texts(look, px(13), px(11), px(14), px(18)),
            _buttons(look, px(13), round((26 + px(26)) / 2)),
            _quiet_buttons(look, px(11)),
            _fields(look),
            _lists(look, px(11)),
        )
    )


def _texts(look: Tokens, base_px: int, meta_px: int, heading_px: int, title_px: int) -> str:
    return f"""
QWidget {{ color: {look.text}; font-family: "Inter"; font-size: {base_px}px; }}
QMainWindow, QWidget[role="page"] {{ background: {look.bg}; }}
QLabel {{ background: transparent; }}
QLabel[role="title"] {{ font-size: {title_px}px; font-weight: 600; }}
QLabel[role="heading"] {{ font-weight: 600; }}
QLabel[role="section"] {{ font-size: {heading_px}px; font-weight: 600; }}
QLabel[role="meta"] {{ font-size: {meta_px}px; color: {look.sub}; }}
QLabel[role="sub"] {{ color: {look.sub}; }}
QLabel[role="accent"] {{ color: {look.accent}; }}
QLabel[role="warn"] {{ color: {look.warn}; }}
QLabel[role="good"] {{ color: {look.good}; }}
QLabel[role="danger"] {{ color: {look.danger}; }}
QLabel[role="mono"], QPlainTextEdit[face="mono"] {{ font-family: "DejaVu Sans Mono", monospace; }}
QToolTip {{ background: {look.panel}; color: {look.text}; border: 1px solid {look.line}; padding: 5px 8px; }}
QFrame[role="card"] {{ background: {look.panel}; border: 1px solid {look.line}; border-radius: 10px; }}
QFrame[role="card"][kind="warn"] {{ border-color: {look.warn}; background: {look.warn_soft}; }}
QFrame[role="card"][kind="good"] {{ border-color: {look.good}; background: {look.good_soft}; }}
QFrame[role="card"][kind="danger"] {{ border-color: {look.danger}; background: {look.danger_soft}; }}
QFrame[role="card"][kind="flat"] {{ background: transparent; border: none; border-top: 1px solid {look.line};
  border-radius: 0; }}
QFrame[role="card"][kind="accent"] {{ border-color: {look.accent}; background: {look.accent_soft}; }}
QFrame[role="hairline"] {{ background: {look.line}; border: none; max-height: 1px; min-height: 1px; }}
QFrame[role="sheet"] {{ background: {look.panel}; border: 1px solid {look.edge}; border-radius: 12px; }}
QFrame[role="rail"] {{ background: {look.bg}; border: none; }}
"""


def _buttons(look: Tokens, base_px: int, icon_px: int) -> str:
    return f"""
QPushButton, QToolButton {{ min-height: 18px; padding: 6px 12px; border-radius: 7px; font-size: {base_px}px;
  border: 1px solid {look.edge}; background: {look.panel}; color: {look.text}; }}
QPushButton:hover, QToolButton:hover {{ background: {look.raised}; }}
QPushButton:pressed, QToolButton:pressed {{ background: {look.line}; }}
QPushButton:focus, QToolButton:focus {{ border: 2px solid {look.accent}; padding: 5px 11px; }}
QPushButton:disabled, QToolButton:disabled {{ color: {look.faint}; border-color: {look.line}; }}
QPushButton[kind="primary"] {{ background: {look.accent}; color: {look.on_accent}; border-color: {look.accent};
  font-weight: 500; }}
QPushButton[kind="primary"]:hover {{ background: {look.accent_hover}; }}
QPushButton[kind="primary"]:focus {{ border: 2px solid {look.text}; }}
QPushButton[kind="primary"]:disabled {{ background: {look.line}; color: {look.sub}; border-color: {look.line}; }}
QPushButton[kind="danger"] {{ color: {look.danger}; border-color: {look.danger}; }}
QPushButton[kind="danger"]:hover {{ background: {look.danger_soft}; }}
QPushButton[kind="quiet"], QToolButton[kind="quiet"] {{ background: transparent; border: 1px solid transparent;
  color: {look.sub}; padding: 5px 8px; }}
QPushButton[kind="quiet"]:hover, QToolButton[kind="quiet"]:hover {{ background: {look.raised}; color: {look.text}; }}
QPushButton[kind="quiet"]:focus, QToolButton[kind="quiet"]:focus {{ border: 2px solid {look.accent};
  padding: 4px 7px; }}
QPushButton[kind="quiet"]:disabled {{ color: {look.faint}; background: transparent; }}
QPushButton[shape="icon"] {{ padding: 0; min-width: {icon_px}px; max-width: {icon_px}px;
  min-height: {icon_px}px; max-height: {icon_px}px; }}
QPushButton[shape="icon"]:focus {{ padding: 0; }}
QPushButton::menu-indicator {{ image: none; width: 0; }}
"""


def _quiet_buttons(look: Tokens, meta_px: int) -> str:
    return f"""
QPushButton {{ outline: none; }}
QPushButton[kind="link"] {{ background: transparent; border: 1px solid transparent; color: {look.accent};
  padding: 3px 4px; text-align: left; }}
QPushButton[kind="link"]:hover {{ background: {look.accent_soft}; }}
QPushButton[kind="link"]:focus {{ border: 2px solid {look.accent}; padding: 2px 3px; }}
QPushButton[kind="chip"] {{ border-radius: 12px; min-height: 16px; padding: 3px 10px; border: 1px solid {look.edge};
  background: {look.panel}; color: {look.sub}; }}
QPushButton[kind="chip"]:hover {{ color: {look.text}; }}
QPushButton[kind="chip"]:checked {{ background: {look.accent_soft}; color: {look.accent};
  border-color: {look.accent}; }}
QPushButton[kind="chip"]:focus {{ border: 2px solid {look.accent}; padding: 2px 9px; }}
QPushButton[kind="entry"] {{ border: 1px solid transparent; background: transparent; text-align: left;
  color: {look.text}; padding: 6px 10px; }}
QPushButton[kind="entry"]:hover {{ background: {look.raised}; }}
QPushButton[kind="entry"]:checked {{ background: {look.accent_soft}; color: {look.accent}; font-weight: 600; }}
QPushButton[kind="entry"][target="true"] {{ border: 1px solid {look.accent}; background: {look.raised}; }}
QPushButton[kind="entry"]:focus {{ border: 1px solid {look.accent}; padding: 6px 10px; }}
QPushButton[kind="head"] {{ background: transparent; border: 1px solid transparent; border-radius: 6px;
  color: {look.sub}; font-size: {meta_px}px; padding: 2px 4px; min-height: 18px; text-align: left; }}
QPushButton[kind="head"][side="right"] {{ text-align: right; }}
QPushButton[kind="head"]:hover {{ background: {look.raised}; color: {look.text}; }}
QPushButton[kind="head"]:focus {{ border: 1px solid {look.accent}; }}
QPushButton[kind="tab"] {{ border: none; border-bottom: 2px solid transparent; border-radius: 0;
  background: transparent; color: {look.sub}; padding: 6px 10px; }}
QPushButton[kind="tab"][size="small"] {{ padding: 6px 5px; }}
QPushButton[kind="tab"]:checked {{ color: {look.accent}; border-bottom-color: {look.accent}; font-weight: 600; }}
QPushButton[kind="tab"]:focus {{ background: {look.accent_soft}; }}
"""


def _fields(look: Tokens) -> str:
    return f"""
QRadioButton {{ border: 1px solid transparent; border-radius: 6px; padding: 2px 4px; }}
QRadioButton:focus {{ border-color: {look.accent}; }}
QLineEdit, QPlainTextEdit, QSpinBox, QDoubleSpinBox, QComboBox {{ background: {look.panel}; color: {look.text};
  border: 1px solid {look.edge}; border-radius: 7px; padding: 5px 8px; min-height: 18px;
  selection-background-color: {look.accent}; selection-color: {look.on_accent}; }}
QLineEdit, QPlainTextEdit {{ placeholder-text-color: {look.sub}; }}
QLineEdit:focus, QPlainTextEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus {{
  border: 2px solid {look.accent}; padding: 4px 7px; }}
QLineEdit:disabled, QPlainTextEdit:disabled, QSpinBox:disabled, QComboBox:disabled {{ color: {look.faint};
  border-color: {look.line}; }}
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ width: 0; border: none; image: none; }}
QAbstractSpinBox::up-arrow, QAbstractSpinBox::down-arrow {{ width: 0; height: 0; image: none; }}
QAbstractSpinBox QLineEdit, QAbstractSpinBox QLineEdit:focus {{ border: none; padding: 0 8px; min-height: 0;
  background: transparent; }}
QPlainTextEdit[role="viewer"] {{ background: {look.raised}; border: 1px solid {look.line}; }}
QComboBox {{ combobox-popup: 0; }}
QComboBox::drop-down {{ border: none; width: 24px; }}
QComboBox QAbstractItemView {{ background: {look.panel}; border: 1px solid {look.edge}; padding: 4px;
  selection-background-color: {look.accent_soft}; selection-color: {look.text}; outline: none; }}
QComboBox QAbstractItemView::item {{ padding: 4px 8px; border-radius: 6px; min-height: 20px; }}
QComboBox QAbstractItemView::item:selected {{ background: {look.accent_soft}; color: {look.text}; }}
QCheckBox {{ spacing: 8px; min-height: 24px; background: transparent; }}
QMenu {{ background: {look.panel}; border: 1px solid {look.edge}; border-radius: 8px; padding: 5px; }}
QMenu::item {{ padding: 6px 26px 6px 12px; border-radius: 6px; }}
QMenu::item:selected {{ background: {look.accent_soft}; color: {look.text}; }}
QMenu::item:disabled {{ color: {look.faint}; }}
QMenu::separator {{ height: 1px; background: {look.line}; margin: 4px 8px; }}
QMenuBar {{ background: {look.bg}; color: {look.sub}; }}
QMenuBar::item {{ padding: 4px 9px; background: transparent; border-radius: 5px; }}
QMenuBar::item:selected {{ background: {look.raised}; color: {look.text}; }}
"""


def _lists(look: Tokens, meta_px: int) -> str:
    return f"""
QTextBrowser {{ background: transparent; border: none; }}
QScrollArea {{ background: transparent; border: none; }}
QScrollArea[role="reading"] {{ border: 2px solid transparent; border-radius: 7px; padding: 2px 4px; }}
QScrollArea[role="reading"]:focus {{ border-color: {look.accent}; }}
QScrollArea > QWidget > QWidget[role="content"] {{ background: transparent; }}
QAbstractItemView {{ background: transparent; border: none; outline: none;
  selection-background-color: {look.accent_soft}; selection-color: {look.text}; }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 2px; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 2px; }}
QScrollBar::handle {{ background: {look.scroll}; border-radius: 3px; min-height: 28px; min-width: 28px; }}
QScrollBar::handle:hover {{ background: {look.edge}; }}
QAbstractScrollArea::corner {{ background: transparent; border: none; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QProgressBar {{ background: {look.line}; border: none; border-radius: 3px; max-height: 6px; min-height: 6px; }}
QProgressBar::chunk {{ background: {look.accent}; border-radius: 3px; }}
QSlider::groove:horizontal {{ background: {look.line}; height: 4px; border-radius: 2px; }}
QSlider::sub-page:horizontal {{ background: {look.accent}; height: 4px; border-radius: 2px; }}
QSlider::handle:horizontal {{ background: {look.panel}; border: 2px solid {look.accent}; width: 12px; height: 12px;
  margin: -6px 0; border-radius: 8px; }}
QSlider::handle:horizontal:focus {{ background: {look.accent}; border-color: {look.text}; }}
QLineEdit[wrong="true"] {{ border-color: {look.danger}; }}
QSplitter::handle {{ background: transparent; }}
QSplitter::handle:hover {{ background: {look.line}; }}
QHeaderView::section {{ background: transparent; color: {look.sub}; border: none; font-size: {meta_px}px; }}
"""


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
    """Qt walks over all widgets there are; one that a search for cycles removes meanwhile is a crash."""
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
