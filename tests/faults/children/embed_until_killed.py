"""Run by `test_kill_embedding`: works vectors out, and is killed after the n-th batch.

Argument 1: where the store is. 2: the model's address. 3: its name. 4: after which batch to die; 0 for never.
"""

import os
import signal
import sys
from pathlib import Path

from app.api import Engine, Places
from app.store import embeddings

HOME, ADDRESS, NAME, LAST = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
put, seen = embeddings.put_vectors, 0


def put_vectors(connection, model_id, vectors):  # type: ignore[no-untyped-def]
    global seen
    seen += 1
    if seen > LAST:  # inside the transaction of the next
        os.kill(os.getpid(), signal.SIGKILL)
    put(connection, model_id, vectors)


embeddings.put_vectors = put_vectors
engine = Engine.open(Places.under(HOME), flags={"embedding_model": NAME, "embedding_endpoint": ADDRESS})
engine.load()
engine._core.embedding._thread.join()
