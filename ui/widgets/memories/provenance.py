"""The story of a memory in the inspector: where it was said, why it is found and told.

Each part shows values and says by signals what is wanted. Texts of people are plain and bounded. Source: UX 4.4.
"""

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolTip, QVBoxLayout, QWidget

from app.values import WRITTEN_BY_HAND, Citation, Gloss, Memory, MemorySource, MemoryStatus, Placement, RecallHit, Trust
from app.values import Signal as Share
from ui.theme import color
from ui.widgets.buttons import Button
from ui.widgets.card import clear_layout
from ui.widgets.labels import ElidedLabel, PlainLabel, plain_tooltip
from ui.widgets.memories.used_card import act_words
from ui.wording.memories import LEVEL_WORDS, SIGNAL_WORDS, TIER_WORDS, used_line
from ui.wording.values import app_title, counted, curled, moment, percent

MAX_SOURCES = 12
MAX_ACTS = 5
QUOTE_CHARS = 400
_SHARE_TOKENS = ("accent", "good", "warn", "sub", "edge", "danger", "line")
NO_BREAK = "\N{NO-BREAK SPACE}"  # a number stays beside its name


class Section(QFrame):
    """A heading with what belongs to it; empty ones are not shown."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 4, 0, 0)
        self._column.setSpacing(5)
        self._heading = PlainLabel(title, "heading")
        self._column.addWidget(self._heading)
        self.body = QVBoxLayout()
        self.body.setSpacing(5)
        self._column.addLayout(self.body)
        self.setAccessibleName(title)


def sessions_line(count: int) -> str:
    """How often the person came back to it.

    >>> sessions_line(9)
    'You said this in 9 sessions.'
    """
    return f"You said this in {counted(count, 'session')}."


class SourceSection(Section):
    """Where a memory was said: quote, when, by which assistant, and the way to the message."""

    message_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Where from", parent)

    def set_sources(
        self, sources: Sequence[MemorySource], memory: Memory, now: datetime, session_count: int = 0
    ) -> None:
        clear_layout(self.body)
        if session_count > 1:
            self.body.addWidget(PlainLabel(sessions_line(session_count), "sub", wraps=True))
        reason = memory.reason
        if reason and sources:
            self.body.addWidget(PlainLabel(f"Why: {curled(reason)}", "meta", wraps=True))
        if not sources:
            self.body.addWidget(PlainLabel(origin_without_message(memory), "sub", wraps=True))
        for source in sources[:MAX_SOURCES]:
            self._add(source, now)
        if len(sources) > MAX_SOURCES:
            self.body.addWidget(PlainLabel(f"and {counted(len(sources) - MAX_SOURCES, 'more time')}", "meta"))

    def _add(self, source: MemorySource, now: datetime) -> None:
        if source.quote.strip():  # an episode names its conversation and quotes nothing
            self.body.addWidget(PlainLabel(f"“{source.quote[:QUOTE_CHARS]}”", wraps=True))
        if source.glosses:
            self.body.addWidget(PlainLabel(gloss_line(source), "meta", wraps=True))
        words = (source.conversation_title[:60], app_title(source.app), moment(source.at, now))
        line = QHBoxLayout()
        line.addWidget(PlainLabel(" · ".join(filter(None, words)), "meta", wraps=True), 1)
        if source.is_message_kept and source.message_id is not None:
            button = Button("Open", f"memory.source.{source.id}", kind="link", tip="Show the message")
            button.setAccessibleName(f"Open the message in {source.conversation_title[:60]}")
            button.setProperty("message", source.message_id)
            button.clicked.connect(self._on_open)
            line.addWidget(button)
        elif source.quote.strip():
            line.addWidget(PlainLabel("only the quote is kept", "meta"))
        self.body.addLayout(line)

    def _on_open(self) -> None:
        self.message_wanted.emit(int(self.sender().property("message")))


def gloss_line(source: MemorySource) -> str:
    """What the pointing words of a quote stand for, what it answers, and who says so: “it”: the cache (named in an earlier message)."""
    told = (
        f"“{one.mention}”: {one.antecedent}" if one.mention else f"It answers: “{one.antecedent}”"
        for one in source.glosses
    )
    return " · ".join(f"{text} ({_gloss_from(one, source)})" for text, one in zip(told, source.glosses, strict=True))


def _gloss_from(gloss: Gloss, source: MemorySource) -> str:
    if gloss.message_id is None:
        return gloss.reason
    return "named in the same message" if gloss.message_id == source.message_id else "named in an earlier message"


def origin_without_message(memory: Memory) -> str:
    """Where a memory comes from that no message says."""
    is_accepted = memory.trust is Trust.CONFIRMED and memory.status is MemoryStatus.ACTIVE
    if is_accepted and memory.reason == WRITTEN_BY_HAND:
        return "You wrote it here, by hand."
    said = f"You did not type this: {memory.reason or 'it was imported'}"
    return f"{said}. You accepted it." if is_accepted else f"{said}."


class ShareBar(QWidget):
    """The shares of a score as one bar; the words below it say the same."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shares: tuple[Share, ...] = ()
        self.setObjectName("memory.shares")

    def sizeHint(self) -> QSize:
        return QSize(200, 12)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, 12)

    def set_shares(self, shares: Sequence[Share]) -> None:
        self._shares = tuple(share for share in shares if share.share > 0)
        self.setAccessibleName(shares_line(self._shares))
        self.setToolTip(plain_tooltip(shares_line(self._shares)))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        left = 0.0
        for n, share in enumerate(self._shares):
            width = self.width() * share.share
            painter.setBrush(color(_SHARE_TOKENS[min(n, len(_SHARE_TOKENS) - 1)]))
            painter.drawRoundedRect(QRectF(left, 1, max(2.0, width - 2), self.height() - 2), 3, 3)
            left += width


class UsageDots(QWidget):
    """Uses a day over 90 days: a dot that grows with them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._days: tuple[int, ...] = ()
        self.setObjectName("memory.usage")
        self.setMinimumHeight(16)

    def sizeHint(self) -> QSize:
        return QSize(240, 16)

    def set_days(self, days: Sequence[int]) -> None:
        self._days = tuple(days)
        self.setAccessibleName(f"Used {sum(days):,}× in {counted(len(days), 'day')}")
        self.setVisible(bool(days))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        step = self.width() / max(1, len(self._days))
        most = max(self._days, default=0)
        for n, count in enumerate(self._days):
            radius = 0.8 if not count else 1.4 + min(step, 7.0) / 2 * count / most
            painter.setBrush(color("accent" if count else "edge"))
            centre = QRectF((n + 0.5) * step - radius, self.height() / 2 - radius, 2 * radius, 2 * radius)
            painter.drawEllipse(centre)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip and self._days:
            n = min(len(self._days) - 1, max(0, int(event.pos().x() * len(self._days) / max(1, self.width()))))
            QToolTip.showText(event.globalPos(), f"{len(self._days) - 1 - n} days ago: {self._days[n]}×", self)
            return True
        return super().event(event)


NOT_GIVEN = {
    MemoryStatus.PROPOSED: "Not given: it waits for your yes or no.",
    MemoryStatus.QUARANTINED: "Not given: blocked until you accept it.",
    MemoryStatus.ARCHIVED: "Not given: it is archived. Bring it back (U) to have it given again.",
}


UNUSED = "Not given yet. Your assistants get it when a prompt, a file or an error is about it."


class WhySection(Section):
    """Why it was found by the last search, and how often it was told. `given_again`: it was never to be told, and is to be.

    `receipt_wanted` carries the number of the context in which it was given when something took it up.
    """

    given_again = Signal()
    receipt_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Given to assistants", parent)
        self.hit_title = PlainLabel("Found by your search", "heading")
        self.found = PlainLabel("", wraps=True)
        self.bar = ShareBar()
        self.shares = PlainLabel("", "meta", wraps=True)
        self.state = PlainLabel("", "body", wraps=True)
        self.state.setObjectName("memory.notTold")
        self.used = PlainLabel("", "meta", wraps=True)
        self.unused = PlainLabel(UNUSED, "body", wraps=True)
        self.dots = UsageDots()
        self.placed = PlainLabel("", "meta", wraps=True)
        self.placed.setObjectName("memory.placed")
        self.again = Button(
            "Give it again", "memory.tellAgain", kind="link", tip="Assistants may be given this memory again"
        )
        self.again.hide()
        self.again.clicked.connect(self.given_again)
        for widget in (self.state, self.unused, self.placed, self.again, self.used, self.dots):
            self.body.addWidget(widget)
        self._acts = QVBoxLayout()
        self._acts.setSpacing(0)
        self.body.addLayout(self._acts)
        for part in (self.hit_title, self.found, self.bar, self.shares):
            self.body.addWidget(part)

    def set_citations(self, citations: Sequence[Citation], now: datetime) -> None:
        """What took it up, each with the way to its receipt."""
        clear_layout(self._acts)
        for number, one in enumerate(citations[:MAX_ACTS]):
            line = QHBoxLayout()
            words = f"{app_title(one.app)} · {act_words(one)} · {moment(one.at, now)}"
            line.addWidget(ElidedLabel(words, "meta"), 1)
            button = Button(
                "Receipt", f"memory.used.{number}", kind="link", tip="Show the context that it was given in"
            )
            button.setAccessibleName(f"The context before: {words}")
            button.setProperty("receipt", one.receipt_id)
            button.clicked.connect(self._on_receipt)
            line.addWidget(button)
            self._acts.addLayout(line)

    def _on_receipt(self) -> None:
        self.receipt_wanted.emit(int(self.sender().property("receipt")))

    def set_state(self, status: MemoryStatus) -> None:
        """What is not in use is given to nobody: why, and what to do."""
        self.state.setText(NOT_GIVEN.get(status, ""))
        self.state.setVisible(status in NOT_GIVEN)

    def set_usage(self, counts: tuple[int, int, int], days: Sequence[int], decay: float) -> None:
        self.used.setText(used_line(*counts))
        self.used.setToolTip(f"Freshness {percent(decay)}: what is used often stays fresh, what nobody uses fades")
        is_new = not any(counts) and not self.state.isVisibleTo(self)
        self.unused.setVisible(is_new)
        self.used.setVisible(not is_new)
        self.dots.set_days(days)

    def set_placement(self, placement: Placement | None) -> None:
        """What a person chose of level and tier, or that it is never given; nothing is said where nothing was chosen."""
        is_withheld = placement is not None and placement.is_withheld
        self.again.setVisible(is_withheld)
        parts = [f"size {LEVEL_WORDS[placement.level]}"] if placement is not None and placement.level else []
        parts += [f"tier {TIER_WORDS[placement.tier]}"] if placement is not None and placement.tier else []
        said = f"Given as you chose: {', '.join(parts)}" if parts else ""
        self.placed.setText("Never given to an assistant, as you chose" if is_withheld else said)
        self.placed.setVisible(bool(self.placed.text()))

    def set_hit(self, hit: RecallHit | None) -> None:
        for widget in (self.hit_title, self.found, self.bar, self.shares):
            widget.setVisible(hit is not None)
        if hit is not None:
            self.found.setText(f"{hit.reason[:1].upper()}{hit.reason[1:]}")
            self.bar.set_shares(hit.signals)
            self.shares.setText(f"What counted: {shares_line(hit.signals)}")


def shares_line(shares: Sequence[Share]) -> str:
    """The shares of a score in words.

    >>> shares_line([Share("keyword", 0.8, 0.6), Share("recency", 0.5, 0.4)]).replace(NO_BREAK, " ")
    'same words 60 % · recent 40 %'
    >>> shares_line([Share(name, 1, part) for name, part in (("keyword", 0.336), ("recency", 0.333), ("use", 0.331))]).count("33")
    2
    """
    whole = [int(one.share * 100) for one in shares]
    left = round(sum(one.share for one in shares) * 100) - sum(whole)
    by_rest = sorted(range(len(shares)), key=lambda n: whole[n] - shares[n].share * 100)
    for n in by_rest[:left]:  # so that the parts add up to the whole
        whole[n] += 1
    said = [f"{SIGNAL_WORDS.get(one.name, one.name)} {n} %" for one, n in zip(shares, whole, strict=True) if n]
    return " · ".join(one.replace(" ", NO_BREAK) for one in said)
