"""One thing that was learned: what it says, its steps with their commands or parts, where it was seen; and its fields while it is edited.

Shows a value, says by `saved` what a person wrote. Knows no engine.
"""

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from app.values import Intent
from app.values.practices import Practice, PracticePart
from app.values.rules import LearnedRule, RuleKind
from ui.screens.learned.wording import Entry, facts_of, parts_text, read_intents, read_parts
from ui.widgets.buttons import Button
from ui.widgets.card import Card, clear_layout, row
from ui.widgets.labels import PlainLabel
from ui.widgets.scroll import ScrollColumn
from ui.widgets.tab_order import follow_reading_order
from ui.widgets.text_area import TextArea

NOTHING_TEXT = "Select a row to see what it says."
_TRIGGER_TIP = "As in deploy_request, or new_endpoint for a thing that is to be made"
_AREA_PX = 150


@dataclass(frozen=True, slots=True)
class Draft:
    """What a person wrote: of a workflow or pattern title, trigger and parts, of a rule the rest."""

    title: str = ""
    trigger: str = ""
    parts: tuple[PracticePart, ...] = ()
    intents: tuple[Intent, ...] | None = None
    lookback: int | None = None


class LearnedDetail(Card):
    """`saved` carries a Draft; `editing_changed` when the fields came or went."""

    saved = Signal(object)
    editing_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("learned.detail")
        self.setAccessibleName("What is selected")
        self._entry: Entry | None = None
        self._fields: dict[str, QLineEdit] = {}
        self._area: TextArea | None = None
        self.is_editing = False
        self.title = PlainLabel("", "section", wraps=True)
        self.meta = PlainLabel("", "meta", wraps=True)
        self.scrolled = ScrollColumn("learned.detail.scroll", parent=self)
        self.scrolled.column.setSpacing(6)
        self.acts = QVBoxLayout()
        for widget in (self.title, self.meta, self.scrolled):
            self.body.addWidget(widget, 1 if widget is self.scrolled else 0)
        self.body.addLayout(self.acts)
        self.show_entry(None)

    @property
    def entry(self) -> Entry | None:
        return self._entry

    def show_entry(self, entry: Entry | None) -> None:
        """Shows it; while it is edited the fields stay."""
        is_same = entry is not None and self._entry is not None and entry.key == self._entry.key
        if is_same and (self.is_editing or entry == self._entry):
            return
        self._entry = entry
        self._leave()
        self._fill()

    def edit(self) -> None:
        """Fields instead of lines; Ctrl+Enter saves, Esc leaves all as it was."""
        entry = self._entry
        if entry is None or self.is_editing or not can_edit(entry):
            return
        self.is_editing = True
        clear_layout(self.scrolled.column)
        value = entry.value
        if isinstance(value, Practice):
            self._add_field("title", "Name", value.title)
            self._add_field("trigger", "Given when", value.trigger, tip=_TRIGGER_TIP)
            self._add_area(value)
        else:
            self._add_field("title", "Pattern", value.pattern)
            if value.kind is RuleKind.PHRASE:
                self._add_field("intents", "Wants", ", ".join(value.details.get("intents", ())))
            if value.kind is RuleKind.PRONOUN:
                self._add_field("lookback", "Looks back (messages)", str(value.details.get("lookback", "")))
        self.problem = PlainLabel("", "warn", wraps=True)
        self.problem.hide()
        save = Button("Save", "learned.save", kind="primary", icon_name="check", tip="Ctrl+Enter")
        save.clicked.connect(self._on_save)
        leave = Button("Cancel", "learned.cancel", kind="quiet", tip="Esc")
        leave.clicked.connect(self.stop)
        self.scrolled.add(self.problem)
        holder = QWidget()
        holder.setProperty("role", "content")
        holder.setLayout(row(save, leave, 1))
        self.scrolled.add(holder)
        self.scrolled.add_stretch()
        follow_reading_order(self.window())
        next(iter(self._fields.values())).setFocus()
        self.editing_changed.emit()

    def stop(self) -> None:
        """Leaves the fields without saving."""
        if self.is_editing:
            self._leave()
            self._fill()

    def _leave(self) -> None:
        was = self.is_editing
        self.is_editing = False
        self._fields = {}
        self._area = None
        if was:
            self.editing_changed.emit()

    def _fill(self) -> None:
        clear_layout(self.scrolled.column)
        entry = self._entry
        self.title.setText(entry.title if entry is not None else "")
        self.meta.setText(facts_of(entry) if entry is not None else "")
        if entry is None:
            self.scrolled.add(PlainLabel(NOTHING_TEXT, "sub", wraps=True))
        elif isinstance(entry.value, Practice):
            self._fill_practice(entry.value)
        else:
            self._fill_rule(entry, entry.value)
        self.scrolled.add_stretch()

    def _fill_practice(self, value: Practice) -> None:
        self._line("What assistants read", value.hint, is_mono=True)
        asked = f"you ask for it ({value.trigger})" if value.trigger else "its words fit what you ask"
        self._line("Given when", asked)
        self.scrolled.add(PlainLabel("Steps" if not value.examples else "Its parts", "heading"))
        for place, part in enumerate(value.parts, 1):
            self.scrolled.add(PlainLabel(f"{place}.  {part.name}", wraps=True))
            if part.content:
                self.scrolled.add(PlainLabel(part.content, "mono", wraps=True))
        if value.examples:
            self.scrolled.add(PlainLabel("Seen in", "heading"))
            for example in value.examples:
                self.scrolled.add(PlainLabel(example, "mono", wraps=True))

    def _fill_rule(self, entry: Entry, value: LearnedRule) -> None:
        self.scrolled.add(PlainLabel(entry.line, wraps=True))
        if value.kind is RuleKind.SEQUENCE:
            for step, form in dict(value.details.get("commands") or {}).items():
                self._line(str(step), str(form), is_mono=True)
        if value.details.get("context_required"):
            self.scrolled.add(PlainLabel("Only where something was named before.", "sub", wraps=True))

    def _line(self, name: str, text: str, *, is_mono: bool = False) -> None:
        self.scrolled.add(PlainLabel(name, "heading"))
        self.scrolled.add(PlainLabel(text, "mono" if is_mono else "body", wraps=True))

    def _add_field(self, name: str, label: str, text: str, *, tip: str = "") -> None:
        field = QLineEdit(text)
        field.setObjectName(f"learned.field.{name}")
        field.setAccessibleName(label)
        field.setMaxLength(300)
        field.setToolTip(tip)
        field.returnPressed.connect(self._on_save)
        said = PlainLabel(label, "heading")
        said.setBuddy(field)
        self.scrolled.add(said)
        self.scrolled.add(field)
        self._fields[name] = field

    def _add_area(self, value: Practice) -> None:
        area = TextArea("learned.field.parts", takes_escape=True)
        area.setAccessibleName("Steps, one a line: name, colon, command")
        area.setPlainText(parts_text(value.parts))
        area.setFixedHeight(_AREA_PX)
        area.kept.connect(self._on_save)
        area.escaped.connect(self.stop)
        label = PlainLabel("Steps, one a line: name, colon, command", "heading")
        label.setBuddy(area)
        self.scrolled.add(label)
        self.scrolled.add(area)
        self._area = area

    def _on_save(self) -> None:
        texts = {name: field.text().strip() for name, field in self._fields.items()}
        intents = read_intents(texts["intents"]) if "intents" in texts else None
        lookback = texts.get("lookback", "")
        problem = ""
        if "intents" in texts and intents is None:
            problem = f"An intent is one of {', '.join(Intent)}."
        elif lookback and not (lookback.isdigit() and 0 < int(lookback) <= 100):
            problem = "A pointing word looks back 1 to 100 messages."
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        if problem:
            return
        parts = tuple(read_parts(self._area.toPlainText())) if self._area is not None else ()
        draft = Draft(texts["title"], texts.get("trigger", ""), parts, intents, int(lookback) if lookback else None)
        self._leave()
        self._fill()
        self.saved.emit(draft)


def can_edit(entry: Entry) -> bool:
    """Workflows, patterns, phrases, pointing words and beginnings are in words of a person; the others are found out."""
    if isinstance(entry.value, Practice):
        return True
    return entry.value.kind in {RuleKind.PHRASE, RuleKind.PRONOUN, RuleKind.MARKER}
