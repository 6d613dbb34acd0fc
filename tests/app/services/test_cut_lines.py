"""What a context loses at the very end, when its exact size is known, is named among what was left out."""

from app.api import Engine, FactType, MemoryDraft
from app.values import ContextRequest, ContextSignals, Level

YARD = "/w/yard"


def test_lines_that_the_host_does_not_take_are_left_out_with_that_reason(engine: Engine) -> None:
    made = [
        engine.memories.create(
            MemoryDraft(f"Crane number {n} in the yard lifts {n} tons.", type=FactType.FACT, project_path=YARD)
        )
        for n in range(10, 50)
    ]
    engine.context.place_at_level(made[:1], Level.FULL)
    signals = ContextSignals(YARD, prompt="crane yard")
    whole = engine.context.assemble(ContextRequest(signals, is_kept=False))
    short = engine.context.assemble(ContextRequest(signals, is_kept=False, max_chars=900))
    assert len(short.text) <= 900 < len(whole.text)
    told = {one.memory_id for one in short.items}
    out = {one.memory_id: one for one in short.left_out}
    lost = {one.memory_id for one in whole.items if one.memory_id} - told
    assert lost
    assert lost <= set(out)
    assert {out[key].reason for key in lost if key} == {"over the 900 characters that are taken at once"}
    assert made[0] in told, "what a person placed goes last"
