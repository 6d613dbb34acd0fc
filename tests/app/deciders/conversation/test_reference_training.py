"""The examples of references are read as they are marked, and what is learned from them points the right way."""

from pathlib import Path

from app.deciders.conversation.references.candidates import clauses_before
from app.deciders.conversation.references.resolution import ReferenceRules, resolve_references
from app.evaluation.training.references import PAST_MESSAGES, Trainer, load_examples, with_past
from app.language.analysis_cache import read_message
from app.resources import load_rules, resource_path
from app.values import Speaker
from tests.table import table

RULES = ReferenceRules.parse(load_rules("references"))


def test_a_block_is_read_with_its_marks_and_speakers(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("## note\n- add a bell\n< done\n> make [[it|bell]] red\n| and [[that|]]\n")
    first, second = load_examples(tmp_path)
    assert first.history == ((Speaker.USER, "add a bell"), (Speaker.ASSISTANT, "done"))
    assert (first.text, first.start, first.names) == ("make it red\nand that", 5, ("bell",))
    assert (second.start, second.names) == (16, ())


def test_the_shipped_examples_are_many_and_marked_where_a_mention_stands() -> None:
    examples = load_examples(resource_path("references"))
    assert len({example.dialogue for example in examples}) >= 300
    assert any(not example.names for example in examples)
    assert all(0 <= example.start <= len(example.text) for example in examples)


@table(
    ("message", "mention", "antecedent"),
    [
        ("if the user has no quota left tell them how to get more", "them", "user"),
        ("sort the imports, and do that in its own commit", "that", "sort the imports"),
    ],
)
def test_points_persons_and_acts_are_meant_too(message: str, mention: str, antecedent: str) -> None:
    found = {reference.mention: reference for reference in resolve_references(message, (), [], RULES)}
    assert found[mention].candidates[0].text == antecedent


def test_a_clause_without_an_act_is_nothing_that_was_said() -> None:
    analysis = read_message("tell me about the cache. is that new?")
    assert clauses_before(analysis, 7, RULES) == []


def test_examples_are_also_met_in_the_middle_of_a_session() -> None:
    examples = load_examples(resource_path("references"))
    behind = with_past(examples)
    assert [(e.text, e.start, e.names) for e in behind] == [(e.text, e.start, e.names) for e in examples]
    for example, later in zip(examples, behind, strict=True):
        assert later.history[len(later.history) - len(example.history) :] == example.history
        if any(speaker is Speaker.ASSISTANT for speaker, _ in example.history):
            assert later.history == example.history
        else:
            assert len(later.history) >= PAST_MESSAGES


def test_a_sign_of_the_right_candidates_is_learned(tmp_path: Path) -> None:
    names = ("grid", "panel", "ribbon", "drawer", "ticker", "beacon")
    (tmp_path / "own.txt").write_text(
        "\n\n".join(f"- add a {n} (like the old page)\n> make [[it|{n}]] red" for n in names)
    )
    trainer = Trainer()
    learned = trainer.fit(trainer.cases(load_examples(tmp_path)))
    assert learned.alone["before.empty.first"] > learned.alone["before.empty.last"]
