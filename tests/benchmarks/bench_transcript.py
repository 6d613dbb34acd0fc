"""CPU time of the transcript: opening 5,000 messages, a frame while scrolling, a message more; and one of 10 MB.

Run with `pytest -m benchmark -s tests/benchmarks/bench_transcript.py`; prints, asserts no times (QUALITY P9).
"""

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import statistics
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.values import Message
from tests.ui.made import detail, message, reference
from ui.screens.conversations.transcript_model import Neighbours, TranscriptModel
from ui.screens.conversations.transcript_view import TranscriptView
from ui.theme import LIGHT, apply_theme, load_fonts

WORDS = "Add a button to it and make the whole thing purple when the panel opens "


def _cpu_ms(work: Callable[[], object]) -> float:
    started = time.thread_time()
    work()
    return (time.thread_time() - started) * 1000


def _many() -> list[Message]:
    made = []
    for n in range(1, 5_001):
        text = WORDS * (1 + n % 4)
        made.append(message(n, text, references=((n, reference(text, "it", "FAB button")),)))
    return made


@pytest.mark.benchmark
@pytest.mark.parametrize(
    "messages",
    [pytest.param(_many, id="5000-messages"), pytest.param(lambda: [message(1, "x" * 10_000_000)], id="10-MB")],
)
def test_frames(qtbot: QtBot, messages: Callable[[], list[Message]]) -> None:
    load_fonts()
    apply_theme(LIGHT)
    model = TranscriptModel()
    view = TranscriptView(model)
    qtbot.addWidget(view)
    view.resize(700, 700)
    view.show()
    made = messages()
    bar = view.verticalScrollBar()

    def open_it() -> None:
        model.set_detail(detail(*made), Neighbours())
        QApplication.processEvents()

    def scroll() -> None:
        bar.setValue(bar.value() + 120)
        view.viewport().repaint()

    opening_ms = _cpu_ms(open_it)
    frames_ms = sorted(_cpu_ms(scroll) for _n in range(80))
    again = [replace(one) for one in made] + [message(len(made) + 1, "one more")]
    arrival_ms = _cpu_ms(lambda: model.set_detail(detail(*again), Neighbours()))
    print(
        f"\nopen {opening_ms:.0f} ms · frame median {statistics.median(frames_ms):.1f} ms, worst {frames_ms[-1]:.1f} ms"
        f" · one message more {arrival_ms:.0f} ms"
    )
    assert model.message(len(made) + 1) is not None
