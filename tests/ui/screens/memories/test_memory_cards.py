"""Cards of the Memories list as they are drawn: what is kept between two letters, and how long texts are cut.

What a version changed, in the words of the editor: no name of a column, no instant, no word of the engine.
"""

from dataclasses import replace

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPixmap

from tests.ui.made_memories import NOW, memory_card, recall_hit
from ui.screens.memories.inspector.history import plain_diff
from ui.screens.memories.listing.delegate import KEPT_BYTES, LEAST_KEPT, CardLook, MemoryDelegate, lines_below
from ui.screens.memories.listing.model import ListedMemory
from ui.screens.memories.listing.view import warm_up
from ui.theme import metrics
from ui.widgets.paint import elided

SIZE = QSize(460, 77)


def drawn(delegate: MemoryDelegate, row: ListedMemory, look: CardLook | None = None) -> QPixmap:
    return delegate.card(row, look or CardLook(), SIZE, NOW, QPixmap(SIZE))


def test_a_card_whose_score_alone_changed_is_not_drawn_anew(qapp: object) -> None:
    delegate = MemoryDelegate()
    hit = recall_hit(1, "Redis keeps the sessions", "Redis")
    row = ListedMemory(hit.card, hit)
    first = drawn(delegate, row)
    assert drawn(delegate, replace(row, hit=replace(hit, score=0.1, signals=()))) is first
    assert drawn(delegate, replace(row, hit=replace(hit, matched=("Redis", "keeps")))) is not first
    assert drawn(delegate, replace(row, is_marked=True)) is not first


def test_the_card_drawn_to_warm_up_is_never_shown(qapp: object) -> None:
    delegate = MemoryDelegate()
    row = ListedMemory(memory_card(1, "Logs go to syslog"))
    expected = drawn(MemoryDelegate(), row).toImage()
    warm_up(delegate)
    assert drawn(delegate, row).toImage() == expected


def test_painted_cards_are_kept_by_what_they_take(qapp: object) -> None:
    delegate = MemoryDelegate()
    kept = delegate._kept

    def taken() -> int:
        return sum(one.width() * one.height() * 4 for one in kept.values())

    wide = QSize(1_900, 90)
    for number in range(60):
        card = memory_card(number, f"Log {number} goes to syslog")
        delegate.card(ListedMemory(card), CardLook(), wide, NOW, QPixmap(wide))
    assert LEAST_KEPT <= len(kept) < 60
    assert taken() <= KEPT_BYTES
    huge = QSize(3_800, 400)
    for number in range(LEAST_KEPT + 5):
        card = memory_card(number, f"Log {number} goes to syslog")
        delegate.card(ListedMemory(card), CardLook(), huge, NOW, QPixmap(huge))
    assert len(kept) == LEAST_KEPT


def test_the_ground_that_cards_share_keeps_their_looks_apart(qapp: object) -> None:
    delegate = MemoryDelegate()
    row = ListedMemory(memory_card(1, "Logs go to syslog"))
    looks = [CardLook(), CardLook(is_selected=True), CardLook(is_hovered=True), CardLook(is_focused=True)]
    pictures = [drawn(delegate, row, look).toImage() for look in looks]
    assert all(pictures[one] != pictures[other] for one in range(4) for other in range(one))
    again = MemoryDelegate()
    assert [drawn(again, row, look).toImage() for look in reversed(looks)] == pictures[::-1]


@pytest.mark.parametrize(
    "text", ["", "a", "ill" * 400, "W" * 400, "one two " * 200, "日本語" * 200, "\u0301" * 900, "i"]
)
@pytest.mark.parametrize("width", [-3.0, 0.0, 7.0, 120.0, 640.0])
def test_a_long_text_is_cut_where_qt_would_cut_it(qapp: object, text: str, width: float) -> None:
    assert elided(metrics(), text, width) == metrics().elidedText(text, Qt.TextElideMode.ElideRight, max(0.0, width))


TEXT = "Retries stop after five attempts and then go to the dead letter table."


@pytest.mark.parametrize(
    ("title", "shown", "text", "second", "third"),
    [
        ("Logs", "Logs", "Logs go to syslog.", "Logs go to syslog.", "where"),
        ("Logs go to syslog", "Logs go to syslog", "Logs go to syslog.", "where", ""),
        ("Logs go to syslog", "Logs go to sy…", "Logs go to syslog.", "… syslog.", "where"),
        (
            "Retries stop after five…",
            "Retries stop after five…",
            TEXT,
            "… attempts and then go to the dead letter table.",
            "where",
        ),
        ("Retries: 5", "Retries: 5", TEXT, TEXT, "where"),
        ("Retries: …", "Retries: …", TEXT, TEXT, "where"),
    ],
)
def test_no_line_of_a_card_repeats_its_title(title: str, shown: str, text: str, second: str, third: str) -> None:
    row = ListedMemory(memory_card(1, title, text=text))
    assert lines_below(row, shown, title, "where") == (second, (), third)


def test_a_hit_says_why_and_where_and_marks_what_is_left_of_its_text() -> None:
    hit = recall_hit(1, TEXT, "Retries", "letter")
    row = ListedMemory(replace(hit.card, title="Retries stop after five…"), hit)
    said, spans, third = lines_below(row, "Retries stop after…", "Retries stop after five…", "where")
    assert said == "… five attempts and then go to the dead letter table."
    assert [said[start:end] for start, end in spans] == ["letter"]
    assert third == hit.reason
    short = recall_hit(2, "Logs go to syslog.", "Logs")
    row = ListedMemory(replace(short.card, title="Logs go to syslog"), short)
    assert lines_below(row, "Logs go to syslog", "Logs go to syslog", "where") == (short.reason, (), "where")


@pytest.mark.parametrize(
    ("told", "read"),
    [
        ("", ""),
        ("full: use [-npm-]{+pnpm+}", "Full: use [-npm-]{+pnpm+}"),
        ("index: [-port-]{+ports+}", "Index: [-port-]{+ports+}"),
        ("status: [-active-]{+archived+}", "State: [-in use-]{+archived+}"),
        ("status: [-quarantined-]{+active+}", "State: [-blocked-]{+in use+}"),
        ("visibility: [-user-private-]{+project-shared+}", "Given: [-only in its project-]{+in all projects+}"),
        ("valid_to: [-open-]{+2026-03-02T12:00:00+00:00+}", "True until: [-still true-]{+2026-03-02+}"),
        ("full: We say\ntitle: nothing\nstatus: open", "Full: We say\ntitle: nothing\nState: open"),
        ("title: [-a-]{+b+}\nfull: full: of it", "Title: [-a-]{+b+}\nFull: full: of it"),
    ],
)
def test_a_diff_reads_in_the_words_of_the_editor(told: str, read: str) -> None:
    assert plain_diff(told) == read
