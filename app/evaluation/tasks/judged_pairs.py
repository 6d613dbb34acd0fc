"""What the judge of the environment says of pairs of statements, asked in batches as the app asks. Used by contradictions and duplicates."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event

from app.judge.adapter import Adapter, Call
from app.judge.answer import parse_task_answer
from app.judge.registry import find_adapter
from app.judge.tasks import ContradictionsRequest, Pair, PairVerdict
from app.settings_sources import load_settings

_BATCH = 25
_NO_FILE = Path("/nonexistent/remanence.toml")  # only the environment chooses the judge of a measurement
_FIRST = datetime(2026, 1, 1, tzinfo=UTC)


def find_environment_judge() -> Adapter | None:
    """The judge that REMANENCE_JUDGE names; None where none is named there."""
    return find_adapter(load_settings(_NO_FILE).settings, "evaluation")


def judge_pairs(pairs: Sequence[tuple[str, str]], adapter: Adapter) -> list[PairVerdict | None]:
    """The verdict on each pair (older, newer), in their order; None where there is none."""
    found: list[PairVerdict | None] = [None] * len(pairs)
    with TemporaryDirectory() as folder:
        for start in range(0, len(pairs), _BATCH):
            part = pairs[start : start + _BATCH]
            request = ContradictionsRequest(
                tuple(
                    Pair(f"p{start + n}", older, newer, _FIRST, _FIRST + timedelta(days=1))
                    for n, (older, newer) in enumerate(part)
                )
            )
            reply = adapter.ask(request, Call(Path(folder), Event()))
            for verdict in parse_task_answer(reply.text, request).found:
                found[int(verdict.id[1:])] = verdict
    return found
