"""The map on a real engine: discs that open as one comes near, walked by keys and list, filtered, put back in time; and its painting."""

from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QMouseEvent, QPainter, QPen
from PySide6.QtTest import QTest

from app.api import CaptureRequest, Engine, EventKind
from app.values.graph import NodeId, NodeLook
from app.values.graph_map import GraphMap
from tests.patience import PATIENCE_S
from ui.navigation import Place
from ui.screens.graph.canvas import Moment
from ui.screens.graph.map_canvas import OPEN_FROM_PX, SPACE, MapCanvas, draw_lines, draw_points
from ui.screens.graph.panel import GraphPanel
from ui.shell.main_window import MainWindow

Wait = Callable[[Callable[[], object]], None]
TOPICS = ("FAB button", "orders table", "login form", "export job")


@pytest.fixture
def panel(engine: Engine, window: MainWindow, wait: Wait) -> GraphPanel:
    for topic in TOPICS:
        for text in (
            f"Add the {topic} to the page",
            f"From now on the {topic} is cached",
            f"The {topic} fails on Sundays",
        ):
            request = CaptureRequest("claude-code", EventKind.PROMPT, text, session=topic, text=text, cwd="/src/shop")
            engine.events.capture([request], wait_s=PATIENCE_S)
    window.go("graph")
    made = window.current_panel
    assert isinstance(made, GraphPanel)
    wait(lambda: made.canvas.view.nodes)
    window.actions_table.run("graph.map")
    wait(lambda: made.map.canvas.map is not None and made.map.currentWidget() is made.map.canvas)
    return made


def made_row(made: GraphMap, node: NodeId) -> int:
    return next(row for row in range(made.count) if made.whole.node(row) == node)


def _moved(canvas: MapCanvas, to: QPoint) -> QMouseEvent:
    """A move with the button held: QTest's own has none."""
    buttons = Qt.MouseButton.LeftButton
    kind = QMouseEvent.Type.MouseMove
    return QMouseEvent(
        kind, QPointF(to), QPointF(canvas.mapToGlobal(to)), buttons, buttons, Qt.KeyboardModifier.NoModifier
    )


def rows(panel: GraphPanel) -> list[str]:
    return [row.text for row in panel.twin.rows.rows]


def test_the_map_says_in_words_what_it_shows(panel: GraphPanel) -> None:
    made = panel.map.canvas.map
    assert made is not None
    assert panel.header.status == f"{made.count} things in {len(made.groups)} groups"
    assert len(rows(panel)) == len(made.groups)
    assert panel.map.canvas.accessibleName().startswith("Map of the knowledge graph")
    assert sum(int(row.rsplit("–", 1)[1].split()[0]) for row in rows(panel)) == made.count


def test_a_disc_opens_when_one_comes_near_and_is_folded_by_hand(panel: GraphPanel, window: MainWindow) -> None:
    canvas = panel.map.canvas
    group = canvas.map.groups[0]  # type: ignore[union-attr]
    canvas.zoom(0.5 * OPEN_FROM_PX / (SPACE * canvas.sight.scale))
    assert not canvas.is_open(group)
    canvas.zoom(2.5)
    assert canvas.is_open(group)
    canvas.choose(group.number)
    window.actions_table.run("graph.fold")
    assert not canvas.is_open(group)
    window.actions_table.run("graph.open_all")
    assert canvas.is_open(group)


def test_it_is_walked_by_keys_and_by_list_into_a_disc_and_back(
    panel: GraphPanel, window: MainWindow, wait: Wait
) -> None:
    canvas = panel.map.canvas
    canvas.choose(0)
    canvas.setFocus()
    visited = set()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_Down):
        QTest.keyClick(canvas, key)
        visited.add(canvas.group)
    assert len(visited) > 1
    panel.twin.list.activated.emit(panel.twin.rows.index(0))
    assert canvas.is_open(canvas.group_of(canvas.group))  # type: ignore[arg-type]
    window.navigator.go_back()
    wait(lambda: not panel.is_map)


def test_of_a_large_group_the_most_linked_stand_out_and_more_in_steps(
    panel: GraphPanel, window: MainWindow, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.screens.graph.map_canvas.FIRST_MEMBERS", 2)
    canvas = panel.map.canvas
    group = max(canvas.map.groups, key=lambda one: one.count)  # type: ignore[union-attr]
    assert group.count > 3
    canvas.zoom(0.1)
    panel.twin.group_walked.emit(group.number)
    canvas.zoom(0.5 * OPEN_FROM_PX / (SPACE * canvas.sight.scale))
    assert canvas.count_words(group) == f"2 things and {group.count - 2:,} more"
    assert canvas.accessibleDescription().endswith("more")
    wait(lambda: len(rows(panel)) == 2)
    degrees = [canvas._degrees[made_row(canvas.map, one.id)] for one in canvas.members(group)]  # type: ignore[arg-type]
    assert min(degrees) >= sorted(canvas._degrees[canvas.map.group_of == group.number])[-2]  # type: ignore[union-attr]
    assert panel.twin.more.isVisibleTo(panel.twin)
    window.actions_table.run("graph.more")
    wait(lambda: len(rows(panel)) == min(6, group.count))
    panel.twin.more.click()
    wait(lambda: len(rows(panel)) == min(18, group.count))
    while canvas.has_more(group):
        canvas.show_more(group)
    assert canvas.count_words(group) == f"{group.count:,} things"


def test_a_thing_of_the_map_shows_its_links_and_becomes_the_middle(
    panel: GraphPanel, window: MainWindow, wait: Wait
) -> None:
    canvas = panel.map.canvas
    made = canvas.map
    assert made is not None
    canvas.enter(made.groups[0])
    row = int(np.flatnonzero(made.group_of == 0)[0])
    at = QPointF(*canvas.sight.at(made.places)[row].tolist()).toPoint()
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=at)
    assert canvas.selected is not None
    wait(lambda: panel.twin.title.text() and panel.twin.rows.rows)
    node = canvas.selected
    QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=at)
    wait(lambda: not panel.is_map and panel.canvas.view.centre == node)


def test_names_come_as_one_comes_near_and_the_card_after_a_moment(panel: GraphPanel, wait: Wait) -> None:
    canvas = panel.map.canvas
    canvas.enter(canvas.map.groups[0])  # type: ignore[union-attr]
    wait(lambda: canvas._names)
    row = next(row for row in canvas._named_rows() if canvas._node(row) in canvas._names)
    at = QPointF(*canvas.sight.at(canvas.map.places)[row].tolist()).toPoint()  # type: ignore[union-attr]
    QTest.mouseMove(canvas, at)
    wait(lambda: canvas.card.isVisible())
    assert canvas.card.title.text()
    QTest.mouseMove(canvas, QPoint(1, 1))
    wait(lambda: not canvas.card.isVisible())


def test_kinds_and_time_filter_the_map(panel: GraphPanel) -> None:
    canvas = panel.map.canvas
    before = canvas.shown_count
    panel.looks[NodeLook.NAME].setChecked(False)
    assert canvas.shown_count < before
    panel.looks[NodeLook.NAME].setChecked(True)
    canvas.set_moment(Moment(datetime(2000, 1, 1, tzinfo=UTC)))
    assert canvas.shown_count == 0, "nothing was known then, and what has no date is there only when spoken of"
    canvas.set_moment(Moment())
    assert canvas.shown_count == before


def test_while_the_hand_moves_the_picture_of_before_is_moved(panel: GraphPanel) -> None:
    canvas = panel.map.canvas
    canvas.repaint()
    before = canvas._picture
    canvas.pan(10, 5)
    canvas.repaint()
    assert canvas._picture is before, "nothing is painted anew"
    canvas.render_now()
    canvas.repaint()
    assert canvas._picture is not before


def test_a_thing_that_is_dragged_on_the_map_stays_there_until_it_may_move(
    panel: GraphPanel, window: MainWindow, engine: Engine, wait: Wait
) -> None:
    canvas = panel.map.canvas
    assert canvas.map is not None
    canvas.enter(canvas.map.groups[0])
    row = int(np.flatnonzero(canvas.map.group_of == 0)[0])
    node, before = canvas.map.whole.node(row), tuple(canvas.map.places[row])
    start = QPointF(*canvas.sight.at(canvas.map.places)[row]).toPoint()
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=start)
    for step in (12, 24, 40):
        QTest.mouseMove(canvas, start + QPoint(step, 0))
    canvas.mouseMoveEvent(_moved(canvas, start + QPoint(40, 0)))
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=start + QPoint(40, 0))
    wait(lambda: canvas.map is not None and canvas.map.pinned == {node})
    made = engine.graph.arrange_map()
    assert made is not None
    assert made.places[made_row(made, node)][0] > before[0]
    wait(lambda: "graph.unpin" in panel.abilities())
    window.actions_table.run("graph.unpin")
    wait(lambda: canvas.map is not None and not canvas.map.pinned)


def test_the_graph_is_worked_out_anew_by_a_command(panel: GraphPanel, window: MainWindow, wait: Wait) -> None:
    window.actions_table.run("graph.rebuild")
    assert panel.strip.job_id
    wait(lambda: not panel.strip.job_id)
    wait(lambda: any("Rebuilt the graph" in one.text for one in window.notices.notices))


def test_a_new_capture_makes_the_map_anew(panel: GraphPanel, engine: Engine, wait: Wait) -> None:
    canvas = panel.map.canvas
    before = canvas.map.count  # type: ignore[union-attr]
    request = CaptureRequest(
        "claude-code", EventKind.PROMPT, "new", session="n", text="Add the billing page", cwd="/src/shop"
    )
    engine.events.capture([request], wait_s=PATIENCE_S)
    wait(lambda: canvas.map.count > before)  # type: ignore[union-attr]


def test_the_map_is_exported(panel: GraphPanel, tmp_path: object, wait: Wait) -> None:
    from pathlib import Path

    path = Path(str(tmp_path)) / "map.svg"
    panel.write(str(path))
    wait(path.exists)
    wait(lambda: path.read_bytes().startswith(b"<?xml"))


def test_a_place_names_the_map(panel: GraphPanel, window: MainWindow, wait: Wait) -> None:
    assert window.navigator.place == Place("graph", "map")
    window.actions_table.run("graph.start")
    wait(lambda: not panel.is_map)


def test_lines_and_points_from_columns_are_painted_as_one_by_one(qtbot: object) -> None:
    draw = np.random.default_rng(1)
    ends, places = draw.uniform(0, 100, (40, 4)), draw.uniform(0, 100, (40, 2))

    def painted(is_fast: bool) -> QImage:
        image = QImage(100, 100, QImage.Format.Format_RGB32)
        image.fill(0)
        painter = QPainter(image)
        painter.setPen(QPen(Qt.GlobalColor.white, 3))
        if is_fast:
            draw_lines(painter, ends)
            draw_points(painter, places)
            draw_lines(painter, ends[:0])
            draw_points(painter, places[:0])
        else:
            for a, b, c, d in ends:
                painter.drawLine(QPointF(a, b), QPointF(c, d))
            for x, y in places:
                painter.drawPoint(QPointF(x, y))
        painter.end()
        return image

    assert painted(is_fast=True) == painted(is_fast=False)


def test_an_empty_store_says_so(engine: Engine, window: MainWindow, wait: Wait) -> None:
    window.navigator.go(Place("graph", "map"))
    made = window.current_panel
    assert isinstance(made, GraphPanel)
    wait(lambda: made.map.waiting.text().startswith("Nothing is linked"))
