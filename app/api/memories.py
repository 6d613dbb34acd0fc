"""Long-term memories: listed, read, written, tagged, put away, accepted, erased.

Owns that each act is one operation with a label for undo, and that what comes in is cleaned first (broken characters, secrets).
How it is done is `memories.actions`', how it is found the queries'. Knows neither HTTP nor Qt. Source: DESIGN section 6, UX 4.4.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import Any, TypeVar

from app.api.clean_arguments import cleans_arguments
from app.api.core import Core
from app.errors import InvalidError
from app.memories import queries
from app.memories.draft_guess import guess_draft, measure
from app.memories.merge import merge_memories
from app.memories.reasons import load_reasons
from app.memories.rules import ALWAYS, NEVER, add_rule, list_rules, remove_rule
from app.memories.versions import version_diff
from app.store.erase_scope import EraseScope
from app.store.journal import Write
from app.understanding.conversations.chunking import list_chunks
from app.upkeep.review import accept_alike, load_review
from app.upkeep.secret_scan import find_secrets, purge_secrets
from app.values import (
    AddedMemory,
    ArtifactKind,
    Chunk,
    EraseReport,
    Facets,
    FacetValue,
    FactType,
    Levels,
    Likeness,
    LinkType,
    MemoryCard,
    MemoryCounts,
    MemoryDetail,
    MemoryDraft,
    MemoryEdit,
    MemoryFilter,
    MemoryGroup,
    MemoryKind,
    MemoryPage,
    MemoryReason,
    MemoryRule,
    MemorySort,
    MemoryStatus,
    Origin,
    Progress,
    ReviewCard,
    SecretFinding,
    Slot,
    Visibility,
)

T = TypeVar("T", MemoryDraft, MemoryEdit)
_LIMIT_MAX = 10_000
_EVERYTHING = MemoryFilter()
_TO_REVIEW = (MemoryStatus.PROPOSED, MemoryStatus.QUARANTINED)


@cleans_arguments
class Memories:
    """Thread-safe, synchronous. `origin` says who acts: what an assistant writes is only proposed."""

    def __init__(self, core: Core) -> None:
        self._core = core

    # reading -----------------------------------------------------------------------------------------

    def list(
        self,
        filters: MemoryFilter = _EVERYTHING,
        *,
        sort: MemorySort = MemorySort.UPDATED,
        start: int = 0,
        limit: int = 128,
        group: MemoryGroup | None = None,
    ) -> MemoryPage:
        """A stretch of the sorted list, all but archived ones unless the filter says otherwise. Any start costs the same.

        With `group` in the order of `groups`, sorted within each.
        """
        if start < 0 or not 1 <= limit <= _LIMIT_MAX:
            raise InvalidError(
                f"A list starts at 0 or later and has 1 to {_LIMIT_MAX:,} rows.", hint="Ask for a part of it at a time."
            )
        return self._core.lists.page(self._core.walled(filters), sort, start, limit, group)

    def groups(
        self, filters: MemoryFilter = _EVERYTHING, *, sort: MemorySort = MemorySort.UPDATED, group: MemoryGroup
    ) -> tuple[FacetValue, ...]:
        """The groups of a list in their order, with how many rows each has; () while a large store is still being read."""
        return self._core.lists.groups(self._core.walled(filters), sort, group)

    def ids(
        self,
        filters: MemoryFilter = _EVERYTHING,
        *,
        sort: MemorySort = MemorySort.UPDATED,
        group: MemoryGroup | None = None,
    ) -> tuple[int, ...]:
        """The numbers of all that fit, sorted: for acts on everything that a list holds."""
        return self._core.lists.ids(self._core.walled(filters), sort, group)

    def count(self, filters: MemoryFilter = _EVERYTHING) -> int:
        return self._core.lists.count(self._core.walled(filters))

    def counts(self, filters: MemoryFilter = _EVERYTHING) -> MemoryCounts:
        """How many hold, wait for the person, are archived, and are no longer true; the filter's own statuses do not matter."""
        active = replace(filters, statuses=(MemoryStatus.ACTIVE,))
        all_active = self.count(active)
        in_use = 0 if filters.is_live is False else self.count(replace(active, is_live=True)) if all_active else 0
        waiting = replace(filters, statuses=_TO_REVIEW)
        all_waiting = self.count(waiting)  # what was replaced while it waited waits for nobody
        waiting = replace(waiting, valid_at=filters.valid_at or self._core.clock.now())
        to_review = self.count(waiting) if all_waiting else 0
        less_likely = self.count(replace(waiting, is_likely=False)) if to_review else 0
        return MemoryCounts(
            in_use,
            to_review - less_likely,
            less_likely,
            self.count(replace(filters, statuses=(MemoryStatus.ARCHIVED,))),
            all_active - in_use + all_waiting - to_review,
        )

    def facets(self, filters: MemoryFilter = _EVERYTHING) -> Facets:
        """Counts per kind, type, status, trust, project, app, tag and time; each as if it were not chosen itself.

        Empty while a large store is still being read.
        """
        return self._core.lists.facets(self._core.walled(filters))

    def get(self, memory_id: int) -> MemoryDetail:
        """One memory with sources, versions, links, artifacts. Raises NotFoundError."""
        now, half_life = self._core.clock.now(), self._core.current.decay_half_life_days
        return self._core.read(queries.get_memory, memory_id, now, half_life)

    def reasons(self, ids: Sequence[int]) -> dict[int, tuple[MemoryReason, ...]]:
        """The stated reasons by memory number; memories without one are left out."""
        return self._core.read(load_reasons, ids)

    def review(self, *, project: str = "", app: str = "") -> tuple[ReviewCard, ...]:
        """What waits for a yes or no, as cards: those that say nearly the same are one, the weightiest first."""
        return self._core.read(load_review, project=project, app=app)

    def of_message(self, message_id: int) -> tuple[MemoryCard, ...]:
        return self._core.read(queries.of_message, message_id, self._core.clock.now())

    def of_conversation(self, conversation_id: int) -> tuple[MemoryCard, ...]:
        return self._core.read(queries.of_conversation, conversation_id, self._core.clock.now())

    def version_diff(self, version_id: int) -> str:
        """What changed after a version: one line per field, words that went in `[-…-]`, that came in `{+…+}`."""
        return self._core.read(version_diff, version_id)

    def chunks(self, conversation_id: int) -> tuple[Chunk, ...]:
        """The summed-up older messages of a conversation, oldest first."""
        return self._core.read(list_chunks, conversation_id)

    # before writing ----------------------------------------------------------------------------------

    def measure(
        self,
        text: str,
        *,
        kind: MemoryKind = MemoryKind.FACT,
        type: FactType | None = None,  # noqa: A002 (the word of DESIGN)
        slot: Slot | None = None,
        value: str = "",
    ) -> Levels:
        """The four levels of a text with token counts, as they would be kept. Writes nothing."""
        return measure(text, kind=kind, type=type, slot=slot, value=value)

    def guess(self, text: str) -> MemoryDraft:
        """A draft with type, slot, value, title and levels guessed from the text."""
        return guess_draft(text)

    def alike(self, text: str, *, limit: int = 5) -> tuple[tuple[MemoryCard, Likeness], ...]:
        """What is known that says the same, that this would replace or contradict; the nearest first."""
        if not text.strip():
            return ()
        with self._core.store.read() as connection:
            found = dict(self._core.learner.alike(connection, text.strip())[:limit])
            cards = queries.load_cards(connection, list(found), self._core.clock.now())
        return tuple((card, found[card.id]) for card in cards)

    # writing -----------------------------------------------------------------------------------------

    def create(self, draft: MemoryDraft, *, origin: Origin = Origin.PERSON) -> int:
        """Adds a memory; returns its number. A person's is active and trusted, an assistant's is proposed."""
        clean = self._admit(draft, origin)
        with self._core.store.write(origin=origin, kind="create_memory", label="") as write:
            return self._core.memory_curator.create(write, clean)

    def add(self, draft: MemoryDraft, *, origin: Origin = Origin.PERSON) -> AddedMemory:
        """As `create`, unless it is known: then the known one is named, and accepted where a person says it again."""
        clean = self._admit(draft, origin)
        with self._core.store.write(origin=origin, kind="create_memory", label="") as write:
            return self._core.memory_curator.add(write, clean)

    def _admit(self, draft: MemoryDraft, origin: Origin) -> MemoryDraft:
        clean = self._clean(draft)
        if origin is Origin.API:
            self._core.excluded.refuse([clean.project_path], (clean.text, clean.title, clean.value))
        return clean

    def edit(self, memory_id: int, edit: MemoryEdit, *, origin: Origin = Origin.PERSON) -> None:
        """Changes what `edit` names and keeps a version. Raises StaleError when it was changed meanwhile."""
        clean = self._clean(edit)
        if origin is Origin.API:
            self._core.excluded.refuse((), filter(None, (clean.full, clean.summary, clean.title, clean.value)))
        with self._core.store.write(origin=origin, kind="edit_memory", label="") as write:
            self._core.memory_curator.edit(write, memory_id, clean)

    def tag(
        self, ids: Sequence[int], *, add: Sequence[str] = (), remove: Sequence[str] = (), origin: Origin = Origin.PERSON
    ) -> None:
        wanted = [self._clean_text(one) for one in add]
        with self._core.store.write(origin=origin, kind="tag_memory", label="") as write:
            self._core.memory_curator.tag(write, ids, add=wanted, remove=remove)

    def pin(self, ids: Sequence[int], is_pinned: bool = True) -> None:
        """Pinned memories are never forgotten."""
        self._core.act("pin_memory", self._core.memory_curator.pin, ids, is_pinned=is_pinned)

    def move(self, ids: Sequence[int], *, project: str | None = None, visibility: Visibility | None = None) -> None:
        """Files memories under a project, by path or name ("" = none), or says where they may be given."""
        clean = None if project is None else self._clean_text(project)
        self._core.act("move_memory", self._core.memory_curator.move, ids, clean, visibility)

    def file(self, ids: Sequence[int], *, tags: Sequence[str] = (), project: str | None = None) -> None:
        """Adds tags to memories and files them under a project, by path or name ("" = none), as one act with one undo."""
        wanted, clean = [self._clean_text(one) for one in tags], None if project is None else self._clean_text(project)
        self._core.act("move_memory", self._core.memory_curator.file, ids, tags=wanted, project=clean)

    def merge(self, ids: Sequence[int], *, text: str = "", keep_id: int | None = None) -> int:
        """Makes one of several that are in use; returns the number of the one that stays, the first unless `keep_id` says so.

        It says `text`, or what it said, with the quotes and links of all and the lowest trust. The others are archived with
        their history. One undo takes it back.
        """
        clean = self._clean_text(text)
        return self._core.act(
            "merge_memory", merge_memories, ids, clean.strip(), keep_id if keep_id is not None else next(iter(ids), 0)
        )

    def archive(self, ids: Sequence[int], *, origin: Origin = Origin.PERSON) -> None:
        """Archives memories: restorable, given to nobody."""
        with self._core.store.write(origin=origin, kind="archive_memory", label="") as write:
            self._core.memory_curator.archive(write, ids)

    def unarchive(self, ids: Sequence[int]) -> None:
        self._core.act("unarchive_memory", self._core.memory_curator.unarchive, ids)

    def accept(self, ids: Sequence[int], *, rule: MemoryRule | None = None) -> None:
        """Proposed and quarantined memories become active and trusted; with a rule, what is like them is from now on.

        One undo takes both back.
        """
        with self._core.store.write(origin=Origin.PERSON, kind="accept_memory", label="") as write:
            self._add_rule(write, rule, ALWAYS)
            self._core.memory_curator.accept(write, ids)

    def accept_alike(self, ids: Sequence[int], *, edit: MemoryEdit | None = None) -> None:
        """Accepts the first, with `edit` in the person's own words; the others say nearly the same and become part of it.

        One undo takes all back. Raises StaleError when it was changed meanwhile, or waits no more.
        """
        clean = None if edit is None else self._clean(edit)
        self._core.act("accept_memory", accept_alike, self._core.memory_curator, ids, clean)

    def reject(self, ids: Sequence[int], *, rule: MemoryRule | None = None, origin: Origin = Origin.PERSON) -> None:
        """Archives memories; with a rule, nothing like them is learned again. One undo takes both back."""
        with self._core.store.write(origin=origin, kind="reject_memory", label="") as write:
            self._add_rule(write, rule, NEVER)
            self._core.memory_curator.archive(write, ids, "Rejected")

    def _add_rule(self, write: Write, rule: MemoryRule | None, verdict: str) -> None:
        if rule is None:
            return
        if rule.verdict not in {"", verdict}:
            raise InvalidError(
                f"This action goes with a rule “{verdict}”, not “{rule.verdict}”.",
                hint="Leave the verdict out, or add the rule separately.",
            )
        add_rule(write, verdict, type=rule.type, attribute=rule.attribute, phrase=self._clean_text(rule.phrase))

    def restore_version(self, memory_id: int, version_id: int) -> None:
        """Brings an earlier version's content back; the present one becomes a version."""
        self._core.act("restore_version", self._core.memory_curator.restore_version, memory_id, version_id)

    def link(
        self,
        from_id: int,
        to_id: int,
        type: LinkType,  # noqa: A002 (the word of DESIGN)
        strength: float = 0.5,
        *,
        origin: Origin = Origin.PERSON,
    ) -> int:
        """Joins two memories; returns the link's number."""
        with self._core.store.write(origin=origin, kind="link_memory", label="") as write:
            return self._core.memory_curator.link(write, from_id, to_id, type, strength)

    def unlink(self, link_id: int) -> None:
        self._core.act("unlink_memory", self._core.memory_curator.unlink, link_id)

    def attach(self, memory_id: int, kind: ArtifactKind, reference: str) -> int:
        """Notes a commit, pull request, decision record or file; returns the artifact's number."""
        clean = self._clean_text(reference)
        return self._core.act("attach_memory", self._core.memory_curator.attach, memory_id, kind, clean)

    def detach(self, artifact_id: int) -> None:
        self._core.act("detach_memory", self._core.memory_curator.detach, artifact_id)

    # for good ----------------------------------------------------------------------------------------

    def erase(self, ids: Sequence[int], *, includes_backups: bool = False, erase_messages: bool = False) -> EraseReport:
        """Removes memories from everywhere: versions, journal, index, log; cannot be undone.

        The messages in which they were said stay, unless `erase_messages`.
        """
        return self._core.eraser.memories(ids, has_messages=erase_messages, includes_backups=includes_backups)

    def erase_everything_of(
        self,
        *,
        conversation_id: int | None = None,
        project: str = "",
        app: str = "",
        from_at: datetime | None = None,
        to_at: datetime | None = None,
        includes_backups: bool = False,
    ) -> EraseReport:
        """Removes all messages and memories of a conversation, project, app or time span; cannot be undone."""
        scope = EraseScope(conversation_id, project, app, from_at, to_at)
        return self._core.eraser.everything_of(scope, includes_backups=includes_backups)

    def scan_secrets(
        self, *, purge: bool = False, includes_backups: bool = False, progress: Callable[[Progress], bool] | None = None
    ) -> tuple[SecretFinding, ...]:
        """Secrets in what was stored before today's rules knew them; `purge` takes them out, which cannot be undone."""
        core = self._core
        if not purge:
            with core.store.read_for_caller() as connection:
                return find_secrets(connection, core.rule_sets.secrets, progress)
        found = purge_secrets(core.store, core.rule_sets.secrets, core.eraser.clean_files, progress)
        core.eraser.clean_backups(includes_backups=includes_backups)
        return found

    # rules -------------------------------------------------------------------------------------------

    def rules(self) -> tuple[MemoryRule, ...]:
        """The always/never rules, oldest first."""
        return self._core.read(list_rules)

    def add_rule(
        self,
        verdict: str,
        *,
        type: FactType | None = None,  # noqa: A002 (the word of DESIGN)
        attribute: str = "",
        phrase: str = "",
    ) -> int:
        """Always or never learn what is of this type, about this attribute, holds these words; returns its number."""
        clean = self._clean_text(phrase)
        return self._core.act("memory_rule", add_rule, verdict, type=type, attribute=attribute, phrase=clean)

    def remove_rule(self, rule_id: int) -> None:
        self._core.act("memory_rule", remove_rule, rule_id)

    # cleaning ----------------------------------------------------------------------------------------

    def _clean_text(self, text: str) -> str:
        return self._core.inbox.clean_text(text, self._core.current)

    def _clean(self, value: T) -> T:
        """The same with every text in it as it may be kept."""
        return replace(value, **{field.name: self._clean_any(getattr(value, field.name)) for field in fields(value)})

    def _clean_any(self, value: Any) -> Any:
        if type(value) is str:
            return self._clean_text(value)
        if isinstance(value, Slot):
            return Slot(*(self._clean_text(part) for part in (value.subject, value.attribute, value.scope)))
        if isinstance(value, list | tuple):
            return type(value)(self._clean_any(one) for one in value)
        if isinstance(value, Mapping):
            return {self._clean_text(str(name)): self._clean_any(one) for name, one in value.items()}
        return value
