"""The review: memories that wait for a yes or no, those that say nearly the same as one card, the weightiest first.

Proposals that nobody looked at go to the archive 30 days after they were first stored here, on days that the app ran: a memory's number
tells when that was, whatever day it carries, and a machine that is off counts no day. What alike means is here, what accepting does is `memories.actions`'. Numbers, names of
files and a "not" are never taken as nearly the same. Source: issue 16 point 10, UX 4.4.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from sqlalchemy import Connection

from app.deciders.memory.contradictions.compare import Statement, compare_statements
from app.deciders.memory.statements.statement_model import LIKELY_REASON
from app.errors import StaleError
from app.judge.topic_overlap import content_words
from app.memories.action_checks import rows_of, short
from app.memories.actions import MemoryCurator
from app.memories.draft_guess import HELD, would_steer_in
from app.memories.merge import MERGED_MAX, merge_memories
from app.store.app_metadata import read_mark, set_marks
from app.store.journal import Write
from app.store.rows.memory import WAITING, proposed_until, waiting_memories
from app.store.store import Store
from app.store.table_queries import newest_id
from app.store.tables.memory import MemoryRow
from app.understanding.message_rows import AnyRow
from app.values import MemoryEdit, MemoryStatus, Origin
from app.values.memory import ReviewCard

CARDS_MOST = 2_000  # memories that are looked at in one reading, the newest
_SHARED_RATIO = 0.7  # of the content words of the longer, when the shorter says nothing else
_COMPARED_RATIO = 0.4  # of all content words of two: worth a closer look
_LEAST_WORDS = 3
_UNSAID_WORTH = 2  # between 1 and 3, where no judge said any
_EXACT = re.compile(
    r"\d[\w.:]*|\S*[/_.\\]\S*\w|\b[A-Z]\w*[A-Z]\w*|\b(?:not?|never|none|without|avoid|nothing)\b|\w+n't"
)


def load_review(connection: Connection, *, project: str = "", app: str = "") -> tuple[ReviewCard, ...]:
    """The cards in the order in which they are shown: worth, trust, times said, confidence, newest; blocked ones last.

    What only sounds likely comes behind all of them.
    """
    rows = waiting_memories(connection, project=project, app=app, most=CARDS_MOST)
    groups = _alike(sorted(rows, key=_weight))
    cards = [
        (
            group[0],
            ReviewCard(
                group[0].id,
                tuple(one.id for one in group[1:]),
                sum(max(1, one.times_said) for one in group),
                group[0].status == MemoryStatus.QUARANTINED,
                not all(_only_sounds(one) for one in group),
            ),
        )
        for group in groups
    ]
    cards.sort(
        key=lambda pair: (
            not pair[1].is_likely,
            pair[1].is_held,
            _worth(pair[0]),
            -pair[0].trust,
            -pair[1].times_said,
            _weight(pair[0]),
        )
    )
    return tuple(card for _, card in cards)


def accept_alike(write: Write, curator: MemoryCurator, ids: Sequence[int], edit: MemoryEdit | None = None) -> None:
    """Accepts the first, in other words if `edit` says so; the others become part of it with their quotes.

    New words that would steer an assistant are held back, and nothing is accepted. One operation. Raises InvalidError for no
    memory, NotFoundError for one that is gone, StaleError for one that waits no more or was changed meanwhile.
    """
    rows = rows_of(write, ids)
    if any(row.status not in WAITING for row in rows):
        raise StaleError("This memory no longer waits: it was answered elsewhere.", hint="The next one follows.")
    if edit is not None:
        curator.edit(write, ids[0], edit)
        if rows[0].status == MemoryStatus.PROPOSED and would_steer_in({"full": edit.full or ""}):
            write.update(MemoryRow, ids[0], HELD)
            write.held_ids.add(ids[0])
            write.label += ". It is blocked: assistants get it once you allow it"
            return
    curator.accept(write, ids, are_alike=True)
    if len(rows) > 1:
        for start in range(1, len(rows), MERGED_MAX - 1):
            merge_memories(write, [ids[0], *ids[start : start + MERGED_MAX - 1]], "", ids[0])
    write.label = f"Accepted “{short(rows[0].title)}”" + (f" and {len(rows) - 1} like it" if len(rows) > 1 else "")


def _only_sounds(row: AnyRow) -> bool:
    return bool(row.reason == LIKELY_REASON and row.status == MemoryStatus.PROPOSED)


def _worth(row: AnyRow) -> int:
    return -(row.worth or _UNSAID_WORTH)


def _weight(row: AnyRow) -> tuple[float, ...]:
    return (_worth(row), -row.trust, -row.times_said, -row.confidence, -row.id)


def _alike(rows: Sequence[AnyRow]) -> list[list[AnyRow]]:
    """The rows in groups, each led by its weightiest; a row joins the first group whose leader it is like."""
    groups: list[list[AnyRow]] = []
    words: list[frozenset[str]] = []
    led: dict[tuple[object, ...], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        own_words = content_words(row.full)
        place = (row.status, row.kind, row.project_id, bool(row.is_negated), _exact(row.full))
        shared = Counter(n for word in own_words for n in led[place].get(word, ()))
        likest = next(
            (
                n
                for n, count in shared.most_common(3)
                if _is_alike(own_words, words[n], count, row.full, groups[n][0].full)
            ),
            None,
        )
        if likest is not None:
            groups[likest].append(row)
            continue
        for word in own_words:
            led[place][word].append(len(groups))
        groups.append([row])
        words.append(own_words)
    return groups


def _is_alike(own_words: frozenset[str], other: frozenset[str], shared: int, text: str, other_text: str) -> bool:
    """One says all that the other says and little more, or both say the same in other words; another value makes two."""
    if min(len(own_words), len(other)) < _LEAST_WORDS or shared / len(own_words | other) < _COMPARED_RATIO:
        return False
    if shared == min(len(own_words), len(other)) and shared / len(own_words | other) >= _SHARED_RATIO:
        return True
    return compare_statements(Statement(text), Statement(other_text)).relation == "duplicate"


def _exact(text: str) -> tuple[str, ...]:
    """What makes two texts say different things however alike they are.

    >>> _exact("Never keep more than 3 logs in /var/log")
    ('/var/log', '3', 'never')
    """
    return tuple(sorted(found.casefold() for found in _EXACT.findall(text[:1].lower() + text[1:])))


UNSEEN_DAYS = 30
KIND = "archive_unseen"
_NAME = "days_run"
Day = tuple[str, int]  # local date, newest memory's number when that day began


def note_day(store: Store) -> None:
    """Counts today as a day on which the app ran, once."""
    today = store.clock.now().astimezone().date().isoformat()
    with store.read() as connection:
        if today in dict(_days(connection)):
            return
    with store.write_log() as connection:
        newest = newest_id(connection, MemoryRow)
        if today in dict(_days(connection)):
            return
        days = [*_days(connection), (today, newest)][-(UNSEEN_DAYS + 1) :]
        set_marks(connection, {_NAME: json.dumps(days)})


def archive_unseen(store: Store, curator: MemoryCurator) -> int:
    """Archives proposals that waited for 30 days of running, as one operation that can be undone; returns how many."""
    note_day(store)
    with store.read() as connection:
        ids = _unseen(connection)
    if not ids:
        return 0
    with store.write(origin=Origin.ENGINE, kind=KIND, label="") as write:
        ids = _unseen(write.connection)
        if ids:
            curator.archive(write, ids)
            one = len(ids) == 1
            what = (
                "1 proposed memory that nobody looked at" if one else f"{len(ids)} proposed memories nobody looked at"
            )
            write.label = f"Archived {what} in {UNSEEN_DAYS} days"
    return len(ids)


def _days(connection: Connection) -> list[Day]:
    value = read_mark(connection, _NAME)
    return [(str(day), int(newest)) for day, newest in json.loads(value)] if value else []


def _unseen(connection: Connection) -> list[int]:
    days = _days(connection)
    if len(days) <= UNSEEN_DAYS:
        return []
    return proposed_until(connection, days[-UNSEEN_DAYS - 1][1], but_not_by=KIND)
