"""`python -m ui.pictures.help FROM`: cuts the pictures of the help pages out of those of `--screenshot-all FROM --size 1024x700`.

Small files: a part of the screen, four fifths of its size, at most 255 colours. Run after a screen has changed its looks.
"""

import sys
from pathlib import Path

import numpy as np
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QImage

from app.resources import resource_path

SCALE, COLOURS = 0.8, 255
_LEFT_PX, _WIDE_PX = 196, 824  # beside the rail
# help page: picture, first row, height
PARTS: dict[str, tuple[str, int, int]] = {
    "getting-started": ("now-full", 14, 440),
    "queue-and-boundaries": ("conversations-full", 14, 430),
    "memories": ("memories-search", 14, 430),
    "episodes": ("episodes-full", 14, 430),
    "graph": ("graph-why", 66, 574),
    "contradictions": ("contradictions-full", 112, 536),
    "consolidation": ("consolidation-full", 14, 430),
    "learned": ("learned-full", 14, 400),
    "reading-along": ("activity-reading", 70, 400),
    "notes-and-energy": ("activity-energy", 70, 420),
    "statistics": ("activity-statistics", 70, 430),
    "context": ("context-full", 14, 470),
}


def cut(folder: Path) -> None:
    """Writes a light and a dark picture for each page into `resources/help/pictures`."""
    target = resource_path("help", "pictures")
    target.mkdir(exist_ok=True)
    for page, (name, top, high) in PARTS.items():
        for look in ("light", "dark"):
            whole = QImage(str(folder / f"{name}-{look}.png"))
            part = whole.copy(QRect(_LEFT_PX, top, _WIDE_PX, high)).scaledToWidth(
                round(_WIDE_PX * SCALE), Qt.TransformationMode.SmoothTransformation
            )
            _with_few_colours(part).save(str(target / f"{page}-{look}.png"))


def _with_few_colours(picture: QImage) -> QImage:
    """The same in the colours that it has most of: a quarter of the bytes."""
    plain = picture.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(plain.constBits(), np.uint32) | np.uint32(0xFF00_0000)
    found, counts = np.unique(pixels & np.uint32(0xFFF8_F8F8), return_counts=True)
    table = [int(one) for one in found[np.argsort(-counts)][:COLOURS]]
    exact, exact_counts = np.unique(pixels, return_counts=True)
    table = [int(one) for one in exact[np.argsort(-exact_counts)][:24]] + table[: COLOURS - 24]
    flags = Qt.ImageConversionFlag.AvoidDither
    return plain.convertToFormat(QImage.Format.Format_Indexed8, table, flags)


if __name__ == "__main__":
    cut(Path(sys.argv[1]))
