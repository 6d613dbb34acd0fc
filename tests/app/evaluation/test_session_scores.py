"""What counts as right, wrong and neither, on memories made by hand."""

from typing import Any

import pytest

from app.evaluation.session_scores import Given, Kept, KeptSource, Played, answered_questions, score_sessions

TEXT = "Always deploy with the blue script. Also fix the typo."
LABEL = {"start": 0, "end": 35, "statement": "Deployment always uses the blue script", "type": "constraint", "worth": 3}


def row(number: int, **labels: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {"durable": [], "changes": [], "refs": [], "starts_topic": False}
    return {"id": f"shop-{number}", "session": "a", "text": TEXT, "act": "rule"} | empty | labels


def kept(number: int, text: str, row_id: str | None, *, status: str = "active", **more: Any) -> Kept:
    return Kept(number, text, "fact", status, (KeptSource(row_id, 0, 34),), **more)


def played(*memories: Kept, **more: Any) -> Played:
    given: dict[str, Any] = {"starts": {}, "first_prompts": {}, "is_new": {}, "references": {}} | more
    for number in range(1, 4):
        given["is_new"].setdefault(f"shop-{number}", False)
        given["references"].setdefault(f"shop-{number}", [])
    return Played(memories, **given)


def test_what_says_the_label_is_right_and_what_says_something_else_is_wrong() -> None:
    rows = [row(1, durable=[LABEL]), row(2)]
    memories = kept(1, "Always deploy with the blue script", "shop-1"), kept(2, "The typo is fixed", "shop-2")

    found = score_sessions(rows, played(*memories), [], [], {})

    assert (found["active_precision"], found["active_recall"], found["empty_kept"]) == (0.5, 1.0, 0.0)


def test_a_proposal_counts_only_among_all() -> None:
    rows = [row(1, durable=[LABEL])]
    proposal = kept(1, "Always deploy with the blue script", "shop-1", status="proposed")

    found = score_sessions(rows, played(proposal), [], [], {})

    assert "active_precision" not in found
    assert (found["all_precision"], found["all_recall"]) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        ("Always deploy with the blue script", 1, 0),
        ("blue script", 1, 0),
        # a whole prompt says everything, so it says nothing
        ("Always deploy with the blue script and " + " ".join(f"word{n}" for n in range(20)), 0, 1),
    ],
)
def test_a_memory_says_a_statement_in_few_words(text: str, right: int, wrong: int) -> None:
    found = score_sessions([row(1, durable=[LABEL])], played(kept(1, text, "shop-1")), [], [], {})

    assert (found["active_right"], found["active_wrong"]) == (right, wrong)


def test_worth_one_and_what_is_said_twice_count_neither_way() -> None:
    rows = [row(1, durable=[LABEL]), row(2, durable=[LABEL | {"worth": 1, "statement": "The blue script deploys"}])]
    texts = ("Always deploy with the blue script", "shop-1"), ("Deploy with the blue script, always", "shop-1")
    memories = [kept(number, *one) for number, one in enumerate((*texts, ("The blue script deploys", "shop-2")), 1)]

    found = score_sessions(rows, played(*memories), [], [], {})

    assert (found["active_right"], found["active_wrong"], found["wanted"]) == (1, 0, 1)


def test_a_change_is_heard_by_the_message_that_closed_the_memory() -> None:
    rows = [row(1), row(2, changes=[{"how": "replaces", "old": "the blue script", "new": "the green script"}]), row(3)]
    closed, false = (
        kept(1, "Always deploy with the blue script", "shop-1", closed_by="shop-2"),
        kept(2, "Fix the typo", "shop-1", closed_by="shop-3"),
    )

    found = score_sessions(rows, played(closed, false), [], [], {})

    assert (found["changes_heard"], found["changes_precision"]) == (1.0, 0.5)


def test_what_points_at_nothing_is_best_left_alone() -> None:
    label = {"start": 0, "end": 2, "word": "it", "antecedent": "the blue script", "where": "user"}
    rows = [row(1, refs=[label]), row(2, refs=[label | {"where": "none", "antecedent": ""}])]
    answer = [{"state": "resolved", "start": 0, "end": 2, "antecedent": "blue script"}]

    found = score_sessions(rows, played(references={"shop-1": answer, "shop-2": answer}), [], [], {})

    assert (found["references_right_of_answered"], found["references_right_of_answerable"]) == (0.5, 1.0)


def test_a_start_and_a_first_prompt_are_read_line_by_line() -> None:
    context = "<memory>\n# What holds\n- [1] Always deploy with the blue script\n- Last time: the typo\n</memory>"
    given = Given.of_hook({"hookSpecificOutput": {"additionalContext": context}})
    start = {"session": "a", "tell_at_start": ["shop-1#0"]}
    memory = kept(1, "Always deploy with the blue script", "shop-1")

    found = score_sessions(
        [row(1, durable=[LABEL])], played(memory, starts={"a": given}, first_prompts={"a": given}), [start], [], {}
    )

    assert (found["start_lines"], found["start_useful"], found["told"]) == (2, 0.5, 1.0)
    assert found["first_prompt_useful"] == 0.0  # said at the start already


def test_a_question_is_answered_by_the_right_message_with_fewer_words() -> None:
    question = {"question": "How do we deploy?", "ids": ["shop-1"], "answer": "with the blue script, always"}
    rows = [row(1, durable=[LABEL])]
    hits = {"How do we deploy?": [("the blue one", None, "shop-1")]}

    assert score_sessions(rows, played(), [], [question], hits)["questions_answered"] == 1.0
    hits = {"How do we deploy?": [("the blue one", None, "shop-2")]}
    assert score_sessions(rows, played(), [], [question], hits)["questions_answered"] == 0.0


def test_what_only_a_message_answers_is_counted_apart() -> None:
    """A message is never forgotten: with it among the hits a forgotten memory would lose no answer."""
    questions = [
        {"question": "How do we deploy?", "ids": ["shop-1"], "answer": "with the blue script, always"},
        {"question": "What was the typo?", "ids": ["shop-2"], "answer": "receit"},
    ]
    memory = kept(7, "Always deploy with the blue script", "shop-1")
    hits = {
        "How do we deploy?": [(TEXT, None, "shop-1"), (memory.text, 7, None)],
        "What was the typo?": [("receit on the invoice", None, "shop-2")],
    }

    both = answered_questions([memory], questions, hits)
    by_memory = answered_questions([memory], questions, hits, by_memory=True)

    assert both == {"How do we deploy?", "What was the typo?"}
    assert by_memory == {"How do we deploy?"}
