"""Context on a real engine: what is told and why, to the byte; what if; what was told; pin and put away with undo."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from app.api import Engine, FactType, FrozenClock, MemoryDraft, MemoryStatus
from app.values import Context, ContextRequest, ContextSignals, Tier
from tests.ui.pages.context import ContextPage
from tests.ui.pages.shell import Shell
from ui.navigation import Place
from ui.shell.main_window import MainWindow

Wait = Callable[[Callable[[], object]], None]
BARN = "/w/barn"
PORT = MemoryDraft("The staging server answers on port 8443.", type=FactType.FACT, project_path=BARN)
DUMP = MemoryDraft("Never migrate the staging server without a dump.", type=FactType.CONSTRAINT, project_path=BARN)
STYLE = MemoryDraft("Prefer early returns over nested conditions.", type=FactType.PREFERENCE, project_path=BARN)
PROMPT = "Which port has the staging server, and are nested conditions fine there?"


def tell(engine: Engine, prompt: str = PROMPT, *, session: str = "s1", budget_tokens: int = 2_000) -> Context:
    signals = ContextSignals(project_path=BARN, app="claude-code", session=session, prompt=prompt)
    return engine.context.assemble(ContextRequest(signals, budget_tokens=budget_tokens, delivery="hook:prompt"))


@pytest.fixture
def ids(engine: Engine) -> list[int]:
    return [engine.memories.create(draft) for draft in (PORT, DUMP, STYLE)]


@pytest.fixture
def given(ids: list[int], engine: Engine) -> Context:
    return tell(engine)


@pytest.fixture
def page(given: Context, window: MainWindow, qtbot: QtBot) -> ContextPage:
    return ContextPage.opened(window, qtbot)


def test_an_empty_screen_leads_to_a_preview_with_sample_signals(
    ids: list[int], engine: Engine, window: MainWindow, qtbot: QtBot, wait: Wait
) -> None:
    page = ContextPage(window, qtbot)
    wait(lambda: page.is_empty)
    page.press("context.empty.sample")
    wait(lambda: page.is_full)
    assert page.panel.form.what_if.signals.project_path == BARN
    assert "early returns" in page.text
    assert engine.context.receipts() == (), "a preview leaves no trace"
    page.press("context.side.history")
    assert page.panel.full.history.accessibleDescription().startswith("Nothing was given yet.")


def test_without_a_memory_a_preview_says_so_and_how_to_write_one(
    window: MainWindow, qtbot: QtBot, engine: Engine, wait: Wait
) -> None:
    page = ContextPage(window, qtbot)
    wait(lambda: page.is_empty)
    page.press("context.empty.sample")
    wait(lambda: page.is_full)
    said = page.panel.full.none_found
    assert said.text() == "Nothing is remembered yet, so nothing would be sent. Ctrl+N writes a memory down."
    engine.memories.create(MemoryDraft("Zebras cross."))
    page.type_into("prompt", "nothing of it")
    wait(lambda: not said.isVisible() or said.text().startswith("Nothing fits, so nothing"))


def test_what_would_be_told_now_stands_there_to_the_byte(page: ContextPage, engine: Engine) -> None:
    what_if = page.panel.form.what_if
    assert (what_if.signals.prompt, what_if.delivery, what_if.budget_tokens) == (PROMPT, "hook:prompt", 2_000)
    request = ContextRequest(what_if.signals, budget_tokens=2_000, delivery="hook:prompt", is_kept=False)
    now = engine.context.assemble(request)
    assert page.text == now.text
    assert page.total == f"{now.token_count:,} of 2,000 tokens"
    assert page.given == [item.text.split("] ", 1)[-1].removeprefix("- ") for item in now.items]
    page.press("button.context.copy")
    assert QGuiApplication.clipboard().text() == now.text


def test_line_block_and_text_point_at_each_other(page: ContextPage) -> None:
    page.choose(STYLE.text)
    assert page.marked.endswith(STYLE.text)
    assert "Why it is given: " in page.panel.full.detail.why.text()
    page.press_block(Tier.CRITICAL, 0)
    assert page.current == DUMP.text
    assert page.marked.endswith(DUMP.text)
    viewer = page.panel.text.viewer
    line = next(n for n, text in enumerate(page.text.split("\n")) if STYLE.text in text)
    viewer.setTextCursor(QTextCursor(viewer.document().findBlockByNumber(line)))
    assert page.current == STYLE.text


def test_a_tier_is_shown_alone_by_mouse_and_by_key(page: ContextPage) -> None:
    every = page.given
    critical = page.tier(Tier.CRITICAL)
    assert critical.accessibleName().startswith("Critical, ")
    critical.setFocus()
    page.key(Qt.Key.Key_Return)
    assert page.given == [DUMP.text]
    assert critical.isChecked()
    page.key(Qt.Key.Key_A)
    assert page.given == every
    assert not critical.isChecked()


def test_arrows_walk_the_blocks_and_j_k_the_lines(page: ContextPage) -> None:
    page.tier(Tier.RELEVANT).setFocus()
    page.key(Qt.Key.Key_Right)
    assert page.current == PORT.text
    page.panel.list.setFocus()
    page.panel.list.choose_item(0)
    page.key(Qt.Key.Key_J)
    assert page.current == page.given[1]
    page.key(Qt.Key.Key_K)
    assert page.current == page.given[0]


def test_what_if_follows_what_is_typed_and_nothing_is_kept(page: ContextPage, engine: Engine) -> None:
    before = engine.memories.get(1).memory.retrieved_count
    page.type_into("prompt", "zebra crossing")
    assert page.given == []
    assert "nothing would be sent" in page.panel.full.none_found.text()
    page.type_into("prompt", "nested conditions")
    assert STYLE.text in page.given
    assert len(engine.context.receipts()) == 1
    assert engine.memories.get(1).memory.retrieved_count == before


def test_a_budget_too_small_shows_where_it_ends_and_what_fell_off(
    page: ContextPage, engine: Engine, wait: Wait
) -> None:
    for name in ("Debian", "nginx", "Redis"):
        text = f"The port that the staging server keeps open for {name} is no reason to leave nested conditions there."
        engine.memories.create(MemoryDraft(text, type=FactType.FACT, project_path=BARN))
    wait(lambda: not engine.search.status().waiting_count)
    page.panel.form.budget.setValue(110)  # well below: the frame's mark is a few tokens more or less in every store
    wait(lambda: page.lines == ["budget ends here"])
    assert page.left_out
    page.choose(page.left_out[0])
    assert "tokens over" in page.panel.full.detail.why.text()
    assert page.marked == ""


def test_borders_move_by_key_in_steps_and_can_be_reset(page: ContextPage, wait: Wait) -> None:
    critical = page.tier(Tier.CRITICAL)
    before = critical.view.share_tokens
    critical.setFocus()
    page.key(Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    wait(lambda: critical.view.share_tokens > before)
    assert critical.view.share_tokens - before == pytest.approx(2_000 / 32, abs=14)
    page.press("button.context.reset")
    wait(lambda: critical.view.share_tokens == before)


def test_a_moved_border_is_saved_as_one_act_that_undo_takes_back_alone(
    page: ContextPage, qtbot: QtBot, engine: Engine, wait: Wait
) -> None:
    engine.memories.pin((1,))
    bar, critical = page.panel.full.head.bar, page.tier(Tier.CRITICAL)
    before = critical.view.share_tokens
    acts = len(engine.journal.list())
    middle = bar.grips[0].rect().center()
    qtbot.mousePress(bar.grips[0], Qt.MouseButton.LeftButton, pos=middle)
    for step in (1, 2, 3):
        qtbot.mouseMove(bar.grips[0], middle + QPoint(step * bar.width() // 20, 0))
    assert len(engine.journal.list()) == acts, "saved when the hand lets go"
    qtbot.mouseRelease(bar.grips[0], Qt.MouseButton.LeftButton)
    wait(lambda: engine.settings.current.tier_shares)
    saved = engine.settings.current.tier_shares
    wait(lambda: critical.view.share_tokens > before)
    assert len(engine.journal.list()) == acts + 1
    given = engine.context.assemble(
        ContextRequest(ContextSignals(project_path=BARN, prompt=PROMPT), 2_000, is_kept=False)
    )
    assert {use.tier: use.budget_tokens for use in given.tiers}[Tier.CRITICAL] > before, "every context follows it"
    page.panel.setFocus()
    page.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    wait(lambda: not engine.settings.current.tier_shares)
    wait(lambda: critical.view.share_tokens == before)
    assert engine.memories.get(1).memory.is_pinned, "undo took back nothing else"
    wait(lambda: page.window.actions_table.action("edit.redo").isEnabled())
    page.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    wait(lambda: engine.settings.current.tier_shares == saved)


def test_a_border_is_dragged_and_follows_the_pointer_at_once(
    page: ContextPage, qtbot: QtBot, wait: Wait, given: Context
) -> None:
    bar, relevant = page.panel.full.head.bar, page.tier(Tier.RELEVANT)
    grip, before, left = bar.grips[0], relevant.view.share_tokens, relevant.x()
    middle = grip.rect().center()
    qtbot.mousePress(grip, Qt.MouseButton.LeftButton, pos=middle)
    qtbot.mouseMove(grip, middle + QPoint(bar.width() // 10, 0))
    assert relevant.x() - left == pytest.approx(bar.width() / 10, abs=bar.width() / 32)
    assert relevant.view.share_tokens < before, "before anything was computed"
    qtbot.mouseRelease(grip, Qt.MouseButton.LeftButton)
    moved = relevant.x()
    page.settle()
    assert relevant.x() == pytest.approx(moved, abs=3), "and what is computed agrees"
    page.panel.show_receipt(given.receipt_id or 0)
    wait(lambda: not grip.isVisible())


def test_a_moment_of_the_past_stays_as_it_was(page: ContextPage, given: Context, engine: Engine, wait: Wait) -> None:
    engine.memories.archive((1,))
    page.settle()
    wait(lambda: PORT.text not in page.text)
    page.key(Qt.Key.Key_H)
    view = page.panel.full.history
    view.setFocus()
    view.setCurrentIndex(page.panel.receipts.index(0))
    wait(lambda: page.text == given.text)
    assert page.moment.startswith("as it was given")
    assert PORT.text in page.given
    assert not page.panel.full.head.bar.is_adjustable
    page.press("button.context.live")
    wait(lambda: PORT.text not in page.text)
    assert page.panel.form.what_if.signals.prompt == PROMPT


def test_back_to_now_asks_the_same_again_and_tells_the_difference(
    page: ContextPage, engine: Engine, clock: FrozenClock, wait: Wait
) -> None:
    signals = ContextSignals(
        project_path=BARN, app="codex", session="s0", prompt="port", recent_errors=("a" * 99 + "\nrest",)
    )
    asked = engine.context.assemble(ContextRequest(signals, budget_tokens=700, delivery="mcp:context"))
    clock.advance(hours=1)
    tell(engine, session="s2")
    wait(lambda: len(page.panel.receipts.receipts) == 3)
    page.panel.show_receipt(asked.receipt_id or 0)
    wait(lambda: page.moment.startswith("as it was given"))
    engine.memories.archive((1,))
    page.settle()
    page.panel.full.head.live.setFocus()
    page.press("button.context.live")
    wait(lambda: page.moment.startswith("what would be given now"))
    what_if = page.panel.form.what_if
    assert (what_if.signals.prompt, what_if.delivery, what_if.budget_tokens) == ("port", "mcp", 700)
    assert page.panel.form.error.cursorPosition() == 0, "its beginning is in sight"
    said = page.panel.text.diff_line.text()
    assert said.startswith("Since the context given 1 h ago: 0 lines more, 1 fewer"), "not since the newest"
    assert QApplication.focusWidget() is page.panel.list


def test_typing_leaves_the_past(page: ContextPage, given: Context, wait: Wait) -> None:
    page.panel.show_receipt(given.receipt_id or 0)
    wait(lambda: page.moment.startswith("as it was given"))
    page.type_into("file", "src/staging.py")
    assert page.moment.startswith("what would be given now")


def test_receipts_are_walked_and_compared(page: ContextPage, engine: Engine, clock: FrozenClock, wait: Wait) -> None:
    clock.advance(hours=2)
    engine.memories.create(
        MemoryDraft("On its port the staging server runs Debian.", type=FactType.FACT, project_path=BARN)
    )
    newest = tell(engine, session="s2")
    wait(lambda: len(page.panel.receipts.receipts) == 2)
    page.panel.show_receipt(newest.receipt_id or 0)
    wait(lambda: page.moment.startswith("as it was given") and "runs Debian" in page.text)
    page.panel.list.setFocus()
    page.key(Qt.Key.Key_D)
    pane = page.panel.text
    assert pane.tabs.current == "compare"
    assert pane.diff_line.text().startswith("Since the context given 2 h ago: 1 line more, 0 fewer")
    assert "runs Debian" in pane.diff.toPlainText()
    page.key(Qt.Key.Key_K, Qt.KeyboardModifier.ShiftModifier)
    wait(lambda: "runs Debian" not in page.text)
    assert pane.diff_line.text() == "This is the first context of its project: there is nothing to compare with."
    page.key(Qt.Key.Key_J, Qt.KeyboardModifier.ShiftModifier)
    wait(lambda: "runs Debian" in page.text)


def test_what_was_told_in_the_session_already_is_said_so(page: ContextPage, engine: Engine, wait: Wait) -> None:
    again = tell(engine, "Is the staging server up? early returns")
    assert "given in this session already" in {one.reason for one in again.left_out}
    engine.memories.create(
        MemoryDraft("On its port the staging server runs Debian.", type=FactType.FACT, project_path=BARN)
    )
    third = tell(engine, "Which system runs the staging server?")
    page.panel.show_receipt(third.receipt_id or 0)
    wait(lambda: page.left_out)
    assert page.lines == ["not given"]
    page.choose(page.left_out[0])
    assert page.panel.full.detail.why.text() == "Why it is left out: given in this session already"


def test_each_host_gets_its_own_bytes(page: ContextPage, engine: Engine, wait: Wait) -> None:
    page.panel.list.setFocus()
    page.key(Qt.Key.Key_B)
    printed = page.panel.text.printed
    assert printed.toPlainText().startswith('{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit"')
    host = page.panel.text.host
    host.setCurrentIndex(host.findData("cursor"))
    wait(lambda: printed.toPlainText().startswith('{"additional_context":'))
    line = page.panel.text.printed_line
    assert "as Cursor receives them with a prompt" in line.text()
    delivery = page.panel.form.delivery
    delivery.setCurrentIndex(delivery.findData("mcp"))
    wait(lambda: line.text().startswith("Your assistant asked for this"))


def test_pin_and_not_this_one_are_told_with_undo(
    page: ContextPage, ids: list[int], engine: Engine, window: MainWindow, wait: Wait
) -> None:
    page.choose(PORT.text)
    page.panel.list.setFocus()
    page.key(Qt.Key.Key_P)
    wait(lambda: page.panel.list.current is not None and page.panel.list.current.item.is_pinned)
    assert page.current == PORT.text, "the cursor stays on what was pinned"
    page.key(Qt.Key.Key_N)
    wait(lambda: PORT.text not in page.given)
    assert [one.memory_id for one in engine.context.placements() if one.is_withheld] == [ids[0]]
    assert engine.memories.get(ids[0]).memory.status is MemoryStatus.ACTIVE, "never told, and not forgotten"
    wait(lambda: window.notices.notices and window.notices.notices[-1].action_text == "Undo")
    window.actions_table.run("edit.undo")
    wait(lambda: PORT.text in page.given)


def test_enter_goes_to_the_memory(page: ContextPage, window: MainWindow, qtbot: QtBot, wait: Wait) -> None:
    page.choose(STYLE.text)
    page.panel.list.setFocus()
    page.key(Qt.Key.Key_Return)
    shell = Shell(window, qtbot)
    wait(lambda: shell.screen == "memories")
    place = window.navigator.place
    assert place is not None
    assert (place.kind, place.object_id) == ("memory", 3)


def test_why_not_is_answered_by_the_search(page: ContextPage) -> None:
    page.search("early")
    assert page.given == [STYLE.text]
    page.search("giraffe")
    assert page.given == []
    assert page.panel.full.none_found.text().startswith("No line of this context says that.")
    page.press_block(Tier.CRITICAL, 0)
    assert page.current == DUMP.text
    assert page.panel.header.query == ""


def test_the_figures_and_the_meter(page: ContextPage, given: Context, window: MainWindow, wait: Wait) -> None:
    page.panel.list.setFocus()
    page.key(Qt.Key.Key_T)
    figures = page.panel.full.figures
    assert figures.total.text().startswith(f"{given.token_count:,} tokens given in 14 days, in 1 context.")
    assert figures.by_project.accessibleName() == f"By project: barn {given.token_count:,}"
    assert "constraint" in figures.by_kind.accessibleName()
    lines = sum(item.token_count for item in given.items)
    frame_line = f"and {given.token_count - lines:,} tokens of headings around them"
    assert figures.by_kind.accessibleDescription() == frame_line, "what is shown adds up"
    assert figures.span.text().endswith(f"; busiest today: {given.token_count:,}")
    assert figures.days.accessibleDescription().endswith(f": {given.token_count:,}"), "each day, also without a pointer"
    assert figures.model_line.text() == "No model is set: 0 used"
    assert figures.asked_line.text() == "Not asked in these days."
    assert figures.asking_line.text().startswith("Tokens each time: instructions of the tools ")
    window.refresh_state()
    wait(lambda: window.rail.given.text() == f"{given.token_count:,} tokens given today")


def test_a_link_opens_the_moment(page: ContextPage, given: Context, window: MainWindow, wait: Wait) -> None:
    window.go("apps")
    assert window.open_link(f"remanence://receipt/{given.receipt_id}")
    wait(lambda: page.moment.startswith("as it was given"))
    assert window.navigator.place == Place("context", "receipt", given.receipt_id)


def test_a_receipt_that_is_gone_is_told_as_a_notice(page: ContextPage, window: MainWindow, wait: Wait) -> None:
    assert window.open_link("remanence://receipt/999")
    wait(lambda: window.notices.notices)
    assert "no receipt 999" in window.notices.notices[-1].text


def test_telling_switched_off_is_said(page: ContextPage, engine: Engine, wait: Wait) -> None:
    engine.settings.set("is_giving_context", value=False)
    wait(lambda: "switched off" in page.panel.header.status)


def test_in_a_narrow_window_text_and_side_pane_take_turns(page: ContextPage, window: MainWindow, wait: Wait) -> None:
    window.resize(900, 600)
    wait(lambda: not page.panel.full.side.isVisible())
    assert page.panel.text.isVisible()
    page.press("context.turn")
    assert page.panel.full.side.isVisible()
    assert not page.panel.text.isVisible()
    page.panel.list.setFocus()
    page.key(Qt.Key.Key_B)
    assert page.panel.text.isVisible()


def test_the_list_has_the_focus_when_one_arrives(page: ContextPage, window: MainWindow) -> None:
    window.go("apps")
    window.setFocus()
    window.go("context")
    assert QApplication.focusWidget() is page.panel.list


# -- a model's whole window


@pytest.mark.seed("S3", "window.screen")
def test_the_whole_window_by_its_parts(page: ContextPage, engine: Engine, wait: Wait) -> None:
    pane = page.panel.text.window_page
    page.key(Qt.Key.Key_V)
    wait(lambda: "staging server" in pane.viewer.toPlainText())
    assert pane.total.text().endswith("free for the answer")
    assert "of 128,000 tokens used" in pane.total.text()
    assert "Memories" in pane.parts.accessibleName()
    assert PROMPT in pane.viewer.toPlainText()
    pane.system.setText("Answer in French.")
    wait(lambda: pane.viewer.toPlainText().startswith("Answer in French."))
    page.type_into("file", "src/port.py")
    wait(lambda: "Open file: src/port.py" in pane.viewer.toPlainText())
    pane.copy.click()
    assert QGuiApplication.clipboard().text().startswith("Answer in French.")
    engine.settings.set("window_tokens", 16_000)
    wait(lambda: "of 16,000 tokens used" in pane.total.text())
    assert len(engine.context.receipts()) == 1, "a look at it leaves no trace"


def test_why_a_memory_is_not_given_is_asked_where_the_lines_end(page: ContextPage, engine: Engine, wait: Wait) -> None:
    engine.memories.create(
        MemoryDraft("Room 12 holds the invoice printer.", title="Invoice printer", project_path="/w/mill")
    )
    why_not = page.panel.full.why_not

    def said() -> str:
        return " | ".join(one.accessibleName() for one in why_not.findChildren(QAbstractButton))

    page.panel.header.set_query("invoice printer")
    wait(lambda: "“Invoice printer”: belongs to another project: mill" in said())
    page.panel.header.set_query("")
    wait(lambda: not said())  # the answer was about that question
    page.panel.header.set_query("invoice printer")
    wait(lambda: "“Invoice printer”: belongs to another project: mill" in said())
