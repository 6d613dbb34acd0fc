"""Tells a prompt that was typed once more from one that is only seen once more.

Each prompt has several witnesses: every command line that the assistant runs at it, and the transcript. A witness sees a prompt
once; so two sightings by one witness are two prompts, however alike, and two by two witnesses with the same words at about the
same time are one. No number of the assistant's is asked: its ids name turns, and change when a session forks. Every sighting is
an event of its own, so the counting outlives restarts and does not care who comes first. Knows no store.
Source: INTEROP "Seen in the real clients"; QUALITY R1.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

WORDS_GONE = "-"  # in place of the hash of a prompt whose words are not kept: erased, or said while capture was paused
SEEN_AGAIN = "seen again; it was taken in before"
TRANSCRIPT = "transcript"
_HOOK = "hook:"
_COMMAND_CHARS = 8  # at the end of a hook's key: which command line ran (`app/hook/remanence_hook.py`)
_HOOKS_WITHIN = timedelta(
    seconds=10
)  # an assistant starts all its hooks at once; a loaded machine starts them one by one
_TRANSCRIPT_WITHIN = timedelta(seconds=120)  # a transcript is written when the turn gets to it
_WORDLESS_WITHIN = timedelta(seconds=1.5)  # with no words to go by


class Sighting(NamedTuple):
    """One event that saw a prompt. `same_as`: the event that was there first, None for that one itself."""

    event_id: int
    key: str
    at: datetime
    is_imported: bool
    text_hash: str
    state: str
    message_id: int | None
    session: str
    same_as: int | None

    @property
    def witness(self) -> str:
        return witness_of(self.key, is_imported=self.is_imported)


def hook_key(invocation: str) -> str:
    """The key of the prompt that this run of the hook saw; each run has its own, a run that is reported again keeps it."""
    return f"{_HOOK}{invocation}" if invocation else ""


def witness_of(key: str, *, is_imported: bool) -> str:
    """Who saw it; "" for whoever sends events by a key of its own.

    >>> witness_of("hook:00112233445566778899aabbdeadbeef", is_imported=False)
    'deadbeef'
    """
    if is_imported:
        return TRANSCRIPT
    return key[-_COMMAND_CHARS:] if key.startswith(_HOOK) else ""


def find_same(
    known: Sequence[Sighting],
    witness: str,
    at: datetime,
    *,
    typed_since: datetime | None = None,
    taken: Collection[int] = (),
) -> Sighting | None:
    """The first sighting of the prompt that this witness sees now; None when it was typed once more.

    `known` holds what has the same words or lost them. Of several the nearest in time. `typed_since`: it may have been
    typed so much earlier than `at`. `taken`: prompts that this witness has seen, though their rows do not say so yet.
    """
    prompts: dict[int, list[Sighting]] = {}
    for sighting in known:
        prompts.setdefault(sighting.same_as or sighting.event_id, []).append(sighting)
    found: list[tuple[timedelta, int, Sighting]] = []
    for event_id, seen in prompts.items():
        if event_id in taken or any(one.witness == witness for one in seen):
            continue
        gaps = [abs(at - one.at) for one in seen if _is_near(one, witness, at, typed_since)]
        if gaps:
            found.append((min(gaps), event_id, next((one for one in seen if one.same_as is None), seen[0])))
    return min(found)[2] if found else None


def _is_near(seen: Sighting, witness: str, at: datetime, typed_since: datetime | None) -> bool:
    if TRANSCRIPT not in {witness, seen.witness}:
        is_of_hooks = bool(witness) and bool(seen.witness)
        return is_of_hooks and abs(at - seen.at) <= (
            _WORDLESS_WITHIN if seen.text_hash == WORDS_GONE else _HOOKS_WITHIN
        )
    if seen.text_hash == WORDS_GONE:
        return abs(at - seen.at) <= _WORDLESS_WITHIN
    earliest = at - _TRANSCRIPT_WITHIN if typed_since is None else min(typed_since, at - _TRANSCRIPT_WITHIN)
    return earliest <= seen.at <= at + _TRANSCRIPT_WITHIN
