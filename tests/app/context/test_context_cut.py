"""What the exact size cuts off at the end is named with its reason, and no tier counts it as told."""

from app.api import Engine, MemoryDraft
from app.values import ContextRequest, ContextSignals
from tests.crowd import remember_all


def test_what_a_host_cannot_take_is_left_out_with_a_reason(engine: Engine) -> None:
    text = "The invoice field {} is checked by rule {} before it is printed for customers."
    fields = (text.format(number, number * 7) for number in range(60))
    remember_all(engine, [MemoryDraft(one, project_path="/w/shop") for one in fields])
    signals = ContextSignals(prompt="How is an invoice field checked before it is printed?", project_path="/w/shop")
    whole = engine.context.assemble(ContextRequest(signals, delivery="hook:prompt", is_kept=False))
    short = engine.context.assemble(ContextRequest(signals, delivery="hook:prompt", is_kept=False, max_chars=1_500))

    assert len(short.text) <= 1_500 < len(whole.text)
    given = {item.memory_id for item in short.items if item.memory_id}
    assert given
    lines = [item for item in short.items if "Ask about" not in item.text]
    assert sum(use.item_count for use in short.tiers) == len(lines)
    gone = {one.memory_id: one.reason for one in short.left_out}
    assert any("1,500 characters" in reason for reason in gone.values())
    assert given.isdisjoint(gone)
    assert all(use.used_tokens >= 0 for use in short.tiers)
    assert sum(use.used_tokens for use in short.tiers) < sum(use.used_tokens for use in whole.tiers)
