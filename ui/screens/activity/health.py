"""Health: capture socket, queue, rules, store file, archive, backups, last error, each with a light and what to do about it; and how far the vectors are."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QProgressBar, QVBoxLayout, QWidget

from app.values.embedding import EmbeddingState
from ui.screens.base import PanelContext
from ui.shell.state import ShellState
from ui.widgets.buttons import ActionButton
from ui.widgets.capture_light import LightColor, light_of
from ui.widgets.card import Card, row
from ui.widgets.labels import PlainLabel
from ui.widgets.scroll import ScrollColumn
from ui.wording.figures import describe_bytes, describe_moment
from ui.wording.values import counted

_WORDS = {"good": "well", "warn": "look at this", "danger": "broken", "sub": ""}


def say_meaning(state: EmbeddingState) -> str:
    """What answers, how far the one that takes its place is, what to do about a problem."""
    if not state.is_on:
        return "Off: search uses words only. Settings, Advanced, Memory lets you choose a model."
    serving, building = state.serving, state.building
    said = f"{serving.model} answers." if serving else "Words alone answer until all memories have a vector."
    if building is not None:
        done = f"{building.memory_count:,} of {counted(state.memory_count, 'memory', 'memories')}"
        said += f" {building.model}: {done}{', stopped' if state.is_stopped else ''}."
    return f"{said} It waits: {state.problem}" if state.problem else said


class HealthPage(QWidget):
    abilities_changed = Signal()

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        page = ScrollColumn("activity.health", width_px=820)
        card = Card("Health")
        actions = context.actions
        self._context = context
        self._meaning: EmbeddingState | None = None
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(2, 1)
        card.body.addLayout(self._grid)
        card.body.addSpacing(6)
        card.body.addLayout(
            row(
                ActionButton(actions.action("file.backup"), "database"),
                ActionButton(actions.action("help.diagnostics"), "copy"),
                1,
            )
        )
        page.add(card)
        meaning = Card("Search by meaning")
        self._meaning_said = PlainLabel("", wraps=True)
        self._bar = QProgressBar()
        self._bar.setAccessibleName("Memories with a vector")
        self._bar.setTextVisible(False)
        again = ActionButton(actions.action("meaning.again"), "refresh", only_able=True)
        stop = ActionButton(actions.action("meaning.stop"), "stop", only_able=True)
        meaning.body.addWidget(self._meaning_said)
        meaning.body.addWidget(self._bar)
        meaning.body.addLayout(row(again, stop, 1))
        page.add(meaning)
        page.add_stretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(page)
        self._lines: dict[str, tuple[PlainLabel, PlainLabel]] = {}
        self._bar.hide()

    def refresh(self) -> None:
        self._context.bridge.ask("health.meaning", lambda engine: engine.search.meaning(), self._on_meaning)

    def abilities(self) -> frozenset[str]:
        state = self._meaning
        if state is None or not state.is_on:
            return frozenset()
        is_going_on = state.building is not None and not state.is_stopped
        return frozenset({"meaning.stop" if is_going_on else "meaning.again"})

    def run(self, action_id: str) -> None:
        is_stop = action_id == "meaning.stop"
        self._context.bridge.do(
            action_id, lambda engine: engine.search.stop_reembedding() if is_stop else engine.search.reembed()
        )

    def _on_meaning(self, state: EmbeddingState) -> None:
        self._meaning = state
        self._meaning_said.setText(say_meaning(state))
        building = state.building
        self._bar.setVisible(building is not None)
        if building is not None:
            self._bar.setRange(0, max(1, state.memory_count))
            self._bar.setValue(building.memory_count)
        self.abilities_changed.emit()

    def tell(self, state: ShellState) -> None:
        """One line per thing: light, name, what it is and what to do."""
        health, stats = state.health, state.stats
        light = light_of(health)
        capture = {LightColor.GOOD: "good", LightColor.PAUSED: "warn", LightColor.BROKEN: "danger"}
        self._line("Capture", capture.get(light.color, "sub"), f"{light.text}. {light.detail}")
        self._line("Disk", "danger" if health.disk_problem else "good", health.disk_problem or "Writable.")
        events = f"{counted(stats.event_pending_count, 'event')} waiting, {stats.event_failed_count} failed"
        self._line("Inbox", "warn" if stats.event_failed_count else "good", f"{events}.")
        aside = f"{counted(health.aside_count, 'event')} of your assistants could not be captured and are kept. "
        aside += f"{health.aside_reason} Each start tries them again.".strip()
        self._line("Kept aside", "warn" if health.aside_count else "good", aside if health.aside_count else "Nothing.")
        queue = f"{stats.conversation_count} of {counted(stats.queue_size, 'conversation')}"
        messages = counted(stats.message_count, "message")
        self._line("Queue", "good", f"{queue}, {messages}, {describe_bytes(stats.queue_byte_count)}.")
        rules = f"{counted(stats.rule_count, 'learned rule')}, {describe_bytes(stats.rule_byte_count)}."
        self._line("Rules", "good", rules if stats.rule_count else "None learned yet.")
        size = f"{describe_bytes(health.store_bytes)}, write-ahead log {describe_bytes(health.wal_bytes)}"
        self._line("Store file", "good", f"{size}. SQLite {health.sqlite_version}, schema {health.schema_version}.")
        kept = f"{counted(stats.archive_prompt_count, 'prompt')}, {describe_bytes(stats.archive_byte_count)}."
        is_left = stats.archive == "off" and stats.archive_prompt_count > 0
        left = " The archive is off: choose Deleted in Settings to delete them." if is_left else ""
        archive = f"{kept}{left}" if stats.archive_prompt_count or stats.archive != "off" else "Off."
        self._line("Prompt archive", "warn" if is_left else "good", archive)
        backup = describe_moment(health.last_backup_at)
        self._line("Last backup", "good" if health.last_backup_at else "sub", f"{backup[:1].upper()}{backup[1:]}.")
        self._line("Secrets", "good", f"{counted(stats.redacted_count, 'secret')} removed before anything was written.")
        self._line("Last error", "warn" if health.last_error else "good", health.last_error or "None.")

    def _line(self, name: str, role: str, text: str) -> None:
        if name not in self._lines:
            at = len(self._lines)
            dot, value = PlainLabel("●", role), PlainLabel("", wraps=True)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._grid.addWidget(dot, at, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(PlainLabel(name, "heading"), at, 1, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(value, at, 2)
            self._lines[name] = (dot, value)
        dot, value = self._lines[name]
        dot.set_role(role)
        dot.setAccessibleName(_WORDS[role])
        dot.setToolTip(_WORDS[role])
        value.setText(text)
