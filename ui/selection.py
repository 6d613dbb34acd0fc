"""What is selected and which scope filters every screen: the only state that screens share.

Holds ids and names, never values of the engine: whoever shows them asks for them.
"""

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from ui.screens.memories.listing.look import MemoryLook
from ui.wording.figures import app_title


@dataclass(frozen=True, slots=True)
class ScopeFilter:
    """Everything, one app, one project, or both. Empty means all."""

    app: str = ""
    project: str = ""

    @property
    def app_or_none(self) -> str | None:
        return self.app or None

    @property
    def project_or_none(self) -> str | None:
        return self.project or None

    def describe(self) -> str:
        """In words, for the chip and for what is empty.

        >>> ScopeFilter("claude-code", "barn").describe(), ScopeFilter().describe()
        ('Claude Code · barn', 'Everything')
        """
        app = app_title(self.app) if self.app else ""
        return " · ".join(part for part in (app, self.project) if part) or "Everything"


class Selection(QObject):
    """`conversation_changed` and `message_changed` carry the id, 0 for none."""

    conversation_changed = Signal(int)
    message_changed = Signal(int)
    scope_changed = Signal()
    scopes_changed = Signal()  # other apps or projects can be chosen now

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._conversation_id: int | None = None
        self._message_id: int | None = None
        self._scope = ScopeFilter()
        self.memory_look = MemoryLook()  # how the list of memories looks; the window keeps it between starts
        self._app_names: tuple[str, ...] = ()
        self._project_names: tuple[str, ...] = ()

    @property
    def conversation_id(self) -> int | None:
        return self._conversation_id

    @property
    def message_id(self) -> int | None:
        return self._message_id

    @property
    def scope(self) -> ScopeFilter:
        return self._scope

    @property
    def app_names(self) -> tuple[str, ...]:
        return self._app_names

    @property
    def project_names(self) -> tuple[str, ...]:
        return self._project_names

    def set_scopes(self, app_names: tuple[str, ...], project_names: tuple[str, ...]) -> None:
        """What there is to choose between."""
        if (app_names, project_names) != (self._app_names, self._project_names):
            self._app_names, self._project_names = app_names, project_names
            self.scopes_changed.emit()

    def select_conversation(self, conversation_id: int | None, message_id: int | None = None) -> None:
        """Selects a conversation and, in it, a message or none."""
        if conversation_id != self._conversation_id:
            self._conversation_id = conversation_id
            self._message_id = message_id
            self.conversation_changed.emit(conversation_id or 0)
            self.message_changed.emit(message_id or 0)
            return
        self.select_message(message_id)

    def select_message(self, message_id: int | None) -> None:
        if message_id != self._message_id:
            self._message_id = message_id
            self.message_changed.emit(message_id or 0)

    def set_scope(self, scope: ScopeFilter) -> None:
        if scope != self._scope:
            self._scope = scope
            self.scope_changed.emit()
