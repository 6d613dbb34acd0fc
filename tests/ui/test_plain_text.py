"""S11: what people, assistants and file names say is shown as it is, everywhere; no markup works, nothing is loaded."""

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QLabel,
    QMessageBox,
    QTextBrowser,
    QTextEdit,
    QToolTip,
    QWidget,
)  # fmt: skip
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.api import (
    ArtifactKind,
    CaptureRequest,
    Engine,
    EventKind,
    FrozenClock,
    MemoryDraft,
    MemoryEdit,
    Origin,
    Scope,
    Slot,
)
from app.values import ContextRequest, ContextSignals
from tests.patience import PATIENCE_S
from ui.notices import Notice
from ui.shell.main_window import MainWindow
from ui.widgets.labels import PlainLabel

MARKUP = "<b>bold</b><img src=file:///etc/passwd>"


def is_markup(text: str) -> bool:
    """Whether our markup stands in it unescaped: a tool tip guesses that it is meant."""
    return "<b>bold" in text or "<img" in text


def faults_of(widget: QWidget) -> list[str]:
    name = f"{type(widget).__name__}({widget.objectName()})"
    found = [f"{name}: tool tip"] if is_markup(widget.toolTip()) else []
    found += [f"{name}: what's this"] if is_markup(widget.whatsThis()) else []
    found += [f"{name}: action {action.text()}" for action in widget.actions() if is_markup(action.toolTip())]
    if isinstance(widget, QLabel) and "<" in widget.text() and widget.textFormat() is not Qt.TextFormat.PlainText:
        found.append(f"{name}: label")
    if isinstance(widget, QMessageBox):
        found.append(f"{name}: a question box")
    if (
        isinstance(widget, QTextBrowser | QTextEdit)
        and "<b>bold" not in widget.toPlainText()
        and "bold" in widget.toPlainText()
    ):
        found.append(f"{name}: document")
    if isinstance(widget, QAbstractItemView):
        found += [f"{name}: {tip}" for tip in hover(widget)]
    return found


def hover(view: QAbstractItemView) -> list[str]:
    """Tool tips of the drawn rows that would be read as markup."""
    found = []
    for x in range(10, view.viewport().width(), 60):
        for y in range(5, view.viewport().height(), 12):
            spot = QPoint(x, y)
            QToolTip.hideText()
            event = QHelpEvent(QEvent.Type.ToolTip, spot, view.viewport().mapToGlobal(spot))
            QApplication.sendEvent(view.viewport(), event)
            if is_markup(QToolTip.text()):
                found.append(QToolTip.text()[:60])
    return found


def hostile(engine: Engine, clock: FrozenClock) -> None:
    """Markup in every place that strangers and people can write to."""
    _, _ = engine.apps.create("strange-app", f"App {MARKUP}", frozenset({Scope.CAPTURE}))
    texts = (f'Add the "{MARKUP}" button to {MARKUP}', "Make it purple", f"{MARKUP} and rename it", "Test it")
    for number, text in enumerate(texts):
        clock.advance(minutes=3)
        request = CaptureRequest(
            app="strange-app", kind=EventKind.PROMPT, key=f"k{number}", session=f"s {MARKUP}", text=text,
            cwd=f"/w/project {MARKUP}", git_branch=MARKUP,
        )  # fmt: skip
        engine.events.capture([request], wait_s=PATIENCE_S)
    (card,) = engine.conversations.list()
    for message in engine.conversations.get(card.id).messages:
        for reference_id, _reference in message.references:
            engine.messages.correct_reference(reference_id, f"the {MARKUP} thing")
    engine.conversations.rename(card.id, f"Title {MARKUP}")
    draft = MemoryDraft(
        f"Use {MARKUP} for {MARKUP}", title=f"Memory {MARKUP}", tags=(MARKUP,), slot=Slot(MARKUP, MARKUP, MARKUP),
        value=MARKUP, summary=f"Summary {MARKUP}", project_path=f"/w/project {MARKUP}",
    )  # fmt: skip
    memory_id = engine.memories.create(draft)
    engine.memories.edit(memory_id, MemoryEdit(full=f"Never use {MARKUP}"))
    engine.memories.attach(memory_id, ArtifactKind.FILE, f"src/{MARKUP}.py")
    engine.memories.create(MemoryDraft(f"Keep {MARKUP}", title=f"Waits {MARKUP}"), origin=Origin.API)
    engine.memories.create(MemoryDraft(f"Prefer {MARKUP} everywhere", title=f"Told {MARKUP}", is_pinned=True))
    signals = ContextSignals(
        project_path=f"/w/other {MARKUP}", app="strange-app", prompt=f"Use {MARKUP}", current_file=f"src/{MARKUP}.py"
    )
    assert engine.context.assemble(ContextRequest(signals, delivery="api")).items
    tool = {"tool_name": "Write", "tool_input": {"file_path": f"/w/{MARKUP}.py"}}
    clock.advance(minutes=1)
    engine.events.capture(
        [CaptureRequest(app="strange-app", kind=EventKind.TOOL, key="t", session=f"s {MARKUP}", payload=tool)],
        wait_s=PATIENCE_S,
    )


def test_no_markup_of_anybody_works_on_any_screen(
    engine: Engine, clock: FrozenClock, window: MainWindow, qtbot: QtBot
) -> None:
    hostile(engine, clock)
    (card,) = engine.conversations.list()
    assert "<img" in card.title
    window.resize(1100, 700)
    places = [
        "remanence://receipt/1",
        f"remanence://conversation/{card.id}",
        "remanence://memory/1",
        "remanence://memories?q=inbox",
        *(screen.id for screen in window.screens),
    ]
    faults: list[str] = []
    shown = 0
    for place in places:
        if "://" in place:
            assert window.open_link(place)
        else:
            window.go(place)
        qtbot.wait(300)
        qtbot.waitUntil(lambda: not window.bridge.is_waiting)
        window.notify(Notice(f"Notice {MARKUP}"))
        for widget in (window, *window.findChildren(QWidget)):
            if isValid(widget) and widget.isVisible():  # a tool tip of the one before may be gone
                faults += faults_of(widget)
                shown += isinstance(widget, QLabel) and "<img" in widget.text()
    window.notices.clear()
    assert faults == []
    assert shown >= 3, "the markup was on the screens, as text"


@pytest.mark.parametrize("make", [QLabel, QWidget], ids=["label", "tool tip"])
def test_the_search_would_find_markup(qtbot: QtBot, make: type[QWidget]) -> None:
    widget = make()
    qtbot.addWidget(widget)
    if isinstance(widget, QLabel):
        widget.setText(MARKUP)
    else:
        widget.setToolTip(MARKUP)
    assert faults_of(widget)


def test_a_word_without_end_breaks_and_is_still_what_was_said(qtbot: QtBot) -> None:
    sha = "e4" * 40
    label = PlainLabel(f"Look at {sha} again", wraps=True)
    qtbot.addWidget(label)
    assert label.minimumSizeHint().width() < label.fontMetrics().horizontalAdvance(sha) / 3
    assert label.text() == f"Look at {sha} again"
