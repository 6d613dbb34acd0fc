"""The strip on Now and the tier bar by itself: what was told last, and the ways that lead from it."""

import re
from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QPoint, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from app.api import Engine, FactType, MemoryDraft
from app.values import ContextRequest, ContextSignals, Tier
from tests.patience import PATIENCE_S
from tests.ui.made_contexts import context, item
from tests.ui.pages.now import NowPage
from tests.ui.pages.shell import Shell
from tests.ui.stories import STORIES, all_requests
from ui.screens.context.bar import LEAST_SEGMENT_PX, TierBar, block_rects
from ui.screens.context.tiers import view_tiers
from ui.selection import ScopeFilter
from ui.shell.main_window import MainWindow

Wait = Callable[[Callable[[], object]], None]
DRAFT = MemoryDraft("Never migrate the server without a dump.", type=FactType.CONSTRAINT, project_path="/w/barn")


def tell(engine: Engine) -> str:
    engine.memories.create(DRAFT)
    signals = ContextSignals(project_path="/w/barn", app="codex", prompt="Migrate the server")
    return engine.context.assemble(ContextRequest(signals, budget_tokens=400, delivery="hook:prompt")).text


@pytest.fixture
def bar(qtbot: QtBot) -> TierBar:
    made = TierBar("tiers")
    qtbot.addWidget(made)
    made.resize(600, 60)
    made.show()
    items = [item(1, "one", token_count=200), item(2, "two", token_count=10), item(3, "three", Tier.RELEVANT)]
    made.set_views(view_tiers(context(items)), is_adjustable=True)
    return made


def test_nothing_stands_on_now_until_something_was_told(
    window: MainWindow, engine: Engine, qtbot: QtBot, wait: Wait
) -> None:
    page = NowPage(window, qtbot)
    engine.memories.create(DRAFT)
    wait(lambda: not window.bridge.is_waiting)
    assert not page.panel.strip.isVisible()


def test_the_strip_says_what_was_told_last_and_leads_there(
    window: MainWindow, engine: Engine, qtbot: QtBot, wait: Wait
) -> None:
    engine.events.capture(all_requests(engine.clock.now(), STORIES[-1:]), wait_s=PATIENCE_S)
    text = tell(engine)
    page = NowPage(window, qtbot)
    strip = page.panel.strip
    wait(strip.isVisible)
    assert re.fullmatch(
        r"[\d,]+ of 400 tokens · [\d,]+ for headings · Codex · barn · given just now", strip.line.text()
    )
    assert strip.accessibleName().startswith("Context budget, ")
    page.press("Copy it")
    assert QGuiApplication.clipboard().text() == text
    critical = strip.bar.segments[0]
    assert critical.accessibleName().endswith("1 memory")
    qtbot.mouseClick(critical, Qt.MouseButton.LeftButton, pos=QPoint(critical.width() - 4, critical.height() - 8))
    shell = Shell(window, qtbot)
    wait(lambda: shell.screen == "context")
    assert window.navigator.place is not None
    assert window.navigator.place.kind == "receipt"


def test_what_was_told_stands_also_over_an_empty_queue(
    window: MainWindow, engine: Engine, qtbot: QtBot, wait: Wait
) -> None:
    page = NowPage(window, qtbot)
    wait(lambda: page.is_empty)
    tell(engine)
    wait(page.panel.strip.isVisible)
    assert page.is_empty, "nothing was captured: how to connect stands there still"
    page.press("Open this context")
    wait(lambda: Shell(window, qtbot).screen == "context")
    assert window.navigator.place is not None
    assert window.navigator.place.kind == "receipt"


def test_a_block_on_now_leads_to_its_memory(window: MainWindow, engine: Engine, qtbot: QtBot, wait: Wait) -> None:
    engine.events.capture(all_requests(engine.clock.now(), STORIES[-1:]), wait_s=PATIENCE_S)
    tell(engine)
    strip = NowPage(window, qtbot).panel.strip
    wait(strip.isVisible)
    strip.bar.segments[0].setFocus()
    qtbot.keyClick(strip.bar.segments[0], Qt.Key.Key_Right)
    wait(lambda: Shell(window, qtbot).screen == "memories")


def test_a_scope_shows_what_was_told_to_it(window: MainWindow, engine: Engine, qtbot: QtBot, wait: Wait) -> None:
    engine.events.capture(all_requests(engine.clock.now(), STORIES[-1:]), wait_s=PATIENCE_S)
    tell(engine)
    strip = NowPage(window, qtbot).panel.strip
    wait(strip.isVisible)
    window.selection.set_scope(ScopeFilter(app="cursor"))
    wait(lambda: not strip.isVisible())


def test_blocks_are_true_to_scale_and_none_is_too_thin_to_press(bar: TierBar) -> None:
    critical = bar.segments[0]
    first, second = block_rects(QRectF(0, 0, 250, 20), critical.view)
    assert (first.width(), second.width()) == pytest.approx((200.0, 10.0))
    first, second = block_rects(QRectF(0, 0, 50, 20), critical.view)
    assert second.width() >= 7
    assert second.right() <= 50
    many = view_tiers(context([item(n, f"m{n}", token_count=5) for n in range(1, 60)]))[0]
    rects = block_rects(QRectF(0, 0, 100, 20), many)
    assert rects[-1].right() == pytest.approx(100.0)


def test_segments_fill_the_width_and_none_vanishes(bar: TierBar) -> None:
    for width in (300, 600, 1_200):
        bar.resize(width, 60)
        assert all(segment.width() >= LEAST_SEGMENT_PX - 1 for segment in bar.segments)
        assert abs(bar.segments[-1].geometry().right() + 1 - width) <= 2


def test_a_frozen_bar_does_not_move(bar: TierBar, qtbot: QtBot) -> None:
    moved: list[tuple[int, int]] = []
    bar.border_moved.connect(lambda border, steps: moved.append((border, steps)))
    bar.set_views(view_tiers(context([item(1, "one")])), is_adjustable=False)
    qtbot.keyClick(bar.segments[0], Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert moved == []
    bar.is_adjustable = True
    qtbot.keyClick(bar.segments[3], Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    assert moved == [(2, -1)], "the last tier has its border at its left"


def test_a_block_tells_its_words_as_text(bar: TierBar) -> None:
    bar.set_views(view_tiers(context([item(1, "<b>bold</b> words", token_count=200)])))
    segment = bar.segments[0]
    spot = segment.bar_rect().center().toPoint()
    QApplication.sendEvent(segment, QHelpEvent(QEvent.Type.ToolTip, spot, segment.mapToGlobal(spot)))
    assert QToolTip.text() == "<qt>&lt;b&gt;bold&lt;/b&gt; words – 200 tokens</qt>"
    QToolTip.hideText()
