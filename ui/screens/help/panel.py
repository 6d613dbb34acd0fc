"""Help: our own pages in a safe viewer, chosen from a list; links lead to other pages and to screens."""

from typing import ClassVar

from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QSizePolicy, QWidget

from ui.navigation import Place, parse_link
from ui.screens.base import Panel, PanelContext
from ui.screens.help.pages import HELP_PAGES, find_pages, read_page
from ui.widgets.buttons import ActionButton, Button
from ui.widgets.card import Card
from ui.widgets.plain_viewer import HelpViewer
from ui.widgets.scroll import ScrollColumn

_OFFLINE = "Works offline."


class HelpPanel(Panel):
    screen_id: ClassVar[str] = "help"
    title: ClassVar[str] = "Help"
    search_hint: ClassVar[str] = "Search the help…"

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._page_id = ""
        self.set_status(_OFFLINE)
        self._group = QButtonGroup(self)
        side = ScrollColumn("help.pages")
        side.column.setSpacing(2)
        side.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self._side = side
        for index, page in enumerate(HELP_PAGES):
            button = Button(page.title, f"help.page.{page.id}", kind="entry")
            button.setCheckable(True)
            self._group.addButton(button, index)
            side.add(button)
        side.column.addSpacing(10)
        side.add(ActionButton(context.actions.action("help.firstStart"), "flag", kind="entry"))
        side.add(ActionButton(context.actions.action("help.diagnostics"), "copy", kind="entry"))
        side.add_stretch()
        self._group.idClicked.connect(self._on_chosen)
        self.viewer = HelpViewer("help.viewer")
        self.viewer.link_chosen.connect(self._on_link)
        context.theme.changed.connect(self._show_again)
        card = Card()
        card.body.addWidget(self.viewer, 1)
        line = QHBoxLayout()
        line.setSpacing(14)
        line.addWidget(side)
        line.addWidget(card, 1)
        self.body.addLayout(line, 1)
        self._fit_side()
        self.show_page(HELP_PAGES[0].id)

    @property
    def page_id(self) -> str:
        return self._page_id

    def visit(self, place: Place) -> None:
        self.show_page(place.query or self._page_id)

    def search(self, text: str) -> None:
        """Lists the pages with all these words, the best first, and shows the first at the place of the words."""
        words, ids = text.split(), [page.id for page in HELP_PAGES]
        fitting = find_pages(text) if words else tuple(ids)
        for place, page_id in enumerate((*fitting, *(one for one in ids if one not in fitting))):
            button = self._group.button(ids.index(page_id))
            button.setVisible(page_id in fitting)
            if self._side.column.indexOf(button) != place:
                self._side.column.insertWidget(place, button)
        self.set_status(_OFFLINE if fitting else f"No page says “{text.strip()}”.")
        if words and fitting:
            self.show_page(fitting[0])
            self.viewer.mark(text.strip(), words[0])

    def show_page(self, page_id: str) -> None:
        """Shows a page; an unknown one changes nothing."""
        ids = [page.id for page in HELP_PAGES]
        if page_id not in ids:
            return
        self._page_id = page_id
        self._group.button(ids.index(page_id)).setChecked(True)
        self.viewer.show_markdown(read_page(page_id))

    def _on_chosen(self, index: int) -> None:
        self.context.navigate(Place(self.screen_id, query=HELP_PAGES[index].id))

    def _on_link(self, link: str) -> None:
        if link.startswith("help:"):
            self.context.navigate(Place(self.screen_id, query=link.removeprefix("help:")))
            return
        place = parse_link(link)
        if place is not None:
            self.context.navigate(place)

    def _fit_side(self) -> None:
        """As wide as its longest name; it scrolls downwards alone."""
        bar = self._side.verticalScrollBar().sizeHint().width()
        self._side.setFixedWidth(self._side.content.sizeHint().width() + bar)

    def _show_again(self) -> None:
        self._fit_side()
        self.show_page(self._page_id)
