"""Episodes: what conversations came to, by project and time, each with its moments, artifacts and memories.

Knows neither HTTP nor Qt. Source: S3 "Episodic Memory", S4 "Episodes".
"""

from app.api.clean_arguments import takes_any_text
from app.api.core import Core
from app.errors import InvalidError
from app.understanding.episodes import reading as episode_reading
from app.values import Episode, EpisodeDetail, EpisodeFilter, NarrativeArc

_LISTED_MOST = 500


@takes_any_text
class Episodes:
    """Thread-safe, synchronous."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(
        self, where: EpisodeFilter | None = None, *, before: int | None = None, limit: int = 100
    ) -> tuple[Episode, ...]:
        """Those in use, the newest first; `before` is the number of the last one of the page before. Raises NotFoundError."""
        if not 0 < limit <= _LISTED_MOST:
            raise InvalidError(f"At most {_LISTED_MOST} at a time.", hint="Go on with `before`.")
        now = self._core.clock.now()
        with self._core.store.read_for_caller() as connection:
            return episode_reading.list_episodes(
                connection, where or EpisodeFilter(), before=before, limit=limit, now=now
            )

    def get(self, episode_id: int) -> EpisodeDetail:
        """One episode with its arc and the memories of its conversations. Raises NotFoundError."""
        with self._core.store.read_for_caller() as connection:
            return episode_reading.get_episode(connection, episode_id, self._core.clock.now())

    def of_conversation(self, conversation_id: int) -> tuple[Episode, ...]:
        """What is told of a conversation, also of one that left the queue; () when there was nothing to tell."""
        with self._core.store.read_for_caller() as connection:
            return episode_reading.of_conversation(connection, conversation_id, self._core.clock.now())

    def narrative_arc(self, conversation_id: int) -> NarrativeArc:
        """The moments of a conversation by thirds, and its key moments [S3]; empty when there was nothing to tell."""
        told = self.of_conversation(conversation_id)
        return episode_reading.arc_of(told[0]) if told else NarrativeArc((), (), (), ())
