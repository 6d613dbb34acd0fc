"""Plain clauses taken apart and weighed; and messages of many kinds of people, read as capture reads them."""

import json
from pathlib import Path

from app.deciders.memory.rules import load_memory_rules
from app.deciders.memory.statements.clauses import Clause, parse_clause
from app.deciders.memory.statements.statements import extract_statements
from app.evaluation.tasks import facts
from tests.table import table

RULES = load_memory_rules()
SAID = Path(__file__).parent / "said" / "messages.jsonl"


def parsed(text: str) -> Clause:
    clause = parse_clause(text, RULES.clauses)
    assert clause is not None
    return clause


def written(text: str) -> list[str]:
    found = extract_statements(text, expanded=text, references=(), entities=(), intents=())
    return [one.text for one in found]


@table(
    ("text", "subject", "modal", "verb", "rest"),
    [
        ("our gateway returns gzip", "our gateway", "", "return", "gzip"),
        ("the audit trail is kept in cold storage", "the audit trail", "", "keep", "in cold storage"),
        ("we always run Node 20", "we", "", "run", "Node 20"),
        ("the payload cannot exceed 4 KB", "the payload", "cannot", "exceed", "4 KB"),
        ("Ilse doesn't review CSS", "Ilse", "", "review", "CSS"),
        ("exports have to be signed", "exports", "have to", "sign", ""),
        ("in the lab, sensors report every minute", "sensors", "", "report", "every minute"),
    ],
)
def test_a_clause_has_a_subject_a_verb_and_the_rest(text: str, subject: str, modal: str, verb: str, rest: str) -> None:
    clause = parsed(text)
    assert (clause.subject, clause.modal, clause.verb, clause.rest) == (subject, modal, verb, rest)


@table("text", ["move the logo left", "the thing that breaks", "to ship faster", "before we go on", ""])
def test_what_has_no_subject_and_verb_of_its_own_does_not_parse(text: str) -> None:
    assert parse_clause(text, RULES.clauses) is None


@table(
    ("text", "statements"),
    [
        ("staging lives at Hetzner, prod at Azure", ["Staging lives at Hetzner, prod at Azure."]),
        ("Ilse and Omar review the schema", ["Ilse and Omar review the schema."]),
        ("it is forbidden to use trackers in our company", ["It is forbidden to use trackers in our company."]),
    ],
)
def test_sentences_of_several_kinds(text: str, statements: list[str]) -> None:
    assert written(text) == statements


def test_much_of_what_people_say_is_found_and_little_else() -> None:
    rows = [json.loads(line) for line in SAID.read_text(encoding="utf-8").splitlines()]
    metrics = facts.evaluate(rows).metrics
    assert metrics["recall"] > 0.6
    assert metrics["precision"] > 0.82
    assert metrics["empty_kept"] > 0.95
