"""The sheet to write a memory by hand: one text, what was guessed of it shown and changeable, and what is known already.

While one types it asks by signals for a guess, and for memories alike. Ctrl+Enter keeps it. Source: UX 4.4 (New memory).
"""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from app.values import FactType, Likeness, MemoryCard, MemoryDraft, Slot
from ui.widgets.buttons import Button, FitButton
from ui.widgets.card import Card, clear_layout
from ui.widgets.controls import Choice
from ui.widgets.labels import PlainLabel
from ui.widgets.memories.fields import line_field
from ui.widgets.popups.overlay import Overlay
from ui.widgets.text_area import TextArea
from ui.wording.memories import TYPE_WORDS
from ui.wording.values import counted, percent

GUESS_AFTER_MS = 150
MAX_TEXT_CHARS = 8_000
SHOWN_ALIKE = 3
NO_PROJECT = "none, given everywhere"
_RELATION_WORDS = {
    "duplicate": "You already have this",
    "contradict": "This contradicts what you have",
    "replace": "This would replace what you have",
}


class NewMemorySheet(Overlay):
    """`guess_wanted` carries the text; `created` a MemoryDraft; `memory_wanted` one that is like it."""

    guess_wanted = Signal(str)
    created = Signal(object)
    memory_wanted = Signal(int)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, object_name="memory.new.sheet", name="New memory", width_px=560)
        self._guess: MemoryDraft | None = None
        self._touched: set[str] = set()
        self.text = TextArea("memory.new.text")
        self.text.setAccessibleName("What should be remembered?")
        self.text.setPlaceholderText("What should be remembered? One statement, in your words.")
        self.text.setFixedHeight(92)
        self.type = Choice()
        self.type.setObjectName("memory.new.type")
        self.type.setAccessibleName("Type")
        for fact_type, word in TYPE_WORDS.items():
            self.type.addItem(word, fact_type)
        self.subject = line_field("memory.new.subject", "What it is about", "the project")
        self.attribute = line_field("memory.new.attribute", "Which property", "none")
        self.value = line_field("memory.new.value", "Value", "none")
        self.project = Choice()
        self.project.setObjectName("memory.new.project")
        self.project.setAccessibleName("Project it belongs to")
        self.project.addItem(NO_PROJECT, "")
        self._wanted_project = ""  # its name, chosen once the projects are known
        self.note = PlainLabel("", "meta", wraps=True)
        self.alike = Card("", kind="warn")
        self.alike.setObjectName("memory.new.alike")
        self.create_button = Button("Remember this", "memory.new.create", kind="primary", tip="Ctrl+Enter")
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(GUESS_AFTER_MS)
        self._build()
        self._connect()

    def _build(self) -> None:
        self.sheet_layout.addWidget(PlainLabel("New memory", "section"))
        self.sheet_layout.addWidget(self.text)
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        fields = (("Type", self.type), ("About", self.subject), ("Property", self.attribute), ("Value", self.value))
        for n, (name, widget) in enumerate(fields):
            grid.addWidget(PlainLabel(name, "meta"), n // 2, n % 2 * 2)
            grid.addWidget(widget, n // 2, n % 2 * 2 + 1)
        grid.addWidget(PlainLabel("Project", "meta"), 2, 0)
        grid.addWidget(self.project, 2, 1, 1, 3)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)
        self.sheet_layout.addLayout(grid)
        self.sheet_layout.addWidget(self.note)
        self.sheet_layout.addWidget(self.alike)
        self.alike.hide()
        foot = QHBoxLayout()
        foot.addWidget(PlainLabel("Ctrl+Enter saves. Esc closes and keeps your text here.", "meta"), 1)
        foot.addWidget(self.create_button)
        self.sheet_layout.addLayout(foot)

    def _connect(self) -> None:
        self.text.textChanged.connect(self._on_text)
        self.text.kept.connect(self._on_create)
        self.create_button.clicked.connect(self._on_create)
        self._pause.timeout.connect(self._on_pause)
        self.type.activated.connect(self._on_type_touched)
        self.project.activated.connect(self._on_project_touched)
        for field in (self.subject, self.attribute, self.value):
            field.textEdited.connect(self._on_field_touched)
            field.returnPressed.connect(self._on_create)

    def first_focus(self) -> QWidget:
        return self.text

    def open_with(self, text: str = "", project: str = "") -> None:
        """An empty sheet, or one with a text to begin with, for the project of this name."""
        self._guess = None
        self._touched.clear()
        self.text.setPlainText(text)
        for field in (self.subject, self.attribute, self.value):
            field.clear()
        self.type.setCurrentIndex(0)
        self._wanted_project = project
        self._choose_project()
        self._report()
        self.alike.hide()
        self.open()

    def set_projects(self, projects: Sequence[tuple[str, str]]) -> None:
        """Names and paths of the projects it can belong to; what the person chose stays."""
        chosen = self.project.currentData()
        self.project.clear()
        self.project.addItem(NO_PROJECT, "")
        for name, path in projects:
            self.project.addItem(name, path)
        if "project" in self._touched:
            self.project.setCurrentIndex(max(0, self.project.findData(chosen)))
        else:
            self._choose_project()

    def _choose_project(self) -> None:
        self.project.setCurrentIndex(max(0, self.project.findText(self._wanted_project)))

    def set_guess(self, text: str, guess: MemoryDraft, token_count: int) -> None:
        """What the text was read as; fields that the person touched stay."""
        if text != self.typed:
            return
        self._guess = guess
        if "type" not in self._touched:
            self.type.setCurrentIndex(max(0, self.type.findData(guess.type or FactType.FACT)))
        slot = guess.slot or Slot("", "")
        for field, said in ((self.subject, slot.subject), (self.attribute, slot.attribute), (self.value, guess.value)):
            if field.objectName() not in self._touched:
                field.setText(said)
                field.setCursorPosition(0)  # its beginning is seen
        self.note.setText(f"{counted(token_count, 'token')} · type and property are guessed: change what is wrong")
        self.fit()

    def set_alike(self, text: str, alike: Sequence[tuple[MemoryCard, Likeness]]) -> None:
        """Memories that say nearly this."""
        if text != self.typed:
            return
        close = [(card, likeness) for card, likeness in alike if likeness.relation in _RELATION_WORDS][:SHOWN_ALIKE]
        clear_layout(self.alike.body)
        if close:
            self.alike.set_title(_RELATION_WORDS[close[0][1].relation])
        for card, likeness in close:
            name = f"memory.new.alike.{card.id}"
            button = FitButton(f"{card.title} ({percent(likeness.confidence)})", name, kind="link", tip="Open it")
            button.setAccessibleName(f"{_RELATION_WORDS[likeness.relation]}: {card.title}")
            button.setProperty("memory", card.id)
            button.clicked.connect(self._on_alike)
            self.alike.body.addWidget(button)
        self.alike.setVisible(bool(close))
        self.fit()

    @property
    def typed(self) -> str:
        return self.text.toPlainText().strip()[:MAX_TEXT_CHARS]

    def _report(self) -> None:
        self.create_button.setEnabled(bool(self.typed))
        if not self.typed:
            self.note.setText("Type and property are guessed from the words.")

    def _on_text(self) -> None:
        self._report()
        self._pause.start()

    def _on_pause(self) -> None:
        if self.is_open and self.typed:
            self.guess_wanted.emit(self.typed)

    def _on_type_touched(self) -> None:
        self._touched.add("type")

    def _on_project_touched(self) -> None:
        self._touched.add("project")

    def _on_field_touched(self) -> None:
        self._touched.add(self.sender().objectName())

    def _on_create(self) -> None:
        if not self.typed:
            return
        attribute = self.attribute.text().strip().lower()
        scope = self._guess.slot.scope if self._guess is not None and self._guess.slot is not None else ""
        slot = Slot(self.subject.text().strip().lower(), attribute, scope) if attribute else None
        draft = MemoryDraft(
            self.typed,
            type=FactType(self.type.currentData()),
            slot=slot,
            value=self.value.text().strip(),
            project_path=str(self.project.currentData()),
        )
        if self._guess is not None:
            draft = replace(draft, tags=self._guess.tags, is_pinned=False)
        self.close_sheet()
        self.created.emit(draft)

    def _on_alike(self) -> None:
        self.close_sheet()
        self.memory_wanted.emit(int(self.sender().property("memory")))
