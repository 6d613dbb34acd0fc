"""Who could read along, above the options in Settings: what was found on this machine, who reads now, the cap in plain words.

Reads when shown and when options change; one click lets somebody read along, one undo reverts it. Source: UX 4.8b.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.values.judge import JudgeChoice, JudgeState
from ui.navigation import Place
from ui.screens.base import PanelContext
from ui.screens.reading.wording import cap_words, state_title
from ui.widgets.buttons import Button
from ui.widgets.card import clear_layout
from ui.widgets.labels import ElidedLabel, PlainLabel

if TYPE_CHECKING:
    from app.api import Engine


@dataclass(frozen=True, slots=True)
class Readers:
    """Who there is, and its state."""

    choices: tuple[JudgeChoice, ...]
    state: JudgeState
    model: str
    endpoint: str


def read_readers(engine: "Engine") -> Readers:
    """For the read worker; asks the addresses of local models at most once a minute."""
    settings = engine.settings.current
    return Readers(engine.judge.choices(), engine.judge.state(), settings.judge_model, settings.judge_endpoint)


class ReadersHead(QWidget):
    """Goes on top of the group of options."""

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._choices: tuple[JudgeChoice, ...] = ()
        self._shown: Readers | None = None
        self.setObjectName("settings.readers")
        self.setAccessibleName("Who could read along")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 8)
        column.setSpacing(6)
        self.state = PlainLabel("", "body", wraps=True)
        self.cap = PlainLabel("", "sub", wraps=True)
        self._lines = QVBoxLayout()
        self._lines.setSpacing(4)
        self.open = Button("See what was read", "settings.readers.open", kind="link")
        self.open.clicked.connect(self._on_open)
        line = QHBoxLayout()
        line.addWidget(self.state, 1)
        line.addWidget(self.open)
        column.addLayout(line)
        column.addWidget(self.cap)
        column.addLayout(self._lines)

    def refresh(self) -> None:
        self._context.bridge.ask("settings.readers", read_readers, self._on_readers)

    def _on_readers(self, readers: Readers) -> None:
        state = readers.state
        is_off = state.judge == "off"
        self.state.setText("No model reads along." if is_off else f"{state_title(state).rstrip('.')}.")
        self.cap.setText(
            f"At most {state.daily_cap:,} tokens a day. {cap_words(state.daily_cap)}" if state.daily_cap else ""
        )
        self.cap.setVisible(bool(state.daily_cap))
        if self._shown == readers:
            return
        self._shown, self._choices = readers, readers.choices
        clear_layout(self._lines)
        for choice in readers.choices:
            if choice.is_found or choice.id in ("claude-code", "codex", "gemini"):
                self._add(choice, readers)

    def _add(self, choice: JudgeChoice, readers: Readers) -> None:
        is_same = choice.id == "same"
        title = f"{choice.title}, each its own" if is_same and " and " in choice.title else choice.title
        if is_same and " and " not in choice.title:
            title = f"{choice.title}, its own conversations"
        elif choice.judge in ("claude-code", "codex", "gemini"):
            title = f"{choice.title}, all conversations"
        place = choice.place if choice.is_found else "not found on this computer"
        model = f" · {choice.model}" if choice.model else ""
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(PlainLabel(title, "body" if choice.is_found else "sub"))
        line.addWidget(ElidedLabel(f"{place}{model}", "meta"), 1)
        if _is_chosen(choice, readers):
            line.addWidget(PlainLabel("reads along", "good"))
        elif choice.is_found and readers.state.is_settable:
            take = Button("Let it read along", f"settings.reader.{choice.id}", tip=choice.place)
            take.setAccessibleName(f"Let {title} read along")
            take.setProperty("choice", choice.id)
            take.clicked.connect(self._on_take)
            line.addWidget(take)
        self._lines.addLayout(line)

    def _on_take(self) -> None:
        wanted = str(self.sender().property("choice"))
        choice = next(one for one in self._choices if one.id == wanted)
        self._context.bridge.do("reading.choose", lambda engine: engine.judge.choose(choice))

    def _on_open(self) -> None:
        self._context.navigate(Place("activity", query="reading"))


def _is_chosen(choice: JudgeChoice, readers: Readers) -> bool:
    if choice.judge != readers.state.judge:
        return False
    return choice.judge != "endpoint" or choice.endpoint == readers.endpoint
