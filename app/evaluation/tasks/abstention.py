"""Scores silence: questions that have no answer get none, questions that have one keep it. Source: eval/README, QUALITY A8.

Without an answer are those marked as adversarial, and every question asked of the next conversation's pool. `silent_when_none` and
`lost_when_some` are shares; `silent_adversarial` and `silent_elsewhere` are the two halves of the first.
"""

from collections.abc import Sequence
from contextlib import ExitStack

from app.evaluation.tasks.retrieval import Chat, Question, read_chats
from app.evaluation.tasks.temporary_store import TemporaryRecall, open_pool
from app.evaluation.tasks.values import MAX_ERROR_COUNT, Evaluation, EvaluationError, mean_of

_ADVERSARIAL = "adversarial"


def evaluate(rows: list[dict[str, object]]) -> Evaluation:
    """Metrics of the module docstring over `rows`."""
    chats = read_chats(rows)
    asked: list[tuple[str, Question, bool]] = []  # kind, question, was it silent
    with ExitStack() as stack:
        pools = [stack.enter_context(open_pool(chat.statements)) for chat in chats]
        for number, chat in enumerate(chats):
            elsewhere = pools[(number + 1) % len(pools)] if len(pools) > 1 else None
            asked += _ask(chat, pools[number], elsewhere)
    none = [is_silent for kind, _, is_silent in asked if kind != "some"]
    metrics = {
        "silent_when_none": mean_of(none),
        "lost_when_some": mean_of([is_silent for kind, _, is_silent in asked if kind == "some"]),
        "silent_adversarial": mean_of([is_silent for kind, _, is_silent in asked if kind == _ADVERSARIAL]),
        "silent_elsewhere": mean_of([is_silent for kind, _, is_silent in asked if kind == "elsewhere"]),
    }
    return Evaluation("abstention", len(asked), metrics, _errors(asked))


def _ask(chat: Chat, own: TemporaryRecall, elsewhere: TemporaryRecall | None) -> list[tuple[str, Question, bool]]:
    asked = []
    for question in chat.questions:
        kind = _ADVERSARIAL if question.category == _ADVERSARIAL else "some"
        asked.append((kind, question, not own.ask(question.text).hits))
        if elsewhere is not None:
            asked.append(("elsewhere", question, not elsewhere.ask(question.text).hits))
    return asked


def _errors(asked: Sequence[tuple[str, Question, bool]]) -> tuple[EvaluationError, ...]:
    lost = [
        EvaluationError("an answer", "(nothing)", one.text[:160])
        for kind, one, silent in asked
        if kind == "some" and silent
    ]
    told = [
        EvaluationError("(nothing)", "an answer", one.text[:160], kind)
        for kind, one, silent in asked
        if kind == "elsewhere" and not silent
    ]
    return tuple([*lost, *told][:MAX_ERROR_COUNT])
