"""A model for embeddings at an address of this machine, as Ollama and its like answer: a vector by words, of a few groups of meaning."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.patience import PATIENCE_S

_GROUPS = (("mail", "letter", "postmark", "message"), ("database", "postgres", "storage"), ("colour", "blue", "theme"))


def embed(text: str, length: int) -> list[float]:
    """One number a group of words, then filling that all texts share."""
    words = text.lower()
    return [float(any(word in words for word in group)) for group in _GROUPS] + [0.1] * (length - len(_GROUPS))


class Model:
    """What the server was asked, and how it behaves."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []  # model, number of texts
        self.texts: list[str] = []
        self.lengths = {"small": 8, "large": 16}
        self.is_broken = False
        self.gate = threading.Event()  # closed: texts of memories wait
        self.gate.set()
        self.most: int | None = None  # so many requests are answered, the next waits for the gate
        self.address = ""


@contextmanager
def running_model() -> Iterator[Model]:
    model = Model()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            texts = body["input"]
            if model.most is not None and len(model.asked) >= model.most:
                model.gate.clear()
            model.gate.wait(PATIENCE_S)
            model.asked.append((body["model"], len(texts)))
            model.texts += texts
            length = model.lengths[body["model"]]
            listed = [{"index": at, "embedding": embed(text, length)} for at, text in enumerate(texts)]
            answer = b"{}" if model.is_broken else json.dumps({"data": listed[::-1]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    model.address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield model
    finally:
        model.gate.set()
        server.shutdown()
        server.server_close()
        thread.join()
