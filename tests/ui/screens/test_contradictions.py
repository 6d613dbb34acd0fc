"""The merge tool on a real engine: by keys and by mouse, the effect before, the next at once, undo, the resolved ones."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app.api import Engine, MemoryDraft, Resolution, ResolutionRequest
from app.store.rows import pair_check as pair_rows
from app.values.changes import Changes, DataKind
from tests.patience import PATIENCE_S
from tests.ui.pages.shell import Shell
from ui.screens.contradictions.panel import READ_MS as SHIPPED_READ_MS
from ui.screens.contradictions.panel import ContradictionsPanel
from ui.shell.main_window import MainWindow
from ui.widgets.buttons import Button

Wait = Callable[[Callable[[], object]], None]
VALUES = [("PostgreSQL", "SQLite"), ("Redis", "Memcached"), ("MySQL", "SQLite"), ("RabbitMQ", "Kafka")]
SENTENCES = [
    "The primary database is {}.",
    "We decided to use {} for caching.",
    "We decided to use {} as the database.",
    "The message broker is {}.",
]


def open_some(engine: Engine, count: int) -> list[int]:
    """So many contradictions, each in a project of its own."""
    for number in range(count):
        sentence = SENTENCES[number % len(SENTENCES)]
        for value in VALUES[number % len(VALUES)]:
            engine.memories.create(MemoryDraft(sentence.format(value), project_path=f"/src/shop{number}"))
    found = [one.id for one in engine.contradictions.list()]
    assert len(found) == count, "the control: each pair contradicts"
    return found


@pytest.fixture
def shell(window: MainWindow, qtbot: QtBot) -> Shell:
    return Shell(window, qtbot)


@pytest.fixture
def ids(engine: Engine) -> list[int]:
    return open_some(engine, 4)


@pytest.fixture
def panel(ids: list[int], window: MainWindow, wait: Wait) -> ContradictionsPanel:
    window.go("contradictions")
    made = window.current_panel
    assert isinstance(made, ContradictionsPanel)
    wait(lambda: made.current is not None)
    return made


@pytest.fixture(autouse=True)
def reading(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """A test reads faster than a person; it can say how long a pair is on screen before an answer counts."""

    def takes(milliseconds: int) -> None:
        monkeypatch.setattr("ui.screens.contradictions.panel.READ_MS", milliseconds)

    takes(0)
    return takes


def shown(panel: ContradictionsPanel) -> int:
    assert panel.current is not None
    return panel.current.contradiction.id


def test_ten_are_resolved_in_a_minute_by_keys(engine: Engine, window: MainWindow, shell: Shell, wait: Wait) -> None:
    """A key each: what the window adds to that is the time a pair has to be on screen."""
    assert 10 * SHIPPED_READ_MS < 60_000 / 2
    ids = open_some(engine, 10)
    window.go("contradictions")
    panel = window.current_panel
    assert isinstance(panel, ContradictionsPanel)
    wait(lambda: panel.current is not None)
    keys = [Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_Return, Qt.Key.Key_0, Qt.Key.Key_B, Qt.Key.Key_A]
    for number in range(9):
        before = shown(panel)
        shell.key(keys[number % len(keys)])
        wait(lambda before=before: panel.current is not None and shown(panel) != before)  # type: ignore[misc]
    shell.key(Qt.Key.Key_3)
    shell.type("tests")
    shell.key(Qt.Key.Key_Return)
    wait(lambda: engine.contradictions.list() == ())
    assert panel.pages.currentWidget() is panel.done
    found = {one.id: one.resolution for one in engine.contradictions.list("all")}
    assert set(found) == set(ids)
    assert {Resolution.A_WINS, Resolution.B_WINS, Resolution.DISMISSED, Resolution.BOTH_VALID} == set(found.values())


@pytest.mark.parametrize(
    ("key", "button", "resolution"),
    [
        (Qt.Key.Key_1, "contradiction.keepA", Resolution.A_WINS),
        (Qt.Key.Key_2, "contradiction.keepB", Resolution.B_WINS),
        (Qt.Key.Key_0, "contradiction.dismiss", Resolution.DISMISSED),
    ],
)
@pytest.mark.parametrize("way", ["key", "click"])
def test_each_answer_by_key_and_by_click(
    panel: ContradictionsPanel,
    engine: Engine,
    shell: Shell,
    wait: Wait,
    key: Qt.Key,
    button: str,
    resolution: Resolution,
    way: str,
) -> None:
    number = shown(panel)
    if way == "key":
        shell.key(key)
    else:
        shell.press(f"button.{button}")
    assert shown(panel) != number, "the next at once"
    wait(lambda: number not in [one.id for one in engine.contradictions.list()])
    assert engine.contradictions.get(number).contradiction.resolution is resolution


def test_enter_takes_the_suggestion_and_undo_brings_it_back(
    panel: ContradictionsPanel, engine: Engine, shell: Shell, wait: Wait
) -> None:
    number = shown(panel)
    assert panel.result.effect.text().startswith("Keep B: Your assistants get B and no longer A.")
    shell.key(Qt.Key.Key_Return)
    wait(lambda: len(engine.contradictions.list()) == 3)
    wait(lambda: "replaces" in " ".join(shell.notices))
    shell.ctrl(Qt.Key.Key_Z)
    wait(lambda: len(engine.contradictions.list()) == 4)
    wait(lambda: panel.current is not None and shown(panel) == number)


def test_merge_edits_the_result_and_keeps_one(
    panel: ContradictionsPanel, engine: Engine, shell: Shell, wait: Wait, qtbot: QtBot
) -> None:
    number = shown(panel)
    b = panel.current.b.memory.id if panel.current else 0
    shell.key(Qt.Key.Key_5)
    assert panel.result.text.hasFocus()
    panel.result.text.selectAll()
    shell.type("S1 both, one for each.")
    assert shown(panel) == number, "letters and digits belong to the text"
    qtbot.keyClick(panel.result.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    wait(lambda: len(engine.contradictions.list()) == 3)
    assert engine.memories.get(b).memory.levels.full.text == "S1 both, one for each."


def test_both_asks_where_and_esc_leaves_the_question(
    panel: ContradictionsPanel, engine: Engine, shell: Shell, wait: Wait
) -> None:
    number = shown(panel)
    shell.key(Qt.Key.Key_3)
    assert panel.result.is_asking
    shell.key(Qt.Key.Key_Return)
    assert shown(panel) == number, "without a scope nothing is done"
    shell.key(Qt.Key.Key_Escape)
    assert not panel.result.is_asking
    shell.press("button.contradiction.both")
    shell.type("1 legacy service")
    shell.press("contradiction.go")
    wait(lambda: len(engine.contradictions.list()) == 3)
    assert engine.contradictions.get(number).contradiction.resolution is Resolution.BOTH_VALID


def test_since_takes_a_day(panel: ContradictionsPanel, engine: Engine, shell: Shell, wait: Wait) -> None:
    shell.key(Qt.Key.Key_4)
    panel.result.first.setText("no day")
    shell.key(Qt.Key.Key_Return)
    assert any("is not a date" in one for one in shell.notices)
    panel.result.first.setText("2026-03-01")
    shell.key(Qt.Key.Key_Return)
    wait(lambda: len(engine.contradictions.list()) == 3)


def test_later_and_the_list_walk_without_answering(
    panel: ContradictionsPanel, engine: Engine, shell: Shell, ids: list[int], wait: Wait
) -> None:
    first = shown(panel)
    shell.key(Qt.Key.Key_S)
    second = shown(panel)
    assert second != first
    shell.key(Qt.Key.Key_K)
    assert shown(panel) == first
    wait(lambda: shell.has(f"contradictions.entry.{second}"))
    shell.press(f"contradictions.entry.{second}")
    assert shown(panel) == second
    assert len(engine.contradictions.list()) == len(ids)


def test_what_differs_is_marked_and_said(panel: ContradictionsPanel) -> None:
    assert panel.current is not None
    marked = panel.a.text.extraSelections()
    assert [one.cursor.selectedText() for one in marked]
    assert "A says" in panel.a.text.accessibleDescription()


def test_the_resolved_ones_can_be_opened_again(
    panel: ContradictionsPanel, engine: Engine, shell: Shell, wait: Wait
) -> None:
    number = shown(panel)
    engine.contradictions.resolve(number, ResolutionRequest(Resolution.A_WINS, "it was a slip"))
    wait(lambda: panel.settled.count == 1)
    shell.press("contradictions.tabs.settled")
    assert "it was a slip" in shell.texts(panel.settled)
    shell.press(f"contradictions.reopen.{number}")
    wait(lambda: len(engine.contradictions.list()) == 4)


def test_the_focus_stays_among_the_resolved_ones_when_one_is_decided_again(
    panel: ContradictionsPanel, engine: Engine, shell: Shell, wait: Wait
) -> None:
    for _ in range(2):
        engine.contradictions.resolve(engine.contradictions.list()[0].id, ResolutionRequest(Resolution.A_WINS))
    wait(lambda: panel.settled.count == 2)
    shell.press("contradictions.tabs.settled")
    first, second = (one for one in panel.settled.findChildren(QPushButton) if "reopen" in one.objectName())
    name = second.objectName()
    first.setFocus()
    first.click()
    wait(lambda: panel.settled.count == 1)
    focus = QApplication.focusWidget()
    assert focus is not None
    assert focus.objectName() == name


def test_the_rail_counts_them_and_one_that_opens_is_told(
    panel: ContradictionsPanel, engine: Engine, window: MainWindow, wait: Wait
) -> None:
    del panel
    button = window.rail.button("contradictions")
    assert button is not None
    wait(lambda: button.accessibleName().startswith("Contradictions") and "4" in button.accessibleName())
    assert engine.contradictions.count_open() == 4


def test_one_that_opens_elsewhere_is_told_with_the_way_there(
    engine: Engine, window: MainWindow, shell: Shell, wait: Wait
) -> None:
    window.go("now")
    open_some(engine, 1)
    wait(lambda: any("cannot both be true" in one for one in shell.notices))
    [notice] = [one for one in window.notices.notices if "cannot both be true" in one.text]
    assert notice.on_action is not None
    notice.on_action()
    assert shell.screen == "contradictions"


def test_nothing_to_decide_says_so(window: MainWindow, wait: Wait) -> None:
    window.go("contradictions")
    panel = window.current_panel
    assert isinstance(panel, ContradictionsPanel)
    wait(lambda: panel.pages.currentWidget() is panel.done)
    assert panel.done.heading.text() == "No contradictions"
    assert QApplication.focusWidget() is not None


def test_a_proposed_text_is_shown_as_one_and_can_be_edited(
    engine: Engine, window: MainWindow, shell: Shell, wait: Wait, qtbot: QtBot
) -> None:
    [number] = open_some(engine, 1)
    detail = engine.contradictions.get(number)
    with engine._core.store.write_log() as connection:
        sides = (detail.a.memory.id, detail.b.memory.id)
        keys = [
            connection.exec_driver_sql("SELECT text_key FROM memory WHERE id = ?", (one,)).scalar() for one in sides
        ]
        pair = dict(zip(("memory_a_id", "memory_b_id", "a_key", "b_key"), (*sides, *keys), strict=True))
        pair_rows.add_waiting(connection, [pair | {"found_at": engine.clock.now()}])
        pair_rows.settle(connection, 1, {"merged": "The primary database is PostgreSQL, SQLite."})
        connection.exec_driver_sql("UPDATE contradiction SET holds = 'both', judged_by = 'claude-code'")
    engine._core.store.announce(Changes(seq=0, kinds=frozenset({DataKind.CONTRADICTIONS})))
    window.go("contradictions")
    panel = window.current_panel
    assert isinstance(panel, ContradictionsPanel)
    wait(lambda: panel.result.text.toPlainText() == "The primary database is PostgreSQL, SQLite.")
    assert panel.result.hint.text() == "what your assistant will read, proposed by Claude Code in your words"
    shell.key(Qt.Key.Key_Return)
    assert panel.result.text.hasFocus(), "a proposal is read before it is kept"
    assert engine.contradictions.count_open() == 1
    qtbot.keyClick(panel.result.text, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(panel.result.text, " Both.")
    qtbot.keyClick(panel.result.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    wait(lambda: engine.contradictions.count_open() == 0)
    kept = engine.memories.get(detail.b.memory.id).memory.levels.full.text
    assert kept == "The primary database is PostgreSQL, SQLite. Both."


def open_alike(engine: Engine, count: int) -> int:
    """So many contradictions of the same two things; returns how many are open."""
    things = ("Mail", "Invoices", "Receipts", "Reminders")[:count]
    for value in ("Falcon", "Kestrel"):
        for one in things:
            text = f"{one} of the shop go out through {value}."
            engine.memories.create(MemoryDraft(text, project_path="/src/shop"))
        assert engine._core.scanner.wait_idle(PATIENCE_S)
    found = engine.contradictions.count_open()
    assert found == count, "the control: each thing has its pair"
    return found


def test_alike_ones_are_one_question_and_get_one_answer(
    engine: Engine, window: MainWindow, shell: Shell, wait: Wait
) -> None:
    open_alike(engine, 3)
    window.go("contradictions")
    panel = window.current_panel
    assert isinstance(panel, ContradictionsPanel)
    wait(lambda: panel.current is not None)
    assert panel.result.alike.text().startswith("2 more like it, answered together: “")
    assert panel.result.effect.text().endswith("The same for 2 like it. Ctrl+Z undoes it.")
    button = window.rail.button("contradictions")
    assert button is not None
    wait(lambda: "1" in button.accessibleName())
    shell.key(Qt.Key.Key_2)
    wait(lambda: engine.contradictions.count_open() == 0)
    shell.ctrl(Qt.Key.Key_Z)
    wait(lambda: engine.contradictions.count_open() == 3)
    wait(lambda: panel.current is not None)


def test_alike_ones_can_be_asked_one_by_one(engine: Engine, window: MainWindow, shell: Shell, wait: Wait) -> None:
    open_alike(engine, 3)
    window.go("contradictions")
    panel = window.current_panel
    assert isinstance(panel, ContradictionsPanel)
    wait(lambda: panel.current is not None)
    shell.key(Qt.Key.Key_O)
    wait(lambda: not panel.result.alike.isVisible())
    shell.key(Qt.Key.Key_2)
    wait(lambda: engine.contradictions.count_open() == 2)


def test_now_asks_and_takes_the_answer(engine: Engine, window: MainWindow, shell: Shell, wait: Wait) -> None:
    [number] = open_some(engine, 1)
    window.go("now")
    wait(lambda: shell.has(f"contradiction.b.{number}"))
    assert "Which one is true?" in shell.texts(window.current_panel)
    shell.press(f"contradiction.b.{number}")
    wait(lambda: engine.contradictions.count_open() == 0)
    assert engine.contradictions.get(number).contradiction.resolution is Resolution.B_WINS
    wait(lambda: not shell.has(f"contradiction.b.{number}"))
    shell.ctrl(Qt.Key.Key_Z)
    wait(lambda: shell.has(f"contradiction.open.{number}"))
    shell.press(f"contradiction.open.{number}")
    assert shell.screen == "contradictions"


def test_a_merge_needs_no_key(panel: ContradictionsPanel, engine: Engine, shell: Shell, wait: Wait) -> None:
    assert panel.current is not None
    number, a, b = shown(panel), panel.current.a.memory, panel.current.b.memory
    shell.press("button.contradiction.merge")
    begun = panel.result.text.toPlainText()
    assert shown(panel) == number, "the first click only opens the text"
    assert begun == f"{b.levels.full.text} {a.levels.full.text}", "both verbatim"
    shell.press("contradiction.go")
    wait(lambda: len(engine.contradictions.list()) == 3)
    assert engine.memories.get(b.id).memory.levels.full.text == begun


@pytest.mark.parametrize(
    ("key", "button", "text"),
    [
        (Qt.Key.Key_3, "Keep both (Enter)", "{a}\n{b}"),
        (Qt.Key.Key_4, "Keep B from this day (Enter)", "{b}"),
        (Qt.Key.Key_5, "Merge (Ctrl+Enter)", "{b} {a}"),
    ],
)
def test_what_is_shown_is_that_of_the_mode(
    panel: ContradictionsPanel, shell: Shell, key: Qt.Key, button: str, text: str
) -> None:
    assert panel.current is not None
    a, b = (side.memory.levels.full.text for side in (panel.current.a, panel.current.b))
    shell.key(key)
    assert panel.result.go.isVisible()
    assert panel.result.go.text() == button
    assert not panel.result.accept.isVisible(), "one filled button"
    assert "Suggested" not in panel.result.why.text()
    assert panel.result.text.toPlainText() == text.format(a=a, b=b)
    shell.key(Qt.Key.Key_Escape)
    assert panel.result.accept.isVisible()
    assert panel.result.why.text().startswith("Suggested: Keep B")


def test_a_place_stands_in_the_result_as_it_is_typed(panel: ContradictionsPanel, shell: Shell) -> None:
    shell.key(Qt.Key.Key_3)
    shell.type("tests")
    assert " Only for tests.\n" in panel.result.text.toPlainText()


def test_a_second_enter_decides_nothing_unread(
    panel: ContradictionsPanel, shell: Shell, reading: Callable[[int], None]
) -> None:
    first = shown(panel)
    shell.key(Qt.Key.Key_Return)
    second = shown(panel)
    assert second != first
    reading(3_600_000)
    shell.key(Qt.Key.Key_Return)
    assert shown(panel) == second, "it came up only now"
    reading(0)
    shell.key(Qt.Key.Key_Return)
    assert shown(panel) != second


def test_the_notice_names_the_key(panel: ContradictionsPanel, window: MainWindow, shell: Shell, wait: Wait) -> None:
    window.resize(1024, 700)
    shell.key(Qt.Key.Key_2)
    wait(lambda: any("replaces" in one for one in shell.notices))
    assert panel.result.effect.isVisible()
    buttons = [one.text() for one in window.notices.findChildren(Button) if one.objectName() == "notice.action"]
    assert buttons[-1] == "Undo (Ctrl+Z)"


@pytest.mark.parametrize("size", [(900, 600), (1024, 700), (1280, 800)])
def test_where_a_side_comes_from_stands_below_its_text(
    panel: ContradictionsPanel, window: MainWindow, wait: Wait, size: tuple[int, int]
) -> None:
    window.resize(*size)
    for side in (panel.a, panel.b):
        wait(lambda one=side: one.scrolled.height() > 0 and one.scrolled.y() >= one.text.geometry().bottom())  # type: ignore[misc]  # mypy cannot type the default
        assert side.scrolled.height() >= 2 * side.fontMetrics().lineSpacing(), "two lines of it at least"
