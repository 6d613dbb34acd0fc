"""The one question, as a card: what is sent, to whom, what it costs; yes, not now, or somebody else. No modal dialog.

The card does what was pressed through the bridge itself, because Now, the page and Settings show the same. Source: UX 4.8b.
"""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.values.judge import JudgeChoice, JudgeQuestion
from ui.navigation import Place
from ui.screens.reading.wording import cost_text, question_text, question_title
from ui.widgets.buttons import Button
from ui.widgets.card import Card, clear_layout
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.widgets.plain_viewer import PlainViewer
from ui.widgets.popups.overlay import Overlay
from ui.wording.figures import counted

if TYPE_CHECKING:
    from app.values.admin import JudgePlan
    from ui.screens.base import PanelContext

PREVIEW_MOST = 2


def first_choice(question: JudgeQuestion) -> JudgeChoice:
    """Who is asked about: what keeps all on this machine, else who has seen it already."""
    return next((one for one in question.choices if one.is_found), question.choices[0])


class QuestionCard(Card):
    """`is_asking`: with "Not now"; elsewhere the person came here by themselves."""

    def __init__(
        self, context: "PanelContext", question: JudgeQuestion, *, is_asking: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(kind="accent" if is_asking else "", parent=parent)
        self._context = context
        self._question = question
        self._choice = first_choice(question)
        self._sheet: PreviewSheet | None = None
        self.setObjectName("reading.question")
        self._heading = PlainLabel("", "heading", wraps=True)
        self._text = PlainLabel("", wraps=True)
        self._cost = PlainLabel("", "sub", wraps=True)
        for label in (self._heading, self._text, self._cost):
            self.body.addWidget(label)
        self.yes = Button("Yes", "reading.yes", kind="primary", tip="From now on; one undo reverts it")
        self.show_sent = Button(
            "Show what would be sent", "reading.show", tip="Word for word; nothing is sent by looking"
        )
        self.later = Button("Not now", "reading.notNow", kind="quiet", tip="You are not asked again; Settings has it")
        self.others = Button("Other choices", "reading.others", kind="quiet")
        self.yes.clicked.connect(self._on_yes)
        self.show_sent.clicked.connect(self._on_show)
        self.later.clicked.connect(self._on_later)
        self.others.clicked.connect(self._on_others)
        buttons = FlowLayout()
        for button in (self.yes, self.show_sent, self.later, self.others):
            buttons.addWidget(button)
        self.body.addLayout(buttons)
        self.later.setVisible(is_asking)
        self._list = QWidget(self)
        self._list.setAccessibleName("Who else could read along")
        self._lines = QVBoxLayout(self._list)
        self._lines.setContentsMargins(0, 4, 0, 0)
        self._lines.setSpacing(4)
        self.body.addWidget(self._list)
        self._list.hide()
        self._report()

    @property
    def choice(self) -> JudgeChoice:
        return self._choice

    def _report(self) -> None:
        title = question_title(self._choice)
        self._heading.setText(title)
        self.setAccessibleName(title)
        self._text.setText(question_text(self._choice))
        self._cost.setText(cost_text(self._question, self._choice))
        self.yes.setAccessibleName(f"Yes, {self._choice.title} may read along")

    def _on_yes(self) -> None:
        self.yes.setEnabled(False)
        choice = self._choice
        self._context.bridge.do("reading.choose", lambda engine: engine.judge.choose(choice))

    def _on_later(self) -> None:
        self.later.setEnabled(False)
        self._context.bridge.do("reading.decline", lambda engine: engine.judge.decline())

    def _on_others(self) -> None:
        """The list of all others, each with what it is; those that were not found say so."""
        is_shown = self._list.isHidden()
        self._list.setVisible(is_shown)
        self.others.set_text("Fewer choices" if is_shown else "Other choices")
        if is_shown:
            self._fill()

    def _fill(self) -> None:
        clear_layout(self._lines)
        for choice in self._question.choices:
            if choice == self._choice or (choice.id == "same" and not choice.is_found):
                continue
            line = QHBoxLayout()
            line.setSpacing(8)
            title = "Each assistant its own" if choice.id == "same" else choice.title
            if choice.is_found:
                take = Button(title, f"reading.choice.{choice.id}", tip=choice.place)
                take.setProperty("choice", choice.id)
                take.clicked.connect(self._on_choice)
                line.addWidget(take)
                said = "nothing leaves this computer" if choice.is_local else choice.place
            elif choice.id in ("endpoint", "command"):
                go = Button(f"{title}…", f"reading.choice.{choice.id}", kind="link", tip="Set it up in Settings")
                go.clicked.connect(self._on_settings)
                line.addWidget(go)
                said = "in Settings"
            else:
                line.addWidget(PlainLabel(title, "sub"))
                said = "not found on this computer"
            line.addWidget(ElidedLabel(said, "meta"), 1)
            self._lines.addLayout(line)

    def _on_choice(self) -> None:
        wanted = str(self.sender().property("choice"))
        self._choice = next(one for one in self._question.choices if one.id == wanted)
        self._report()
        self._fill()
        self.yes.setFocus()

    def _on_settings(self) -> None:
        self._context.navigate(Place("settings", query="reading along"))

    def _on_show(self) -> None:
        choice = self._choice
        self._context.bridge.ask(
            "reading.preview", lambda engine: engine.judge.preview(choice, most=PREVIEW_MOST), self._on_plan
        )

    def _on_plan(self, plan: "JudgePlan") -> None:
        show_preview(self.window(), plan, self._choice.title)


class PreviewSheet(Overlay):
    """What would be sent, word for word."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, object_name="reading.sheet", name="What would be sent", width_px=760)
        self.title = PlainLabel("", "section", wraps=True)
        self.text = PlainLabel("Nothing is sent by looking at it.", "sub", wraps=True)
        self.viewer = PlainViewer("reading.sheet.text", "What would be sent")
        self.shut = Button("Close", "reading.sheet.close", tip="Esc")
        self.shut.clicked.connect(self.close_sheet)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.shut)
        for widget in (self.title, self.text, self.viewer):
            self.sheet_layout.addWidget(widget)
        self.sheet_layout.addLayout(foot)

    def first_focus(self) -> QWidget:
        return self.viewer

    def sheet_height(self) -> int:
        return round(self.height() * 0.75)

    def fill(self, plan: "JudgePlan", who: str) -> None:
        if not plan.requests:
            self.title.setText("Nothing waits to be read")
            self.viewer.show_text("")
        else:
            self.title.setText(f"What {who} would be sent first")
            self.viewer.show_text("\n\n———\n\n".join(plan.requests))
        said = f"{counted(plan.prompt_count, 'prompt')}, {counted(plan.token_count, 'token')} to send; the answers come on top. Nothing is sent by looking at it."
        self.text.setText(said if plan.requests else "What you type from now on would be.")


def show_preview(window: QWidget, plan: "JudgePlan", who: str) -> None:
    """Opens the sheet over the window; there is one of it."""
    sheet = window.findChild(PreviewSheet) or PreviewSheet(window)
    sheet.fill(plan, who)
    sheet.open()
