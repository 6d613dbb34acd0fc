"""The boundary scorer: forms it reads, what it counts, Pk and WindowDiff worked out by hand."""

import pytest

from app.evaluation.tasks.boundary import evaluate, measure_hits, measure_windows, read_streams

OPEN_BRAKES = "## Task\n\nImplement the following plan:\n\n# Plan: Brake report\n\nList every brake test by wheel"


def test_three_forms_become_streams() -> None:
    rows = [
        {"id": "a", "messages": [{"when": "2026-03-02T09:00:00+00:00", "session": "s", "boundary": 1, "text": "hi"}]},
        {"id": "b", "texts": ["hello", "bye"], "boundary": [0, 1]},
        {"conv": "c", "when": "2026-03-02T09:00:00", "boundary": True, "text": "one"},
        {"conv": "c", "when": None, "boundary": False, "text": "two"},
    ]
    streams = read_streams(rows)
    assert [len(stream.messages) for stream in streams] == [1, 2, 2]
    assert streams[1].is_start == (False, True)
    assert streams[2].messages[1].at is None


def test_the_first_message_is_not_counted() -> None:
    result = evaluate([{"id": "b", "texts": ["sort the table", "yes"], "boundary": [1, 0]}])
    assert result.n == 1
    assert result.metrics["f1"] == 0.0


def test_a_stream_that_is_read_well_scores_one() -> None:
    messages = [
        {"when": "2026-03-02T09:00:00Z", "boundary": 1, "text": "Add a cart page"},
        {"when": "2026-03-02T09:02:00Z", "boundary": 0, "text": "make it wider"},
        {"when": "2026-03-03T18:00:00Z", "boundary": 1, "text": OPEN_BRAKES},
        {"when": "2026-03-03T18:01:00Z", "boundary": 0, "text": "yes, go ahead"},
    ]
    metrics = evaluate([{"id": "a", "messages": messages}]).metrics
    assert (metrics["f1"], metrics["pk"], metrics["windowdiff"], metrics["asked"]) == (1.0, 0.0, 0.0, 0.0)


def test_sessions_are_not_looked_at() -> None:
    messages = [
        {"when": "2026-03-02T09:00:00Z", "session": name, "boundary": 0, "text": text}
        for name, text in (("one", "Add a cart page"), ("two", "make it wider"))
    ]
    assert evaluate([{"id": "a", "messages": messages}]).errors == ()


def test_hits_by_hand() -> None:
    pairs = [(True, True, False), (True, False, True), (False, True, False), (False, False, False)]
    assert measure_hits(pairs) == {"f1": 0.5, "precision": 0.5, "recall": 0.5}


def test_windows_by_hand() -> None:
    truth = (True, False, True, False)
    said = (True, False, False, False)
    # two segments of two messages: k = 1, three windows, one differs
    assert measure_windows([(truth, said)]) == {"pk": pytest.approx(1 / 3), "windowdiff": pytest.approx(1 / 3)}
    assert measure_windows([]) == {"pk": 0.0, "windowdiff": 0.0}


def test_wrong_decisions_are_shown_surest_first() -> None:
    texts = ["sort the table", "yes, go ahead", "that worked, thanks"]
    errors = evaluate([{"id": "b", "texts": texts, "boundary": [0, 1, 1]}]).errors
    assert [error.expected for error in errors] == ["new", "new"]
    assert errors[0].note >= errors[1].note
