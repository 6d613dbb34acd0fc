"""Sentences of a message and their places in the text with references put in; rules that a person extends."""

from pathlib import Path

import pytest

from app.deciders.memory.rules import compiled, load_memory_rules
from app.deciders.memory.statements.statements import extract_statements
from app.errors import InvalidError
from app.language.sentences import MAX_SENTENCE_CHARS, split_sentences
from tests.table import table


@table(
    ("text", "sentences"),
    [
        ("Use v1.2 of app.py. Then stop!", ["Use v1.2 of app.py.", "Then stop!"]),
        ("e.g. this one. Next", ["e.g. this one.", "Next"]),
        ("well... go on", ["well...", "go on"]),
        ("- first thing\n- second thing", ["first thing", "second thing"]),
        ("1. first thing\n2) second thing", ["first thing", "second thing"]),
        ("from now on tests first\nreturn early always", ["from now on tests first", "return early always"]),
        ('look\n    at foo (bar.js:1)\n$ npm test\nTypeError: no\n{"a": 1}\nbye', ["look", "bye"]),
        ("~~~\ncode\n~~~\nafter", ["after"]),
        ("me@rack ~/modem $ modem watch\nPress q to stop\n\nwhy two?", ["why two?"]),
        ("[03/14/27 9:02 ~/modem] modem watch\n\n📡 Listening\n   Press q to stop\n\n  done\n\nwhy?", ["why?"]),
        ("Copying frames.......\nlooks slow", ["looks slow"]),
        ("", []),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    found = split_sentences(text)
    assert [one.text for one in found] == sentences
    assert all(text[one.start : one.end] == one.text for one in found)


def test_wrapped_lines_are_one_sentence_short_lines_are_not() -> None:
    wrapped = "The importer has to keep the order of the rows that the other side sent\nand must never drop one"
    assert len(split_sentences(wrapped)) == 1
    assert len(split_sentences("tabs please\nno spaces")) == 2


def test_an_endless_sentence_is_cut() -> None:
    assert all(len(one.text) <= MAX_SENTENCE_CHARS for one in split_sentences("word " * 3000))


def test_own_rules_extend_and_take_away(tmp_path: Path) -> None:
    text = "Beschluss: Caddy ersetzt Apache"
    assert extract_statements(text, expanded=text, references=(), entities=(), intents=()) == ()
    (tmp_path / "statements.yaml").write_text(
        "patterns:\n  - {id: beschluss, type: decision, confidence: 0.9, words: [beschluss], at: start,\n"
        "     match: '^beschluss: (?P<new>.+)$', text: '{new}', reason: sagt es}\n"
    )
    rules = load_memory_rules(tmp_path)
    found = extract_statements(text, expanded=text, references=(), entities=(), intents=(), rules=rules)
    assert [one.text for one in found] == ["Caddy ersetzt Apache."]


@pytest.mark.parametrize(
    "content",
    [
        "patterns:\n  - {id: x}\n",
        "patterns:\n  - {id: x, type: opinion, confidence: 0.5, words: [a], at: any, match: a, reason: r}\n",
        "patterns:\n  - {id: x, type: fact, confidence: 0.5, words: [a], at: nowhere, match: a, reason: r}\n",
        "patterns:\n  - {id: x, type: fact, confidence: 0.5, words: [a], at: any, match: '(', reason: r}\n",
        "vague: 5\n",
    ],
)
def test_own_rules_that_do_not_fit_are_refused_in_words(tmp_path: Path, content: str) -> None:
    (tmp_path / "statements.yaml").write_text(content)
    with pytest.raises(InvalidError, match=r"statements\.yaml"):
        load_memory_rules(tmp_path)


def test_no_word_of_the_rules_is_a_yaml_truth_value() -> None:
    """YAML reads on, off, yes and no as truth values: as words they must be quoted."""
    rules = load_memory_rules()
    words = {
        *rules.vague,
        *rules.pronouns,
        *rules.likeness.weak,
        *rules.slots.scope_prepositions,
        *rules.patterns_by_word,
    }
    assert not words & {"True", "False", "true", "false"}
    assert {"on", "no"} <= words


def test_every_shipped_expression_compiles() -> None:
    for pattern in load_memory_rules().patterns:
        compiled(pattern.expression)
        compiled(pattern.unless)
