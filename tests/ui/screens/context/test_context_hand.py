"""Context by hand: what the pointer and the keys do to what is looked at, and that nothing jumps."""

import itertools
from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.api import Engine, FactType, FrozenClock, MemoryDraft
from app.values import Activity, Context, ContextRequest, ContextSignals, Tier
from tests.patience import PATIENCE_S
from tests.ui.made_contexts import context, item
from tests.ui.pages.context import ContextPage
from tests.ui.pages.now import NowPage
from tests.ui.stories import STORIES, all_requests
from ui.screens.context.reading import why_no_lines
from ui.screens.context.rows import RowKind
from ui.screens.context.text_view import ContextViewer
from ui.screens.now.panel import NowPanel
from ui.shell.main_window import MainWindow
from ui.theme import ThemeChoice, color
from ui.widgets.tab_order import focusables

Wait = Callable[[Callable[[], object]], None]
DOCK = "/w/dock"
PORT = "The staging server answers on port 8443."
DUMP = "Never migrate the staging server without a dump."
STYLE = "Prefer early returns over nested conditions."
PROMPT = "Which port has the staging server, and are nested conditions fine there?"


@pytest.fixture
def given(engine: Engine) -> Context:
    kinds = ((PORT, FactType.FACT), (DUMP, FactType.CONSTRAINT), (STYLE, FactType.PREFERENCE))
    for text, fact_type in kinds:
        engine.memories.create(MemoryDraft(text, type=fact_type, project_path=DOCK))
    signals = ContextSignals(project_path=DOCK, app="claude-code", session="s1", prompt=PROMPT)
    return engine.context.assemble(ContextRequest(signals, budget_tokens=2_000, delivery="hook:prompt"))


@pytest.fixture
def page(given: Context, window: MainWindow, qtbot: QtBot) -> ContextPage:
    made = ContextPage.opened(window, qtbot)
    made.panel.list.setFocus()
    return made


def place_of(page: ContextPage, n: int) -> QPoint:
    return page.panel.list.visualRect(page.panel.rows.index(n)).center()


def rows_of(page: ContextPage, kind: RowKind) -> list[int]:
    found = [(n, page.panel.rows.row_at(n)) for n in range(page.panel.rows.rowCount())]
    return [n for n, row in found if row is not None and row.kind is kind]


def test_a_heading_that_is_pressed_or_dragged_leaves_the_chosen_line(page: ContextPage, qtbot: QtBot) -> None:
    page.choose(STYLE)
    view, heading = page.panel.list.viewport(), rows_of(page, RowKind.HEADING)[0]
    first = next(n for n in rows_of(page, RowKind.ITEM) if page.panel.rows.index(n).data() != STYLE)
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=place_of(page, heading))
    qtbot.mouseMove(view, place_of(page, first))
    qtbot.mouseMove(view, place_of(page, first) + QPoint(0, 3))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=place_of(page, first))
    assert page.current == STYLE
    assert page.panel.full.detail.isVisible()
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(20, view.height() - 2))  # below the last line
    assert page.panel.list.selectionModel().selectedIndexes(), "it looks chosen still"


def test_a_menu_takes_the_look_of_the_pointer_off_the_lines(page: ContextPage, qtbot: QtBot) -> None:
    view, delegate = page.panel.list, page.panel.list._delegate
    qtbot.mouseMove(view.viewport(), place_of(page, 1))
    wanted = view.indexAt(place_of(page, 1)).row()
    delegate.hovered_row = wanted
    lost = QFocusEvent(QFocusEvent.Type.FocusOut, Qt.FocusReason.PopupFocusReason)
    QApplication.sendEvent(view, lost)
    assert delegate.hovered_row == -1


def test_escape_goes_one_step_out_at_a_time(page: ContextPage, given: Context, wait: Wait) -> None:
    page.panel.show_receipt(given.receipt_id or 0)
    wait(lambda: page.moment.startswith("as it was given"))
    every = page.given
    page.panel.show_tier(page.tier_of(DUMP))
    page.panel.full.history.setFocus()
    page.key(Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is page.panel.list
    assert page.given == [DUMP]
    page.key(Qt.Key.Key_Escape)
    assert page.given == every
    assert page.moment.startswith("as it was given")
    page.key(Qt.Key.Key_Escape)
    wait(lambda: page.moment.startswith("what would be given now"))


@pytest.mark.parametrize(("key", "name"), [("W", "context.whatIf.prompt"), ("H", "context.history")])
def test_the_key_of_a_side_page_puts_the_keys_there(page: ContextPage, key: str, name: str) -> None:
    page.key(getattr(Qt.Key, f"Key_{key}"))
    focus = QApplication.focusWidget()
    assert focus is not None
    assert focus.objectName() == name


def test_the_history_is_walked_by_arrows_alone(page: ContextPage, wait: Wait) -> None:
    page.key(Qt.Key.Key_H)
    page.key(Qt.Key.Key_Down)
    wait(lambda: page.moment.startswith("as it was given"))
    page.key(Qt.Key.Key_L)
    page.key(Qt.Key.Key_J)
    wait(lambda: page.moment.startswith("what would be given now"))
    assert page.panel.form.what_if.signals.prompt == PROMPT, "no letter went into a field"
    assert QApplication.focusWidget() is page.panel.list


def test_the_figures_move_by_keys(page: ContextPage, window: MainWindow, wait: Wait) -> None:
    window.resize(1024, 640)
    page.key(Qt.Key.Key_T)
    figures = page.panel.full.figures
    wait(lambda: figures.verticalScrollBar().maximum() > 0)
    page.key(Qt.Key.Key_PageDown)
    assert figures.verticalScrollBar().value() > 0


@pytest.mark.parametrize("choice", [ThemeChoice.LIGHT, ThemeChoice.DARK])
def test_the_figures_show_that_they_have_the_keys(page: ContextPage, window: MainWindow, choice: ThemeChoice) -> None:
    window.theme.set(choice)
    page.key(Qt.Key.Key_T)
    figures = page.panel.full.figures

    def edges() -> set[str]:
        seen, middle = figures.grab().toImage(), figures.rect().center()
        spots = ((1, middle.y()), (middle.x(), 1), (seen.width() - 2, middle.y()), (middle.x(), seen.height() - 2))
        return {seen.pixelColor(x, y).name() for x, y in spots}

    assert figures.hasFocus()
    assert edges() == {color("accent").name()}
    page.panel.list.setFocus()
    assert color("accent").name() not in edges()


def test_tab_goes_through_the_columns_as_they_are_read(page: ContextPage) -> None:
    parts = [page.panel.full.head.bar, page.panel.full.side, page.panel.list, page.panel.full.detail, page.panel.text]
    stops = [one for one in focusables(page.panel) if one.isVisible() and one.isEnabled()]
    places = [
        next(n for n, part in enumerate(parts) if part is one or part.isAncestorOf(one))
        for one in stops
        if any(part is one or part.isAncestorOf(one) for part in parts)
    ]
    assert set(places) == set(range(len(parts)))
    assert all(after >= before for before, after in itertools.pairwise(places))
    follows: list[QWidget] = []
    one = stops[0]
    while len(follows) < len(stops):
        follows += [one] if one in stops else []
        one = one.nextInFocusChain()
    assert follows == stops


def test_what_lies_below_the_head_stays_where_it_is(page: ContextPage, given: Context, wait: Wait) -> None:
    def top() -> int:
        return page.panel.full.splitter.y()

    before = top()
    page.tier(Tier.CRITICAL).setFocus()
    page.key(Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    wait(lambda: page.panel.full.head.reset.isVisible())
    QApplication.processEvents()
    assert top() == before
    page.panel.show_receipt(given.receipt_id or 0)
    wait(lambda: page.panel.full.head.live.isVisible())
    QApplication.processEvents()
    assert top() == before


def test_one_tier_alone_shows_the_way_back_to_all(page: ContextPage) -> None:
    every = page.given
    page.panel.show_tier(page.tier_of(DUMP))
    assert page.given == [DUMP]
    page.press("button.context.allTiers")
    assert page.given == every
    assert not page.panel.full.head.all_tiers.isVisible()


def test_an_empty_tier_says_where_its_share_goes() -> None:
    assert why_no_lines(None, query="", tier=Tier.RELEVANT).startswith(
        "Nothing is in the tier Relevant; its share goes to the next tier."
    )
    assert "the last one" in why_no_lines(None, query="", tier=Tier.INDEX), "nothing comes after it"


def test_a_choice_opens_below_its_field_with_all_there_is(page: ContextPage, qtbot: QtBot) -> None:
    choice = page.panel.form.app
    choice.setCurrentIndex(choice.count() - 1)
    qtbot.mouseClick(choice, Qt.MouseButton.LeftButton)
    view = choice.view()
    assert view.isVisible()
    room = view.viewport().rect()
    assert all(room.contains(view.visualRect(view.model().index(n, 0))) for n in range(choice.count()))
    assert view.mapToGlobal(QPoint(0, 0)).y() >= choice.mapToGlobal(choice.rect().bottomLeft()).y() - 2
    choice.hidePopup()
    assert choice.itemText(choice.count() - 1) == "VS Code"


def test_a_moment_of_the_past_offers_what_pressing_would_do_now(page: ContextPage, given: Context, wait: Wait) -> None:
    page.panel.show_receipt(given.receipt_id or 0)
    wait(lambda: page.moment.startswith("as it was given"))
    page.choose(PORT)
    pin = page.panel.full.detail._acts["context.pin"]
    page.key(Qt.Key.Key_P)
    wait(lambda: pin.text() == "Unpin")
    assert page.window.actions_table.action("context.pin").text() == "Unpin", "so does the menu"
    assert page.moment.startswith("as it was given"), "the moment itself stays as it was"
    page.key(Qt.Key.Key_P)
    wait(lambda: pin.text() == "Pin")


@pytest.fixture
def now(page: ContextPage, engine: Engine, window: MainWindow, qtbot: QtBot, wait: Wait) -> NowPanel:
    """Now, with a conversation in it, left for Context again."""
    engine.events.capture(all_requests(engine.clock.now(), STORIES[-1:]), wait_s=PATIENCE_S)
    made = NowPage(window, qtbot).panel
    window.go("now")
    wait(made.strip.isVisible)
    window.go("context")
    page.settle()
    window.notices.clear()
    return made


def test_the_keys_work_at_once_wherever_the_focus_was_before(
    page: ContextPage, now: NowPanel, window: MainWindow
) -> None:
    window.go("now")
    now.strip.open.setFocus()
    window.go("context")
    assert QApplication.focusWidget() is page.panel.list
    page.panel.full.history.setFocus()
    window.go("now")
    assert QApplication.focusWidget() is now.strip.open, "or where it was on that screen"


def test_what_was_copied_is_said(page: ContextPage, now: NowPanel, given: Context, window: MainWindow) -> None:
    page.press("button.context.copy")
    said = [f"Copied the context: {given.token_count} tokens"]
    assert [one.text for one in window.notices.notices] == said
    window.notices.clear()
    window.go("now")
    assert now.strip.isVisible()
    page.press("now.context.copy")
    assert [one.text for one in window.notices.notices] == said


def test_ages_move_on_while_nothing_else_happens(
    page: ContextPage, now: NowPanel, window: MainWindow, clock: FrozenClock, wait: Wait
) -> None:
    clock.advance(hours=3)
    page.panel.ages.show_values()
    wait(lambda: page.panel.header.status.endswith("given 3 h ago"))
    assert "3 h ago" in str(page.panel.receipts.index(0).data(Qt.ItemDataRole.AccessibleTextRole))
    window.go("now")
    clock.advance(hours=2)
    now.ages.show_values()
    wait(lambda: now.strip.line.text().endswith("given 5 h ago"))


def test_a_moment_is_shown_whole_also_after_one_tier_alone(
    page: ContextPage, given: Context, window: MainWindow, wait: Wait
) -> None:
    every = page.given
    page.panel.show_tier(page.tier_of(DUMP))
    assert page.given != every
    assert window.open_link(f"remanence://receipt/{given.receipt_id}")
    wait(lambda: page.moment.startswith("as it was given"))
    assert page.given == every


def test_a_chosen_line_is_in_sight_to_its_end(qtbot: QtBot) -> None:
    viewer = ContextViewer()
    qtbot.addWidget(viewer)
    viewer.resize(220, 200)
    viewer.show()
    long = " ".join(f"word{n}" for n in range(16))
    viewer.show_context(context([item(n, long) for n in range(1, 9)]))
    for number in (3, 7, 2):
        viewer.choose_item(number)
        block = viewer.textCursor().block()
        shown = viewer.blockBoundingGeometry(block).translated(viewer.contentOffset())
        assert shown.top() >= 0
        assert shown.bottom() <= viewer.viewport().height() + 1


def test_an_activity_that_is_chosen_shifts_the_budget(page: ContextPage, wait: Wait) -> None:
    choice, critical = page.panel.form.activity, page.tier(Tier.CRITICAL)
    before = critical.view.share_tokens
    choice.setFocus()
    page.key(Qt.Key.Key_Down)
    page.key(Qt.Key.Key_Down)
    wait(lambda: "you look for an error" in page.moment)
    assert critical.view.share_tokens > before, "more room for what holds"
    assert page.panel.form.what_if.signals.activity is Activity.DEBUGGING
    page.panel.show_live(page.panel.form.what_if.signals)
    assert choice.currentText() == "Debugging", "and it is taken over from a moment"


def test_a_letter_in_a_choice_chooses_and_does_nothing_to_a_line(
    page: ContextPage, engine: Engine, window: MainWindow, qtbot: QtBot
) -> None:
    page.choose(PORT)
    choice = page.panel.form.activity
    choice.setFocus()
    qtbot.keyClicks(choice, "Nothing")
    page.settle()
    assert choice.currentText() == "Nothing special"
    assert engine.context.placements() == (), "N would have withheld the memory"
    page.key(Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    assert window.current_panel is window.panel("now"), "keys with Ctrl are the window's"
