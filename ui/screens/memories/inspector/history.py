"""Earlier versions of a memory: who changed what when, the changed words marked, and the way back to each.

What changed it asks for by a signal, one version at a time.

A diff of two versions in the words of the editor: names of fields, states and dates as the person knows them.

Source: UX 4.4 (History); UX 2.7.
"""

import re
from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument
from PySide6.QtWidgets import QWidget

from app.values import MemoryStatus, MemoryVersion, Visibility
from ui.screens.memories.listing.text import DiffSpan, diff_parts
from ui.theme import color
from ui.widgets.buttons import Button, FitButton
from ui.widgets.card import clear_layout
from ui.widgets.labels import PlainLabel
from ui.widgets.memories.provenance import Section
from ui.widgets.plain_viewer import PlainViewer, bound_text
from ui.wording.memories import STATUS_WORDS, VISIBILITY_WORDS
from ui.wording.values import ago

_FIELDS = {  # in the order in which the engine tells them
    "title": "Title",
    "full": "Full",
    "summary": "Summary",
    "compressed": "Short",
    "index": "Index",
    "type": "Type",
    "subject": "About",
    "key": "Property",
    "scope": "Where",
    "value": "Value",
    "tags": "Tags",
    "category": "Category",
    "importance": "Importance",
    "confidence": "Confidence",
    "visibility": "Given",
    "valid_from": "True from",
    "valid_to": "True until",
    "status": "State",
    "details": "Details",
}
_WORDS = {
    "status": {one.value: STATUS_WORDS[one] for one in MemoryStatus},
    "visibility": {one.value: VISIBILITY_WORDS[one] for one in Visibility},
}
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:[+-]\d\d:\d\d)?")
_OPEN = re.compile(r"\bopen\b")
_CHANGED = re.compile(r"(\[-|\{\+)(.*?)(-\]|\+\})")
_ORDER = tuple(_FIELDS)


def plain_diff(diff: str) -> str:
    """`diff` with the engine's names replaced; what a memory says stays as it is.

    >>> plain_diff("compressed: port:[-80-]{+81+}\\nstatus: [-proposed-]{+active+}")
    'Short: port:[-80-]{+81+}\\nState: [-to review-]{+in use+}'
    """
    lines, last = [], -1
    for line in diff.split("\n"):
        name, colon, rest = line.partition(": ")
        place = _ORDER.index(name) if colon and name in _FIELDS else -1
        if place <= last:  # a line of what the field above says
            lines.append(line)
            continue
        last = place
        lines.append(f"{_FIELDS[name]}: {_plain(name, rest)}")
    return "\n".join(lines)


def _plain(name: str, said: str) -> str:
    """What a field says, in the words and dates of the editor."""
    if name in ("valid_from", "valid_to"):
        none = "not known" if name == "valid_from" else "still true"
        return _OPEN.sub(none, _INSTANT.sub(lambda at: _day(at.group()), said))
    words = _WORDS.get(name)
    return said if words is None else _CHANGED.sub(lambda one: one[1] + words.get(one[2], one[2]) + one[3], said)


def _day(instant: str) -> str:
    return datetime.fromisoformat(instant).astimezone().date().isoformat()


MAX_VERSIONS = 20
_MAX_LINES = 12
_ORIGIN_WORDS = {"person": "you", "capture": "a message", "import": "an import", "engine": "Remanence", "api": "an app"}


class _Marker(QSyntaxHighlighter):
    """Words that went are struck through, words that came stand bold: not by colour alone."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self.spans: tuple[DiffSpan, ...] = ()

    def highlightBlock(self, text: str) -> None:
        first = self.currentBlock().position()
        for start, end, sign in self.spans:
            left, right = max(start - first, 0), min(end - first, len(text))
            if left < right:
                look = QTextCharFormat()
                look.setForeground(color("danger" if sign < 0 else "good"))
                look.setBackground(color("danger_soft" if sign < 0 else "good_soft"))
                look.setFontStrikeOut(sign < 0)
                look.setFontWeight(QFont.Weight.DemiBold if sign > 0 else QFont.Weight.Normal)
                self.setFormat(left, right - left, look)


class ChangeView(PlainViewer):
    """A diff of words, a line for each field that changed."""

    def __init__(self, object_name: str, accessible_name: str, parent: QWidget | None = None) -> None:
        super().__init__(object_name, accessible_name, parent)
        self._marker = _Marker(self.document())
        self._lines = 2
        self.show_change("")

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "_marker"):
            self._marker.rehighlight()

    def show_change(self, diff: str) -> None:
        bounded = bound_text(diff, max_line_chars=4_000)
        text, spans = diff_parts(bounded)
        self._marker.spans = spans
        self.setPlainText(text)
        self.setAccessibleDescription(bounded[:1_000])
        chars_per_line = 40
        self._lines = sum(1 + len(line) // chars_per_line for line in text.splitlines()) or 1
        self.setFixedHeight(self.fontMetrics().lineSpacing() * min(_MAX_LINES, max(1, self._lines)) + 26)


class HistorySection(Section):
    """Versions, newest first; one at a time shows what changed after it, and can be brought back."""

    diff_wanted = Signal(int)
    restore_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("History", parent)
        self._versions: tuple[MemoryVersion, ...] = ()
        self._open_id = 0
        self._change: ChangeView | None = None
        self._now: datetime | None = None

    def set_versions(self, versions: Sequence[MemoryVersion], now: datetime) -> None:
        """Another reading; the open version stays open."""
        self._versions, self._now = tuple(versions), now
        if self._open_id not in {version.id for version in versions}:
            self._open_id = 0
        self._fill()

    def set_diff(self, version_id: int, diff: str) -> None:
        """What changed after a version."""
        if version_id == self._open_id and self._change is not None:
            self._change.show_change(plain_diff(diff) or "Nothing that is shown here was changed.")

    def _fill(self) -> None:
        clear_layout(self.body)
        self._change = None
        if not self._versions:
            self.body.addWidget(PlainLabel("Not changed since it was learned.", "sub"))
        for version in self._versions[:MAX_VERSIONS]:
            self._add(version)

    def _add(self, version: MemoryVersion) -> None:
        assert self._now is not None
        is_open = version.id == self._open_id
        who = _ORIGIN_WORDS.get(version.origin, version.origin)
        until = f"until {ago(version.until_at, self._now)}"
        said = f"Version {version.number} · {until} ({version.label or 'changed'} by {who})"
        button = FitButton(("▾ " if is_open else "▸ ") + said[:90], f"memory.version.{version.id}", kind="entry")
        button.setCheckable(True)
        button.setChecked(is_open)
        button.setAccessibleName(said[:90])
        button.setProperty("version", version.id)
        button.clicked.connect(self._on_version)
        self.body.addWidget(button)
        if not is_open:
            return
        self._change = ChangeView(f"memory.diff.{version.id}", f"What changed after version {version.number}")
        self.body.addWidget(
            PlainLabel("What changed: removed text is struck through, added text is bold", "meta", wraps=True)
        )
        self.body.addWidget(self._change)
        restore = Button(f"Restore version {version.number}", f"memory.restore.{version.id}", icon_name="undo")
        restore.setProperty("version", version.id)
        restore.clicked.connect(self._on_restore)
        self.body.addWidget(restore, 0, Qt.AlignmentFlag.AlignLeft)
        self.diff_wanted.emit(version.id)

    def _on_version(self) -> None:
        chosen = int(self.sender().property("version"))
        self._open_id = 0 if chosen == self._open_id else chosen
        self._fill()
        again = self.findChild(Button, f"memory.version.{chosen}")
        if again is not None:
            again.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_restore(self) -> None:
        self.restore_wanted.emit(int(self.sender().property("version")))
