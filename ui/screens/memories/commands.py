"""What can be done to memories, as writes: the same from list, inspector, inbox, menu and palette.

Each command is one `bridge.do`: one engine call, one transaction; what came of it is heard as Changes, and the window
shows the notice with Undo. Only erasing cannot be undone. Knows no widget. Source: STYLE rules 3 and 9.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from app.values import (
    ArtifactKind,
    EraseReport,
    FactType,
    LinkType,
    Memory,
    MemoryCard,
    MemoryDraft,
    MemoryEdit,
    MemoryRule,
    MemoryStatus,
    Tier,
    Visibility,
)
from ui.notices import Notice, NoticeKind
from ui.screens.base import PanelContext
from ui.wording.values import counted, joined

if TYPE_CHECKING:
    from app.api import Engine

Ids = Sequence[int]


class MemoryCommands:
    """Bound to a panel's context. Ids are the engine's."""

    def __init__(self, context: PanelContext) -> None:
        self._context = context
        self._do = context.bridge.do
        self.is_creating = False  # a memory was written down here and is not announced yet

    # -- one memory
    def create(self, draft: MemoryDraft) -> None:
        self.is_creating = True
        self._do("memory.new", lambda engine: engine.memories.create(draft))

    def edit(self, memory_id: int, edit: MemoryEdit, revision: int | None = None) -> None:
        asked = edit if revision is None else replace(edit, expected_revision=revision)
        self._do("memory.edit", lambda engine: engine.memories.edit(memory_id, asked))

    def restore_version(self, memory_id: int, version_id: int) -> None:
        self._do("memory.restore", lambda engine: engine.memories.restore_version(memory_id, version_id))

    def link(self, memory_id: int, other_id: int, link_type: LinkType) -> None:
        self._do("memory.link", lambda engine: engine.memories.link(memory_id, other_id, link_type))

    def unlink(self, link_id: int) -> None:
        self._do("memory.unlink", lambda engine: engine.memories.unlink(link_id))

    def attach(self, memory_id: int, kind: ArtifactKind, reference: str) -> None:
        self._do("memory.attach", lambda engine: engine.memories.attach(memory_id, kind, reference))

    def detach(self, artifact_id: int) -> None:
        self._do("memory.detach", lambda engine: engine.memories.detach(artifact_id))

    # -- several
    def pin(self, ids: Ids, *, is_pinned: bool) -> None:
        self._do("memory.pin", lambda engine: engine.memories.pin(tuple(ids), is_pinned))

    def tag(self, ids: Ids, *, add: Sequence[str] = (), remove: Sequence[str] = ()) -> None:
        self._do("memory.tag", lambda engine: engine.memories.tag(tuple(ids), add=tuple(add), remove=tuple(remove)))

    def allow_again(self, ids: Ids) -> None:
        """What was never to be told may be given to assistants again."""
        self._do("memory.tellAgain", lambda engine: engine.context.withhold(tuple(ids), is_withheld=False))

    def withhold(self, ids: Ids) -> None:
        """Never given to an assistant from now on; told again where all of them are withheld already."""

        def write(engine: "Engine") -> None:
            withheld = {one.memory_id for one in engine.context.placements() if one.is_withheld}
            engine.context.withhold(tuple(ids), is_withheld=not withheld.issuperset(ids))

        self._do("memory.withhold", write)

    def move(self, ids: Ids, *, project: str) -> None:
        self._do("memory.scope", lambda engine: engine.memories.move(tuple(ids), project=project))

    def file(self, ids: Ids, *, tags: Sequence[str], project: str | None) -> None:
        """Tags and project at once: one act, one undo."""
        self._do("memory.file", lambda engine: engine.memories.file(tuple(ids), tags=tags, project=project))

    def place(self, ids: Ids, tier: Tier) -> None:
        self._do("memory.place", lambda engine: engine.context.place_in_tier(tuple(ids), tier))

    def share(self, ids: Ids, visibility: Visibility) -> None:
        self._do("memory.scope", lambda engine: engine.memories.move(tuple(ids), visibility=visibility))

    def merge(self, ids: Ids, keep_id: int, text: str) -> None:
        self._do("memory.merge", lambda engine: engine.memories.merge(tuple(ids), keep_id=keep_id, text=text))

    def archive(self, ids: Ids) -> None:
        self._do("memory.archive", lambda engine: engine.memories.archive(tuple(ids)))

    def unarchive(self, ids: Ids) -> None:
        self._do("memory.unarchive", lambda engine: engine.memories.unarchive(tuple(ids)))

    def accept(self, ids: Ids) -> None:
        self._do("memory.accept", lambda engine: engine.memories.accept(tuple(ids)))

    def reject(self, ids: Ids) -> None:
        self._do("memory.reject", lambda engine: engine.memories.reject(tuple(ids)))

    def erase(self, ids: Ids, *, has_messages: bool, includes_backups: bool) -> None:
        """Erases for good; what is told afterwards has no Undo."""
        self._context.bridge.start(
            "memory.erase",
            lambda job: job.engine.memories.erase(
                tuple(ids), erase_messages=has_messages, includes_backups=includes_backups
            ),
        )

    # -- rules
    def always(self, ids: Ids, fact_type: FactType | None, attribute: str, phrase: str) -> None:
        """From now on statements like these are taken in at once, and these are."""
        rule = MemoryRule(0, "always", fact_type, attribute, phrase, datetime.now(UTC), 0)
        self._do("memory.always", lambda engine: engine.memories.accept(tuple(ids), rule=rule))

    def never(self, ids: Ids, fact_type: FactType | None, attribute: str, phrase: str) -> None:
        """From now on statements like these are not learned, and these are let go."""
        rule = MemoryRule(0, "never", fact_type, attribute, phrase, datetime.now(UTC), 0)
        self._do("memory.never", lambda engine: engine.memories.reject(tuple(ids), rule=rule))

    def remove_rule(self, rule_id: int) -> None:
        self._do("memory.removeRule", lambda engine: engine.memories.remove_rule(rule_id))

    def show_erased(self, report: EraseReport) -> None:
        """What became of the backups; what else went, the change itself has told."""
        told = []
        if report.backups_removed:
            told.append(f"{counted(report.backups_removed, 'backup')} deleted")
        if report.backups_kept:
            told.append(f"{counted(report.backups_kept, 'backup')} may still hold it")
        if told:
            self._context.notify(Notice(f"{joined(told).capitalize()}.", NoticeKind.GOOD))


def abilities_for(card: MemoryCard | Memory | None) -> frozenset[str]:
    """Ids of the memory actions that fit the state of one memory."""
    if card is None:
        return frozenset()
    able = {
        "memory.edit",
        "memory.pin",
        "memory.tag",
        "memory.mark",
        "memory.erase",
        "memory.source",
        "memory.copy",
        "memory.graph",
    }
    able |= {"memory.withhold", "memory.scope", "memory.export"}
    match card.status:
        case MemoryStatus.ARCHIVED:
            able.add("memory.unarchive")
        case MemoryStatus.PROPOSED | MemoryStatus.QUARANTINED:
            able |= {"memory.accept", "memory.reject", "memory.always", "memory.never"}
        case MemoryStatus.ACTIVE:
            able.add("memory.archive")
    return frozenset(able)
