"""What Copilot told its helper stands in the session of the person and is nobody's prompt."""

from pathlib import Path

from app.assistants.copilot.history import read_events
from app.values import CaptureRequest, EventKind

RECORDED = Path(__file__).parents[2] / "clients" / "recorded" / "copilot"  # tests/clients/README.md
TOLD = "Count all files below this folder"


def test_the_helper_of_a_real_session_says_nothing_for_the_person() -> None:
    path = next(
        file for file in sorted(RECORDED.glob("transcript-*.jsonl")) if TOLD in file.read_text(encoding="utf-8")
    )
    events = [read.item for read in read_events(path) if isinstance(read.item, CaptureRequest)]
    prompts = [event.text for event in events if event.kind is EventKind.PROMPT]
    assert prompts
    assert not [text for text in prompts if TOLD in text]
