"""What the person typed, found for the window: prompts of the queue and of the archive as hits of one list.

Runs on the read worker. A prompt of the archive opens in its conversation, which shows what is kept of it. Source: issue 16 point 13.
"""

from typing import TYPE_CHECKING

from app.values import ArchivedMessage, BoundaryJudgement, Message, RecallQuery, SearchHit, Speaker
from ui.wording.values import ARCHIVED

if TYPE_CHECKING:
    from app.api import Engine


def find_messages(engine: "Engine", query: str, limit: int) -> tuple[SearchHit, ...]:
    """Those that are in the queue first, as the search of conversations orders them; then those of the archive, best first."""
    live = engine.conversations.search(query, limit=limit)
    if not engine.archive.status().is_on:
        return live
    found = engine.search.find_messages(RecallQuery(query, limit=limit, is_counted=False))
    hits = list(live)
    for hit in found:
        if hit.is_archived and hit.message_id is not None:
            prompt = engine.archive.get(hit.message_id)
            hits.append(
                SearchHit(
                    prompt.conversation_id, prompt.title, prompt.id, prompt.at, hit.text, find_marks(hit.text, query)
                )
            )
    return tuple(hits[:limit])


def find_marks(text: str, query: str) -> tuple[tuple[int, int], ...]:
    """Where the words of the query are in the text, as typed.

    >>> find_marks("The heron export", "export heron")
    ((4, 9), (10, 16))
    """
    lower, spans = text.lower(), []
    if len(lower) != len(text):  # a letter that grows in lower case: no place would fit
        return ()
    for word in {word for word in query.lower().split() if len(word) > 1}:
        at = lower.find(word)
        while at >= 0:
            spans.append((at, at + len(word)))
            at = lower.find(word, at + len(word))
    return tuple(sorted(spans))


def as_message(prompt: ArchivedMessage) -> Message:
    """An archived prompt as a transcript shows it: its words, and nothing that was understood of them."""
    boundary = BoundaryJudgement(is_start=False, state=ARCHIVED, confidence=1.0, reason="")
    return Message(
        prompt.id, prompt.conversation_id, prompt.at, Speaker.USER, prompt.text, prompt.text, (), (), (), False, boundary, 0,
        False,
    )  # fmt: skip
