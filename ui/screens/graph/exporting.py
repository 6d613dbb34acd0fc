"""The picture as a file: PNG at twice its size, SVG with texts as texts; and the dialog that asks where to."""

from PySide6.QtCore import QBuffer, QIODevice, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from ui.screens.graph.canvas import GraphCanvas
from ui.screens.graph.map_canvas import MapCanvas
from ui.theme import color
from ui.widgets.popups.export_dialog import close_open_dialogs

SCALE = 2
_FILTERS = (
    ("Picture (*.png)", "png"), ("Picture that scales (*.svg)", "svg"), ("GraphML, for graph tools (*.graphml)", "graphml"),
    ("JSON Canvas, for Obsidian and others (*.canvas)", "canvas"), ("JSON (*.json)", "json"),
)  # fmt: skip
_NAME = "graph.export.dialog"


def open_graph_dialog(parent: QWidget) -> QFileDialog:
    """The dialog, open; its `fileSelected` carries the path. It deletes itself."""
    close_open_dialogs()
    dialog = QFileDialog(parent, "Export the graph", "graph.png")
    dialog.setObjectName(_NAME)
    dialog.setOption(QFileDialog.Option.ReadOnly)  # else Delete and Yes remove what is chosen in it, folders whole
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setOption(QFileDialog.Option.ReadOnly)  # its Delete key would remove folders of the person's
    dialog.setNameFilters([name for name, _ending in _FILTERS])
    dialog.setDefaultSuffix("png")
    dialog.filterSelected.connect(_on_filter)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
    return dialog


def _on_filter(chosen: str) -> None:
    """The ending that goes with what was chosen, unless the person types one."""
    for dialog in QApplication.topLevelWidgets():
        if isinstance(dialog, QFileDialog) and dialog.objectName() == _NAME:
            dialog.setDefaultSuffix(dict(_FILTERS)[chosen])


def picture_of(canvas: GraphCanvas | MapCanvas, ending: str) -> bytes:
    """What is seen, as a file; empty for an ending that is no picture."""
    match ending.lower():
        case ".png":
            return _png(canvas)
        case ".svg":
            return _svg(canvas)
    return b""


def _png(canvas: GraphCanvas | MapCanvas) -> bytes:
    image = QImage(canvas.size() * SCALE, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(SCALE)
    image.fill(color("panel"))
    painter = QPainter(image)
    canvas.render_to(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QPixmap.fromImage(image).save(buffer, "PNG")
    return bytes(buffer.data().data())


def _svg(canvas: GraphCanvas | MapCanvas) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(QSize(canvas.width(), canvas.height()))
    generator.setViewBox(canvas.rect())
    generator.setTitle("Remanence graph")
    painter = QPainter(generator)
    painter.fillRect(canvas.rect(), color("panel"))
    canvas.render_to(painter)
    painter.end()
    return bytes(buffer.data().data())
