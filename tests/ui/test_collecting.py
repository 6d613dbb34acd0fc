"""Cycles are searched for on the thread of the window alone; freed memory goes back to the system."""

import ctypes
import gc
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from tests.patience import PATIENCE_S
from ui.main import CycleCollector, collect_due

LOST = """
import gc, sys, threading, time
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from ui.main import CycleCollector

sys.setswitchinterval(0.0001)
gc.set_threshold(700)
application = QApplication([])
collector = CycleCollector()
if sys.argv[1] == "here":
    collector.start()

class Looks(QObject):
    def eventFilter(self, watched, event):
        for number in range(50):
            str(number)
        return False

class Button(QPushButton):
    def event(self, event):
        return super().event(event)

looks = Looks()
application.installEventFilter(looks)
is_over = False

def allocates():
    while not is_over:
        [[] for _ in range(1_000)]

thread = threading.Thread(target=allocates, daemon=True)
thread.start()
for _ in range(10):
    for _ in range(20):
        lost = QWidget()
        lost.me = lost, [Button("x", lost) for _ in range(20)]
        lost.show()
    application.setStyleSheet("")
    application.setStyleSheet("QPushButton { padding: 3px }")
    application.processEvents()
is_over = True
thread.join()
print("whole", flush=True)
"""

HOLES = """
from pathlib import Path
from ui.main import give_back_holes

def resident_pages():
    return int(Path("/proc/self/statm").read_text().split()[1])

freed = [b"x" * 4_000 + str(number).encode() for number in range(20_000)]
kept = [b"y" * 4_000 + str(number).encode() for number in range(100)]
freed.clear()
before = resident_pages()
give_back_holes()
print(before - resident_pages())
"""


class Lost:
    """Part of a cycle; says on which thread it went."""

    def __init__(self, went_on: set[int]) -> None:
        self.me, self.went_on = self, went_on

    def __del__(self) -> None:
        self.went_on.add(threading.get_ident())


@pytest.fixture
def few() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


def test_what_is_lost_in_a_cycle_goes_on_the_thread_of_the_window(qtbot: QtBot, few: None) -> None:
    gc.enable()
    collector = CycleCollector()
    collector.start()
    went_on: set[int] = set()
    lost = [Lost(went_on) for _ in range(100)]
    lost.clear()
    kept: list[list[int]] = []
    thread = threading.Thread(target=lambda: kept.extend([] for _ in range(5_000)))
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: bool(went_on), timeout=int(PATIENCE_S * 1000))
    assert went_on == {threading.get_ident()}


def test_what_is_not_due_is_not_searched(few: None) -> None:
    gc.collect()
    assert collect_due() == -1
    kept = [[] for _ in range(2_000)]  # type: ignore[var-annotated]
    assert collect_due() >= 0
    assert kept


def test_widgets_lost_while_another_thread_allocates_crash_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOST, "here"], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert done.stdout == "whole\n", done.stderr


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="glibc's alone"
)
def test_memory_that_was_freed_below_what_is_kept_goes_back_to_the_system() -> None:
    done = subprocess.run(
        [sys.executable, "-c", HOLES], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert done.stderr == ""
    assert int(done.stdout) > 10_000  # pages of 4 KB; 20,000 were freed


def test_freed_memory_is_given_back_again_and_again(qtbot: QtBot) -> None:
    collector = CycleCollector()
    collector.start()
    assert collector._give_back.isActive()
    assert not collector._give_back.isSingleShot()
