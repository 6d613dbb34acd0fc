"""Search: memories for a query, with reasons; the state of the index behind it; searches that are kept under a name.

Hands on to `retrieval.recall` and `retrieval.indexing`. Knows neither HTTP nor Qt. Source: DESIGN section 6, UX 4.4.
"""

from collections.abc import Callable, Collection
from dataclasses import replace

from sqlalchemy import Connection

from app.actor import actor
from app.api.clean_arguments import cleans_arguments
from app.api.core import Core
from app.deciders.recall.ranking.grammar import parse_search, query_parts
from app.deciders.recall.ranking.recipes import parse_weights
from app.deciders.recall.work_questions import WorkQuestion, read_work_question
from app.memories import saved_searches as kept
from app.memories.queries import load_cards
from app.retrieval.blend import blend, is_unconfirmed, of_message
from app.retrieval.episodes import NEARLY_BEST, find_newest_named
from app.retrieval.messages import FoundMessages
from app.retrieval.notes import find_notes
from app.retrieval.why_not import EVERY, explain_missing, explain_unlearned
from app.store.rows.archived_prompts import messages_of
from app.values import (
    Absence,
    FoundAnswer,
    FoundHit,
    IndexStatus,
    MemoryCard,
    MemoryFilter,
    MemoryKind,
    MemoryStatus,
    Progress,
    QueryPart,
    RecallAnswer,
    RecallHit,
    RecallQuery,
    SavedSearch,
)
from app.values.recall import EmbeddingState


@cleans_arguments
class SavedSearches:
    """Thread-safe, synchronous."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self) -> tuple[SavedSearch, ...]:
        """By name."""
        with self._core.store.read() as connection:
            return kept.list_searches(connection)

    def save(self, search: SavedSearch) -> int:
        """Keeps a search under its name, in place of one that has this name; returns its number."""
        clean = replace(search, name=self._clean(search.name), text=self._clean(search.text))
        return self._core.act("save_search", kept.save_search, clean)

    def rename(self, search_id: int, name: str) -> None:
        self._core.act("rename_search", kept.rename_search, search_id, self._clean(name))

    def remove(self, search_id: int) -> None:
        self._core.act("remove_search", kept.remove_search, search_id)

    def _clean(self, text: str) -> str:
        return self._core.inbox.clean_text(text, self._core.current)


_READ = 20  # memories are compared with messages, at least: which of the two says more, neither's own order tells
NEWEST_EPISODE = "the newest of what was done"


def _marked(hit: RecallHit) -> RecallHit:
    is_active = hit.card.status is not MemoryStatus.PROPOSED
    return hit if is_active else replace(hit, reason=f"unconfirmed; {hit.reason}")


@cleans_arguments
class Search:
    """Thread-safe, synchronous."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def search(self, query: RecallQuery) -> RecallAnswer:
        """Hits, best first, each with its reasons; none when nothing fits. Raises InvalidError for an unknown recipe or weight.

        Where no status is asked for, what the person typed and has not confirmed is among them, and says so.
        """
        filters = self._core.walled(query.filters)
        if not filters.statuses and filters.believed_at is None and filters.is_live is None:
            filters = replace(filters, includes_unconfirmed=True)
        answer = self._core.recall.search(replace(query, filters=filters))
        return replace(answer, hits=tuple(map(_marked, answer.hits)), nearest=tuple(map(_marked, answer.nearest)))

    def why_not(self, text: str, query: RecallQuery, *, limit: int = 3) -> tuple[Absence, ...]:
        """What these words mean, and why a search does not show it: memories, else messages that none was made of."""
        now = self._core.clock.now()
        query = replace(query, filters=self._core.walled(query.filters))
        with self._core.store.read_for_caller() as connection:
            return tuple(
                Absence(card.title, reason, card.id, is_there=is_there)
                for card in self.expected(text, limit)
                for reason, is_there in [explain_missing(self._core.recall, connection, card.id, query, now)]
            ) or self.unlearned(text, limit)

    def expected(self, text: str, limit: int) -> tuple[MemoryCard, ...]:
        """The memories that somebody most likely means, wherever they are and whatever became of them."""
        query = RecallQuery(text, filters=self._core.walled(EVERY), limit=limit, is_counted=False, is_suggesting=False)
        answer = self._core.recall.search(query)
        return tuple(hit.card for hit in (answer.hits or answer.nearest)[:limit])

    def unlearned(self, text: str, limit: int) -> tuple[Absence, ...]:
        found = self.find_messages(RecallQuery(text, limit=limit, is_counted=False))
        return tuple(Absence(one.text, explain_unlearned(one.text), message_id=one.message_id) for one in found[:limit])

    def find(self, query: RecallQuery, *, shows_withheld: bool = False) -> FoundAnswer:
        """As `search`, with the person's own prompts among the hits: what no memory was made of is found where it was said.

        A memory is in place of the message that it came from. What the person said and has not confirmed is found, too.
        `shows_withheld` is for the window: with the person's own pastes, orders, and what they rejected or exclude, each marked.
        """
        query = replace(query, limit=self._limit(query))
        answer = self.search(replace(query, limit=max(self._limit(query), _READ), is_counted=False))
        with self._core.store.read_for_caller() as connection:
            first = self._episodes_asked_for(connection, query, answer)
            answer = replace(answer, hits=(*first.values(), *(one for one in answer.hits if one.card.id not in first)))
            sources = messages_of(connection, [hit.card.id for hit in answer.hits or answer.nearest])
            stood_for = {
                said for hit in answer.hits if not is_unconfirmed(hit) for said in sources.get(hit.card.id, ())
            }
            found = self._messages(connection, query, shows_withheld=shows_withheld, passed_over=stood_for)
        now = self._core.clock.now()
        blended = blend(answer, found, sources, self._limit(query), now, first=first, is_ranked=bool(query.weights))
        if query.is_counted:
            shown = [hit.card.id for hit in blended.hits if hit.card is not None and hit.card.id]
            self._core.indexing.usage.note(shown, now)
        with self._core.store.read_for_caller() as connection:
            room = self._limit(query) - len(blended.hits)
            notes = find_notes(connection, query, blended.hits, room, self._core.excluded)
        return replace(blended, hits=(*blended.hits, *notes)) if notes else blended

    def find_messages(self, query: RecallQuery) -> tuple[FoundHit, ...]:
        """The person's prompts alone, for the window: those in the queue and in the archive."""
        found = self._core.read(self._messages, query, shows_withheld=True)
        now = self._core.clock.now()
        return tuple(of_message(one, now) for one in found.messages)

    def _limit(self, query: RecallQuery) -> int:
        return self._core.current.recall_limit if query.limit is None else query.limit

    def _messages(
        self, connection: Connection, query: RecallQuery, *, shows_withheld: bool, passed_over: Collection[int] = ()
    ) -> FoundMessages:
        found = self._core.message_search.find(
            connection,
            query.text,
            query.filters,
            self._limit(query),
            now=self._core.clock.now(),
            is_archive_on=self._core.archive.is_on,
            shows_withheld=shows_withheld and actor() is None,
            passed_over=passed_over,
        )
        return found if shows_withheld else found.without_question(query.text)

    def _episodes_asked_for(
        self, connection: Connection, query: RecallQuery, answer: RecallAnswer
    ) -> dict[int, RecallHit]:
        """What is before all that was found by its words: for a question about the last work the newest episodes, for one
        about a reason the best that was found, if it fits nearly best.
        """
        question, now = read_work_question(query.text), self._core.clock.now()
        if question is None or query.weights or replace(query.filters, projects=()) != MemoryFilter():
            return {}
        if question is WorkQuestion.WHY:
            least = NEARLY_BEST * max((hit.score for hit in answer.hits), default=0.0)
            found = [one for one in answer.hits if one.card.kind is MemoryKind.EPISODE and one.score >= least]
            return {one.card.id: one for one in found[:1] if one.card.id}
        cards = load_cards(connection, find_newest_named(connection, query.filters.projects, now), now)
        return {card.id: RecallHit(card, card.text, 1.0, (), (), (), NEWEST_EPISODE) for card in cards}

    def parse(self, text: str) -> tuple[str, MemoryFilter]:
        """The words of `text` and the filter that its `type:fact is:pinned since:7d project:x` parts ask for."""
        return parse_search(text, self._core.clock.now())

    def parts(self, text: str) -> tuple[QueryPart, ...]:
        """Those parts of `text`, as they are there: to show each, and to take one out."""
        return query_parts(text, self._core.clock.now())

    def suggest(self, prefix: str, limit: int = 8) -> tuple[str, ...]:
        """Words of memories that begin so, the most frequent first."""
        return self._core.recall.complete(prefix, limit)

    @staticmethod
    def weights(text: str) -> dict[str, float]:
        """Weights for one query, as typed: "semantic .4, keyword .3". Raises InvalidError naming what does not fit."""
        return parse_weights(text)

    def recipes(self) -> tuple[str, ...]:
        """Names of the recipes, the person's own among them."""
        return tuple(self._core.recall.recipes)

    def status(self) -> IndexStatus:
        return self._core.indexing.status()

    def meaning(self) -> EmbeddingState:
        """The state of searching by meaning: which model answers, and how far one is that takes its place."""
        return self._core.embedding.state()

    def reembed(self) -> EmbeddingState:
        """Computes vectors again with the model that the settings name, behind; what was stopped continues. Raises InvalidError."""
        self._core.embedding.begin_again()
        return self._core.embedding.state()

    def stop_reembedding(self) -> EmbeddingState:
        """Ends that; what answered before keeps answering."""
        self._core.embedding.stop_building()
        return self._core.embedding.state()

    def rebuild(self, progress: Callable[[Progress], bool] | None = None) -> int:
        """Rewrites the index from the store; returns how many memories. `progress` returning False stops it."""
        count = self._core.indexing.rebuild(progress)
        self._core.indexing.prompts.rebuild()
        return count
