"""Cards dragged onto the filter pane and out of the window: what is set, what is refused in words, one undo for each drop."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.api import Engine, FactType, MemoryDraft, SavedSearch
from app.values import Tier
from tests.ui.pages.memories import MemoriesPage
from tests.ui.pages.shell import Shell
from ui.screens.memories.listing.drop import MARKDOWN_MIME
from ui.shell.main_window import MainWindow

Wait = Callable[[Callable[[], object]], None]
CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def ids(engine: Engine) -> dict[str, int]:
    made = {}
    for text, project, tags in (
        ("Ports are odd.", "/w/shop", ("net",)),
        ("We chose Redis.", "", ()),
        ("We chose Go.", "", ()),
    ):
        title = text.rstrip(".")
        draft = MemoryDraft(text, type=FactType.DECISION, title=title, project_path=project, tags=tags)
        made[title] = engine.memories.create(draft)
    return made


@pytest.fixture
def page(ids: dict[str, int], engine: Engine, window: MainWindow, qtbot: QtBot, wait: Wait) -> MemoriesPage:
    choices = (("project", "/w/shop"), ("type", "decision"))
    engine.saved_searches.save(SavedSearch(0, "Shop and net", text="#net ports", choices=choices))
    engine.saved_searches.save(SavedSearch(0, "Decisions", choices=(("type", "decision"),)))
    engine.context.place_in_tier((ids["Ports are odd"],), Tier.CRITICAL)
    made = MemoriesPage(window, qtbot)
    wait(lambda: len(made.titles) == 3)
    made.settle()
    window.notices.clear()
    return made


def drop(mime: QMimeData, target: QWidget) -> None:
    where, keys = QPoint(8, 8), Qt.KeyboardModifier.NoModifier
    held = (Qt.DropAction.CopyAction | Qt.DropAction.MoveAction, mime, Qt.MouseButton.LeftButton, keys)
    entered = QDragEnterEvent(where, *held)
    QApplication.sendEvent(target, entered)
    assert entered.isAccepted()
    assert target.property("target") is True
    QApplication.sendEvent(target, QDropEvent(QPointF(where), *held))
    assert target.property("target") is False


def carry(page: MemoriesPage, title: str) -> QMimeData:
    page.choose(title)
    carried = page.panel.dragging.carry()
    assert carried is not None
    return carried[0]


def test_a_card_dropped_on_tag_project_and_tier_takes_them_with_one_undo_each(
    page: MemoriesPage, ids: dict[str, int], engine: Engine, wait: Wait
) -> None:
    redis = ids["We chose Redis"]
    drop(carry(page, "We chose Redis"), page.facet("tag", "net"))
    wait(lambda: engine.memories.get(redis).memory.tags == ("net",))
    page.settle()
    drop(carry(page, "We chose Redis"), page.facet("project", "/w/shop"))
    wait(lambda: engine.memories.get(redis).memory.project == "shop")
    page.settle()
    drop(carry(page, "We chose Redis"), page.facet("tier", "critical"))
    wait(lambda: redis in {one.memory_id for one in engine.context.placements()})
    for _ in range(3):
        engine.journal.undo()
    memory = engine.memories.get(redis).memory
    assert (memory.tags, memory.project, len(engine.context.placements())) == ((), "", 1)


def test_on_a_saved_search_its_tags_and_project_are_set_for_all_selected_as_one_act(
    page: MemoriesPage, ids: dict[str, int], engine: Engine, wait: Wait
) -> None:
    both = [ids["We chose Redis"], ids["We chose Go"]]
    page.panel.model.set_marks(both)
    mime = carry(page, "We chose Go")
    search = next(one for one in engine.saved_searches.list() if one.name == "Shop and net")
    button = Shell(page.window, page._qtbot).find(f"memories.saved.{search.id}", page.panel.filters)
    drop(mime, button)
    wait(lambda: all(engine.memories.get(one).memory.tags == ("net",) for one in both))
    assert {engine.memories.get(one).memory.project for one in both} == {"shop"}
    page.settle()
    page.take_focus()
    page.key(Qt.Key.Key_Z, CTRL)
    wait(lambda: all(engine.memories.get(one).memory.tags == () for one in both))
    assert {engine.memories.get(one).memory.project for one in both} == {""}


def test_what_makes_no_sense_is_refused_in_words_and_changes_nothing(
    page: MemoriesPage, engine: Engine, wait: Wait
) -> None:
    shell = Shell(page.window, page._qtbot)
    before = engine.journal.list()[0].id
    drop(carry(page, "We chose Go"), page.facet("type", "decision"))
    assert shell.notices[-1].startswith("A type is not set by dragging")
    search = next(one for one in engine.saved_searches.list() if one.name == "Decisions")
    drop(carry(page, "We chose Go"), shell.find(f"memories.saved.{search.id}", page.panel.filters))
    wait(lambda: any("nothing to set" in one for one in shell.notices))
    assert engine.journal.list()[0].id == before


def test_other_programs_get_markdown_with_the_whole_text(page: MemoriesPage, ids: dict[str, int]) -> None:
    mime = carry(page, "Ports are odd")
    assert mime.text() == "- Ports are odd.\n"  # at once
    page.settle()
    assert bytes(mime.data(MARKDOWN_MIME).data()).decode() == mime.text()
    assert "- Ports are odd.\n  (decision · shop · #net)" in mime.text()


def test_files_and_other_drags_are_none_of_the_panes(page: MemoriesPage) -> None:
    mime = QMimeData()
    mime.setText("something")
    held = (Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    entered = QDragEnterEvent(QPoint(8, 8), *held)
    QApplication.sendEvent(page.facet("tag", "net"), entered)
    assert not entered.isAccepted()
