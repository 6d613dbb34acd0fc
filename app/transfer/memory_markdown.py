"""Memories as Markdown for people: what each says, what it is about, where it comes from. Pure; quotes are quoted, never interpreted."""

from collections.abc import Iterator, Sequence

from app.values import MemoryDetail

_QUOTES = 5


def memories_markdown(details: Sequence[MemoryDetail]) -> str:
    """One list item a memory, its source below it.

    >>> memories_markdown([])
    ''
    """
    return "".join(f"{line}\n" for detail in details for line in _lines(detail))


def _lines(detail: MemoryDetail) -> Iterator[str]:
    memory = detail.memory
    first, *rest = memory.levels.full.text.splitlines() or [""]
    yield f"- {first}"
    yield from (f"  {line}" for line in rest)
    kind = (memory.type or memory.kind).value
    ends = f"true until {memory.valid_to:%Y-%m-%d}" if memory.valid_to is not None else ""
    words = [kind, memory.project, ends, " ".join(f"#{tag}" for tag in memory.tags)]
    yield f"  ({' · '.join(filter(None, words))})"
    for source in detail.sources[:_QUOTES]:
        yield f"  > {' '.join(source.quote.split())}"
        yield f"  > {' · '.join(filter(None, (source.app, f'{source.at:%Y-%m-%d}')))}"
