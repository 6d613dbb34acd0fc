"""The sheet that makes one memory of several: which one stays, what it will say, and what becomes of the others.

The effect is below before anything is pressed. Asks by a signal for the tokens of the text.

The small sheet that files memories: which project they belong to, and whether other projects may be given them.

Source: UX 4.4 "Bulk", UX 2.3; UX 4.4 "Bulk" (scope), QUALITY S9.
"""

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QWidget

from app.values import FacetValue, MemoryDetail, Visibility
from ui.widgets.buttons import Button, ChipButton, FitButton
from ui.widgets.card import Card, clear_layout, row
from ui.widgets.labels import PlainLabel
from ui.widgets.popups.overlay import Overlay
from ui.widgets.popups.popover import Popover
from ui.widgets.scroll import ScrollColumn
from ui.widgets.text_area import TextArea
from ui.wording.memories import TRUST_WORDS, TYPE_WORDS
from ui.wording.values import ago, counted

SCOPE_WIDTH_PX = 340
MAX_PROJECTS = 40
_ROW_PX = 34
_SHOWN_ROWS = 6


class ScopePopup(Popover):
    """`filed` carries the path of a project, "" for none; `shared` a Visibility."""

    filed = Signal(str)
    shared = Signal(object)

    def __init__(self, window: QWidget, count: int, projects: Sequence[FacetValue]) -> None:
        super().__init__(window, "memory.scope", "Project and sharing")
        said = "Where it may be given" if count == 1 else f"Where {counted(count, 'memory', 'memories')} may be given"
        self.body.addWidget(PlainLabel(said, "heading"))
        self._first = self._add("Only in their project" if count > 1 else "Only in its project", "own")
        self._first.setProperty("visibility", Visibility.USER_PRIVATE.value)
        shared = self._add("In all projects", "all")
        shared.setProperty("visibility", Visibility.PROJECT_SHARED.value)
        for button in (self._first, shared):
            button.clicked.connect(self._on_shared)
        self.body.addWidget(PlainLabel("Belongs to", "heading"))
        none = self._add("No project", "none")
        none.setProperty("project", "")
        none.clicked.connect(self._on_filed)
        self._add_projects(projects)

    def _add_projects(self, projects: Sequence[FacetValue]) -> None:
        listed = ScrollColumn("memory.scope.projects", parent=self)
        self.body.addWidget(listed)
        listed.column.setSpacing(0)
        for n, one in enumerate(projects[:MAX_PROJECTS]):
            button = FitButton(one.title or one.value, f"memory.scope.project.{n}", kind="entry")
            button.setToolTip(one.value)
            button.setProperty("project", one.value)
            button.clicked.connect(self._on_filed)
            listed.column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        listed.add_stretch()
        listed.setFixedHeight(_ROW_PX * min(_SHOWN_ROWS, max(1, len(projects))) + 8)
        listed.setVisible(bool(projects))

    def _add(self, text: str, name: str) -> FitButton:
        button = FitButton(text, f"memory.scope.{name}", kind="entry")
        self.body.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        return button

    def first_focus(self) -> QWidget:
        return self._first

    def _on_shared(self) -> None:
        wanted = Visibility(str(self.sender().property("visibility")))
        self.dismiss()
        self.shared.emit(wanted)

    def _on_filed(self) -> None:
        project = str(self.sender().property("project"))
        self.dismiss()
        self.filed.emit(project)


MEASURE_AFTER_MS = 150
SHOWN_CHARS = 600
KEEP_TEXT, STAYS_TEXT = "Keep this one instead", "This one stays"


class MergeSheet(Overlay):
    """`merged` carries the ids, the one that stays and its text; `measure_wanted` the text as it is."""

    merged = Signal(object, int, str)
    measure_wanted = Signal(str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, object_name="memory.merge.sheet", name="Merge memories", width_px=720)
        self._details: tuple[MemoryDetail, ...] = ()
        self._keep_id = 0
        self._is_typed = False
        self.heading = PlainLabel("", "section")
        self.listed = ScrollColumn("memory.merge.list")
        self.listed.column.setSpacing(8)
        self._stays = QButtonGroup(self)
        self.both = Button("Take all texts", "memory.merge.all", kind="link", tip="Put the texts one after another")
        self.text = TextArea("memory.merge.text")
        self.text.setAccessibleName("What the merged memory says")
        self.text.setFixedHeight(92)
        self.tokens = PlainLabel("", "meta")
        self.effect = PlainLabel("", "meta", wraps=True)
        self.go = Button("Merge", "memory.merge.go", kind="primary", icon_name="merge", tip="Ctrl+Enter")
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(MEASURE_AFTER_MS)
        self._build()
        self._connect()

    def _build(self) -> None:
        self.sheet_layout.addWidget(self.heading)
        self.sheet_layout.addWidget(self.listed, 1)
        self.sheet_layout.addLayout(row(PlainLabel("It will say", "heading"), 1, self.both, self.tokens))
        self.sheet_layout.addWidget(self.text)
        self.sheet_layout.addWidget(self.effect)
        self.sheet_layout.addLayout(row(PlainLabel("Ctrl+Enter merges, Esc cancels", "meta"), 1, self.go))

    def _connect(self) -> None:
        self._stays.idClicked.connect(self._on_stays)
        self.both.clicked.connect(self._on_both)
        self.text.textChanged.connect(self._on_text)
        self.text.kept.connect(self._on_go)
        self.go.clicked.connect(self._on_go)
        self._pause.timeout.connect(self._on_pause)

    def first_focus(self) -> QWidget:
        return self.text

    def sheet_height(self) -> int:
        layout, frame = self.sheet.layout(), self.sheet.contentsMargins()
        assert layout is not None
        place = layout.itemAt(layout.indexOf(self.listed))
        assert place is not None
        inner = self.sheet.width() - frame.left() - frame.right()
        rest = layout.heightForWidth(inner) - place.sizeHint().height()  # its least, however little is in it
        margins = self.sheet_layout.contentsMargins()
        return rest + self._listed_height(inner - margins.left() - margins.right()) + frame.top() + frame.bottom()

    def _listed_height(self, width: int) -> int:
        """What the listed ones need in this width, also beside a scroll bar. Their own least is that of the narrowest column."""
        listed = self.listed.content.layout()
        assert listed is not None
        beside_bar = width - self.listed.verticalScrollBar().sizeHint().width()
        height = max(0, listed.heightForWidth(beside_bar))  # below 0 before anything is shown
        self.listed.content.setMinimumHeight(height)
        return height

    # -- showing
    def ask(self, details: Sequence[MemoryDetail], keep_id: int, now: datetime) -> None:
        """Shows what would be merged; `keep_id` is the one that stays unless the person chooses another."""
        self._details = tuple(details)
        self.heading.setText(f"Merge {counted(len(details), 'memory', 'memories')} into one")
        self._fill(now)
        self._choose(keep_id)
        self.open()
        self.fit()

    def _fill(self, now: datetime) -> None:
        for button in self._stays.buttons():
            self._stays.removeButton(button)
        clear_layout(self.listed.column)
        for n, detail in enumerate(self._details):
            memory = detail.memory
            stays = ChipButton(KEEP_TEXT, f"memory.merge.keep.{memory.id}")
            self._stays.addButton(stays, n)
            word = TYPE_WORDS[memory.type] if memory.type is not None else memory.kind.value
            said = counted(len(detail.sources), "quote") if detail.sources else ""
            meta = (word, memory.project, TRUST_WORDS[memory.trust], said, f"changed {ago(memory.updated_at, now)}")
            card = Card()
            card.body.addWidget(PlainLabel(memory.levels.full.text[:SHOWN_CHARS], wraps=True))
            foot = QHBoxLayout()
            foot.addWidget(PlainLabel(" · ".join(filter(None, meta)), "meta", wraps=True), 1)
            foot.addWidget(stays)
            card.body.addLayout(foot)
            self.listed.add(card)
        self.listed.add_stretch()

    def _choose(self, keep_id: int) -> None:
        n = next((n for n, one in enumerate(self._details) if one.memory.id == keep_id), 0)
        self._keep_id = self._details[n].memory.id
        self._stays.button(n).setChecked(True)
        self._show_stays()
        self._put(self._details[n].memory.levels.full.text)
        self.effect.setText(effect_of(self._details, self._keep_id))

    def _show_stays(self) -> None:
        for n, detail in enumerate(self._details):
            button = self._stays.button(n)
            assert isinstance(button, ChipButton)
            button.set_text(STAYS_TEXT if button.isChecked() else KEEP_TEXT)
            button.setAccessibleName(f"{button.text()}: {detail.memory.title}")

    def _put(self, text: str) -> None:
        self.text.setPlainText(text)
        self._is_typed = False

    def set_measured(self, text: str, token_count: int) -> None:
        if text == self.text.toPlainText():
            self.tokens.setText(counted(token_count, "token"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:  # wherever the focus is
            self._on_go()
        else:
            super().keyPressEvent(event)

    # -- slots
    def _on_stays(self, n: int) -> None:
        chosen = self._details[n].memory
        if self._is_typed:  # what was written is not thrown away
            self._keep_id = chosen.id
            self._show_stays()
            self.effect.setText(effect_of(self._details, self._keep_id))
        else:
            self._choose(chosen.id)

    def _on_both(self) -> None:
        texts = [detail.memory.levels.full.text.strip() for detail in self._details]
        self.text.setPlainText(" ".join(dict.fromkeys(texts)))
        self.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_text(self) -> None:
        self._is_typed = True
        self.go.setEnabled(bool(self.text.toPlainText().strip()))
        self._pause.start()

    def _on_pause(self) -> None:
        self.measure_wanted.emit(self.text.toPlainText())

    def _on_go(self) -> None:
        if not self.go.isEnabled():
            return
        self.close_sheet()
        ids = tuple(detail.memory.id for detail in self._details)
        self.merged.emit(ids, self._keep_id, self.text.toPlainText().strip())


def effect_of(details: Sequence[MemoryDetail], keep_id: int) -> str:
    """What the merging will come to, in words."""
    memories = [detail.memory for detail in details]
    keep = next(memory for memory in memories if memory.id == keep_id)
    lowest = min(memory.trust for memory in memories)
    said = [f"It counts as {TRUST_WORDS[lowest]}" + (", the least certain of them." if lowest != keep.trust else ".")]
    if len({memory.project_path for memory in memories}) > 1:
        said.append(f"It belongs to {keep.project or 'no project'}, as the one that stays.")
    tags = dict.fromkeys(tag for memory in memories for tag in memory.tags)
    said += [f"Tags: {', '.join(tags)}."] if tags else []
    gone = len(memories) - 1
    said.append(
        f"Quotes, files and links of all are kept. {'The other' if gone == 1 else f'The other {gone}'} "
        f"{'is' if gone == 1 else 'are'} archived with {'its' if gone == 1 else 'their'} history. Ctrl+Z undoes it."
    )
    return " ".join(said)
