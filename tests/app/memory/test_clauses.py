"""Plain clauses taken apart and weighed; and messages of many kinds of people, read as capture reads them."""

import json
from pathlib import Path

import pytest

from app.memory.clauses import Clause, parse_clause, share_subject
from app.memory.rules import load_memory_rules
from app.memory.standing import Judged, Setting, judge_clause
from app.memory.statements import extract_statements
from app.services.evaluation import facts
from app.values import FactType

RULES = load_memory_rules()
SAID = Path(__file__).parent / "said" / "messages.jsonl"


def parsed(text: str) -> Clause:
    clause = parse_clause(text, RULES.clauses)
    assert clause is not None
    return clause


def judged(text: str, setting: Setting | None = None) -> Judged | None:
    return judge_clause(text, RULES, setting or Setting())


def written(text: str) -> list[str]:
    found = extract_statements(text, expanded=text, references=(), entities=(), intents=())
    return [one.text for one in found]


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    "text", ["move the logo left", "the thing that breaks", "to ship faster", "before we go on", ""]
)
def test_what_has_no_subject_and_verb_of_its_own_does_not_parse(text: str) -> None:
    assert parse_clause(text, RULES.clauses) is None


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("the exporter reads orders and writes invoices", 2),
        ("backups are encrypted with age and kept in Oslo", 2),
        ("the exporter reads orders and invoices", 1),
        ("salt and pepper", 1),
    ],
)
def test_two_verbs_share_their_subject(text: str, clauses: int) -> None:
    found = share_subject(text, RULES.clauses)
    assert len(found) == clauses
    assert all(parse_clause(one, RULES.clauses) for one in found) or clauses == 1


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("our gateway returns gzip", FactType.FACT),
        ("the invoices are archived in Zurich every night", FactType.FACT),
        ("we have two clusters", FactType.FACT),
        ("Ilse has the root keys", FactType.ENTITY),
        ("every upload must stay under 4 MB", FactType.CONSTRAINT),
        ("legacy/ is off limits", FactType.CONSTRAINT),
        ("all devices have to work offline", FactType.CONSTRAINT),
    ],
)
def test_what_stands_weighs_enough(text: str, type_: FactType) -> None:
    found = judged(text)
    assert found is not None
    assert found.type is type_


@pytest.mark.parametrize(
    "text",
    [
        "the button shows the old label",
        "the gateway returns 502 for two users",
        "we need to add a column",
        "we are looking into the cache",
        "I have to leave at noon",
        "the label must be renamed",
        "all checks are green",
        "it lives in Oslo",
        "the only reason is speed",
        "let's have a look at the cache",
    ],
)
def test_what_is_seen_done_or_meant_just_now_is_silent(text: str) -> None:
    assert judged(text) is None


def test_the_message_around_a_clause_counts() -> None:
    text = "the gateway keeps sessions in memory"
    alone, in_a_talk = judged(text, Setting(6)), judged(text, Setting(60))
    assert alone is not None
    assert in_a_talk is None or in_a_talk.confidence < alone.confidence
    assert judged(text, Setting(300, is_troubled=True, is_asking=True)) is None


def test_what_may_be_seen_just_now_waits_for_the_person() -> None:
    seen, lasting = judged("the gateway accepts 40 orders"), judged("our gateway accepts 40 orders per minute")
    assert seen is None or seen.confidence < 0.7
    assert lasting is not None
    assert lasting.confidence >= 0.7


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("staging lives at Hetzner, prod at Azure", ["Staging lives at Hetzner, prod at Azure."]),
        ("Ilse and Omar review the schema", ["Ilse and Omar review the schema."]),
        ("it is forbidden to use trackers in our company", ["It is forbidden to use trackers in our company."]),
        ("Redis is out, Valkey is in", ["Redis is out, Valkey is in."]),
        ("please stop adding banners", ["Stop adding banners."]),
    ],
)
def test_sentences_of_several_kinds(text: str, statements: list[str]) -> None:
    assert written(text) == statements


def test_most_of_what_people_say_is_found_and_little_else() -> None:
    rows = [json.loads(line) for line in SAID.read_text(encoding="utf-8").splitlines()]
    metrics = facts.evaluate(rows).metrics
    assert metrics["recall"] > 0.8
    assert metrics["precision"] > 0.88
    assert metrics["empty_kept"] > 0.95
