"""Tokens told by day, kind, project and assistant as simple bars, and the meter of models and energy.

Bars are painted, their numbers are text. Knows values of figures, no engine. Source: issue 4 "Window", DESIGN section 7.
"""

from collections.abc import Sequence
from datetime import date

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.values import ContextFigures
from ui.widgets.card import clear_layout
from ui.widgets.charts.share_bar import ShareBar
from ui.widgets.charts.sparkline import Sparkline
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.widgets.memories.story import Section
from ui.widgets.scroll import ScrollColumn
from ui.wording.contexts import kind_words
from ui.wording.values import app_title, counted

MAX_BARS = 8
NO_MODEL = "No model is set: 0 used"


class BarSection(Section):
    """Names with their tokens, a bar below each."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self._title = title
        self.body.setSpacing(8)

    def set_pairs(self, pairs: Sequence[tuple[str, int]], rest_line: str = "") -> None:
        """`rest_line` says what the names together leave over."""
        clear_layout(self.body)
        self.setVisible(bool(pairs))
        most = max((count for _name, count in pairs), default=0) or 1
        for name, count in pairs[:MAX_BARS]:
            box = QVBoxLayout()
            box.setSpacing(2)
            line = QHBoxLayout()
            line.addWidget(ElidedLabel(name), 1)
            line.addWidget(PlainLabel(f"{count:,}", "meta"))
            box.addLayout(line)
            box.addWidget(ShareBar(count / most))
            self.body.addLayout(box)
        if len(pairs) > MAX_BARS:
            rest = sum(count for _name, count in pairs[MAX_BARS:])
            self.body.addWidget(PlainLabel(f"and {len(pairs) - MAX_BARS} more, {counted(rest, 'token')}", "meta"))
        if rest_line:
            self.body.addWidget(PlainLabel(rest_line, "meta", wraps=True))
        said = ", ".join(f"{name} {count:,}" for name, count in pairs[:MAX_BARS])
        self.setAccessibleName(f"{self._title}: {said}")
        self.setAccessibleDescription(rest_line)


class FiguresPage(ScrollColumn):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("context.figures", parent=parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # nothing in it takes the keys that move it
        self.setProperty("role", "reading")  # shows that it has them
        self.setAccessibleName("Tokens given")
        self.total = PlainLabel("", wraps=True)
        self.days = Sparkline("tokens given")
        self.days.setObjectName("context.figures.days")
        self.span = PlainLabel("", "meta", wraps=True)
        self.by_kind = BarSection("By kind")
        self.by_project = BarSection("By project")
        self.by_app = BarSection("By assistant")
        self.asking = Section("Asking to remember")
        self.asked_line = PlainLabel("", "sub", wraps=True)
        self.asking_line = PlainLabel("", "meta", wraps=True)
        self.asking.body.addWidget(self.asked_line)
        self.asking.body.addWidget(self.asking_line)
        self.meter = Section("Models and energy")
        self.model_line = PlainLabel(NO_MODEL, "sub", wraps=True)
        self.meter.body.addWidget(self.model_line)
        self.meter.body.addWidget(PlainLabel("Rules and statistics on this computer made every context here.", "meta",
                                             wraps=True))  # fmt: skip
        for widget in (
            self.total, self.days, self.span, self.by_kind, self.by_project, self.by_app, self.asking, self.meter,
        ):  # fmt: skip
            self.add(widget)
        self.add_stretch()

    def set_figures(self, figures: ContextFigures) -> None:
        contexts = counted(figures.receipt_count, "context")
        today = counted(figures.today_tokens, "token")
        self.total.setText(
            f"{counted(figures.token_count, 'token')} given in {len(figures.by_day)} days, in {contexts}. Today: {today}."
        )
        self.days.set_days(figures.by_day)
        self.span.setText(_span_line(figures.by_day))
        self.span.setVisible(bool(self.span.text()))
        frame = figures.token_count - sum(count for _name, count in figures.by_kind)
        frame_line = f"and {counted(frame, 'token')} of frame and headings around them" if frame > 0 else ""
        self.by_kind.set_pairs([(kind_words(name), count) for name, count in figures.by_kind], frame_line)
        self.by_project.set_pairs([(name or "no project", count) for name, count in figures.by_project])
        self.by_app.set_pairs([(app_title(name), count) for name, count in figures.by_app])

    def set_asking(self, asked: str, each_time: str) -> None:
        """How often assistants were asked to remember, and what each time costs."""
        self.asked_line.setText(asked)
        self.asking_line.setText(each_time)


def _span_line(by_day: Sequence[tuple[date, int]]) -> str:
    """From when the bars are, and which is the highest.

    >>> _span_line([(date(2026, 11, 21), 0), (date(2026, 11, 22), 1791), (date(2026, 11, 23), 12)])
    '21 Nov to today; most on 22 Nov: 1,791'
    """
    day, most = max(by_day, key=lambda pair: pair[1], default=(None, 0))
    if day is None or not most:
        return ""
    when = "today" if day == by_day[-1][0] else f"on {day:%-d %b}"
    return f"{by_day[0][0]:%-d %b} to today; most {when}: {most:,}"
