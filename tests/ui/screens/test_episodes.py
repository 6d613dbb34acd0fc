"""Episodes: the time line by month, one beside it with its thirds, by keyboard; where each leads."""

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.api import CaptureRequest, Engine, EventKind, MemoryDraft, MemoryKind
from tests.patience import PATIENCE_MS, PATIENCE_S
from ui.navigation import Place, parse_link
from ui.screens.episodes.panel import MONTH_ROLE, EpisodesPanel
from ui.screens.memories.panel import MemoriesPanel
from ui.shell.main_window import MainWindow
from ui.widgets.buttons import ChipButton

DETAILS = {
    "narrative": "Prices are cents now.",
    "participants": ["you", "claude-code"],
    "outcome": "tested",
    "context": "You began with “why is the sum wrong?”.",
    "type": "breakthrough",
    "valence": 0.5,
    "significance": 0.9,
    "done": ["Prices are cents now."],
    "turn_range": {"start": 1, "end": 9},
    "moments": [
        {"type": "issue_identified", "turn": 1, "text": "the sum is wrong", "significance": 0.4},
        {"type": "breakthrough", "turn": 8, "text": "the sum is wrong", "significance": 0.9},
    ],
}


@pytest.fixture
def told(engine: Engine) -> list[int]:
    made = []
    for title, details, month in (
        ("Wrong sums", DETAILS, 3),
        ("A filter", {"done": ["Customers can be filtered."]}, 4),
    ):
        draft = MemoryDraft(
            " ".join(details["done"]), kind=MemoryKind.EPISODE, title=title, project_path="/w/shop", details=details,
            valid_from=engine.clock.now().replace(year=2026, month=month, day=5),
        )  # fmt: skip
        made.append(engine.memories.create(draft))
    return made


@pytest.fixture
def panel(window: MainWindow, told: list[int], qtbot: QtBot) -> EpisodesPanel:
    window.navigator.go(Place("episodes"))
    shown = window.current_panel
    assert isinstance(shown, EpisodesPanel)
    qtbot.waitUntil(lambda: shown.detail.detail is not None, timeout=PATIENCE_MS)
    assert [one.id for one in shown.model.episodes] == told[::-1]
    return shown


def texts(widget: QWidget) -> str:
    return "\n".join(
        label.text().replace("\u200b", "") for label in widget.findChildren(QLabel) if not label.isHidden()
    )


def test_newest_first_with_a_heading_a_month(panel: EpisodesPanel) -> None:
    months = [panel.model.index(row).data(MONTH_ROLE) for row in range(panel.model.rowCount())]
    assert months == ["April 2026", "March 2026"]
    assert panel.header.status == "2 episodes"


def test_the_keys_walk_and_the_detail_follows(
    window: MainWindow, panel: EpisodesPanel, told: list[int], qtbot: QtBot
) -> None:
    assert {"episode.next", "episode.previous", "episode.memory"} <= panel.abilities()
    assert "episode.conversation" not in panel.abilities(), "it was written by hand: there is none"
    window.actions_table.action("episode.next").trigger()
    qtbot.waitUntil(lambda: panel.detail.detail.episode.id == told[0], timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: "You began with" in texts(panel.detail), timeout=PATIENCE_MS)  # shown a little later
    said = texts(panel.detail)
    assert "went well" in said
    assert "You began with “why is the sum wrong?”." in said
    assert said.index("In the beginning") < said.index("In the end")
    assert "Breakthrough · message 8 · key moment" in said
    assert "Issue found · message 1\n" in said
    window.actions_table.action("episode.memory").trigger()
    assert window.navigator.place == Place("memories", "memory", told[0])


def test_what_nothing_shows_is_not_drawn(panel: EpisodesPanel) -> None:
    said = texts(panel.detail)
    assert "A filter" in said
    for word in ("How it went", "went", "What was made", "learned", "None"):
        assert word not in said


def test_a_month_and_a_kind_are_looked_for(panel: EpisodesPanel, told: list[int], qtbot: QtBot) -> None:
    panel.header.set_query("what happened in March")
    qtbot.waitUntil(lambda: [one.id for one in panel.model.episodes] == told[:1], timeout=PATIENCE_MS)
    panel.header.set_query("zebra")
    qtbot.waitUntil(lambda: panel.halves.lists.currentWidget() is panel.halves.none, timeout=PATIENCE_MS)
    assert "No episode fits “zebra”" in panel.halves.none.text()
    panel.header.set_query("")
    qtbot.waitUntil(lambda: panel.model.rowCount() == 2, timeout=PATIENCE_MS)
    panel._chips.button(1).click()
    qtbot.waitUntil(lambda: [one.id for one in panel.model.episodes] == told[:1], timeout=PATIENCE_MS)


def test_what_a_filter_leaves_out_is_not_shown_beside_the_list(
    panel: EpisodesPanel, told: list[int], qtbot: QtBot
) -> None:
    def shown() -> int | None:
        return panel.detail.detail.episode.id if panel.detail.detail is not None else None

    qtbot.waitUntil(lambda: shown() == told[1], timeout=PATIENCE_MS)
    panel.header.set_query("what happened in March")
    qtbot.waitUntil(lambda: [one.id for one in panel.model.episodes] == told[:1], timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: shown() == told[0], timeout=PATIENCE_MS)
    assert panel.list.currentIndex().row() == 0
    panel.header.set_query("")
    qtbot.waitUntil(lambda: panel.model.rowCount() == 2, timeout=PATIENCE_MS)
    assert panel.list.currentIndex().row() == 1, "the cursor stays on what is there"


def test_a_link_leads_to_it(window: MainWindow, told: list[int], qtbot: QtBot) -> None:
    place = parse_link(f"remanence://episode/{told[0]}")
    assert place == Place("episodes", "episode", told[0])
    window.navigator.go(place)
    panel = window.current_panel
    assert isinstance(panel, EpisodesPanel)
    qtbot.waitUntil(
        lambda: panel.detail.detail is not None and panel.detail.detail.episode.id == told[0], timeout=PATIENCE_MS
    )
    assert panel.list.currentIndex().row() == 1


def test_an_erased_one_leaves_the_line(engine: Engine, panel: EpisodesPanel, told: list[int], qtbot: QtBot) -> None:
    engine.memories.erase(told)
    qtbot.waitUntil(lambda: panel.pages.currentWidget() is panel.empty, timeout=PATIENCE_MS)
    assert panel.detail.detail is None


def test_before_anything_it_says_what_will_come(window: MainWindow, qtbot: QtBot) -> None:
    window.navigator.go(Place("episodes"))
    panel = window.current_panel
    assert isinstance(panel, EpisodesPanel)
    qtbot.waitUntil(lambda: panel.pages.currentWidget() is panel.empty, timeout=PATIENCE_MS)
    assert panel.empty.heading.text() == "No episode yet"


def test_its_conversation_is_one_key_away(
    engine: Engine, window: MainWindow, qtbot: QtBot, say: Callable[..., Any]
) -> None:
    said = say("Add an export of the orders as CSV")
    payload = {"tool_name": "Bash", "tool_input": {"command": "git commit -m 'Orders can be exported'"}}
    engine.events.capture(
        [CaptureRequest(app="claude-code", kind=EventKind.TOOL, key="t", session="s1", cwd="/w/app", payload=payload)],
        wait_s=PATIENCE_S,
    )
    engine.conversations.end(said.conversation_id)
    window.navigator.go(Place("episodes"))
    panel = window.current_panel
    assert isinstance(panel, EpisodesPanel)
    qtbot.waitUntil(lambda: "episode.conversation" in panel.abilities(), timeout=PATIENCE_MS)
    assert "Open the conversation" in [button.text() for button in panel.detail.findChildren(QPushButton)]
    qtbot.waitUntil(lambda: "Orders can be exported" in texts(panel.detail), timeout=PATIENCE_MS)
    window.actions_table.action("episode.conversation").trigger()
    assert window.navigator.place == Place("conversations", "conversation", said.conversation_id)


def test_the_inspector_leads_to_how_it_went(window: MainWindow, told: list[int], qtbot: QtBot) -> None:
    window.navigator.go(Place("memories", "memory", told[0]))
    panel = window.current_panel
    assert isinstance(panel, MemoriesPanel)
    qtbot.waitUntil(
        lambda: panel.inspector.memory is not None and panel.inspector.memory.id == told[0], timeout=PATIENCE_MS
    )
    assert not panel.inspector.episode.isHidden()
    shown = {field.property("detail") for field in panel.inspector.details.findChildren(QLineEdit)}
    assert {"context", "valence", "significance"} <= shown
    assert "moments" not in shown
    panel.inspector.episode.click()
    assert window.navigator.place == Place("episodes", "episode", told[0])


def test_the_chips_stand_in_one_row_of_the_smallest_window(window: MainWindow, panel: EpisodesPanel) -> None:
    window.resize(1024, 640)
    window.show()
    QApplication.processEvents()
    tops = {one.y() for one in panel.findChildren(ChipButton) if one.objectName().startswith("episodes.chip.")}
    assert len(tops) == 1
