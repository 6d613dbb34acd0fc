"""The energy of background work, a page of Activity: the level and how it comes back, what used it, what was put off; below it what
notes do and take, as small charts. Source: S5 "Energy Consumption", "Metrics to Track".
"""

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from app.values.energy import EnergyState, PutOff, Work
from app.values.notes import NoteStats
from ui.navigation import Place
from ui.screens.base import PanelContext
from ui.widgets.buttons import Button
from ui.widgets.card import Card, clear_layout, row
from ui.widgets.charts import BarChart, EnergyMeter, ShareBar
from ui.widgets.labels import PlainLabel
from ui.widgets.scroll import ScrollColumn
from ui.wording.figures import times
from ui.wording.values import ago, clock_time, counted, joined, percent

if TYPE_CHECKING:
    from app.api import Engine

_DAYS = 14
WORDS = {
    Work.NOTE: "Writing notes",
    Work.COMPACTION: "Making room for notes",
    Work.JUDGE: "Reading along",
    Work.CONTRADICTIONS: "Looking for contradictions",
    Work.CONSOLIDATION: "Consolidating",
    Work.INDEX: "Updating the search index",
    Work.UPKEEP: "Backups and learning",
}


@dataclass(frozen=True, slots=True)
class EnergyReading:
    """What the page shows, read in one go."""

    energy: EnergyState
    notes: NoteStats
    now: datetime


def read_energy(engine: "Engine") -> EnergyReading:
    """For the read worker."""
    return EnergyReading(engine.energy.state(), engine.notes.stats(), engine.clock.now())


def level_line(energy: EnergyState) -> str:
    """Its state, in one or two sentences.

    >>> state = EnergyState(150.0, 1000.0, 1000.0, 200.0, True, None, 850.0, (), (), ())
    >>> level_line(state)
    'Background work waits: 15 % is left, and it continues at 20 %.'
    """
    share = energy.level / energy.capacity if energy.capacity else 0.0
    if energy.is_low:
        again = percent(energy.low_below / energy.capacity if energy.capacity else 0.0)
        return f"Background work waits: {percent(share)} is left, and it continues at {again}."
    full = f" It is full again by {clock_time(energy.full_at)}." if energy.full_at is not None else ""
    waits = "" if energy.put_off else ", and nothing has to wait"
    return f"All is well: {percent(share)} is left{waits}.{full}"


def use_line(cpu_s: float, token_count: int, work_count: int) -> str:
    """What one kind of work did.

    >>> use_line(0.02, 720, 1)
    'once, 720 tokens'
    """
    parts = [times(work_count)]
    if token_count:
        parts.append(counted(token_count, "token"))
    if cpu_s >= 0.1:
        parts.append(f"{cpu_s:,.1f} s of computing")
    return ", ".join(parts)


def share_line(units: float, total: float) -> str:
    """Which share of all that was used.

    >>> share_line(49.0, 98.0), share_line(0.03, 98.0)  # a note by rules takes some milliseconds
    ('50 %', 'under 1 %')
    """
    share = units / total if total else 0.0
    return percent(share) if share >= 0.01 else "under 1 %"


class EnergyPage(QWidget):
    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        page = ScrollColumn("activity.energy", width_px=1080)
        page.add(self._build_level())
        page.add(self._build_notes())
        page.add_stretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(page)

    def refresh(self) -> None:
        self._context.bridge.ask("activity.energy", read_energy, self._on_reading)

    def _build_level(self) -> Card:
        card = Card("Background work")
        settings = Button("Change the limit", "energy.settings", kind="link")
        settings.clicked.connect(self._on_settings)
        card.head.addWidget(settings)
        self.meter = EnergyMeter("energy.meter")
        self.level = PlainLabel("", "body", wraps=True)
        self.level.setObjectName("energy.level")
        card.body.addWidget(
            PlainLabel(
                "A limit for background work, so that your computer stays quick and your plan lasts. You need not do anything: it fills up "
                "again on its own, and what you ask for is always done.",
                "sub",
                wraps=True,
            )
        )
        card.body.addWidget(self.meter)
        card.body.addWidget(self.level)
        card.body.addSpacing(6)
        self.hours = BarChart("energy.hours", "units an hour")
        card.body.addWidget(self.hours)
        card.body.addWidget(
            PlainLabel(
                "Used in the last 24 hours, hour by hour, and for what. One unit is a tenth of a second of your processor, or 30 tokens of "
                "the model that reads along.",
                "meta",
                wraps=True,
            )
        )
        card.body.addSpacing(6)
        self._uses = QGridLayout()
        self._uses.setHorizontalSpacing(18)
        self._uses.setVerticalSpacing(4)
        self._uses.setColumnStretch(1, 1)
        card.body.addLayout(self._uses)
        self.put_off = PlainLabel("", "sub", wraps=True)
        self.put_off.setObjectName("energy.putOff")
        card.body.addWidget(self.put_off)
        return card

    def _build_notes(self) -> Card:
        card = Card("Notes")
        self.notes = PlainLabel("", "body", wraps=True)
        self.notes.setObjectName("energy.notes")
        card.body.addWidget(self.notes)
        grid = QGridLayout()
        self._charts: list[tuple[BarChart, QWidget]] = []
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(4)
        self.created = BarChart("energy.notes.created", "notes an hour")
        self.compacted = BarChart("energy.notes.compacted", "notes merged or dropped a day")
        self.given = BarChart("energy.notes.given", "% of the day's conversations", most=100.0)
        charts = (
            (self.created, "Written in each of the last 24 hours"),
            (self.compacted, "Merged or dropped to make room, each day"),
            (self.given, "Share of conversations whose assistant was given notes"),
        )
        for place, (chart, words) in enumerate(charts):
            holder = QWidget()
            holder.setProperty("role", "content")
            column = QVBoxLayout(holder)
            column.setContentsMargins(0, 0, 0, 0)
            column.addWidget(chart)
            column.addWidget(PlainLabel(words, "meta", wraps=True))
            grid.addWidget(holder, 0, place)
            grid.setColumnStretch(place, 1)
            self._charts.append((chart, holder))
        card.body.addLayout(grid)
        self.by_app = PlainLabel("", "sub", wraps=True)
        card.body.addWidget(self.by_app)
        apps = Button("See the notes in Apps", "energy.apps", kind="link")
        apps.clicked.connect(self._on_apps)
        card.body.addLayout(row(apps, 1))
        return card

    def _on_reading(self, reading: EnergyReading) -> None:
        energy = reading.energy
        self.meter.show_values(energy.level, energy.capacity, energy.low_below)
        self.level.setText(level_line(energy))
        self.level.set_role("warn" if energy.is_low else "body")
        self.hours.show_values([(f"{at.astimezone():%H:%M}", units) for at, units in energy.per_hour])
        clear_layout(self._uses)
        most = max((use.units for use in energy.uses), default=0.0) or 1.0
        total = sum(use.units for use in energy.uses)
        for place, use in enumerate(energy.uses):
            bar = ShareBar(use.units / most)
            bar.setMinimumWidth(60)
            cells = (
                PlainLabel(WORDS[use.work]),
                bar,
                PlainLabel(share_line(use.units, total), "sub"),
                PlainLabel(use_line(use.cpu_s, use.token_count, use.work_count), "meta", wraps=True),
            )
            for column, cell in enumerate(cells):
                self._uses.addWidget(cell, place, column)
        if not energy.uses:
            self._uses.addWidget(PlainLabel("Nothing was done in the background in the last day.", "sub"), 0, 0)
        self.put_off.setText(put_off_line(energy, reading.now))
        self._show_notes(reading)

    def _show_notes(self, reading: EnergyReading) -> None:
        notes = reading.notes
        self.notes.setText(notes_line(notes))
        self.created.show_values([(f"{at.astimezone():%H:%M}", float(count)) for at, count in notes.created_per_hour])
        days = [reading.now.date() - timedelta(days=back) for back in range(_DAYS - 1, -1, -1)]
        per_day: Counter[date] = Counter()
        per_app: Counter[str] = Counter()
        for day, app, count in notes.compacted_per_day:
            per_day[day] += count
            per_app[app] += count
        self.compacted.show_values([(f"{day:%d %b}", float(per_day[day])) for day in days])
        shares = dict(notes.given_per_day)
        seen = (
            len(notes.created_per_hour) and any(count for _at, count in notes.created_per_hour),
            bool(per_day),
            any(shares.values()),
        )
        for (_chart, holder), is_seen in zip(self._charts, seen, strict=True):
            holder.setVisible(bool(is_seen))  # an empty chart says nothing
        self.given.show_values([(f"{day:%d %b}", 100 * shares.get(day, 0.0)) for day in days])
        listed = ", ".join(f"{app} {count:,}" for app, count in per_app.most_common(5))
        self.by_app.setText(
            f"Notes merged or dropped in the last two weeks, to keep at most ten an app: {listed}." if listed else ""
        )
        self.by_app.setVisible(bool(listed))

    def _on_settings(self) -> None:
        self._context.navigate(Place("settings", query="energy"))

    def _on_apps(self) -> None:
        self._context.navigate(Place("apps"))


def notes_line(notes: NoteStats) -> str:
    """What notes did, in sentences."""
    what = "Each conversation that ends leaves a short note, for the next one with the same assistant"
    if not notes.note_count and not notes.created_today_count:
        return f"{what}. There is none yet."
    share = notes.apps_with_notes_share
    having = "" if share >= 1 else f" {percent(share)} of your apps have some."
    given = (
        f"In the last two weeks, notes were given in {percent(notes.given_share)} of the conversations."
        if notes.given_share
        else "They are given when you return to the same work; that has not happened in the last two weeks."
    )
    failed = f" {counted(notes.failed_count, 'note')} could not be written." if notes.failed_count else ""
    kept = f"{counted(notes.note_count, 'note')} now, {notes.created_today_count:,} from the last 24 hours"
    return f"{what}: {kept}.{having} {given}{failed}"


def put_off_line(energy: EnergyState, now: datetime) -> str:
    """What had to wait in the last days and why, a sentence for each reason, the newest first.

    >>> from datetime import UTC
    >>> from app.values.energy import PutOff
    >>> now = datetime(2026, 1, 2, 12, tzinfo=UTC)
    >>> waited = (PutOff(now, Work.NOTE, "The machine is busy."), PutOff(now, Work.JUDGE, "The machine is busy."))
    >>> put_off_line(EnergyState(150.0, 1000.0, 1000.0, 200.0, True, None, 850.0, (), waited, ()), now)
    'Put off: writing notes and reading along, last just now, because the machine was busy. It will be done later.'
    """
    if not energy.put_off:
        return "Nothing had to wait."
    by_reason: dict[str, list[PutOff]] = {}
    for one in energy.put_off:
        by_reason.setdefault(one.reason, []).append(one)
    said = []
    for reason, waited in by_reason.items():
        works = dict.fromkeys(f"{WORDS[one.work][:1].lower()}{WORDS[one.work][1:]}" for one in waited)
        why = f"{reason[:1].lower()}{reason[1:]}".rstrip(".").replace(" is ", " was ").replace(" runs ", " ran ")
        said.append(f"Put off: {joined(list(works))}, last {ago(max(one.at for one in waited), now)}, because {why}.")
    return " ".join((*said, "It will be done later."))
