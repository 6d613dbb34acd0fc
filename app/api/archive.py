"""The prompt archive: its state, what is in it, and the one choice for what leaves the queue.

Owns that a choice which would delete prompts is confirmed with their number, and that prompts are shown within the caller's wall.
Source: issue 16 point 13.
"""

from collections.abc import Sequence

from sqlalchemy import Connection

from app.actor import actor
from app.api.clean_arguments import cleans_arguments
from app.api.core import Core
from app.api.settings_api import SettingsApi
from app.errors import ForbiddenError, InvalidError, NotFoundError
from app.places import Places
from app.store.file_sizes import folder_bytes
from app.store.rows import archived_prompts as rows
from app.store.tables.types import from_microseconds, to_microseconds
from app.values import ArchivedMessage, ArchiveStatus

_LISTED_MOST = 500


@cleans_arguments
class Archive:
    """Thread-safe, synchronous."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def status(self) -> ArchiveStatus:
        figures = self._core.read(self._core.archive.figures)
        index_bytes = self._core.indexing.prompts.size_bytes()
        return ArchiveStatus(self._core.current.archive, figures.prompt_count, figures.byte_count, index_bytes)

    def count_lost(self, choice: str) -> int:
        """How many prompts this choice would delete for good."""
        return self._core.archive.count_lost(choice)

    def choose(self, choice: str, *, confirmed_count: int = 0, includes_backups: bool = False) -> int:
        """Sets what happens to prompts that leave the queue; returns how many were deleted for good.

        Raises InvalidError when more would be deleted than `confirmed_count`: who asked the person said another number.
        """
        who = actor()
        if who is not None and not who.is_admin:
            raise ForbiddenError("Only the person chooses what is kept.", hint="It is a choice in Settings.")
        lost = self.count_lost(choice)
        if lost > confirmed_count:
            self._core.archive.check_choice(choice)
        if self._core.current.archive != choice:
            SettingsApi(self._core).set("archive", choice, is_confirmed=True)
        return self._core.archive.delete_for(choice, includes_backups=includes_backups) if lost else 0

    def list(self, *, before: ArchivedMessage | None = None, limit: int = 100) -> tuple[ArchivedMessage, ...]:
        """By date, the newest first; `before` is the last one of the page before."""
        if not 0 < limit <= _LISTED_MOST:
            raise InvalidError(f"At most {_LISTED_MOST} at a time.", hint="Continue with `before`.")
        after = None if before is None else (to_microseconds(before.at), before.id)
        with self._core.store.read_for_caller() as connection:
            return _messages(connection, rows.load_newest_prompts(connection, after, limit))

    def get(self, message_id: int) -> ArchivedMessage:
        """One prompt. Raises NotFoundError."""
        with self._core.store.read_for_caller() as connection:
            found = _messages(connection, rows.load_prompts(connection, [message_id]))
        if not found:
            raise NotFoundError(f"There is no archived prompt number {message_id}.", hint="It may have been erased.")
        return found[0]

    def conversation(self, conversation_id: int) -> tuple[ArchivedMessage, ...]:
        """What is kept of a conversation that left the queue, in the order in which it was typed."""
        with self._core.store.read_for_caller() as connection:
            return _messages(connection, rows.load_prompts_of(connection, conversation_id))


def look_at_archive(places: Places) -> tuple[int, int]:
    """Prompts and bytes of the archive, without opening the store."""
    figures = rows.read_figures(places.store_path)
    index = places.index_dir / "prompts"
    return figures.prompt_count, figures.byte_count + folder_bytes(index)


def _messages(connection: Connection, prompts: Sequence[rows.ArchivedPrompt]) -> tuple[ArchivedMessage, ...]:
    places = rows.load_places(connection, (one.id for one in prompts))
    return tuple(
        ArchivedMessage(
            one.id,
            one.text,
            from_microseconds(one.at),
            one.conversation_id,
            *places[one.id],
        )
        for one in prompts
    )
