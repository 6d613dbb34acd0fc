"""Level and tier of a memory on the Context screen: by switch, by key, by menu, by dragging; told, undone, honoured at once."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QFontMetricsF
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.api import CaptureRequest, Engine, EventKind, FactType, MemoryDraft, MemoryEdit
from app.values import Context, ContextRequest, ContextSignals, Level, Placement, Tier
from tests.patience import PATIENCE_S
from tests.ui.pages.context import ContextPage
from ui.navigation import Place
from ui.screens.context.bar import TierSegment
from ui.screens.context.rows import RowKind, memory_mime
from ui.shell.main_window import MainWindow
from ui.theme import META_FONT_PX, font
from ui.widgets.labels import PlainLabel
from ui.wording.contexts import TIER_NOTES

Wait = Callable[[Callable[[], object]], None]
MILL = "/w/mill"
PORT = "The staging server answers on port 8443."
DUMP = "Never migrate the staging server without a dump."
PROMPT = "staging server"


@pytest.fixture
def given(engine: Engine) -> Context:
    for text, fact_type in ((PORT, FactType.FACT), (DUMP, FactType.CONSTRAINT)):
        engine.memories.create(MemoryDraft(text, type=fact_type, project_path=MILL))
    signals = ContextSignals(project_path=MILL, app="claude-code", prompt=PROMPT)
    return engine.context.assemble(ContextRequest(signals, budget_tokens=2_000, delivery="hook:prompt"))


@pytest.fixture
def page(given: Context, window: MainWindow, qtbot: QtBot) -> ContextPage:
    return ContextPage.opened(window, qtbot)


def menu_of(page: ContextPage) -> QMenu:
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def texts_of(menu: QMenu) -> list[str]:
    return [action.text() for action in menu.actions() if not action.isSeparator()]


def chosen_in(menu: QMenu) -> list[str]:
    return [action.text() for action in menu.actions() if action.isChecked()]


def test_the_switch_of_a_line_opens_the_levels_and_the_text_follows(
    page: ContextPage, engine: Engine, wait: Wait
) -> None:
    assert page.level_of(PORT) == "Full"
    page.press_level(PORT)
    menu = menu_of(page)
    assert texts_of(menu) == [
        "Give it in full",
        "Give it as a summary",
        "Give it in short",
        "Give only its title line",
        "In the size that fits",
    ]
    assert chosen_in(menu) == ["In the size that fits"]
    next(action for action in menu.actions() if action.text() == "Give only its title line").trigger()
    menu.close()
    wait(lambda: page.tier_of("staging_server:8443") is Tier.INDEX or page.tier_of("port") is Tier.INDEX)
    assert engine.context.placements() == (Placement(1, Level.INDEX),)
    assert PORT not in page.text


def test_keys_choose_a_level_tell_it_and_take_it_back(page: ContextPage, engine: Engine, wait: Wait) -> None:
    page.choose(DUMP)
    page.panel.list.setFocus()
    page.key(Qt.Key.Key_2)
    wait(lambda: engine.context.placements() == (Placement(2, Level.SUMMARY),))
    wait(lambda: page.window.notices.notices)
    assert page.window.notices.notices[-1].text.endswith("will be given as a summary, where there is room")
    page.settle()
    assert page.panel.full.detail.place.text() == "Summary"
    assert "as a summary, as you chose" in page.panel.full.detail.why.text()
    page.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    wait(lambda: engine.context.placements() == ())
    page.settle()
    assert page.panel.full.detail.place.text() == "Automatic"
    page.key(Qt.Key.Key_1)
    wait(lambda: engine.context.placements() == (Placement(2, Level.FULL),))
    page.key(Qt.Key.Key_0)
    wait(lambda: engine.context.placements() == ())


def test_the_buttons_say_what_they_would_do_now(page: ContextPage, engine: Engine, wait: Wait) -> None:
    page.choose(PORT)
    detail = page.panel.full.detail

    def words() -> list[str]:
        return [detail.findChild(QAbstractButton, f"button.context.{name}").text() for name in ("pin", "exclude")]

    assert words() == ["Pin", "Never include"]
    page.press("button.context.pin")
    wait(lambda: words() == ["Unpin", "Never include"])
    page.press("button.context.pin")
    wait(lambda: words() == ["Pin", "Never include"])
    page.press("button.context.exclude")
    wait(lambda: engine.context.placements() == (Placement(1, is_withheld=True),))
    wait(lambda: PORT not in page.text)
    rows = [page.panel.rows.row_at(n) for n in range(page.panel.rows.rowCount())]
    page.choose(next(row.text for row in rows if row is not None and row.memory_id == 1))
    wait(lambda: words() == ["Pin", "Give it again"])


def test_a_line_says_what_it_costs_beside_its_text(page: ContextPage, engine: Engine, wait: Wait) -> None:
    page.choose(PORT)
    levels, item = page.panel.full.detail.levels, page.row_of(PORT).item
    assert item is not None
    own = engine.memories.get(1).memory.levels.full.token_count
    beside = f"This line: {own} + {item.token_count - own} for the dash and number before it"
    wait(lambda: levels.text().endswith(beside))
    assert levels.text().startswith(f"Tokens by size: Full {own} ·")
    page.panel.show_receipt(page.panel.receipts.neighbour(0, 1))
    wait(lambda: page.moment.startswith("as it was given"))
    engine.memories.edit(1, MemoryEdit(full="The staging server answers on port 9443 since Monday."))
    wait(lambda: levels.text().startswith("Tokens by size: Full") and "This line" not in levels.text())
    assert page.current == PORT, "what was told then is not what the memory says now"


def test_keys_move_a_line_to_another_tier(page: ContextPage, engine: Engine, wait: Wait) -> None:
    page.choose(PORT)
    page.panel.list.setFocus()
    assert page.tier_of(PORT) is Tier.RELEVANT
    page.key(Qt.Key.Key_1, Qt.KeyboardModifier.AltModifier)
    wait(lambda: page.tier_of(PORT) is Tier.CRITICAL)
    assert page.current == PORT, "the cursor goes along"
    assert page.panel.full.detail.place.text() == "Critical"
    page.key(Qt.Key.Key_0, Qt.KeyboardModifier.AltModifier)
    wait(lambda: page.tier_of(PORT) is Tier.RELEVANT)
    assert engine.context.placements() == ()


def test_a_line_let_go_over_a_tier_moves_there(page: ContextPage, engine: Engine, wait: Wait) -> None:
    drop(page, Tier.BACKGROUND, memory_mime(1))
    wait(lambda: page.tier_of(PORT) is Tier.BACKGROUND)
    assert engine.context.placements() == (Placement(1, tier=Tier.BACKGROUND),)
    page.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    wait(lambda: page.tier_of(PORT) is Tier.RELEVANT)


def test_a_line_let_go_among_the_lines_of_a_tier_moves_there(page: ContextPage, engine: Engine, wait: Wait) -> None:
    view = page.panel.list
    dump = next(view.model().index(n, 0) for n in range(3) if view.model().index(n, 0).data() == DUMP)
    assert let_go(view.viewport(), view.visualRect(dump).center(), memory_mime(1))
    wait(lambda: page.tier_of(PORT) is Tier.CRITICAL)
    assert engine.context.placements() == (Placement(1, tier=Tier.CRITICAL),)


def test_what_is_foreign_or_there_already_is_not_taken(page: ContextPage, engine: Engine) -> None:
    foreign = QMimeData()
    foreign.setText("1")
    assert not drop(page, Tier.CRITICAL, foreign)
    assert not drop(page, Tier.RELEVANT, memory_mime(1))
    view = page.panel.list
    port = next(view.model().index(n, 0) for n in range(9) if view.model().index(n, 0).data() == PORT)
    for mime in (foreign, memory_mime(1)):
        assert not let_go(view.viewport(), view.visualRect(port).center(), mime)
    page.settle()
    assert engine.context.placements() == ()


def drop(page: ContextPage, tier: Tier, mime: QMimeData) -> bool:
    """Lets something go over a tier's bar; whether the bar would take it."""
    return let_go(page.tier(tier), page.tier(tier).rect().center(), mime)


def let_go(target: QWidget, where: QPoint, mime: QMimeData) -> bool:
    """Carries something over a widget and lets it go there; whether it would be taken."""
    held = (Qt.DropAction.MoveAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    for event in (QDragEnterEvent(where, *held), QDragMoveEvent(where, *held)):
        if event.type() is QEvent.Type.DragMove and isinstance(target, TierSegment):
            break  # what entered a bar is not asked again
        event.ignore()
        QApplication.sendEvent(target, event)
        if not event.isAccepted():
            return False
    QApplication.sendEvent(target, QDropEvent(QPointF(where), *held, QEvent.Type.Drop))
    return True


def test_the_menu_of_a_line_holds_both(page: ContextPage) -> None:
    page.choose(PORT)
    page.panel.list.menu_wanted.emit(QPoint(40, 40))
    menu = menu_of(page)
    parts = {action.text(): action.menu() for action in menu.actions() if action.menu() is not None}
    assert list(parts) == ["Size", "Move to tier"]
    moves = parts["Move to tier"]
    assert isinstance(moves, QMenu)
    assert texts_of(moves)[0] == "Move to Critical"
    menu.close()


def test_the_menu_says_what_it_would_do_to_this_line(page: ContextPage, qtbot: QtBot, wait: Wait) -> None:
    def offers() -> list[str]:
        qtbot.keyClick(page.panel.list, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
        menu = menu_of(page)
        texts = texts_of(menu)
        menu.close()
        return texts[1:3]

    page.choose(PORT)
    assert offers() == ["Pin", "Never include"]
    page.press("button.context.pin")
    button = page.panel.full.detail.findChild(QAbstractButton, "button.context.pin")
    wait(lambda: button.text() == "Unpin")
    assert offers() == ["Unpin", "Never include"]
    page.choose(DUMP)
    page.settle()
    assert offers() == ["Pin", "Never include"]
    page.press("button.context.exclude")
    wait(lambda: page.left_out)
    page.settle()
    page.choose(page.left_out[0])
    assert offers() == ["Pin", "Give it again"]


def test_a_chosen_level_that_does_not_fit_is_said_to_be_the_reason(
    page: ContextPage, engine: Engine, wait: Wait
) -> None:
    long = " ".join(f"The staging server keeps the log of day {day} for thirteen months." for day in range(1, 9))
    made = engine.memories.create(MemoryDraft(long, type=FactType.FACT, project_path=MILL))
    engine.context.place_at_level((made,), Level.FULL)
    page.panel.form.budget.setValue(150)
    wait(lambda: page.left_out)
    page.settle()
    page.choose(page.left_out[0])
    assert page.panel.full.detail.why.text().endswith("over in full, as you chose")
    assert page.lines == ["budget ends here"]
    page.key(Qt.Key.Key_0)
    wait(lambda: not page.left_out)


def test_memories_say_what_was_chosen(page: ContextPage, engine: Engine, wait: Wait) -> None:
    engine.context.place_in_tier((2,), Tier.BACKGROUND)
    page.window.navigator.go(Place("memories", "memory", 2))
    (said,) = page.window.findChildren(PlainLabel, "memory.placed")
    wait(lambda: said.text() == "Given as you chose: tier Background")
    engine.context.place_at_level((2,), Level.SUMMARY)
    wait(lambda: said.text() == "Given as you chose: size Summary, tier Background")
    engine.journal.undo()
    engine.journal.undo()
    wait(lambda: not said.isVisible())


def test_not_this_one_is_never_told_and_told_again(page: ContextPage, engine: Engine, wait: Wait) -> None:
    page.choose(PORT)
    page.panel.list.setFocus()
    page.key(Qt.Key.Key_N)
    wait(lambda: PORT not in page.text)
    assert engine.context.placements() == (Placement(1, is_withheld=True),)
    assert engine.memories.get(1).memory.status.value == "active"
    wait(lambda: any("will never be given" in one.text for one in page.window.notices.notices))
    out = next(row for row in page.rows(RowKind.OUT) if row.memory_id == 1)
    assert "never given, as you chose" in out.spoken
    page.choose(out.text)
    page.key(Qt.Key.Key_N)
    wait(lambda: PORT in page.text)
    assert engine.context.placements() == ()


def test_forgetting_puts_it_away(page: ContextPage, engine: Engine, wait: Wait) -> None:
    page.choose(PORT)
    page.panel.list.setFocus()
    page.key(Qt.Key.Key_Delete)
    wait(lambda: engine.memories.get(1).memory.status.value == "archived")


def test_a_failure_is_dismissed_and_has_no_other_ability(page: ContextPage, engine: Engine, wait: Wait) -> None:
    said = CaptureRequest("claude-code", EventKind.PROMPT, "p", session="s1", text="Run it", cwd=MILL)
    payload = {"tool_name": "Bash", "tool_input": {"command": "make all"}, "tool_response": {"exit_code": 2}}
    engine.events.capture([said, replace(said, kind=EventKind.TOOL, key="t", text="", payload=payload)])
    assert engine.events.wait_idle(PATIENCE_S)
    page.panel.show_live()
    page.type_into("prompt", "why does make all fail?")
    line = "Failed lately: make all (exit 2)"
    wait(lambda: line in page.given)
    page.choose(line)
    able = page.panel.abilities()
    assert "context.exclude" in able
    assert able.isdisjoint({"context.pin", "context.forget", "context.open"})
    page.panel.list.setFocus()
    page.key(Qt.Key.Key_N)
    wait(lambda: line not in page.given)
    page.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    wait(lambda: line in page.given)


def test_one_button_holds_sizes_and_tiers_and_says_what_was_chosen(
    page: ContextPage, engine: Engine, wait: Wait, qtbot: QtBot
) -> None:
    page.choose(PORT)
    detail = page.panel.full.detail
    assert detail.place.text() == "Automatic"
    page.press("context.place")
    menu = menu_of(page)
    assert [one.text() for one in menu.actions() if one.text() in ("Size", "Tier") and not one.isEnabled()] == [
        "Size",
        "Tier",
    ]
    next(one for one in menu.actions() if one.text() == "Give it as a summary").trigger()
    menu.close()
    wait(lambda: engine.context.placements() == (Placement(1, Level.SUMMARY),))
    wait(lambda: detail.place.text() == "Summary")
    page.press("context.place")
    menu = menu_of(page)
    next(one for one in menu.actions() if one.objectName() == "context.tierCritical").trigger()
    menu.close()
    wait(lambda: detail.place.text() == "Summary, Critical")
    assert detail.place.accessibleName() == "Size and tier: Summary, Critical"


def test_what_is_said_of_a_line_stands_right_below_the_lines(page: ContextPage, window: MainWindow, wait: Wait) -> None:
    window.resize(1024, 700)
    page.choose(PORT)
    below, lines = page.panel.full.detail, page.panel.list
    wait(lambda: below.isVisible() and 0 <= below.y() - lines.geometry().bottom() <= 30)
    last = lines.visualRect(lines.model().index(lines.model().rowCount() - 1, 0))
    assert last.bottom() <= lines.viewport().rect().bottom() <= last.bottom() + 30, "no empty column above it"
    buttons = [one for one in below.findChildren(QAbstractButton) if one.isVisible()]
    assert len({one.y() for one in buttons}) == 1, "one row"


def test_each_tier_says_below_its_name_what_it_is_for(page: ContextPage, window: MainWindow) -> None:
    window.resize(1024, 700)
    for segment in page.panel.full.head.bar.segments:
        room = QFontMetricsF(font(META_FONT_PX)).horizontalAdvance(TIER_NOTES[segment.tier])
        assert room <= segment.width(), segment.tier
        lines = QFontMetricsF(font()).height() + QFontMetricsF(font(META_FONT_PX)).height()
        assert segment.bar_rect().top() >= lines, "and stands above its bar"
