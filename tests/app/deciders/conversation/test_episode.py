"""What may be called done: what an answer says plainly, nobody refutes and no later answer replaces."""

import pytest

from app.deciders.conversation.episode import EpisodeParts, compose_episode, last_time_line, read_answer_end
from tests.table import table


@table(
    "said",
    [
        "The guest list should now stay in two columns.",
        "The export is now ready for production!",
        "Please restart the app, the list is now sorted.",
        "This ensures that the totals match the invoice.",
        "The tests should pass now.",
    ],
)
def test_hope_and_praise_show_nothing(said: str) -> None:
    end = read_answer_end(said)
    assert (end.done, end.works) == ((), ())


@pytest.mark.parametrize(
    "said",
    [
        "The ledger is renumbered. Next year (2026), it will start fresh.",
        "I've written the plan. It contains all the remaining tasks for the importer.",
        "The notes of the meeting are relevant to the next steps.",
        "The overview shows what has been done and what still needs to be done.",
        "The files are merged. File name: What should I name the merged file?",
        "The docs are updated. Would you like me to make any other improvements?",
        "The form is there. Would you like me to help you imple",
        "The form is there. 🔧 Next Steps",
        "Note that you need to have the debugger installed.",
    ],
)
def test_what_only_speaks_of_next_is_nothing_to_do(said: str) -> None:
    assert read_answer_end(said).next == ()


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("The form is there. Next: wire it to the order list", "Wire it to the order list."),
        ("The form is there. Suggested next step: rebuild the widget.", "Suggested next step: rebuild the widget."),
        ("The secret is read. You'll need to add it to the settings of the repository.", "You'll need to add it to the settings of the repository."),
        ("Done. Would you like me to write the booking page next?", "Would you like me to write the booking page next?"),
        ("The form is there. The next step is the price list.", "The next step is the price list."),
    ],
)  # fmt: skip
def test_what_is_left_is_said(said: str, wanted: str) -> None:
    assert read_answer_end(said).next == (wanted,)


def _parts(*turns: tuple[str, str], title: str = "Guest list in two columns") -> EpisodeParts:
    return EpisodeParts(title, "Claude Code", turns=turns)


def test_what_the_next_prompt_refutes_was_not_done() -> None:
    asked = ("show the guest list in two columns", "I've changed the guest list to two columns.")
    assert compose_episode(_parts(asked)) is not None
    assert compose_episode(_parts(asked, ("still one column", ""))) is None


def test_a_later_answer_about_the_same_replaces_the_earlier() -> None:
    episode = compose_episode(
        _parts(
            ("make the gap of the guest list smaller", "The initial offset of the guest list is now `70f`."),
            ("a bit more for the guest list", "The initial offset of the guest list is now `60f`."),
        )
    )
    assert episode is not None
    assert episode.done == ("The initial offset of the guest list is now `60f`.",)


def test_a_side_step_stands_under_its_own_request() -> None:
    episode = compose_episode(
        _parts(("return all providers in the speech status", "The speech status now returns all providers."))
    )
    assert episode is not None
    assert episode.narrative == (
        "Return all providers in the speech status: The speech status now returns all providers."
    )


def test_what_follows_an_answer_stands_under_the_request_before_it() -> None:
    turns = (
        ("add a personal state to bookings", ""),
        ("1. yes 2. from draft to personal", "I've added a personal state to drafts."),
    )
    episode = compose_episode(_parts(*turns))
    assert episode is not None
    assert episode.narrative == "Add a personal state to bookings: Added a personal state to drafts."


def test_an_open_fault_at_the_end_leaves_no_last_time_line() -> None:
    turns = (
        ("show the guest list in two columns", "I've changed the guest list to two columns."),
        ("add a guest filter", "I've added a filter to the guest list."),
        ("saving a guest throws an error", "Let me look at the form."),
    )
    before, after = compose_episode(_parts(*turns[:2])), compose_episode(_parts(*turns))
    assert before is not None
    assert last_time_line(before.title, before.gist, before.next)
    assert after is not None
    assert last_time_line(after.title, after.gist, after.next) == ""


def test_a_word_in_brackets_is_no_sign_that_it_was_done() -> None:
    asked = EpisodeParts("Persistent folders", "Claude Code", summary="Persistent benchmark folders (implemented)")
    episode = compose_episode(asked)
    assert episode is not None
    assert "implemented" not in episode.narrative + episode.gist


def test_what_was_done_early_is_not_what_was_done_last() -> None:
    early = ("show the guest list in two columns", "I've changed the guest list to two columns.")
    later = ("which colours are there?", "There are four.")
    before, after = compose_episode(_parts(early)), compose_episode(_parts(early, *[later] * 4))
    assert before is not None
    assert before.gist == "Changed the guest list to two columns."
    assert after is not None
    assert after.gist == ""


def test_a_title_that_tells_what_was_seen_names_no_matter() -> None:
    done = "Sorted the guest list by name."
    assert last_time_line("There are two errors in the guest list", done, "") == f"Last time: {done}"
    assert (
        last_time_line("Two errors in the guest list", done, "") == f"Last time: Two errors in the guest list. {done}"
    )
