"""The public memory libraries that `python -m tests.benchmarks.peers` compares with: what to install, and how each adds and searches.

A script runs in the peer's own environment with the questions and an empty folder, and prints one line of JSON. Chosen are libraries
that search on this machine without a key and without the download of a model, each by the way its own documentation shows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

_HEAD = """
import json, sys, time
from pathlib import Path

given = json.loads(Path(sys.argv[1]).read_text())
folder = Path(sys.argv[2])
folder.mkdir()
texts, questions, limit = given["texts"], given["questions"], given["limit"]
added, found, hits = [], [], []

def spent(since):
    return (time.perf_counter() - since) * 1000
"""
_TAIL = """
print(json.dumps({"added": added, "found": found, "hits": hits}))
"""


@dataclass(frozen=True, slots=True)
class Peer:
    name: str
    title: str
    packages: tuple[str, ...]
    script: str
    least_python: tuple[int, int] = (3, 11)
    environment: Mapping[str, str] = field(default_factory=dict)
    joins_words: bool = False  # looks for all words of a question; asked once more with OR between them


_BASIC_MEMORY = """
import asyncio, os
os.environ.update(HOME=str(folder), BASIC_MEMORY_HOME=str(folder / "notes"), BASIC_MEMORY_CONFIG_DIR=str(folder / "config"))
(folder / "notes").mkdir()
from loguru import logger
logger.remove()
from basic_memory.config import ConfigManager
from basic_memory.mcp.tools import search_notes, write_note
from basic_memory.services.initialization import initialize_app

async def run():
    await initialize_app(ConfigManager().config)
    await write_note.fn(title="first", content="what is loaded late is loaded now", directory="warm", project="main")
    await search_notes.fn(query="loaded", project="main", page_size=limit)
    for number, text in enumerate(texts):
        since = time.perf_counter()
        await write_note.fn(title=f"n{number}", content=text, directory="m", project="main")
        added.append(spent(since))
    for question in questions:
        since = time.perf_counter()
        answer = await search_notes.fn(query=question, project="main", page_size=limit)
        found.append(spent(since))
        results = getattr(answer, "results", None) or []  # a text instead of an answer is advice: nothing was found
        paths = dict.fromkeys(one.file_path for one in results if str(one.file_path).startswith("m/n"))
        hits.append([int(path[3:-3]) for path in paths])

asyncio.run(run())
"""

_MEMVID = """
import memvid_sdk
memory = memvid_sdk.create(str(folder / "memory.mv2"))
for number, text in enumerate(texts):
    since = time.perf_counter()
    memory.put(title=str(number), text=text, enable_embedding=False)
    memory.commit()
    added.append(spent(since))
for question in questions:
    since = time.perf_counter()
    answer = memory.find(question, k=limit, mode="lex")
    found.append(spent(since))
    hits.append(list(dict.fromkeys(int(one["title"]) for one in answer["hits"])))
"""

_CHROMA = """
import chromadb, zlib

class ByWords(chromadb.EmbeddingFunction):
    def __init__(self):
        pass

    def __call__(self, input):
        made = []
        for text in input:
            vector = [0.0] * 256
            for word in text.lower().split():
                vector[zlib.crc32(word.strip(".,;:?!").encode()) % 256] += 1.0
            made.append(vector)
        return made

client = chromadb.PersistentClient(str(folder / "chroma"), settings=chromadb.Settings(anonymized_telemetry=False))
kept = client.create_collection("memories", embedding_function=ByWords(), metadata={"hnsw:space": "cosine"})
for number, text in enumerate(texts):
    since = time.perf_counter()
    kept.add(ids=[str(number)], documents=[text])
    added.append(spent(since))
for question in questions:
    since = time.perf_counter()
    answer = kept.query(query_texts=[question], n_results=limit)
    found.append(spent(since))
    hits.append([int(one) for one in answer["ids"][0]])
"""

PEERS = (
    Peer(
        "basic-memory",
        "basic-memory, its full text search",
        ("basic-memory", "fastmcp<3"),
        _HEAD + _BASIC_MEMORY + _TAIL,
        least_python=(3, 12),
        joins_words=True,
    ),
    Peer(
        "memvid",
        "memvid-sdk, its word search",
        ("memvid-sdk",),
        _HEAD + _MEMVID + _TAIL,
        environment={"MEMVID_TELEMETRY": "0"},
        joins_words=True,
    ),
    Peer(
        "chromadb",
        "chromadb, vectors of words (256 numbers, ours: its own need a download)",
        ("chromadb",),
        _HEAD + _CHROMA + _TAIL,
    ),
)
