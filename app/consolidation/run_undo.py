"""Takes back a run, or one action of it, through the journal. Source: DESIGN section 5 "undo (whole run, or one action)"."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row

from app.errors import InvalidError, NotFoundError, StaleError
from app.store.rows import run as rows
from app.store.store import Store
from app.upkeep.undo import undo
from app.values.consolidation import ActionState


def undo_run(store: Store, run_id: int) -> tuple[int, int]:
    """Takes back all that a run did: at once, or action by action where something was changed since.

    Returns how many actions were taken back, and how many could not be.
    """
    with store.read() as connection:
        run = rows.load_run(connection, run_id)
        applied = rows.load_actions(connection, run_id, states=(ActionState.APPLIED.value,)) if run is not None else ()
    if run is None:
        raise NotFoundError(f"There is no run {run_id}.", hint="Look at the list again.")
    if not applied or run.operation_id is None:
        raise InvalidError("This run changed nothing that could be undone.", hint="Look at what it did.")
    try:
        undo(store, int(run.operation_id))
    except StaleError:
        return _one_by_one(store, applied)
    return len(applied), 0


def _one_by_one(store: Store, applied: Sequence[Row[Any]]) -> tuple[int, int]:
    """Newest first, each for itself."""
    done = 0
    for one in reversed(applied):
        try:
            undo(store, int(one.operation_id))
        except (StaleError, NotFoundError):
            continue
        done += 1
    if not done:
        raise StaleError("All of it was changed again since.", hint="Undo the newer entries of Activity first.")
    return done, len(applied) - done


def undo_action(store: Store, action_id: int) -> None:
    """Takes one action back. Raises NotFoundError, InvalidError, StaleError."""
    with store.read() as connection:
        action = rows.load_action(connection, action_id)
    if action is None:
        raise NotFoundError(f"There is no action {action_id}.", hint="Look at the run again.")
    if action.state != ActionState.APPLIED or action.operation_id is None:
        raise InvalidError("This was not applied, or was undone already.", hint="Look at the run again.")
    undo(store, int(action.operation_id))
