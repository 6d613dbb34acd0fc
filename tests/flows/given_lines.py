"""QUALITY A11, read by a person: lines that hooks told on a stream of real messages, drawn by lot, to be judged useful or not.

`python -m tests.flows.given_lines FILE.jsonl [--lines N] [--seed S]` plays the stream (shape of `specstory-stream`) with the engine: each
message is first told its context, 2,000 tokens as a hook asks for, then captured. Printed are how much was told, and N lines with
the message that they were told for. Whoever reads writes down a verdict for each; pointers to ask for more count as no line.
"""

import argparse
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from app.api import CaptureRequest, ContextRequest, ContextSignals, Engine, EventKind, FrozenClock, Places
from app.values import ContextItem, Level, Tier
from tests.flows.real_stream import Said, read_stream

_LINES, _BUDGET_TOKENS, _MAX_CHARS, _SHOWN_CHARS = 60, 2_000, 10_000, 700
_PATIENCE_S = 60.0


@dataclass(frozen=True)
class Told:
    said: Said
    items: tuple[ContextItem, ...]


def play(said: Sequence[Said], home: Path) -> Iterator[Told]:
    """What each message is told, in the order of their time."""
    clock = FrozenClock(datetime.fromisoformat(said[0].at))
    with closing(Engine.open(Places.under(home), clock=clock)) as engine:
        for one in said:
            clock.set(datetime.fromisoformat(one.at))
            project = f"/w/{one.project}"
            signals = ContextSignals(project_path=project, app="claude-code", session=one.session, prompt=one.text)
            request = ContextRequest(
                signals, budget_tokens=_BUDGET_TOKENS, delivery="hook:prompt", max_chars=_MAX_CHARS
            )
            yield Told(one, engine.context.assemble(request).items)
            event = CaptureRequest(
                app="claude-code", kind=EventKind.PROMPT, key=one.key, session=one.session, text=one.text,
                cwd=project, project_root=project,
            )  # fmt: skip
            engine.events.capture([event], wait_s=_PATIENCE_S)


def is_line(item: ContextItem) -> bool:
    """Whether it says something, rather than that something could be asked for."""
    return item.tier is not Tier.INDEX and item.level is not Level.INDEX


def tell(given: Sequence[Told], count: int, seed: int) -> Iterator[str]:
    with_lines = [one for one in given if any(map(is_line, one.items))]
    lines = [(one.said, item) for one in given for item in one.items if is_line(item)]
    tiers = Counter(item.tier.value for _, item in lines)
    yield f"{len(given)} messages, {len(with_lines)} were told something: {len(lines)} lines, {dict(tiers)}"
    drawn = random.Random(seed).sample(lines, min(count, len(lines)))
    for number, (said, item) in enumerate(drawn, 1):
        yield f"\n{number}. [{said.key}] {' '.join(said.text.split())[:_SHOWN_CHARS]}"
        yield f"   {item.tier.value}, {item.level.value}, {item.score:.2f}: {item.reason}"
        yield f"   -> {item.text}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--lines", type=int, default=_LINES)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="remanence-told-") as folder:
        given = list(play(read_stream(options.file), Path(folder)))
    print("\n".join(tell(given, options.lines, options.seed)))


if __name__ == "__main__":
    main()
