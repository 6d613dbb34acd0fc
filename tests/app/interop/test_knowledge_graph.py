"""`knowledge-graph.yaml`: the seed's printed file read and written back, everything without loss, never above 200 KB."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
import yaml

from app.errors import InvalidError
from app.interop.knowledge_graph import EXTRA, MOST_BYTES, read_knowledge, write_knowledge
from app.values.rules import LearnedRule, RuleKind
from tests.table import table

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SEED = """\
# Conversation Patterns (consolidated from short-term)
conversation_patterns:
  - pattern: "make it {color}"
    context_required: ["previous_entity"]
    intent: "EXECUTE"
    confidence: 0.95
    learned_from: 15  # Number of times observed

  - pattern: "add {feature} and test it"
    multi_intent: ["PLAN", "TEST"]
    confidence: 0.88
    learned_from: 8

# Entity Resolution Rules (learned from conversations)
entity_resolution:
  pronouns:
    "it":
      - type: "most_recent_noun"
        lookback: 2  # messages
        confidence: 0.90
    "that":
      - type: "most_recent_feature"
        lookback: 3
        confidence: 0.85

  demonstratives:
    "the {entity}":
      - type: "specific_from_context"
        must_exist_in: "last_5_messages"
        confidence: 0.92

# Application Knowledge (file relationships, patterns)
file_relationships:
  co_modified:
    - files: ["HostControlPanel.razor", "HostControlPanelContent.razor"]
      frequency: 23
      pattern: "component_parent_child"

    - files: ["AssetProcessingService.cs", "UnifiedHtmlTransformService.cs"]
      frequency: 18
      pattern: "service_dependency"

# Conversation Boundaries (learned patterns)
conversation_boundaries:
  explicit_markers:
    - "actually, let's work on"
    - "forget that, I want to"
    - "new topic:"
    - "switching to"

  implicit_markers:
    - new_session_started: true
    - entity_similarity_below: 0.3  # Low overlap with previous conversation
    - time_gap_exceeds: "4 hours"
"""


def rule(kind: RuleKind, pattern: str, **more: object) -> LearnedRule:
    plain = LearnedRule(0, kind, pattern, {}, 0.6, 1, NOW, NOW, 0)
    return replace(plain, **more)  # type: ignore[arg-type]


RULES = (
    rule(RuleKind.PHRASE, "make it {color}", details={"intents": ["EXECUTE"]}, confidence=0.75, seen_count=4),
    rule(RuleKind.PHRASE, "add {feature} and test it", details={"intents": ["PLAN", "TEST"]}, is_on=False),
    rule(RuleKind.PRONOUN, "it", details={"type": "most_recent_noun", "lookback": 2}, seen_count=9, confidence=0.99),
    rule(
        RuleKind.DEMONSTRATIVE,
        "the {entity}",
        details={"type": "specific_from_context", "must_exist_in": "last_5_messages"},
    ),
    rule(
        RuleKind.FILES, "a.ts + b.ts", details={"files": ["a.ts", "b.ts"], "pattern": "same_folder"}, project="/w/app"
    ),
    rule(RuleKind.MARKER, "new topic", confidence=0.65, seen_count=2),
    rule(RuleKind.SIGN, "time_gap_exceeds", details={"value": "4 hours"}, is_edited=True),
    rule(RuleKind.SEQUENCE, "npm test → git commit", details={"steps": ["npm test", "git commit"]}, project="/w/app"),
    rule(RuleKind.FIX, "error TS2322: not assignable", details={"command": "npm run build", "files": ["cart.ts"]}),
)


@pytest.mark.seed(
    "S1",
    "kg.file",
    "kg.pattern",
    "kg.multi",
    "kg.pronouns",
    "kg.demonstratives",
    "kg.comodified",
    "kg.explicit",
    "kg.implicit",
)
def test_the_seeds_file_is_read_and_written_back() -> None:
    rules = read_knowledge(SEED.encode(), NOW)
    assert len(rules) == 14
    written = yaml.safe_load(write_knowledge(rules))
    del written[EXTRA]
    assert written == yaml.safe_load(SEED)
    assert read_knowledge(write_knowledge(rules), NOW) == rules


def test_everything_comes_back_without_loss() -> None:
    assert read_knowledge(write_knowledge(RULES), datetime(2030, 1, 1, tzinfo=UTC)) == RULES


def test_what_a_person_changes_in_the_seeds_sections_counts() -> None:
    document = yaml.safe_load(write_knowledge(RULES))
    document["conversation_patterns"][0]["confidence"] = 0.5
    document["conversation_boundaries"]["explicit_markers"] = ["let's talk about"]
    found = read_knowledge(yaml.safe_dump(document).encode(), NOW)
    assert next(one for one in found if one.pattern == "make it {color}").confidence == 0.5
    assert [one.pattern for one in found if one.kind is RuleKind.MARKER] == ["let's talk about"]


@pytest.mark.seed("S1", "kg.size")
def test_above_200_kb_the_weakest_stay_out() -> None:
    many = [
        rule(
            RuleKind.PHRASE,
            f"add {{feature}} number {number}",
            details={"intents": ["PLAN"]},
            confidence=0.6 + number / 10_000,
        )
        for number in range(2_000)
    ]
    written = write_knowledge(many)
    assert len(written) <= MOST_BYTES
    kept = read_knowledge(written, NOW)
    assert many[-1] in kept
    assert many[0] not in kept


@table(
    "raw",
    [
        b"- a\n- b",
        b"\xff\xfe",
        b"a: &x [*x]",
        b"conversation_patterns: 7",
        b"conversation_patterns: [{pattern: x, intent: DANCE}]",
        b"file_relationships: {co_modified: [{files: [a]}]}",
        b"remanence: {rules: [{kind: spell, pattern: x}]}",
        b"a: !!python/object/apply:os.system [ls]",
    ],
)
def test_what_is_no_knowledge_graph_is_refused_with_a_sentence(raw: bytes) -> None:
    with pytest.raises(InvalidError):
        read_knowledge(raw, NOW)
