"""The text of a memory at its four sizes: tabs with token counts, edited in place, counted while one types.

What was typed and is not saved waits in `UnsavedTexts`, also of memories that are not shown any more: it is there again when one
comes back.
Ctrl+Enter saves all changed sizes as one edit, Esc takes them back. Which text is how long it asks by a signal. Source: UX 4.4 (What assistants read), S4 (levels).
"""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.values import Level, Memory, MemoryEdit
from ui.unsaved import UnsavedTexts
from ui.widgets.buttons import Button
from ui.widgets.labels import PlainLabel
from ui.widgets.plain_viewer import bound_text
from ui.widgets.text_area import TextArea
from ui.wording.memories import LEVEL_WORDS
from ui.wording.values import counted

MEASURE_AFTER_MS = 120
MAX_EDITABLE_CHARS = 20_000
_LEVELS = tuple(Level)
_MIN_LINES, _MAX_LINES = 3, 12


class LevelEditor(QFrame):
    """`saved` carries a MemoryEdit; `measure_wanted` a text whose tokens are to be counted; `set_aside` the memory that was
    left with unsaved words; `kept` comes after a save, for the keys to go back to the list.
    """

    saved = Signal(object)
    kept = Signal()
    set_aside = Signal(object)
    measure_wanted = Signal(str)
    left = Signal()

    def __init__(self, unsaved: UnsavedTexts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._unsaved = unsaved
        self._memory: Memory | None = None
        self._typed: dict[Level, str] = {}
        self._sent: tuple[int, int, dict[Level, str]] | None = (
            None  # memory, its revision, what was saved and is not back
        )
        self._typed_into = 0  # the revision of the memory when one began to type
        self._counts: dict[Level, int] = {}
        self._is_filling = False
        self._level = Level.FULL
        self._is_stale = False
        self._tabs = QButtonGroup(self)
        self.editor = TextArea("memory.text", takes_escape=True)
        self.count = PlainLabel("", "meta", wraps=True)
        self.count.setObjectName("memory.tokens")
        self.save = Button("Save", "memory.save", kind="primary", tip="Ctrl+Enter saves")
        self.revert = Button("Discard", "memory.revert", kind="quiet", tip="Esc")
        self.rewrite = Button("Rewrite", "memory.rewrite", kind="link", tip="Write this size again from the full text")
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(MEASURE_AFTER_MS)
        self._build()
        self._connect()

    def _build(self) -> None:
        tabs = QHBoxLayout()
        tabs.setSpacing(0)
        for n, level in enumerate(_LEVELS):
            tab = Button(LEVEL_WORDS[level], f"memory.level.{level.value}", kind="tab")
            tab.setCheckable(True)
            tab.setChecked(n == 0)
            self._tabs.addButton(tab, n)
            tabs.addWidget(tab)
        tabs.addStretch(1)
        foot = QHBoxLayout()
        foot.setSpacing(4)
        foot.addWidget(self.count, 1)
        for button in (self.rewrite, self.revert, self.save):
            foot.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(tabs)
        column.addWidget(self.editor)
        column.addLayout(foot)

    def _connect(self) -> None:
        self._tabs.idClicked.connect(self._on_tab)
        self.editor.textChanged.connect(self._on_typed)
        self.editor.kept.connect(self.save_typed)
        self.editor.escaped.connect(self._on_escape)
        self.save.clicked.connect(self.save_typed)
        self.revert.clicked.connect(self.take_back)
        self.rewrite.clicked.connect(self._on_rewrite)
        self._pause.timeout.connect(self._on_pause)

    # -- showing
    @property
    def is_dirty(self) -> bool:
        return bool(self._typed)

    @property
    def level(self) -> Level:
        return self._level

    def set_memory(self, memory: Memory) -> None:
        """Shows it; what is being typed into the same memory stays, and is said to be older when it is."""
        before, self._memory = self._memory, memory
        is_same = before is not None and before.id == memory.id
        sent = self._sent_texts()
        if not is_same:
            self._level = Level.FULL
            self._tabs.button(0).setChecked(True)
            if before is not None and self.is_dirty:
                self.set_aside.emit(before)
            waiting = self._unsaved.of(memory)
            texts = waiting.texts if waiting is not None else {}
            self._typed = {Level(name): text for name, text in texts.items() if sent.get(Level(name)) != text}
            self._typed_into = waiting.revision if waiting is not None else memory.revision
        if sent and all(text.strip() == memory.levels.at(level).text for level, text in sent.items()):
            self._sent = None
        self._typed = {level: text for level, text in self._typed.items() if text != memory.levels.at(level).text}
        self._is_stale = self.is_dirty and self._typed_into != memory.revision
        self._keep()
        self._counts.clear()
        self._show_level()
        if not self.is_dirty:  # what is saved is undone by the window, not by the field
            self.editor.document().clearUndoRedoStacks()

    def edit(self) -> None:
        """Puts the cursor behind the text."""
        self.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.editor.moveCursor(self.editor.textCursor().MoveOperation.End)

    def set_measured(self, text: str, token_count: int) -> None:
        """How many tokens `text` has; ignored when another text is there by now."""
        if text == self.editor.toPlainText():
            self._counts[self._level] = token_count
            self._report()

    def _show_level(self) -> None:
        if self._memory is None:
            return
        shown = self._typed
        if self._sent is not None and self._sent[:2] == (self._memory.id, self._memory.revision):
            shown = self._sent[2] | self._typed  # until what was saved comes back
        text = shown.get(self._level, self._memory.levels.at(self._level).text)
        is_long = len(text) > MAX_EDITABLE_CHARS
        self._is_filling = True
        if self.editor.toPlainText() != text:
            self.editor.setPlainText(bound_text(text) if is_long else text)
        self.editor.setReadOnly(is_long)
        self._is_filling = False
        self.editor.setAccessibleName(f"{LEVEL_WORDS[self._level]} text of the memory")
        self._fit()
        self._report()
        if self._level in self._typed and self._level not in self._counts:
            self._pause.start()  # the count is still that of the saved text

    def _fit(self) -> None:
        """As high as its text, within bounds."""
        self.editor.document().adjustSize()
        line_px = self.editor.fontMetrics().lineSpacing()
        lines = sum(
            max(1, block.layout().lineCount())
            for block in (self.editor.document().findBlockByNumber(n) for n in range(self.editor.blockCount()))
        )
        self.editor.setFixedHeight(line_px * min(_MAX_LINES, max(_MIN_LINES, lines + 1)) + 18)

    def _report(self) -> None:
        """Counts on the tabs, the line below, and which buttons fit."""
        assert self._memory is not None
        for n, level in enumerate(_LEVELS):
            button = self._tabs.button(n)
            count = self._counts.get(level, self._memory.levels.at(level).token_count)
            mark = "•" if level in self._typed else ""
            button.setText(f"{LEVEL_WORDS[level]} {count:,}{mark}")
            changed = ", changed" if mark else ""
            button.setAccessibleName(f"{LEVEL_WORDS[level]}, {counted(count, 'token')}{changed}")
        is_hand_written = self._level in self._memory.edited_levels
        self.rewrite.setVisible(self._level is not Level.FULL and is_hand_written and self._level not in self._typed)
        self.save.setVisible(self.is_dirty)
        self.revert.setVisible(self.is_dirty)
        text, role = self._line(is_hand_written=is_hand_written)
        self.count.setText(text)
        self.count.set_role(role)

    def _line(self, *, is_hand_written: bool) -> tuple[str, str]:
        assert self._memory is not None
        count = self._counts.get(self._level, self._memory.levels.at(self._level).token_count)
        said = counted(count, "token")
        if self._is_stale:
            return f"{said} · not saved · it was changed in the meantime", "warn"
        if self.is_dirty:
            said = f"{said} · not saved yet"
        bigger = _LEVELS[max(0, _LEVELS.index(self._level) - 1)]
        above = self._counts.get(bigger, self._memory.levels.at(bigger).token_count)
        if self._level is not Level.FULL and count > above:
            return f"{said} · longer than {LEVEL_WORDS[bigger].lower()}", "warn"
        return (f"{said} · written by hand" if is_hand_written else said), "meta"

    # -- doing
    def save_typed(self) -> None:
        """Says all that was typed as one edit; a size made empty is rewritten."""
        if not self.is_dirty or self._memory is None:
            return
        texts = {level.value: text.strip() for level, text in self._typed.items()}
        if texts.get("full") == "":
            return  # a memory without text is none: archive it instead
        self._sent = (self._memory.id, self._memory.revision, self._typed)  # before it is said: the no may come at once
        self._typed = {}
        self._is_stale = False
        self._keep()
        self._report()
        self.saved.emit(
            MemoryEdit(
                full=texts.get("full"),
                summary=texts.get("summary"),
                compressed=texts.get("compressed"),
                index=texts.get("index"),
            )
        )
        self.kept.emit()

    def give_back(self) -> None:
        """What was saved last could not be: it is typed text again."""
        if self._sent is None:
            return
        memory_id, revision, texts = self._sent
        self._sent = None
        if self._memory is None or self._memory.id != memory_id:
            return  # it waits there
        self._typed = texts | self._typed
        self._typed_into = revision
        self._keep()
        self._is_stale = self._memory.revision != revision
        self._show_level()

    def take_back(self) -> None:
        """Lets go of everything typed."""
        self._typed.clear()
        self._counts.clear()
        self._is_stale = False
        self._keep()
        self._show_level()

    def _sent_texts(self) -> dict[Level, str]:
        """Texts of the shown memory that were sent to be saved and have not been read back yet."""
        is_here = self._sent is not None and self._memory is not None and self._sent[0] == self._memory.id
        return self._sent[2] if self._sent is not None and is_here else {}

    def _keep(self) -> None:
        """Keeps every text that may not be in the store yet, also when the window closes."""
        if self._memory is not None:
            texts = {level.value: text for level, text in (self._sent_texts() | self._typed).items()}
            self._unsaved.keep(self._memory, texts, self._typed_into)

    def _on_rewrite(self) -> None:
        blank = {self._level.value: ""}
        self.saved.emit(MemoryEdit(**blank))  # type: ignore[arg-type]  # a level's name is a field's name

    def _on_escape(self) -> None:
        if self.is_dirty:
            self.take_back()
        else:
            self.left.emit()

    def _on_tab(self, n: int) -> None:
        self._level = _LEVELS[n]
        self._show_level()

    def _on_typed(self) -> None:
        if self._is_filling or self._memory is None:
            return
        text = self.editor.toPlainText()
        if not self._typed:
            self._typed_into = self._memory.revision
        if text == self._memory.levels.at(self._level).text:
            self._typed.pop(self._level, None)
            self._counts.pop(self._level, None)
        else:
            self._typed[self._level] = text
            self._pause.start()
        self._keep()
        self._fit()
        self._report()

    def _on_pause(self) -> None:
        self.measure_wanted.emit(self.editor.toPlainText())
