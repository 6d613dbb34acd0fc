"""What a person is about, told by the prompt, its intent, the branch, the open file and the errors."""

from app.api import Engine
from app.deciders.recall.context.activity import detect_activity
from app.values import Activity, ContextRequest, ContextSignals, Intent, IntentScore
from tests.table import table


@table(
    ("signals", "activity"),
    [
        (ContextSignals(prompt="the export hangs since the update, no idea why"), Activity.DEBUGGING),
        (ContextSignals(prompt="again", recent_errors=("KeyError: 'id'",)), Activity.DEBUGGING),
        (ContextSignals(prompt="go on", branch="fix/rounding"), Activity.DEBUGGING),
        (ContextSignals(prompt="go on", current_file="/w/shop/tests/test_basket.py"), Activity.TESTING),
        (ContextSignals(prompt="unit tests for the basket please"), Activity.TESTING),
        (ContextSignals(prompt="read through my changes and be picky"), Activity.REVIEWING),
        (ContextSignals(prompt="well?", current_file="changes.diff"), Activity.REVIEWING),
        (ContextSignals(prompt="sellers should be able to add a note to an order"), Activity.FEATURE),
        (ContextSignals(prompt="go on", branch="main"), Activity.GENERAL),
        (ContextSignals(prompt="how are you"), Activity.GENERAL),
        (ContextSignals(prompt="it crashes and hangs", activity=Activity.REVIEWING), Activity.REVIEWING),
    ],
)
def test_the_signals_tell_what_is_done(signals: ContextSignals, activity: Activity) -> None:
    assert detect_activity(signals)[0] is activity


def test_what_a_prompt_wants_counts_beside_its_words() -> None:
    signals = ContextSignals(prompt="and the basket", branch="feat/basket")
    assert detect_activity(signals) == (Activity.FEATURE, "the branch's name")
    asked = [IntentScore(Intent.QUESTION, 0.9, "")]
    assert detect_activity(signals, intents=asked)[0] is Activity.GENERAL
    found = [IntentScore(Intent.DEBUG, 0.9, "")]
    assert detect_activity(signals, intents=found) == (Activity.DEBUGGING, "wants debug")


def test_a_context_reads_what_its_prompt_wants_once_the_rules_are_loaded(engine: Engine) -> None:
    def asked() -> Activity:
        signals = ContextSignals(prompt="pagination for the list of orders, 50 on a page, newest first")
        return engine.context.assemble(ContextRequest(signals, is_kept=False)).activity

    engine._core.rule_sets.rules  # noqa: B018 (loads them)
    assert asked() is Activity.FEATURE
