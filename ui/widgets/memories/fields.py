"""What is known about a memory beside its text: type, slot, validity, importance, confidence, tags, visibility.

Every change is told at once as a MemoryEdit; a date that cannot be read is marked and not told. Source: UX 4.4, S3.
"""

from datetime import UTC, date, datetime, time

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLineEdit, QSlider, QVBoxLayout, QWidget

from app.values import FactType, Memory, MemoryEdit, MemoryKind, Slot, Visibility
from ui.widgets.buttons import Button
from ui.widgets.card import clear_layout
from ui.widgets.controls import Choice, guard_wheel
from ui.widgets.flow import FlowLayout
from ui.widgets.labels import PlainLabel
from ui.wording.memories import TYPE_WORDS, VISIBILITY_WORDS
from ui.wording.values import percent

MAX_FIELD_CHARS = 200
MAX_TAGS = 40
LABEL_PX = 82


def parse_day(text: str) -> date | None:
    """A typed date, None for anything else.

    >>> parse_day(" 2026-03-02 "), parse_day("soon")
    (datetime.date(2026, 3, 2), None)
    """
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None


def day_text(at: datetime | None) -> str:
    """The local day as it is typed: 2026-03-02; "" for none."""
    return at.astimezone().date().isoformat() if at is not None else ""


def line_field(name: str, title: str, hint: str = "") -> QLineEdit:
    """A field for one short text."""
    field = QLineEdit()
    field.setObjectName(name)
    field.setAccessibleName(title)
    field.setPlaceholderText(hint)
    field.setMaxLength(MAX_FIELD_CHARS)
    return field


class Slider(QSlider):
    """0..100 %, with the number in its name; the wheel scrolls the page until it has the focus."""

    def __init__(self, object_name: str, title: str) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._title = title
        self.setObjectName(object_name)
        self.setRange(0, 100)
        self.setSingleStep(5)
        self.setPageStep(10)
        self.setMinimumHeight(24)
        self.setTracking(True)
        guard_wheel(self)
        self.valueChanged.connect(self._on_value)
        self._on_value(0)

    def _on_value(self, value: int) -> None:
        self.setAccessibleName(f"{self._title}, {value} %")


class SliderRow(QWidget):
    """A slider with its number; `settled` when the hand lets go or a key moved it."""

    settled = Signal(float)

    def __init__(self, object_name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.slider = Slider(object_name, title)
        self._shown = PlainLabel("0 %", "meta")
        self._shown.setMinimumWidth(40)
        self._shown.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.slider, 1)
        row.addWidget(self._shown)
        self._last_ratio = 0.0
        self.slider.valueChanged.connect(self._on_value)
        self.slider.sliderReleased.connect(self._on_released)

    def set_ratio(self, ratio: float) -> None:
        self._last_ratio = round(ratio, 2)
        blocker = QSignalBlocker(self.slider)
        self.slider.setValue(round(ratio * 100))
        blocker.unblock()
        self._shown.setText(percent(ratio))

    def _on_value(self, value: int) -> None:
        self._shown.setText(f"{value} %")
        if not self.slider.isSliderDown():
            self._report()

    def _on_released(self) -> None:
        self._report()

    def _report(self) -> None:
        ratio = self.slider.value() / 100
        if ratio != self._last_ratio:
            self._last_ratio = ratio
            self.settled.emit(ratio)


class TagsEditor(QWidget):
    """Tags as chips that can be taken off, and a field for another one."""

    changed = Signal(object)  # tuple[str, ...]

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tags: tuple[str, ...] = ()
        self._holder = QWidget(self)
        self._flow = FlowLayout(self._holder, spacing_px=4)
        self.field = line_field("memory.tag.field", "Another tag", "add a tag…")
        self.field.returnPressed.connect(self._on_added)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self._holder)
        column.addWidget(self.field)

    def set_tags(self, tags: tuple[str, ...]) -> None:
        self._tags = tags
        clear_layout(self._flow)
        for tag in tags[:MAX_TAGS]:
            chip = Button(f"#{tag[:32]}  ×", f"memory.tag.{tag}", kind="chip", parent=self._holder)
            chip.setAccessibleName(f"Remove the tag {tag}")
            chip.setProperty("tag", tag)
            chip.clicked.connect(self._on_removed)
            self._flow.addWidget(chip)
        self._holder.setVisible(bool(tags))
        self._holder.updateGeometry()

    def _on_added(self) -> None:
        typed = [part.strip().lstrip("#") for part in self.field.text().replace(",", " ").split()]
        self.field.clear()
        tags = tuple(dict.fromkeys((*self._tags, *filter(None, typed))))
        if tags != self._tags:
            self.changed.emit(tags)

    def _on_removed(self) -> None:
        gone = str(self.sender().property("tag"))
        self.changed.emit(tuple(tag for tag in self._tags if tag != gone))


class MemoryFields(QFrame):
    """`edited` carries a MemoryEdit with only what changed."""

    edited = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._memory: Memory | None = None
        self.type = Choice()
        self.type.setObjectName("memory.type")
        self.type.setAccessibleName("Type")
        for fact_type, word in TYPE_WORDS.items():
            self.type.addItem(word, fact_type)
        self.visibility = Choice()
        self.visibility.setObjectName("memory.visibility")
        self.visibility.setAccessibleName("Who may be given it")
        for visibility in (Visibility.USER_PRIVATE, Visibility.PROJECT_SHARED):
            self.visibility.addItem(VISIBILITY_WORDS[visibility], visibility)
        self.title = line_field("memory.title", "Title")
        self.subject = line_field("memory.subject", "What it is about", "the project")
        self.attribute = line_field("memory.attribute", "Which property", "none")
        self.scope = line_field("memory.scope", "Where it holds", "everywhere")
        self.value = line_field("memory.value", "Value", "none")
        self.valid_from = line_field("memory.validFrom", "True from", "yyyy-mm-dd")
        self.valid_to = line_field("memory.validTo", "True until", "still true")
        self.importance = SliderRow("memory.importance", "Importance")
        self.confidence = SliderRow("memory.confidence", "Confidence")
        self.tags = TagsEditor()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(5)
        self._grid.setColumnStretch(1, 1)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        rows: tuple[tuple[str, QWidget], ...] = (
            ("Title", self.title),
            ("Type", self.type),
            ("About", self.subject),
            ("Property", self.attribute),
            ("Value", self.value),
            ("Where", self.scope),
            ("True from", self.valid_from),
            ("True until", self.valid_to),
            ("Importance", self.importance),
            ("Confidence", self.confidence),
            ("Given", self.visibility),
            ("Tags", self.tags),
        )
        for n, (name, widget) in enumerate(rows):
            label = PlainLabel(name, "meta")
            label.setMinimumWidth(LABEL_PX)
            top = Qt.AlignmentFlag.AlignTop if widget is self.tags else Qt.AlignmentFlag.AlignVCenter
            self._grid.addWidget(label, n, 0, top)
            self._grid.addWidget(widget, n, 1)

    def _connect(self) -> None:
        self.title.editingFinished.connect(self._on_title)
        self.type.activated.connect(self._on_type)
        self.visibility.activated.connect(self._on_visibility)
        for field in (self.subject, self.attribute, self.scope, self.value):
            field.editingFinished.connect(self._on_slot)
        for field in (self.valid_from, self.valid_to):
            field.editingFinished.connect(self._on_validity)
        self.importance.settled.connect(self._on_importance)
        self.confidence.settled.connect(self._on_confidence)
        self.tags.changed.connect(self._on_tags)

    def set_memory(self, memory: Memory) -> None:
        """Shows it without saying that anything was changed; a field with the focus keeps what is typed."""
        is_other = self._memory is None or self._memory.id != memory.id
        self._memory = memory
        slot = memory.slot or Slot("", "")
        for field, text in (
            (self.title, memory.title),
            (self.subject, slot.subject),
            (self.attribute, slot.attribute),
            (self.scope, slot.scope),
            (self.value, memory.value),
            (self.valid_from, day_text(memory.valid_from)),
            (self.valid_to, day_text(memory.valid_to)),
        ):
            if is_other or not field.hasFocus():
                field.setText(text)
                field.setCursorPosition(0)
                _mark_wrong(field, is_wrong=False)
        self.type.setEnabled(memory.kind is MemoryKind.FACT)
        self.type.setCurrentIndex(self.type.findData(memory.type))
        self.visibility.setCurrentIndex(self.visibility.findData(memory.visibility))
        self.importance.set_ratio(memory.importance)
        self.confidence.set_ratio(memory.confidence)
        self.tags.set_tags(memory.tags)

    # -- slots
    def _on_title(self) -> None:
        typed = " ".join(self.title.text().split())
        if self._memory is not None and typed and typed != self._memory.title:
            self.edited.emit(MemoryEdit(title=typed))

    def _on_type(self, index: int) -> None:
        chosen = FactType(self.type.itemData(index))
        if self._memory is not None and chosen is not self._memory.type:
            self.edited.emit(MemoryEdit(type=chosen))

    def _on_visibility(self, index: int) -> None:
        chosen = Visibility(self.visibility.itemData(index))
        if self._memory is not None and chosen is not self._memory.visibility:
            self.edited.emit(MemoryEdit(visibility=chosen))

    def _on_slot(self) -> None:
        if self._memory is None:
            return
        typed = Slot(*(field.text().strip().lower() for field in (self.subject, self.attribute, self.scope)))
        slot = typed if typed.attribute else None
        value = self.value.text().strip()
        changed_value = value if value != self._memory.value else None
        if slot == self._memory.slot and changed_value is None:
            return
        if slot == self._memory.slot:
            self.edited.emit(MemoryEdit(value=changed_value))
        else:
            self.edited.emit(MemoryEdit(slot=slot, is_slot_removed=slot is None, value=changed_value))

    def _on_validity(self) -> None:
        if self._memory is None:
            return
        start, end = self.valid_from.text().strip(), self.valid_to.text().strip()
        first, last = parse_day(start), parse_day(end)
        is_end_wrong = bool(end) and (last is None or (first is not None and last <= first))
        _mark_wrong(self.valid_from, is_wrong=first is None)
        _mark_wrong(self.valid_to, is_wrong=is_end_wrong)
        if first is None or is_end_wrong:
            return
        is_from_new = start != day_text(self._memory.valid_from)
        is_to_new = end != day_text(self._memory.valid_to)
        if is_from_new or is_to_new:
            self.edited.emit(
                MemoryEdit(
                    valid_from=_midnight(first) if is_from_new else None,
                    valid_to=_midnight(last) if is_to_new and last is not None else None,
                    is_valid_to_removed=is_to_new and last is None,
                )
            )

    def _on_importance(self, ratio: float) -> None:
        self.edited.emit(MemoryEdit(importance=ratio))

    def _on_confidence(self, ratio: float) -> None:
        self.edited.emit(MemoryEdit(confidence=ratio))

    def _on_tags(self, tags: object) -> None:
        assert isinstance(tags, tuple)
        self.edited.emit(MemoryEdit(tags=tags))


def _midnight(day: date) -> datetime:
    """The beginning of a local day as an instant."""
    return datetime.combine(day, time()).astimezone().astimezone(UTC)


def _mark_wrong(field: QLineEdit, *, is_wrong: bool) -> None:
    field.setAccessibleDescription("Not a date: write it as 2026-03-02, later than the start" if is_wrong else "")
    if field.property("wrong") != is_wrong:
        field.setProperty("wrong", is_wrong)
        field.style().unpolish(field)
        field.style().polish(field)
