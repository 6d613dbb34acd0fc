"""What only episodes, patterns and workflows have: trigger, steps, outcome and the like, a field each.

Texts and lists of texts can be changed (a list is written with semicolons); all else is shown. Source: S3, S4, DESIGN section 4.
"""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QLineEdit

from app.values import Memory, MemoryEdit, MemoryKind
from ui.widgets.card import clear_layout
from ui.widgets.labels import PlainLabel
from ui.widgets.memories.fields import LABEL_PX, line_field
from ui.widgets.memories.story import Section

MAX_DETAIL_CHARS = 4_000
_EXPECTED = {
    MemoryKind.EPISODE: ("narrative", "context", "participants", "outcome"),
    MemoryKind.PATTERN: ("template", "trigger"),
    MemoryKind.WORKFLOW: ("trigger", "steps"),
}
_SHOWN_ELSEWHERE = frozenset(  # of an episode: its own screen draws them
    {"moments", "turn_range", "turn_ranges", "conversation_id", "done", "works"}
)
_LISTS = frozenset({"participants", "steps"})


def detail_text(value: Any) -> str:
    """A detail as one line.

    >>> detail_text(["format", "test"]), detail_text(0.4), detail_text(None)
    ('format; test', '0.4', '')
    """
    if isinstance(value, list | tuple):
        return "; ".join(str(part) for part in value)
    return "" if value is None else " ".join(str(value).split())


def parse_detail(name: str, text: str, before: Any) -> Any:
    """What was typed, as a list where it was one or has to be.

    >>> parse_detail("steps", "format; ; test", None), parse_detail("trigger", " a route ", "")
    (['format', 'test'], 'a route')
    """
    if name in _LISTS or isinstance(before, list | tuple):
        return [part.strip() for part in text.split(";") if part.strip()]
    return text.strip()


class DetailsSection(Section):
    """`edited` carries a MemoryEdit with all details."""

    edited = Signal(object)

    def __init__(self) -> None:
        super().__init__("Details")
        self._details: Mapping[str, Any] = {}
        self._memory_id = 0
        self._fields: dict[str, QLineEdit] = {}

    def set_memory(self, memory: Memory) -> None:
        """Shown for all kinds but plain statements; a field with the focus keeps what is typed."""
        names = [*_EXPECTED.get(memory.kind, ()), *memory.details]
        self.setVisible(memory.kind is not MemoryKind.FACT)
        self._details = memory.details
        wanted = [name for name in dict.fromkeys(names) if name not in _SHOWN_ELSEWHERE]
        if memory.id != self._memory_id or wanted != list(self._fields):
            self._memory_id = memory.id
            self._build(wanted)
        for name, field in self._fields.items():
            if not field.hasFocus():
                field.setText(detail_text(memory.details.get(name))[:MAX_DETAIL_CHARS])
                field.setCursorPosition(0)

    def _build(self, names: list[str]) -> None:
        clear_layout(self.body)
        self._fields = {}
        grid = QGridLayout()
        grid.setColumnStretch(1, 1)
        for n, name in enumerate(names):
            title = name.replace("_", " ").capitalize()
            label = PlainLabel(title[:40], "meta")
            label.setMinimumWidth(LABEL_PX)
            value = self._details.get(name)
            field = line_field(f"memory.detail.{name}", title)
            field.setMaxLength(MAX_DETAIL_CHARS)
            field.setReadOnly(not isinstance(value, str | list | tuple | None))
            field.setProperty("detail", name)
            field.editingFinished.connect(self._on_edited)
            self._fields[name] = field
            grid.addWidget(label, n, 0)
            grid.addWidget(field, n, 1)
        self.body.addLayout(grid)

    def _on_edited(self) -> None:
        name = str(self.sender().property("detail"))
        typed = self._fields[name].text()
        before = self._details.get(name)
        if not self._fields[name].isReadOnly() and typed != detail_text(before)[:MAX_DETAIL_CHARS]:
            self.edited.emit(MemoryEdit(details={**self._details, name: parse_detail(name, typed, before)}))
