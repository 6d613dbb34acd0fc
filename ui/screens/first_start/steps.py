"""The pages of the four first steps. Each shows values it is told; what is pressed goes to bridge or import flow."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.values.desk import FoundSource
from ui.screens.apps.card import AppPanelCard, ConnectPreview, read_preview
from ui.screens.apps.panel import AppsView, pair
from ui.screens.base import PanelContext
from ui.screens.settings.archive_choice import ArchiveChoice
from ui.screens.settings.archive_sheet import CHOICE_WORDS
from ui.widgets.buttons import ActionButton, Button
from ui.widgets.card import Card, clear_layout, row
from ui.widgets.controls import CheckBox, Choice
from ui.widgets.labels import ElidedLabel, PlainLabel
from ui.widgets.scroll import ScrollColumn
from ui.wording.figures import describe_bytes, describe_moment
from ui.wording.values import counted

if TYPE_CHECKING:
    from app.api import Engine

UNKNOWN = "unknown"


class _Step(QWidget):
    """A heading, a sentence, and a column to fill."""

    def __init__(self, heading: str, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        self.page = ScrollColumn(f"start.{heading.split(maxsplit=1)[0].lower()}.page", width_px=720)
        outer.addWidget(self.page)
        self.page.add(PlainLabel(heading, "section"))
        self.page.add(PlainLabel(text, "sub", wraps=True))


class PlaceStep(_Step):
    def __init__(self, context: PanelContext) -> None:
        super().__init__(
            "Where your data lives",
            "Remanence remembers what you type to your coding assistants: the last 20 conversations, what “it” stood "
            "for, and what you wanted. Passwords and keys are taken out before anything is written.",
        )
        card = Card("One file on this computer")
        self._path = ElidedLabel("", "body")
        self._size = PlainLabel("", "sub", wraps=True)
        card.body.addWidget(self._path)
        card.body.addWidget(self._size)
        self.page.add(card)
        self._archive = ArchiveChoice(self, context)
        self._choice = Choice()
        self._choice.setObjectName("start.archive")
        self._choice.setAccessibleName("When a conversation leaves the queue, its prompts are")
        for choice, words in CHOICE_WORDS.items():
            self._choice.addItem(words, choice)
        self._choice.activated.connect(self._on_choice)
        leaving = Card("When a conversation leaves the queue")
        leaving.body.addLayout(row(PlainLabel("Its prompts are", "body"), self._choice, 1))
        leaving.body.addWidget(
            PlainLabel(
                "What was learned from them stays in each case. Kept prompts can be searched; pasted code, diffs and logs are not kept. "
                "You can change this in Settings.",
                "sub",
                wraps=True,
            )
        )
        self.page.add(leaving)
        for heading, text in (
            (
                "Kept",
                (
                    "What you type, the names in it and what is learned from it; which files a session changed, which commands it "
                    "ran and whether they failed; and every change, so that it can be undone."
                ),
            ),
            (
                "Not kept",
                "Answers, unless you ask for it; contents of files; output of tools; prompts between assistants.",
            ),
            ("In your hands", "Every judgement can be corrected, every change undone, capture paused at any time."),
        ):
            more = Card(heading)
            more.body.addWidget(PlainLabel(text, "sub", wraps=True))
            self.page.add(more)
        self.page.add_stretch()

    def _on_choice(self, _index: int) -> None:
        self._archive.choose(str(self._choice.currentData()))

    def tell(self, path: str, byte_count: int, archive: str) -> None:
        self._choice.setCurrentIndex(max(0, self._choice.findData(archive)))
        self._path.setText(path)
        self._size.setText(
            f"{describe_bytes(byte_count)} now. No account, no cloud, no model: it works without a network. "
            "To keep it elsewhere, set REMANENCE_HOME before the start."
        )


class ConnectStep(_Step):
    """The assistants found on this computer, with the same cards as the Apps screen."""

    def __init__(self, context: PanelContext) -> None:
        super().__init__(
            "Connect an assistant",
            "You see the exact lines before they are written, and can take them out again at any time. "
            "If Remanence is closed, your assistant works as ever.",
        )
        self._context = context
        self._cards: dict[str, AppPanelCard] = {}
        self._none = PlainLabel(
            "No assistant that we know was found. “Apps” has tokens for other tools.", "sub", wraps=True
        )
        self.page.add(self._none)
        self.page.add_stretch()

    def tell(self, view: AppsView) -> None:
        found = [entry for entry in pair(view) if entry.assistant is not None and entry.is_found]
        self._none.setVisible(not found)
        for entry in found:
            card = self._cards.get(entry.name)
            if card is None:
                card = AppPanelCard(entry.name, self._context)
                card.preview_asked.connect(self._on_preview_asked)
                self._cards[entry.name] = card
                self.page.column.insertWidget(self.page.column.count() - 1, card)
            card.tell(entry, view.now)

    def _on_preview_asked(self, name: str, is_connecting: bool) -> None:
        def read(engine: "Engine") -> ConnectPreview:
            return read_preview(engine, name, is_connecting=is_connecting)

        self._context.bridge.ask(f"start.preview:{name}", read, self._on_preview)

    def _on_preview(self, preview: ConnectPreview) -> None:
        self._cards[preview.name].show_preview(preview)


class PastStep(_Step):
    """Histories that lie on this disk: choose, import, go on; it runs behind."""

    def __init__(self, context: PanelContext) -> None:
        super().__init__(
            "Import your history",
            "Assistants leave their histories on this disk. Only what you typed is read; answers, tool output and "
            "pasted files stay where they are. Reading the same history twice changes nothing.",
        )
        self._context = context
        self._card = Card("Looking…")
        self._lines = QVBoxLayout()
        self._card.body.addLayout(self._lines)
        self._boxes: list[tuple[CheckBox, FoundSource]] = []
        self._go = Button("Import", "start.import", kind="primary", icon_name="import")
        self._go.clicked.connect(self._on_import)
        choose = ActionButton(context.actions.action("file.import"), "folder")
        self._card.body.addLayout(row(self._go, choose, 1))
        self._go.hide()
        self.is_importing = False
        self.page.add(self._card)
        self.page.add(PlainLabel("Or drop files anywhere on this window.", "meta"))
        self.page.add_stretch()

    def tell(self, found: tuple[FoundSource, ...]) -> None:
        """Lists what was found, all chosen."""
        clear_layout(self._lines)
        self._boxes = []
        known = [source for source in found if source.source != UNKNOWN]
        self._card.set_title(f"{counted(len(known), 'history', 'histories')} on this disk" if known else "None found")
        if not known:
            text = "No history of Claude Code or Codex was found in the usual places. You can choose a file yourself."
            self._lines.addWidget(PlainLabel(text, "sub", wraps=True))
        for index, source in enumerate(known):
            box = CheckBox(source.title)
            box.setObjectName(f"start.source{index}")
            box.setChecked(True)
            box.toggled.connect(self._on_toggled)
            line = row(box, ElidedLabel(_describe_source(source), "meta"))
            line.setStretch(1, 1)
            self._lines.addLayout(line)
            self._boxes.append((box, source))
        self._go.setVisible(bool(known))
        self._on_toggled()

    def _chosen(self) -> tuple[FoundSource, ...]:
        return tuple(source for box, source in self._boxes if box.isChecked())

    def _on_toggled(self) -> None:
        files = sum(source.file_count for source in self._chosen())
        self._go.set_text(f"Import {counted(files, 'file')}")
        self._go.setEnabled(files > 0)

    def _on_import(self) -> None:
        chosen = self._chosen()
        self.is_importing = True
        self._go.setEnabled(False)
        self._go.set_text("Importing in the background")
        self._context.start_import(chosen)


def _describe_source(source: FoundSource) -> str:
    parts = [counted(source.file_count, "file"), describe_bytes(source.byte_count)]
    if source.newest_at is not None:
        parts.append(f"newest {describe_moment(source.newest_at)}")
    return " · ".join((*parts, str(_short(source.path))))


def _short(path: Path) -> Path | str:
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else path


class ReadyStep(_Step):
    def __init__(self, context: PanelContext) -> None:
        super().__init__("See it work", "What to look at, once messages are there:")
        for heading, text in (
            ("The queue", "Your last 20 conversations. The one that leaves next is named; nothing active ever leaves."),
            ("What “it” is", "In a conversation, resolved references are underlined. Click one to see or change it."),
            (
                "What is remembered",
                (
                    "Facts, decisions and preferences are in Memories, each with the message it came from. Context shows "
                    "which of them an assistant was given, to the byte."
                ),
            ),
            (
                "What needs you",
                "When a message could be a new topic or the old one, a card asks. It learns from your answer.",
            ),
        ):
            card = Card(heading)
            card.body.addWidget(PlainLabel(text, "sub", wraps=True))
            self.page.add(card)
        card = Card("Or look first")
        card.body.addWidget(
            PlainLabel("An example with invented data opens in a window of its own.", "sub", wraps=True)
        )
        card.body.addLayout(row(ActionButton(context.actions.action("help.example")), 1))
        self.page.add(card)
        self.page.add_stretch()
