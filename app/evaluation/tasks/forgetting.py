"""Scores false forgetting over pools of texts: chats whose questions name their evidence, decisions that are in force or replaced.

Every text is stored, the clock moved, consolidation run in between; then is counted what can no longer be found: archived, or merged
into a memory that lacks its words. `false_forgetting` is of a project that rests for a year, `work_…` of one that is worked on
every day, in which nothing of the pool is ever used. `archived_…` is the share of the whole pool that went: the control.
Decisions that another replaced may go. Source: eval/README "False forgetting", QUALITY A10.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from app.evaluation.tasks.retrieval import read_chats
from app.evaluation.tasks.temporary_store import Statement, TemporaryRecall, open_pool
from app.evaluation.tasks.values import MAX_ERROR_COUNT, Evaluation, EvaluationError

HORIZONS_DAYS = (30, 90, 365)
_RUN_EVERY_DAYS = 7
_START = datetime(2024, 1, 1, tzinfo=UTC)
_MAX_ERROR_CHARS = 200
_Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class _Pool:
    statements: tuple[Statement, ...]
    wanted: frozenset[int]  # places of what must be found


def evaluate(rows: list[dict[str, object]]) -> Evaluation:
    """Shares over all that must be found, of all pools together."""
    pools = _chats(rows) if any("kind" in row and "conv" in row for row in rows) else [_decisions(rows)]
    lost: dict[str, int] = {}
    gone: dict[str, int] = {}
    errors: list[EvaluationError] = []
    for pool in pools:
        for name, pass_days in (("rest", _rest), ("work", _work)):
            with open_pool(pool.statements) as place:
                passed = 0
                for horizon in HORIZONS_DAYS:
                    pass_days(place, horizon - passed)
                    passed = horizon
                    left = place.left()
                    missing = [one for one in sorted(pool.wanted) if one not in left]
                    key = f"{name}_{horizon}"
                    lost[key] = lost.get(key, 0) + len(missing)
                    gone[key] = gone.get(key, 0) + len(pool.statements) - len(left)
                    if name == "rest":
                        errors += _errors(pool, missing)
    wanted = sum(len(pool.wanted) for pool in pools)
    total = sum(len(pool.statements) for pool in pools)
    metrics = {"false_forgetting": lost[f"rest_{HORIZONS_DAYS[-1]}"] / max(1, wanted), "wanted": float(wanted)}
    metrics |= {f"{key}_lost": count / max(1, wanted) for key, count in lost.items()}
    metrics |= {f"{key}_archived": count / max(1, total) for key, count in gone.items()}
    return Evaluation("forgetting", wanted, metrics, tuple(errors[:MAX_ERROR_COUNT]))


def _chats(rows: Iterable[_Row]) -> list[_Pool]:
    return [
        _Pool(chat.statements, frozenset(place for question in chat.questions for place in question.relevant))
        for chat in read_chats(rows)
    ]


def _decisions(rows: Sequence[_Row]) -> _Pool:
    """Each text once; those in force: all but the older side of what was replaced."""
    texts: dict[str, bool] = {}
    for row in rows:
        for side in ("old", "new"):
            part = row[side]
            if not isinstance(part, dict):
                raise TypeError(f"{side} is no decision")
            is_replaced = side == "old" and row["label"] == "contradict"
            texts[str(part["text"])] = texts.get(str(part["text"]), True) and not is_replaced
    statements = tuple(Statement(text, _START + timedelta(minutes=place)) for place, text in enumerate(texts))
    return _Pool(statements, frozenset(place for place, in_force in enumerate(texts.values()) if in_force))


def _rest(place: TemporaryRecall, days: int) -> None:
    place.pass_days(days)
    place.consolidate()


def _work(place: TemporaryRecall, days: int) -> None:
    for day in range(1, days + 1):
        place.pass_days(1, is_worked=True)
        if day % _RUN_EVERY_DAYS == 0:
            place.consolidate()
    place.consolidate()


def _errors(pool: _Pool, missing: Sequence[int]) -> list[EvaluationError]:
    return [EvaluationError("found", "gone", pool.statements[one].text[:_MAX_ERROR_CHARS]) for one in missing]
