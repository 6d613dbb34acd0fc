"""What is lost when time goes by: a labelled history is played, the clock moved, and consolidation run in between.

Asked again are the labelled durable statements (worth 2 and 3) that an active memory said before, and the labelled questions that were
answered. Twice: the project rests, so that nothing may be forgotten; and it is worked on every day in sessions that say nothing, so
that what is forgotten goes. `archived_…` is the control: the share of all memories that were put away meanwhile, without which
a low loss says nothing. Source: issue 17 "Forgetting", S4 "False forgetting rate", QUALITY A10.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from app.evaluation.session_scores import Kept, answered_questions, stated_labels
from app.evaluation.sessions import Ask, Player, Row, stream_of

HORIZONS_DAYS = (30, 90, 365)
_RUN_EVERY_DAYS = 7


def evaluate_forgetting(
    ask: Ask, move_days: Callable[[int], datetime], rows: Sequence[Row], questions: Sequence[Row]
) -> tuple[int, dict[str, float]]:
    """How many statements and questions are held against, and the metrics by name, shares 0..1.

    `move_days(n)` moves the engine's clock on and returns the new time. Raises ValueError where no row is labelled.
    """
    labelled = [place for place, row in enumerate(rows) if "act" in row]
    if not labelled:
        raise ValueError("no row is labelled")
    played_rows = rows[: labelled[-1] + 1]
    stream = stream_of(rows[0])
    has_judge = any(one["name"] == "judge" and one["value"] != "off" for one in ask("GET", "/v1/settings"))
    player = Player(ask, f"/w/{stream}", frozenset(), has_judge)
    kept = player.play(played_rows).kept
    own = [row for row in questions if row["stream"] == stream]
    stated, answered = stated_labels(kept, played_rows), _answered(player, kept, own)
    active_count = _active_count(kept)
    metrics: dict[str, float] = {
        "statements": len(stated), "questions_answered": len(answered), "memories": active_count,
    }  # fmt: skip
    for name, pass_days in (("rest", _rest), ("work", _work)):
        passed = 0
        for horizon in HORIZONS_DAYS:
            pass_days(ask, player, move_days, horizon - passed)
            passed = horizon
            now = player.kept()
            lost_said = len(stated - stated_labels(now, played_rows))
            lost_answers = len(answered - _answered(player, now, own))
            metrics |= {
                f"{name}_{horizon}_statements_lost": _share(lost_said, len(stated)),
                f"{name}_{horizon}_answers_lost": _share(lost_answers, len(answered)),
                f"{name}_{horizon}_archived": _share(active_count - _active_count(now, kept), active_count),
            }
    return len(stated) + len(answered), metrics


def _rest(ask: Ask, player: Player, move_days: Callable[[int], datetime], days: int) -> None:
    del player
    move_days(days)
    ask("POST", "/consolidate", body={})


def _work(ask: Ask, player: Player, move_days: Callable[[int], datetime], days: int) -> None:
    for day in range(1, days + 1):
        player.work_a_day(move_days(1))
        if day % _RUN_EVERY_DAYS == 0:
            ask("POST", "/consolidate", body={})
    ask("POST", "/consolidate", body={})


def _answered(player: Player, kept: Sequence[Kept], questions: Sequence[Row]) -> frozenset[str]:
    hits = {str(row["question"]): player.search(str(row["question"])) for row in questions}
    return answered_questions(kept, questions, hits)


def _active_count(kept: Sequence[Kept], before: Sequence[Kept] = ()) -> int:
    """How many are active; with `before`, of those that were there then."""
    wanted = {one.id for one in before if one.status == "active"}
    return sum(one.status == "active" and (not before or one.id in wanted) for one in kept)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
