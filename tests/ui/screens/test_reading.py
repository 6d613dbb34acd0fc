"""Reading along in the window, on a real engine with a scripted command as the judge: the question, the page, the meter, the words."""

import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app.api import CaptureRequest, Engine, EventKind, MemoryFilter, MemoryStatus
from app.judge import discovery
from app.values.admin import Endpoint
from app.values.judge import JudgeChoice
from tests.patience import PATIENCE_S
from tests.ui.pages.shell import Shell
from ui.navigation import Place
from ui.screens.activity.panel import ActivityPanel
from ui.screens.memories.panel import MemoriesPanel
from ui.screens.reading.page import ReadingPage
from ui.screens.reading.question import PreviewSheet, QuestionCard
from ui.shell.main_window import MainWindow

Wait = Callable[[Callable[[], object]], None]
SAID = "hmm, let the exports be CSV then, I cannot stand PDF"
PROGRAM = """
import json, pathlib, sys, time
mode = pathlib.Path(sys.argv[1]).read_text()
request = json.load(sys.stdin)
if mode == "hang":
    time.sleep(600)
if mode == "refuse":
    sys.exit("401 please log in")
if mode == "fail":
    sys.exit("something broke")
memories = [
    {"message": one["id"], "quote": "let the exports be CSV", "statement": "Exports are CSV.", "type": "decision", "scope": "project", "worth": 3}
    for one in request["messages"] if "CSV" in one["text"]
]
memories += [dict(one, quote="nobody said this") for one in memories]
print(json.dumps({"memories": memories}))
"""


class Judge:
    """The scripted command. `mode`: "" answers; hang, refuse, fail."""

    def __init__(self, folder: Path, engine: Engine) -> None:
        self._mode = folder / "mode"
        self._engine = engine
        program = folder / "judge.py"
        program.write_text(PROGRAM)
        self.mode = ""
        engine.settings.set("judge_command", shlex.join([sys.executable, "-I", str(program), str(self._mode)]))
        engine.settings.set("judge_daily_tokens", 0)

    @property
    def mode(self) -> str:
        return self._mode.read_text()

    @mode.setter
    def mode(self, mode: str) -> None:
        self._mode.write_text(mode)

    def read(self) -> None:
        """Reads all, and waits."""
        self._engine.judge.read()
        end_s = time.monotonic() + PATIENCE_S
        while self._engine.stats.now().judge_pending_count:
            assert time.monotonic() < end_s
            time.sleep(0.02)


def say(engine: Engine, text: str, key: str = "1", session: str = "s1") -> None:
    request = CaptureRequest("claude-code", EventKind.PROMPT, key, session=session, text=text, cwd="/src/cortex")
    engine.events.capture([request], wait_s=PATIENCE_S)


@pytest.fixture
def judge(tmp_path: Path, engine: Engine) -> Judge:
    """Chosen, with one prompt that nobody has read."""
    made = Judge(tmp_path, engine)
    say(engine, SAID)
    engine.settings.set("judge", "command")
    return made


@pytest.fixture
def shell(window: MainWindow, qtbot: QtBot) -> Shell:
    return Shell(window, qtbot)


@pytest.fixture
def page(judge: Judge, window: MainWindow, wait: Wait) -> ReadingPage:
    window.actions_table.run("reading.page")
    panel = window.current_panel
    assert isinstance(panel, ActivityPanel)
    wait(lambda: panel.reading.title.text())
    return panel.reading


def rows(shell: Shell, page: ReadingPage) -> str:
    return shell.texts(page)


class TestThePage:
    def test_each_reading_says_what_it_cost_and_opens_to_what_was_sent(
        self, page: ReadingPage, judge: Judge, engine: Engine, shell: Shell, wait: Wait
    ) -> None:
        judge.read()
        wait(lambda: "Remembered 1" in rows(shell, page))
        assert "dropped 1 because its quote was not yours" in rows(shell, page)
        assert "Today: 1 conversation, 1 prompt" in page.totals.text()
        (reading,) = engine.judge.readings()
        shell.press(f"reading.open.{reading.id}")
        wait(lambda: shell.has(f"reading.sent.{reading.id}"))
        assert SAID in shell.find(f"reading.sent.{reading.id}").toPlainText()  # type: ignore[attr-defined]
        assert "Exports are CSV." in rows(shell, page)
        (card,) = engine.memories.list().cards
        shell.press(f"reading.memory.{card.id}")
        assert shell.screen == "memories"

    def test_it_is_taken_back_and_read_again_by_keys(
        self, page: ReadingPage, judge: Judge, engine: Engine, shell: Shell, wait: Wait
    ) -> None:
        judge.read()
        wait(lambda: "Remembered 1" in rows(shell, page))
        shell.key(Qt.Key.Key_J)
        focus = QApplication.focusWidget()
        assert focus is not None
        assert focus.objectName().startswith("reading.open.")
        shell.key(Qt.Key.Key_O)
        wait(lambda: shell.has(f"reading.undo.{engine.judge.readings()[0].id}"))
        shell.key(Qt.Key.Key_U)
        wait(lambda: "Undone. It was: remembered 1" in rows(shell, page))
        assert engine.memories.count(MemoryFilter(statuses=(MemoryStatus.ACTIVE,))) == 0
        number = engine.judge.readings()[0].id
        wait(lambda: shell.has(f"reading.again.{number}") and not shell.has(f"reading.undo.{number}"))
        shell.press(f"reading.again.{number}")
        wait(lambda: len(engine.judge.readings()) == 2)
        wait(lambda: engine.memories.count(MemoryFilter(statuses=(MemoryStatus.ACTIVE,))) == 1)

    def test_one_that_hangs_is_said_and_stopped(
        self, page: ReadingPage, judge: Judge, engine: Engine, shell: Shell, wait: Wait
    ) -> None:
        judge.mode = "hang"
        wait(lambda: shell.has("button.reading.now"))
        shell.press("button.reading.now")
        wait(lambda: page.title.text() == "Your command is reading 1 prompt")
        assert shell.find("rail.meter").text() == "Your command is reading…"  # type: ignore[attr-defined]
        wait(lambda: shell.has("button.reading.cancel"))
        shell.press("button.reading.cancel")
        wait(lambda: page.title.text() == "Your command reads along")
        assert "Not read yet: 1 prompt" in page.past.text()

    def test_one_that_refuses_says_what_to_do(
        self, page: ReadingPage, judge: Judge, shell: Shell, wait: Wait, engine: Engine
    ) -> None:
        judge.mode = "refuse"
        judge.read()
        wait(lambda: page.title.text() == "Your command is not signed in, or its plan is used up.")
        assert "Check its account or key." in page.text.text()
        assert page.read_now.text() == "Try again"
        judge.mode = ""
        shell.press("button.reading.now")
        wait(lambda: "Remembered 1" in rows(shell, page))
        wait(lambda: page.title.text() == "Your command reads along")

    def test_one_that_fails_costs_nothing_else(
        self, page: ReadingPage, judge: Judge, shell: Shell, wait: Wait, engine: Engine
    ) -> None:
        judge.mode = "fail"
        judge.read()
        wait(lambda: page.title.text().startswith("Your command did not answer"))
        wait(lambda: "Failed: The program ended with status 1." in rows(shell, page))

    def test_at_the_cap_it_says_so(
        self, page: ReadingPage, judge: Judge, shell: Shell, wait: Wait, engine: Engine
    ) -> None:
        engine.settings.set("judge_daily_tokens", 10)
        judge.read()
        wait(lambda: page.title.text() == "At the cap until tomorrow")
        assert "1 prompt waits." in page.text.text()
        assert engine.judge.readings() == ()

    def test_the_past_is_offered_and_what_is_gone_is_said(
        self, page: ReadingPage, shell: Shell, wait: Wait, engine: Engine
    ) -> None:
        engine.settings.set("queue_size", 3)
        say(engine, "the old way was XML", key="old", session="old")
        for number in range(3):
            say(engine, f"add a sidebar to page{number}", key=f"a{number}", session=f"a{number}")
        wait(lambda: "No longer kept: 2 prompts." in page.past.text())
        engine.archive.choose("forever")
        for number in range(3):
            say(engine, f"add a footer to page{number}", key=f"b{number}", session=f"b{number}")
        wait(lambda: "Read the past: 3 prompts, about" in page.past.text())
        assert page.read_now.text() == "Read them now"
        shell.press("button.reading.now")
        wait(lambda: page.past.text() == "No longer kept: 2 prompts.")
        assert page.read_now.text() == "Read now"

    def test_paused_and_resumed(self, page: ReadingPage, shell: Shell, wait: Wait, engine: Engine) -> None:
        wait(lambda: shell.has("button.reading.pause"))
        shell.press("button.reading.pause")
        wait(lambda: page.title.text() == "Reading along is paused")
        wait(lambda: shell.has("button.reading.resume"))
        shell.press("button.reading.resume")
        wait(lambda: page.title.text() == "Your command reads along")
        assert not engine.settings.current.is_judge_paused

    def test_what_would_be_sent_is_shown_over_the_page(
        self, page: ReadingPage, window: MainWindow, wait: Wait, shell: Shell
    ) -> None:
        wait(lambda: shell.has("button.reading.preview"))
        shell.press("button.reading.preview")
        wait(lambda: window.findChild(PreviewSheet) is not None)
        sheet = window.findChild(PreviewSheet)
        assert sheet is not None
        assert SAID in sheet.viewer.toPlainText()
        shell.key(Qt.Key.Key_Escape)
        assert not sheet.is_open

    def test_everything_has_a_name(
        self, page: ReadingPage, judge: Judge, engine: Engine, shell: Shell, wait: Wait
    ) -> None:
        judge.read()
        wait(lambda: "Remembered 1" in rows(shell, page))
        shell.press(f"reading.open.{engine.judge.readings()[0].id}")
        wait(lambda: shell.has(f"reading.again.{engine.judge.readings()[0].id}"))
        nameless = [one.objectName() for one in page.findChildren(QPushButton) if not one.accessibleName()]
        assert nameless == []


def test_the_meter_stands_in_the_rail_and_leads_to_the_page(
    judge: Judge, engine: Engine, window: MainWindow, shell: Shell, wait: Wait, qtbot: QtBot
) -> None:
    engine.listens_at(Endpoint(port=8765))
    judge.read()
    wait(lambda: window.rail.meter.text().startswith("Your command read 1 conversation, "))
    assert window.rail.meter.text().endswith(" tokens today")
    assert window.rail.light.state.detail != "Local only: nothing leaves this computer."
    window.navigator.go(Place("activity", query="health"))
    wait(lambda: "Your command reads along. Nothing else leaves this computer." in shell.texts(window.current_panel))
    qtbot.mouseClick(window.rail.meter, Qt.MouseButton.LeftButton)
    assert shell.screen == "activity"
    assert shell.has("reading.state")


def test_without_a_judge_nothing_is_said_of_one(window: MainWindow) -> None:
    assert not window.rail.meter.isVisible()


class TestTheQuestion:
    @pytest.fixture(autouse=True)
    def found(self, monkeypatch: pytest.MonkeyPatch, home: Path, tmp_path: Path) -> None:
        """Claude Code is on this machine, and nothing was answered yet."""
        programs = tmp_path / "bin"
        programs.mkdir()
        claude = programs / "claude"
        claude.write_text("#!/bin/sh\nexit 1\n")
        claude.chmod(0o755)
        monkeypatch.setenv("PATH", str(programs))
        monkeypatch.delenv("REMANENCE_IS_JUDGE_ASKED")
        monkeypatch.setattr(discovery, "LOCAL_SERVERS", ())

    def test_it_is_asked_on_now_after_the_first_message_and_not_again(
        self, engine: Engine, window: MainWindow, shell: Shell, wait: Wait
    ) -> None:
        window.go("now")
        assert window.findChild(QuestionCard) is None
        say(engine, SAID)
        wait(lambda: shell.has("reading.question"))
        said = shell.texts(shell.find("reading.question"))
        assert "May Claude Code read along?" in said
        assert "never more than 30,000 a day" in said
        wait(lambda: window.rail.button("now").badge == "1")  # type: ignore[union-attr]
        shell.press("reading.notNow")
        wait(lambda: not shell.has("reading.question"))
        assert engine.settings.current.judge == "off"
        window.navigator.go(Place("activity", query="reading"))
        wait(lambda: shell.has("reading.question"))
        assert not shell.has("reading.notNow"), "who came here was not asked"

    def test_a_yes_holds_at_once_and_undo_takes_it_back(
        self, engine: Engine, window: MainWindow, shell: Shell, wait: Wait
    ) -> None:
        say(engine, SAID)
        wait(lambda: shell.has("reading.question"))
        shell.press("reading.yes")
        wait(lambda: engine.settings.current.judge == "same")
        wait(lambda: not shell.has("reading.question"))
        wait(lambda: window.rail.meter.text() == "Claude Code reads along")
        assert "Claude Code reads along" in shell.notices[0]
        window.commands.undo()
        wait(lambda: engine.settings.current.judge == "off")
        wait(lambda: not window.rail.meter.isVisible())
        assert not shell.has("reading.question")

    def test_others_are_behind_one_link(self, engine: Engine, shell: Shell, wait: Wait) -> None:
        say(engine, SAID)
        wait(lambda: shell.has("reading.question"))
        shell.press("reading.others")
        wait(lambda: "not found on this computer" in shell.texts(shell.find("reading.question")))
        shell.press("reading.choice.claude-code")
        assert "also of conversations that you had with other assistants" in shell.texts(shell.find("reading.question"))

    def test_a_model_on_this_machine_is_offered_first(
        self, engine: Engine, shell: Shell, wait: Wait, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        local = JudgeChoice(
            "endpoint:11434", "endpoint", "Ollama on this computer", is_found=True, place="http://127.0.0.1:11434/v1",
            is_local=True, model="small", endpoint="http://127.0.0.1:11434/v1",
        )  # fmt: skip
        monkeypatch.setattr(discovery, "_probe", lambda _title, _port: local)
        monkeypatch.setattr(discovery, "LOCAL_SERVERS", (("Ollama", 11434),))
        say(engine, SAID)
        wait(lambda: shell.has("reading.question"))
        said = shell.texts(shell.find("reading.question"))
        assert "May Ollama on this computer read along?" in said
        assert "Nothing leaves this computer." in said
        shell.press("reading.yes")
        wait(lambda: engine.settings.current.judge == "endpoint")
        assert engine.settings.current.judge_model == "small"

    def test_settings_say_who_was_found(self, engine: Engine, window: MainWindow, shell: Shell, wait: Wait) -> None:
        window.navigator.go(Place("settings", query="reading along"))
        wait(lambda: shell.has("settings.reader.same"))
        shell.press("settings.reader.same")
        wait(lambda: engine.settings.current.judge == "same")
        wait(lambda: "reads along" in shell.texts(shell.find("settings.readers")))

    def test_an_empty_review_offers_it(self, engine: Engine, window: MainWindow, shell: Shell, wait: Wait) -> None:
        window.actions_table.run("memory.review")
        wait(lambda: shell.has("review.offer"))
        shell.press("review.offer")
        assert shell.screen == "activity"


def test_a_memory_says_whose_words_it_is_in_and_takes_mine(
    judge: Judge, engine: Engine, window: MainWindow, shell: Shell, wait: Wait
) -> None:
    judge.read()
    (card,) = engine.memories.list().cards
    window.navigator.go(Place("memories", "memory", card.id))
    panel = window.current_panel
    assert isinstance(panel, MemoriesPanel)
    wait(lambda: shell.has("memory.worded.quote"))
    said = shell.texts(shell.find("memory.worded"))
    assert "Worded by your command from your words:" in said
    assert "“let the exports be CSV”" in said
    assert "does harm if an assistant does not know it" in said
    wait(lambda: shell.has("button.memory.useWords"))
    shell.press("button.memory.useWords")
    wait(lambda: engine.memories.get(card.id).memory.levels.full.text == "let the exports be CSV")
    wait(lambda: not shell.has("memory.worded.quote"))
    window.commands.undo()
    wait(lambda: engine.memories.get(card.id).memory.levels.full.text == "Exports are CSV.")
    wait(lambda: shell.has("memory.worded.show"))
    shell.press("memory.worded.show")
    assert shell.screen == "conversations"
    wait(lambda: shell.has("find.count"))
    wait(lambda: shell.find("find.count").text() == "1 of 1")  # type: ignore[attr-defined]
