"""What the person types, for tests of contradictions."""

from app.api import CaptureRequest, Engine, EventKind, FrozenClock
from tests.patience import PATIENCE_S


def speak(engine: Engine, clock: FrozenClock, text: str) -> int:
    """Types a prompt; returns the newest memory that came of it."""
    clock.advance(minutes=5)
    request = CaptureRequest(app="claude-code", kind=EventKind.PROMPT, key=text, session="s1", text=text, cwd="/w/shop")
    engine.events.capture([request], wait_s=PATIENCE_S)
    return max(card.id for card in engine.memories.list().cards)
