"""What the search indexes take and give: documents, scopes, weighted terms. Shared by tantivy, FTS5 and the overlay.

Knows no index and no ranking. Source: STACK section 1.
"""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol

SHARED = "shared"  # the tag of what may be given everywhere
STEMS, WORDS, TAGS = "stems", "words", "tags"  # the fields that hold text


@dataclass(frozen=True, slots=True)
class IndexDocument:
    """One memory as an index holds it: cut, never the text itself."""

    id: int
    stems: Sequence[str]  # repeated as said: frequencies count
    words: Sequence[str]  # as written, lower case: for prefixes and "did you mean"
    tags: Sequence[str]  # "status:active", "kind:fact", "project:3": exact, for scopes
    recorded_at: int  # microseconds since 1970
    revision: int


@dataclass(frozen=True, slots=True)
class Term:
    """One thing to look for. In `words` a prefix is everything that begins so."""

    text: str
    weight: float = 1.0
    field: str = STEMS
    is_prefix: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to look: of each group at least one tag, recorded in [from_at, to_at)."""

    groups: tuple[tuple[str, ...], ...] = ()
    from_at: int | None = None
    to_at: int | None = None

    @property
    def is_open(self) -> bool:
        return not self.groups and self.from_at is None and self.to_at is None


Showing = AbstractContextManager[object]
NOTHING_ELSE: Showing = nullcontext()


class MemoryIndex(Protocol):
    """What the indexer writes and recall asks, whichever engine is behind it."""

    kind: str

    def put(
        self,
        documents: Iterable[IndexDocument],
        *,
        gone: Iterable[int] = (),
        showing: Showing = NOTHING_ELSE,
        is_many: bool = False,
    ) -> None:
        """Replaces documents by id, takes `gone` out, makes it durable and visible; `showing` is left once it is visible.

        `is_many`: some ten thousand at once, for which more memory may be taken.
        """

    def find(self, terms: Sequence[Term], scope: Scope, limit: int) -> list[tuple[int, float]]:
        """Ids with their scores, best first; any one term is enough."""

    def document_counts(self, terms: Sequence[Term]) -> list[int]:
        """In how many documents each term stands."""

    def words_with_prefix(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        """Words as written that begin so, the most frequent first."""

    def revisions(self, ids: Sequence[int]) -> dict[int, int]:
        """The revision of each id that is in the index."""

    def parts(self) -> dict[str, list[int]]:
        """What its files hold, in parts that go when every memory in them is put again: name → ids, deleted ones too.

        Without one ({}) it can only be cleared.
        """

    def count(self) -> int: ...

    def clear(self) -> None:
        """Starts again with an empty folder: no byte of what was in it is left."""

    def size_bytes(self) -> int: ...

    def close(self) -> None: ...
