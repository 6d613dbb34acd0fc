"""The few lines a session begins with: what is worth most, rules before details, what the last work was about, each thing once."""

from collections.abc import Iterable

from app.deciders.recall.session_start import StartCandidate, choose_lines


def known(key: int, words: str, **more: object) -> StartCandidate:
    values = {"importance": 0.6, "recorded_at": 100, "is_rule": False, "is_kept": False} | more
    return StartCandidate(key, frozenset(words.split()), **values)  # type: ignore[arg-type]


def chosen(some: Iterable[StartCandidate], most: int, lately: str = "") -> list[int]:
    return choose_lines(list(some), dict.fromkeys(lately.split(), 1), most)


def test_what_does_harm_when_unknown_comes_before_what_is_nice_to_know() -> None:
    some = [known(1, "paid orders stay", importance=0.85), known(2, "menu is blue", importance=0.4, recorded_at=900)]
    assert chosen(some, 1) == [1]


def test_rules_come_before_details_and_new_before_old() -> None:
    some = [
        known(1, "orders have rows"),
        known(2, "never push", is_rule=True),
        known(3, "rooms have beds", recorded_at=200),
    ]
    assert chosen(some, 3) == [2, 3, 1]


def test_what_the_last_work_was_about_moves_up() -> None:
    some = [known(1, "orders have rows"), known(2, "rooms have beds"), known(3, "guests have names")]
    assert chosen(some, 1, "which rooms and beds are free")[0] == 2


def test_two_that_say_the_same_are_one_line_and_two_of_one_form_are_two() -> None:
    some = [
        known(1, "port of orders is 7402"),
        known(2, "port of orders service is 7402", recorded_at=200),
        known(3, "port of rooms is 9911"),
        *(known(number, f"the port of w{number} is p{number}", importance=0.4) for number in range(10, 30)),
    ]
    assert chosen(some, 2) == [2, 3]


def test_what_a_person_pinned_is_said_whatever_else_there_is() -> None:
    some = [known(number, f"word{number}", importance=0.85) for number in range(9)]
    assert 99 in chosen([*some, known(99, "pinned", importance=0.1, recorded_at=1, is_kept=True)], 3)
    assert len(chosen([*some, known(99, "pinned", is_kept=True)], 3)) == 3


def test_nothing_known_says_nothing() -> None:
    assert chosen([], 12, "anything") == []


def test_the_first_line_that_does_not_fit_ends_it() -> None:
    some = [
        known(number, f"word{number}", importance=worth, token_count=tokens)
        for number, worth, tokens in ((1, 0.9, 30), (2, 0.8, 60), (3, 0.1, 10))
    ]
    assert choose_lines(some, {}, 9, 89) == [1], "a short one that is worth less takes no place"
    assert choose_lines(some, {}, 9, 90) == [1, 2]
    pinned = known(4, "pinned", importance=0.1, token_count=80, is_kept=True)
    assert choose_lines([*some, pinned], {}, 9, 90) == [4]


def test_of_many_memories_what_was_said_lately_is_among_the_lines() -> None:
    def known(count: int) -> list[StartCandidate]:
        """The first twelve do harm if they are not known, the others are useful."""
        return [
            StartCandidate(at, frozenset({f"word{at}", f"thing{at}"}), 0.85 if at < 12 else 0.6, at, False, False)
            for at in range(count)
        ]

    assert all(key < 12 for key in choose_lines(known(28), {}, 10))
    chosen = choose_lines(known(70), {}, 10)
    assert sum(key >= 60 for key in chosen) >= 5
