"""Hostile text in widgets: shown literally, bounded, and nothing loaded for it (QUALITY S11)."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot

from ui.notices import Notice
from ui.shell.notice_bar import NoticeBar
from ui.theme import Theme, ThemeChoice
from ui.widgets.labels import ElidedLabel, PlainLabel, plain_tooltip
from ui.widgets.plain_viewer import MAX_CHARS, MAX_LINE_CHARS, HelpViewer, PlainViewer, bound_text

_UI = Path(__file__).resolve().parents[3] / "ui"
_HOSTILE = '<img src="file:///etc/passwd"><a href="http://example.org">x</a> <b>bold</b> \u202egnp.exe \x00\x1b[31m'


def test_labels_show_markup_as_text(qtbot: QtBot) -> None:
    for kind in (PlainLabel, ElidedLabel):
        label = kind(_HOSTILE)
        qtbot.addWidget(label)
        assert label.textFormat() is Qt.TextFormat.PlainText


def test_a_label_does_not_lay_out_a_novel(qtbot: QtBot) -> None:
    label = PlainLabel("x" * 1_000_000)
    qtbot.addWidget(label)
    assert len(label.text()) < 3_000


def test_notices_show_markup_as_text(qtbot: QtBot) -> None:
    from PySide6.QtWidgets import QWidget

    window = QWidget()
    qtbot.addWidget(window)
    bar = NoticeBar(window)
    bar.post(Notice(f"Renamed '{_HOSTILE}'"))
    assert all(label.textFormat() is Qt.TextFormat.PlainText for label in bar.findChildren(PlainLabel))


def test_tool_tips_escape_markup() -> None:
    assert "<img" not in plain_tooltip(_HOSTILE)
    assert plain_tooltip("") == ""


def test_bounded_text_has_no_long_line_and_no_hidden_characters() -> None:
    bounded = bound_text(_HOSTILE + "y" * (MAX_CHARS * 2))
    assert max(len(line) for line in bounded.split("\n")) <= MAX_LINE_CHARS
    assert len(bounded) < MAX_CHARS * 1.1
    assert not any(mark in bounded for mark in ("\x00", "\x1b", "\u202e"))
    assert "more characters" in bounded


def test_half_a_megabyte_on_one_line_is_shown_without_a_freeze(qtbot: QtBot) -> None:
    viewer = PlainViewer("test.viewer", "Test")
    qtbot.addWidget(viewer)
    viewer.resize(600, 400)
    viewer.show()
    viewer.show_text("z" * 500_000)
    viewer.grab()
    assert viewer.document().blockCount() > 100  # wrapped by us, not by Qt's layout of one line
    viewer.hide()


@pytest.mark.qt_log_ignore("No document for")
def test_the_help_viewer_loads_nothing(qtbot: QtBot, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("do not read me", encoding="utf-8")
    viewer = HelpViewer("test.help")
    qtbot.addWidget(viewer)
    for kind in range(1, 5):
        assert viewer.loadResource(kind, QUrl.fromLocalFile(str(secret))) is None
    viewer.setSource(QUrl.fromLocalFile(str(secret)))
    assert "do not read me" not in viewer.toPlainText()
    viewer.show_markdown(f"![x]({QUrl.fromLocalFile(str(secret)).toString()}) <script>alert(1)</script>")
    assert "do not read me" not in viewer.toPlainText()


def test_the_help_viewer_shows_the_pictures_that_are_shipped_and_no_others(qtbot: QtBot) -> None:
    viewer = HelpViewer("test.help")
    qtbot.addWidget(viewer)
    viewer.resize(400, 300)
    shown = viewer.loadResource(QTextDocument.ResourceType.ImageResource.value, QUrl("picture:graph"))
    assert shown is not None
    assert 0 < shown.width() <= 400
    for name in ("picture:../../icons/x", "picture:/etc/passwd", "picture:nothing", "file:graph"):
        assert viewer.loadResource(QTextDocument.ResourceType.ImageResource.value, QUrl(name)) is None, name


def test_a_picture_of_help_takes_the_width_that_there_is_and_survives_another_theme(qtbot: QtBot) -> None:
    """Another document in the middle of a layout crashed."""
    viewer = HelpViewer("test.help")
    qtbot.addWidget(viewer)
    viewer.resize(700, 400)
    viewer.show_markdown("# Title\n\n![How it looks](picture:graph)")
    viewer.show()
    theme = Theme()
    for choice, percent in ((ThemeChoice.DARK, 100), (ThemeChoice.LIGHT, 130), (ThemeChoice.LIGHT, 100)):
        theme.set(choice, percent)
        viewer.resize(viewer.width() - 120, 400)
        qtbot.wait(50)
    assert viewer.document().idealWidth() <= viewer.width()


@pytest.mark.parametrize("link", ["https://example.org/", "file:///etc/passwd", "javascript:alert(1)"])
def test_foreign_links_in_help_do_nothing(qtbot: QtBot, link: str) -> None:
    viewer = HelpViewer("test.help")
    qtbot.addWidget(viewer)
    with qtbot.assertNotEmitted(viewer.link_chosen):
        viewer.anchorClicked.emit(QUrl(link))
    with qtbot.waitSignal(viewer.link_chosen):
        viewer.anchorClicked.emit(QUrl("help:privacy"))


def _calls() -> Iterator[tuple[Path, ast.Call]]:
    for path in sorted(_UI.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                yield path, node


def test_only_the_safe_classes_show_text() -> None:
    """Plain QLabel, QTextEdit, QTextBrowser and QMessageBox guess HTML: nobody but the safe classes makes them."""
    risky = {"QLabel", "QTextEdit", "QTextBrowser", "QMessageBox"}
    found = [
        f"{path.name}:{node.lineno}"
        for path, node in _calls()
        if isinstance(node.func, ast.Name) and node.func.id in risky
    ]
    assert found == []


def test_signals_are_connected_to_methods_never_to_lambdas() -> None:
    """A lambda connected to a signal of the bridge would run in the worker that emits it."""
    found = [
        f"{path.name}:{node.lineno}"
        for path, node in _calls()
        if isinstance(node.func, ast.Attribute) and node.func.attr == "connect" and isinstance(node.args[0], ast.Lambda)
        if node.args
    ]
    assert found == []


def test_no_qthread_is_made() -> None:
    names = {node.func.id for _path, node in _calls() if isinstance(node.func, ast.Name)}
    assert not names & {"QThread", "QThreadPool", "QRunnable"}


def test_of_counts_no_half_is_shown(qtbot: QtBot) -> None:
    label = ElidedLabel("64 in use · 5 to review · 12 archived", by_parts=True)
    qtbot.addWidget(label)
    width = label.fontMetrics().horizontalAdvance
    whole = width(label.text())
    assert label.shown_in(whole + 1) == label.text()
    assert label.shown_in(whole - 3) == "64 in use · 5 to review …"
    assert label.shown_in(width("64 in use · 5")) == "64 in use …"
    assert label.shown_in(width("64 i…") + 1) == "64 i…"
    label.resize(40, 20)
    label.setText("12 archived · 3 more")
    assert "12 archived" in label.toolTip()
