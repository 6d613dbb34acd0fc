"""How the three panes of Memories share the width: side by side; where it is narrow the inspector takes the place of the
filters, and where it is narrower still lies over the list.

Owns what the person asked to see or hide. Knows widths only, neither memories nor the engine. Source: UX 5.
"""

from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from ui.screens.memories.inspector.pane import MemoryInspector
from ui.theme import font_px

FILTERS_EM = 15.5
INSPECTOR_EM = 27.0
LIST_EM = 24.0
GAPS_PX = 60
OVER_RATIO = 0.7  # how much of the list the inspector may cover


class MemoryRoom:
    """Call `arrange` whenever the width or the text size changed."""

    def __init__(
        self, pages: QStackedWidget, splitter: QSplitter, filters: QWidget, inspector: MemoryInspector
    ) -> None:
        self._pages, self._splitter = pages, splitter
        self._filters, self._inspector = filters, inspector
        self._is_filters_asked: bool | None = None  # None: as there is room
        self._is_inspector_asked: bool | None = None
        self._is_over = False
        self._width = 0

    @property
    def is_over(self) -> bool:
        """Whether there is no room for all three: the inspector takes the filters' place, or lies over the list; Esc puts it away."""
        return self._is_over

    def toggle_filters(self) -> None:
        self._is_filters_asked = not self._filters.isVisible()
        self.arrange(self._width)

    def set_inspector(self, *, is_shown: bool) -> None:
        self._is_inspector_asked = is_shown
        self.arrange(self._width)

    def arrange(self, width: int) -> None:
        """Gives the panes their places in `width` pixels."""
        self._width = width
        em = font_px()
        filters_px, inspector_px = round(FILTERS_EM * em), round(INSPECTOR_EM * em)
        beside_px = round(inspector_px + LIST_EM * em + GAPS_PX)  # the list and the inspector
        is_roomy = width >= filters_px + beside_px
        is_shown = is_roomy if self._is_inspector_asked is None else self._is_inspector_asked
        gives_way = is_shown and not is_roomy and width >= beside_px  # the filters do, before the list is covered
        has_filter_room = width >= filters_px + (LIST_EM + 6) * em + GAPS_PX and not gives_way
        is_filters = has_filter_room if self._is_filters_asked is None else self._is_filters_asked
        self._filters.setVisible(is_filters)
        self._filters.setMinimumWidth(min(filters_px, 160) if is_filters else 0)
        is_beside = is_roomy or (width >= beside_px and not is_filters)
        self._put_inspector(is_beside=is_beside, is_extra=not is_roomy, is_shown=is_shown)
        used = (filters_px if is_filters else 0) + (inspector_px if is_beside and is_shown else 0)
        self._splitter.setSizes([filters_px, max(200, width - GAPS_PX - used), inspector_px])

    def _put_inspector(self, *, is_beside: bool, is_extra: bool, is_shown: bool) -> None:
        if is_extra != self._is_over:
            self._is_over = is_extra
            self._inspector.set_over(is_over=is_extra)
        parent = self._splitter if is_beside else self._pages
        if self._inspector.parent() is not parent:
            if is_beside:
                self._splitter.addWidget(self._inspector)
            else:
                self._inspector.setParent(self._pages)
        self._inspector.setVisible(is_shown and self._pages.currentWidget() is self._splitter)
        if not is_beside and is_shown:
            pages = self._pages
            width = min(round(INSPECTOR_EM * font_px()), round(pages.width() * OVER_RATIO))
            self._inspector.setGeometry(pages.width() - width, 0, width, pages.height())
            self._inspector.raise_()
