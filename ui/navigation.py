"""Where the person is: screens, back and forward, and `remanence://` links.

A place is a value; the history is two stacks. Knows neither widgets nor the engine.
"""

from dataclasses import dataclass
from urllib.parse import parse_qs, quote, urlsplit

from PySide6.QtCore import QObject, Signal

SCHEME = "remanence"
_HISTORY_LIMIT = 100
_OBJECTS = {
    "conversation": "conversations",
    "message": "conversations",
    "memory": "memories",
    "search": "memories",
    "receipt": "context",
    "operation": "activity",
    "episode": "episodes",
    "run": "consolidation",
    "rule": "learned",
    "practice": "learned",
}


@dataclass(frozen=True, slots=True)
class Place:
    """A screen, and what is selected or searched there. `kind` says what `object_id` is an id of."""

    screen: str
    kind: str = ""  # mostly a key of `_OBJECTS`, which have links of their own; screens may know more
    object_id: int | None = None
    query: str = ""

    @property
    def link(self) -> str:
        """The place as a link.

        >>> Place("conversations", "message", 42).link
        'remanence://message/42'
        """
        path = f"{self.kind}/{self.object_id}" if self.object_id is not None else self.screen
        return f"{SCHEME}://{path}" + (f"?q={quote(self.query)}" if self.query else "")


def parse_link(text: str) -> Place | None:
    """The place that a link names, None for anything else. Ids are positive numbers of at most 18 digits.

    >>> parse_link("remanence://conversation/7")
    Place(screen='conversations', kind='conversation', object_id=7, query='')
    >>> parse_link("https://example.org") is None
    True
    """
    parts = urlsplit(text.strip())
    if parts.scheme != SCHEME:
        return None
    query = parse_qs(parts.query).get("q", [""])[0][:500]
    number = parts.path.strip("/")
    if parts.netloc in _OBJECTS:
        is_id = number.isascii() and number.isdigit() and len(number) <= 18
        return Place(_OBJECTS[parts.netloc], parts.netloc, int(number), query) if is_id else None
    return Place(parts.netloc, query=query) if parts.netloc and not number else None


class Navigator(QObject):
    """Remembers the way. `arrived` is emitted for every change of place, also back and forward."""

    arrived = Signal(object)  # Place

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._back: list[Place] = []
        self._forward: list[Place] = []
        self._place: Place | None = None

    @property
    def place(self) -> Place | None:
        return self._place

    @property
    def can_go_back(self) -> bool:
        return bool(self._back)

    @property
    def can_go_forward(self) -> bool:
        return bool(self._forward)

    @property
    def recent(self) -> tuple[Place, ...]:
        """The places before this one, newest first, each once."""
        return tuple(dict.fromkeys(reversed(self._back)))

    def go(self, place: Place) -> None:
        """Goes to a place; the present one can be gone back to."""
        if self._place is not None and self._place != place:
            self._back.append(self._place)
            del self._back[:-_HISTORY_LIMIT]
            self._forward.clear()
        self._place = place
        self.arrived.emit(place)

    def note(self, place: Place) -> None:
        """Puts a fuller description of the present place (its selection) in place of the plain one."""
        if self._place is not None and self._place.screen == place.screen:
            self._place = place

    def go_back(self) -> None:
        if self._back and self._place is not None:
            self._forward.append(self._place)
            self._place = self._back.pop()
            self.arrived.emit(self._place)

    def go_forward(self) -> None:
        if self._forward and self._place is not None:
            self._back.append(self._place)
            self._place = self._forward.pop()
            self.arrived.emit(self._place)
