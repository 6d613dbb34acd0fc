"""What the first prompts of a session are given: what was said of what they are about, by the words and by where it was said."""

from app.deciders.recall.session_start import PromptCandidate, choose_alike

PROMPT = frozenset(["booking", "calendar", "guest", "invoice", "room"])


def known(key: int, own: str, prompts: tuple[str, ...] = (), title: str = "") -> PromptCandidate:
    return PromptCandidate(
        key, frozenset(own.split()), [frozenset(one.split()) for one in prompts], frozenset(title.split())
    )


def chosen(*some: PromptCandidate, most: int = 8, rarity: float = 1.0) -> list[int]:
    return list(choose_alike(PROMPT, some, lambda stem: rarity, most))


def test_the_prompt_that_it_was_said_in_counts_where_its_own_words_say_little() -> None:
    said_here = known(1, "one guest pay", ("booking calendar guest invoice price",), "booking calendar")
    said_elsewhere = known(2, "one guest pay", ("newsletter header column photo",), "newsletter")
    assert chosen(said_here, said_elsewhere) == [1]


def test_the_likest_of_several_prompts_counts() -> None:
    title = "booking calendar"
    once = known(1, "one guest pay", ("booking calendar guest invoice",), title)
    twice = known(2, "one guest pay", ("newsletter header", "booking calendar guest invoice"), title)
    assert choose_alike(PROMPT, [once, twice], lambda stem: 1.0, 8) == dict.fromkeys((1, 2), 2.61)


def test_what_is_not_known_any_more_is_guessed_from_its_own_words() -> None:
    assert chosen(known(1, "booking calendar guest invoice")) == [1]
    assert chosen(known(2, "booking newsletter header column")) == []


def test_words_that_everybody_uses_say_nothing_and_the_best_go_first() -> None:
    some = known(1, "booking calendar guest price"), known(2, "booking calendar guest invoice room")
    assert chosen(*some, rarity=0.3) == []
    assert chosen(*some) == [2, 1]
    assert chosen(*some, most=1) == [2]
    assert chosen(*some, most=-1) == []


def test_what_nobody_confirmed_has_to_be_more_alike() -> None:
    like = known(1, "one pay", ("booking calendar newsletter header price",), "booking calendar")
    weak = known(2, "one guest pay", ("booking newsletter header price",), "booking calendar")
    assert chosen(like, weak) == [1, 2]
    assert chosen(like._replace(is_unconfirmed=True), weak._replace(is_unconfirmed=True)) == [1]


def test_what_a_statement_is_about_counts_again() -> None:
    mentions = known(1, "newsletter names guest", ("newsletter header",), "booking calendar")
    assert chosen(mentions) == []
    assert chosen(mentions._replace(subject=frozenset(["newsletter", "name"]))) == []
    assert chosen(mentions._replace(subject=frozenset(["guest", "name"]))) == [1]
