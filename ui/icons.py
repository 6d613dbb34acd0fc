"""Icons: our own SVGs on a 24 px grid, tinted by the theme when they are asked for.

`pixmap` is sharp at the given device ratio; results are kept per (name, colour, size). Owns `resources/icons`.
"""

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.resources import resource_path
from ui.theme import font_px, tokens

ICON_PX = 18


def icon_px(size_px: int = ICON_PX) -> int:
    """The size of an icon beside text: it grows with the text, half as fast, so that rows of buttons still fit at 150 %."""
    return round((size_px + font_px(size_px)) / 2)


@lru_cache(maxsize=256)
def _source(name: str) -> str:
    return resource_path("icons", f"{name}.svg").read_text(encoding="utf-8")


@lru_cache(maxsize=1024)
def pixmap(name: str, hex_color: str, size_px: int = ICON_PX, ratio: float = 1.0) -> QPixmap:
    """The icon in one colour as a pixmap of `size_px` logical pixels. A wrong name raises FileNotFoundError."""
    image = QPixmap(round(size_px * ratio), round(size_px * ratio))
    image.fill(Qt.GlobalColor.transparent)
    renderer = QSvgRenderer(QByteArray(_source(name).replace("currentColor", hex_color).encode()))
    painter = QPainter(image)
    renderer.render(painter, QRectF(0, 0, image.width(), image.height()))
    painter.end()
    image.setDevicePixelRatio(ratio)
    return unpainted(image)


def unpainted(picture: QPixmap) -> QPixmap:
    """A copy to cache: a pixmap that was painted on keeps the painter's buffers for as long as it lives, up to 290 kB (measured)."""
    return picture.copy()


def icon(name: str, role: str = "text", size_px: int = ICON_PX) -> QIcon:
    """The icon in the token `role` of the present theme, with a faint one for disabled controls.

    It does not follow a change of theme: ask again on QEvent.PaletteChange (ui.widgets.buttons does).
    """
    look = tokens()
    made = QIcon()
    for ratio in (1.0, 2.0):
        made.addPixmap(pixmap(name, getattr(look, role), size_px, ratio))
        made.addPixmap(pixmap(name, look.faint, size_px, ratio), QIcon.Mode.Disabled)
    return made
