"""Hands every commit's `Changes` to any number of slow readers without ever holding up the engine.

Owns one bounded queue per reader; a reader that falls behind is told to read again. Knows nothing of HTTP.
"""

import asyncio

from app.values import Changes

QUEUE_LENGTH = 256
MAX_READER_COUNT = 32


class FeedReader:
    """One queue. `None` in it means: the feed is over. `has_lost` means: read again from your last number."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[Changes | None] = asyncio.Queue(QUEUE_LENGTH + 1)
        self.has_lost = False

    def put(self, changes: Changes | None) -> None:
        if self.has_lost:
            return
        if changes is not None and self.queue.qsize() >= QUEUE_LENGTH:
            self.has_lost = True
            self.queue.put_nowait(None)
            return
        self.queue.put_nowait(changes)


class ChangesFeed:
    """`publish` may be called from any thread; everything else belongs to the event loop."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._readers: set[FeedReader] = set()
        self._is_closed = False

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def publish(self, changes: Changes) -> None:
        loop = self._loop
        if loop is None or loop.is_closed() or not self._readers:  # who joins now reads the store after this commit
            return
        try:
            loop.call_soon_threadsafe(self._deliver, changes)
        except RuntimeError:
            return  # the loop closed between the question and the call: nobody listens any more

    def join(self) -> FeedReader | None:
        """A new reader, or None when there are too many or the feed is over."""
        if self._is_closed or len(self._readers) >= MAX_READER_COUNT:
            return None
        reader = FeedReader()
        self._readers.add(reader)
        return reader

    def leave(self, reader: FeedReader) -> None:
        self._readers.discard(reader)

    def close(self) -> None:
        self._is_closed = True
        for reader in self._readers:
            reader.put(None)

    def _deliver(self, changes: Changes) -> None:
        for reader in self._readers:
            reader.put(changes)
