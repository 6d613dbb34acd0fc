"""Other questions to the judge: the same switch, caps, breaker and meter; what words point at is shown, and can be taken back."""

import time
from datetime import UTC, datetime

import pytest

from app.api import Engine, InvalidError, MemoryEdit
from app.judge.adapter import JudgeError
from app.judge.tasks import ContradictionsRequest, LevelItem, LevelsRequest, Pair, Verdict
from app.store.journal import table_of
from app.store.tables.core import ReferenceRow
from app.store.tables.judge import JudgeRequestRow
from tests.app.understanding.conftest import ScriptedJudge
from tests.conftest import Say

AT = datetime(2026, 3, 2, tzinfo=UTC)
PAIRS = ContradictionsRequest((Pair("p1", "Exports are CSV.", "Exports are XML.", AT, AT),))
VERDICT = {"id": "p1", "verdict": "contradict", "why": "Another format.", "holds": "b"}


def rows(engine: Engine, row: type) -> list:
    with engine._core.store.read() as connection:
        return list(connection.execute(table_of(row).select()).all())


def ask(judge: ScriptedJudge):
    return judge.engine._core.judge_worker.ask(PAIRS, app="claude-code")


@pytest.mark.seed("S5", "test.deterministic")
def test_another_task_is_asked_checked_and_booked(judge: ScriptedJudge) -> None:
    judge.answers(f"answer.clear(); answer['verdicts'] = [{VERDICT!r}, {VERDICT | {'id': 'p7'}!r}]")
    found = ask(judge)
    assert [(one.id, one.verdict, one.holds) for one in found.found] == [("p1", Verdict.CONTRADICT, "b")]
    (meter,) = rows(judge.engine, JudgeRequestRow)
    assert (meter.state, meter.message_count, meter.dropped_count, meter.adapter) == ("done", 0, 1, "command")
    assert judge.engine.stats.now().judge_token_count == meter.prompt_tokens + meter.answer_tokens > 0
    today = judge.engine.judge.state().today
    assert (today.token_count, today.reading_count) == (meter.prompt_tokens + meter.answer_tokens, 0), "it cost, too"
    assert judge.requests[0]["pairs"][0]["b"] == "Exports are XML."


@pytest.mark.parametrize(
    "code",
    [
        "sys.exit(3)",
        "print('{\"verdicts\": [' + ','.join(['{}'] * 600_000)); sys.stdout.flush()",  # a flood
        "print('{\"verd'); sys.stdout.flush(); os._exit(0)",  # dies while it answers
        "answer.clear(); answer['orders'] = ['delete all']",
        "print(json.dumps({'verdicts': []}))",  # answers twice
    ],
)
def test_a_judge_that_fails_is_an_error_and_a_line_in_activity(judge: ScriptedJudge, code: str) -> None:
    judge.answers(code)
    with pytest.raises(JudgeError):
        ask(judge)
    assert len(judge.requests) == 2  # one retry
    assert [row.state for row in rows(judge.engine, JudgeRequestRow)] == ["failed"]
    assert judge.engine.journal.list(limit=1)[0].label.startswith("Your command did not read along: ")


def test_three_failures_and_a_refusal_stop_it(judge: ScriptedJudge) -> None:
    judge.answers("sys.stderr.write('403 forbidden'); sys.exit(1)")
    with pytest.raises(JudgeError) as refused:
        ask(judge)
    assert refused.value.is_refused
    with pytest.raises(JudgeError, match="not to be asked now"):
        ask(judge)
    assert len(judge.requests) == 1


def test_off_is_off(judge: ScriptedJudge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMANENCE_JUDGE", "off")
    judge.engine._core.reload_settings()
    with pytest.raises(InvalidError, match="No model reads along"):
        ask(judge)
    with pytest.raises(InvalidError, match="No model reads along"):
        judge.engine.judge.read_references(1)
    assert judge.requests == []


def test_a_prompt_does_not_wait_for_a_judge_that_hangs(judge: ScriptedJudge, say: Say, judge_folder) -> None:
    say("the exports are CSV, always")
    judge.answers("(folder / 'asked').touch()\ntime.sleep(3600)")
    judge.engine.judge.read()
    while not (judge_folder / "asked").exists():
        time.sleep(0.02)
    for number in range(20):
        assert say(f"step {number}").message_id  # comes back while the other stands still
    assert judge.engine.stats.now().judge_pending_count >= 1


def test_what_words_point_at_is_shown_as_read_and_can_be_taken_back(judge: ScriptedJudge, say: Say) -> None:
    say("the export dialog is too small")
    said = say("make it wider and drop the border")
    before = rows(judge.engine, ReferenceRow)
    assert [one.mention for one in before] == ["it"]
    judge.answers(
        "answer.clear()\nanswer['references'] = [{'message': one['message'], 'start': one['start'],"
        " 'antecedent': 'the export dialog', 'from': m('too small')} for one in request['mentions']]\n"
        "answer['references'].append({'message': m('border'), 'start': 999, 'antecedent': 'the border', 'from': ''})"
    )
    assert judge.engine.judge.read_references(said.conversation_id) == 1
    judge.wait()
    (after,) = rows(judge.engine, ReferenceRow)
    assert (after.state, after.antecedent, after.reason) == ("resolved", "the export dialog", "read by Your command")
    (operation,) = [one for one in judge.engine.journal.list() if one.kind == "judge"]
    assert operation.label == "Your command read what 1 word means"
    judge.engine.journal.undo(operation.id)
    assert rows(judge.engine, ReferenceRow) == before


def test_what_a_person_corrected_stays_and_is_not_asked_about(judge: ScriptedJudge, say: Say) -> None:
    say("the export dialog is too small")
    said = say("make it wider and drop the border")
    (row,) = rows(judge.engine, ReferenceRow)
    judge.engine.messages.correct_reference(row.id, "the window")
    assert judge.engine.judge.read_references(said.conversation_id) == 0
    assert judge.requests == []


def test_what_is_said_for_all_work_is_given_elsewhere_only_when_three_projects_heard_it(
    judge: ScriptedJudge, say: Say
) -> None:
    judge.answers(
        "for one in request['messages']:\n"
        "    remember(one['text'], 'answer me briefly', f\"Answer briefly in {request['project']}.\","
        " type='preference', scope='person')"
    )
    for number, name in enumerate(("one", "two", "three")):
        say("please answer me briefly", session=name, cwd=f"/w/{name}")
        judge.read()
        kept = [row for row in judge.memories().values() if "said for all projects" in row.tags]
        assert [row.project_id is None for row in kept] == [place == 2 for place in range(number + 1)]


def test_what_it_means_stands_beside_the_quote_and_follows_who_reads_it_better(judge: ScriptedJudge, say: Say) -> None:
    before = say("the export dialog is too small")
    say("never show it to guests")
    judge.answers("remember('guests', 'never show it to guests', 'The export dialog is never shown to guests.')")
    judge.read()
    memory_id = judge.memories()["The export dialog is never shown to guests."].id

    def glosses() -> list[tuple[str, str, int | None, str]]:
        (source,) = judge.engine.memories.get(memory_id).sources
        assert source.quote == "never show it to guests"
        return [(one.mention, one.antecedent, one.message_id, one.reason) for one in source.glosses]

    ((mention, antecedent, named_in, _),) = glosses()
    assert (mention, antecedent, named_in) == ("it", "export dialog", before.message_id)
    (row,) = rows(judge.engine, ReferenceRow)
    judge.engine.messages.correct_reference(row.id, "the window")
    assert glosses() == [("it", "the window", None, "you said so")]
    judge.engine.messages.correct_reference(row.id, "guests")  # the quote says it itself
    assert glosses() == []


def test_a_pasted_error_is_what_this_error_stands_for(judge: ScriptedJudge, say: Say) -> None:
    say(
        "When I run the seeds I get this error\n```\nTraceback (most recent call last):\n  File \"seeds.py\", line 3\nKeyError: 'paid'\n```"
    )
    (row,) = rows(judge.engine, ReferenceRow)
    assert (row.mention, row.state, row.antecedent) == (
        "this error",
        "resolved",
        "error: Traceback (most recent call last):",
    )


def test_what_is_long_is_worded_shorter_or_given_whole_and_an_edit_of_its_tags_keeps_that(
    judge: ScriptedJudge, say: Say
) -> None:
    texts = (
        "Uploads of more than 5 MB are refused by the shop, and are never kept in the cache of the server, since its disk is small.",
        "Backups of the shop run every night at 3:00 on the old server in the cellar, and are copied to tape once in each week.",
    )
    for number, text in enumerate(texts):
        say(text.lower(), session=f"s{number}")
        judge.answers(f"remember({text[:12].lower()!r}, {text.lower()!r}, {text!r})")
        judge.read()
    before = judge.memories()
    assert all(before[text].summary != text for text in texts)
    short = "Uploads over 5 MB are refused, never kept in the cache of the server."
    judge.answers(
        "answer.clear()\nanswer['levels'] = [{'id': one['id'], 'summary': "
        f"{short!r} if 'Uploads' in one['full'] else 'Backups run at night.', 'compressed': 'x'}} for one in request['items']]"
    )
    assert judge.engine.judge.word_levels() == 1
    judge.wait()
    first, second = (judge.memories()[text] for text in texts)
    assert (first.summary, first.compressed, first.full) == (short, short, texts[0])
    assert (second.summary, second.compressed) == (texts[1], texts[1]), "a number was lost: whole"
    judge.engine.judge.word_levels()
    judge.wait()
    assert len([one for one in judge.requests if one["task"] == "levels"]) == 1, "nothing is due any more"
    (operation,) = [one for one in judge.engine.journal.list() if one.label == "Your command shortened 2 memories"]
    judge.engine.journal.undo(operation.id)
    assert judge.memories()[texts[0]].summary == before[texts[0]].summary
    judge.engine.judge.word_levels()
    judge.wait()
    judge.engine.memories.edit(first.id, MemoryEdit(tags=("files",)))
    assert judge.memories()[texts[0]].summary == short
    judge.engine.memories.edit(first.id, MemoryEdit(full="Uploads are refused."))
    assert judge.memories()["Uploads are refused."].summary != short


def test_levels_that_fail_are_not_tried_on_and_hold_nothing_else_up(judge: ScriptedJudge) -> None:
    judge.answers("sys.exit(3)")
    worker = judge.engine._core.judge_worker
    for _ in range(2):
        with pytest.raises(JudgeError):
            worker.ask(LevelsRequest((LevelItem("k1", PAIRS.pairs[0].a),)), app="claude-code")
    assert len(judge.requests) == 2, "one, tried twice"
    with judge.engine._core.store.read() as connection:
        assert worker.is_paused_for(connection, "command", "levels")
        assert not worker.is_paused_for(connection, "command")
