"""Runs the engine's synchronous calls off the event loop, in threads that end within a deadline.

Owns two pools, so that captures which wait for understanding never hold up a reader. Knows nothing of HTTP.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TypeVar

_Answer = TypeVar("_Answer")

CAPTURE_THREAD_COUNT = 64  # QUALITY P3: so many clients at once, each waiting for its own commit
READ_THREAD_COUNT = 8


class Offload:
    """Threads are started when first needed and joined by `stop`."""

    def __init__(self) -> None:
        self._threads: list[threading.Thread] = []
        self._captures = self._pool(CAPTURE_THREAD_COUNT, "remanence-capture")
        self._reads = self._pool(READ_THREAD_COUNT, "remanence-read")

    async def capture(self, work: Callable[..., _Answer], *args: object) -> _Answer:
        """What `work(*args)` returns, from the pool for captures."""
        return await asyncio.get_running_loop().run_in_executor(self._captures, partial(work, *args))

    async def run(self, work: Callable[..., _Answer], *args: object, **kwargs: object) -> _Answer:
        """What `work(*args, **kwargs)` returns, from the pool for everything else."""
        call = partial(copy_context().run, work, *args, **kwargs)  # who acts goes along
        return await asyncio.get_running_loop().run_in_executor(self._reads, call)

    def stop(self, timeout_s: float) -> bool:
        """True when every thread has ended within `timeout_s`; calls not yet begun are dropped."""
        for pool in (self._captures, self._reads):
            pool.shutdown(wait=False, cancel_futures=True)
        end = time.monotonic() + timeout_s
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _pool(self, size: int, name: str) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(size, thread_name_prefix=name, initializer=self._remember)

    def _remember(self) -> None:
        self._threads.append(threading.current_thread())
