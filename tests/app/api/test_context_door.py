"""S6: what an assistant tells of its moment is cleaned before a receipt keeps it."""

from app.api import Engine, Places
from app.values import ContextRequest, ContextSignals, MemoryDraft

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
BROKEN = "\ud800"


def moment_with(text: str) -> ContextSignals:
    return ContextSignals(
        project_path="/w/shop",
        app="claude-code",
        session=f"s-{text}",
        prompt=f"How do we deploy the shop? {text}",
        current_file=f"src/{text}.py",
        branch=text,
        recent_errors=(f"refused: {text}",),
        collaborator=text,
    )


def test_no_secret_of_the_moment_is_kept_in_a_receipt(engine: Engine, places: Places) -> None:
    engine.memories.create(MemoryDraft("We deploy the shop with make ship.", project_path="/w/shop"))
    told = engine.context.assemble(ContextRequest(moment_with(SECRET), delivery="mcp"))
    assert told.receipt_id, "the control: a receipt was kept"
    engine.close()
    files = [path for path in places.data_dir.parent.rglob("*") if path.is_file()]
    assert [path.name for path in files if SECRET.encode() in path.read_bytes()] == []


def test_a_long_prompt_is_kept_in_part_and_its_cut_leaves_no_half_secret(engine: Engine) -> None:
    engine.memories.create(MemoryDraft("We deploy the shop with make ship.", project_path="/w/shop"))
    prompt = "How do we deploy the shop? " + "go on " * 1_328 + SECRET + " x" * 50_000
    told = engine.context.assemble(ContextRequest(ContextSignals("/w/shop", prompt=prompt), delivery="hook:prompt"))
    kept = engine.context.receipt(told.receipt_id or 0).receipt.signals.prompt
    assert 7_000 < len(kept) <= 8_000
    assert SECRET[:12] not in kept


def test_broken_characters_are_no_reason_to_tell_nothing(engine: Engine) -> None:
    engine.memories.create(MemoryDraft("We deploy the shop with make ship.", project_path="/w/shop"))
    told = engine.context.assemble(ContextRequest(moment_with(BROKEN), delivery="hook:prompt"))
    assert "make ship" in told.text
