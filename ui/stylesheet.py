"""The stylesheet: one text from tokens and text size. Widgets choose by the properties `role` and `kind`.

Roles of labels: title, heading, body, meta, number, mono, warn, good, danger. Kinds of buttons: primary, plain,
quiet, danger. Nothing here knows a widget by name but the classes of Qt.
"""

from ui.tokens import Tokens


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
QScrollBar::handle {{ background: {look.edge}; border-radius: 3px; min-height: 28px; min-width: 28px; }}
QScrollBar::handle:hover {{ background: {look.sub}; }}
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
