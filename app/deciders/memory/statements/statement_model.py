"""Sentences that no pattern reads, judged by weights that were learned: does it state something that lasts, and what?

Pure Python: one look-up for each feature of a short sentence. Keeps to brief messages that tell of no fault; a sentence that
asks, supposes, hedges or reports is never judged. How the weights are learned is saying_training's business. Source: S3.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from app.deciders.feature_weights import PackedRows
from app.deciders.memory.rules import MemoryRules, compiled
from app.deciders.memory.statements.clauses import parse_clause
from app.deciders.memory.statements.matching import BARE, Match, is_unsettled
from app.deciders.memory.statements.phrasing import cut_tail, points_outside, straighten, without_inside
from app.deciders.memory.statements.statement_features import (
    SentenceContext,
    is_readable,
    is_task,
    name_features,
)
from app.errors import InvalidError
from app.resources import resource_path
from app.values import FactType

SCALE = 100  # weights are kept as whole hundredths: small file, equal sums on every machine
NORM_FEATURES = 25.0  # a sentence of this many known features is scored at face value; longer ones are toned down
TYPES = (
    FactType.DECISION,
    FactType.PREFERENCE,
    FactType.CONSTRAINT,
    FactType.GOAL,
    FactType.PROCEDURE,
    FactType.FACT,
    FactType.ENTITY,
)
_NO_SENTENCE = re.compile(r":$|\[image|^[\"“]|^[^\w`@./#~*('-]|\S{45}", re.IGNORECASE)
_NO_STATEMENT = re.compile(  # what was done or is to be done by the other side, what is cut off, what only goes on
    r"^(?:how|why|what|where|when|which|who) (?:do|does|did|is|are|was|can|could|should|would|to) |^i (?:know|see|get it|understand|agree|haven't|have not)\b|^you(?:'re|'ve|'ll| (?!must|should|may|always|never|cannot|can't|have to|need to|only))\b|^(?:e\.g|i\.e|that way|reason being)\b"
    r"|^(?:i |we )?(?:don't|do not|dont) (?:think|know|see|get|understand|worry|forget)\b|^(?:rather|other) than [^,]*$|^instead of [^,]*$"
    r"|^let(?:'s|s| us) (?:just |also |first |then |please |now |not )*(?:be sure|make sure|record|start|look|see|talk|think|discuss|figure|proceed|"
    r"continue|move on|go (?:on|through|over)|try|address|tackle|consider|understand|explore|walk|check|review|capture|plan|fix|do (?:it|that|this|the|a))\b"
    r"|^(?:we|i)?(?:'re| are|'m| am)? ?(?:going to|gonna|'ll|will|need to|have to|want to|can|should|could) (?:also |just |first |now |then )*(?:look|see|talk|think|discuss|figure|go (?:on|through|back|over)|"
    r"come back|get back|try|check|find out|fix|finish|wait|rerun|run the|test|verify|understand|explore|review|record|document|capture|write up|note|handle (?:it|that|this)|do (?:it|that|this|the)|"
    r"start (?:with (?:the|a|an)|by)|begin)\b"
    r"|^not [a-z]+ing\b|^(?:an?other|the other|other|one) (?:option|way|possibility|alternative|approach)\b|^(?:\w+ )?\d+(?: ?(?:&|and|,|-) ?\d+)* only\b"
    r"|(?:^|\b(?:use|in|of|on|for|with|to|want|need|from|keep|allows?|have|like|about|into|sees?|shows?|gets?|fix|change) )(?:that|this|these|those) (?!is\b|are\b|was\b|(?:project|repo|repository|codebase|team|app|code|branch|release|version|phase|service|tool|package|refactoring|rewrite|spike|milestone|sprint|quarter|week|month|year|semester|season|cleanup|migration|iteration|prototype|effort)\b)[a-z]+\b"
    r"|^(?:both|all|some|either|neither|none|one|two|three|most)(?: of (?:them|these|those|it|that))? (?:are|is|were|was|have|has|do|does|should|must|can|need)\b"
    r"|\b(?:of|the|a|an|to|with|from|and|or|in|at|for|by|as|than|is|are)$",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(  # what a program or another person says: "Xcode says: …", "loss: 0.53 - val_loss: 0.61"
    r"^(?:my |our |the |an? )?(?:[\w.-]+ ){1,3}?(?:says|said|shows|showed|prints|printed|reports|complains|complained|warns|warned|asks|asked|claims|told|wrote)\b|\w: ?\d[\d.]*%? [-|] \w",
    re.IGNORECASE,
)
_POINTING = re.compile(r"(?:this|that|these|those) ", re.IGNORECASE)
_WISH = re.compile(r"^(?:i|we)(?:'d| would) (?:really |also )?like to (?=[a-z]+ )", re.IGNORECASE)  # the wish remains
_AGAIN = re.compile(
    r"\b(?:always|never|whenever|when|before|after|once|first|if|then|until|(?:each|every) time|(?:for|on|with|in|at) (?:each|every|any|all)|to [a-z]+[^,]*,)",
    re.IGNORECASE,
)
LEARNED_REASON = "sounds like what people want remembered"
_LEARNED = replace(BARE, id="learned", reason=LEARNED_REASON)
LIKELY_REASON = "may hold beyond the work at hand"
_LIKELY = replace(BARE, id="likely", reason=LIKELY_REASON)
_LEAST_LIKELY, _MOST_LIKELY = 0.5, 0.55  # of a proposal: what a rule asks for is looked at before
_LEAST_LIKELY_WORDS = 8  # fewer lean on the talk
_SETTLED = frozenset({FactType.DECISION, FactType.CONSTRAINT, FactType.GOAL, FactType.PREFERENCE})
_OF_CLAUSE = frozenset({FactType.FACT, FactType.CONSTRAINT, FactType.DECISION, FactType.ENTITY})
_OF_MODAL = frozenset({FactType.CONSTRAINT, FactType.DECISION, FactType.GOAL, FactType.FACT})
_LEAST_WORDS = 3
_LEAST_CONFIDENCE, _MOST_CONFIDENCE = 0.52, 0.74  # only what is quite sure is kept without asking


@dataclass(frozen=True, slots=True)
class StatementModel:
    """Whole weights (hundredths) by name: first how much it speaks for a statement, then for each of `TYPES`."""

    weights: Mapping[str, Sequence[int]] | PackedRows  # packed where it was read from a file
    bias: Sequence[int]
    examples_hash: str

    @classmethod
    def load(cls, path: Path) -> "StatementModel":
        """The model in a weights file. Raises InvalidError when the file is damaged."""
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            return cls(PackedRows(raw["weights"]), raw["bias"], str(raw["examples_hash"]))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InvalidError(
                f"The weights {path} cannot be read: {error}", hint="Install the app again; the file is part of it."
            ) from error

    def dump(self) -> str:
        """What stands in a weights file; the same model gives the same text. Only of a model that was learned."""
        assert not isinstance(self.weights, PackedRows)
        weights = self.weights
        head = json.dumps({"examples_hash": self.examples_hash, "bias": list(self.bias)})
        rows = ",\n".join(f"{json.dumps(name)}:[{','.join(map(str, weights[name]))}]" for name in sorted(weights))
        return f'{head[:-1]}, "weights": {{\n{rows}\n}}}}\n'

    def judge(
        self, names: frozenset[str], least: float, allowed: frozenset[FactType] = frozenset(TYPES)
    ) -> tuple[float, FactType] | None:
        """How likely it states something that lasts, and of what type of the allowed; None below `least`."""
        rows = [row for name in names if (row := self.weights.get(name)) is not None]
        scale = math.sqrt(NORM_FEATURES / max(len(rows), 1))
        total = (self.bias[0] + scale * sum(row[0] for row in rows)) / SCALE
        chance = 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, total))))
        if chance < least:
            return None
        fitting = [place for place, type_ in enumerate(TYPES) if type_ in allowed]
        sums = self._type_sums(rows)
        return chance, TYPES[max(fitting, key=sums.__getitem__)]

    def _type_sums(self, rows: Sequence[Sequence[int]]) -> list[float]:
        scale = math.sqrt(NORM_FEATURES / max(len(rows), 1))
        return [self.bias[place] + scale * sum(row[place] for row in rows) for place in range(1, len(TYPES) + 1)]


@cache
def shipped_model() -> StatementModel:
    """The model that is part of the app, read once."""
    return StatementModel.load(resource_path("statements", "weights.json"))


def read_by_model(core: str, typed: str, rules: MemoryRules, context: SentenceContext) -> Match | None:
    """The sentence as a statement when it is likely one; `typed` is it before its edges were stripped.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> rules = load_memory_rules()
    >>> sentence = "short functions are what I like best"
    >>> read_by_model(sentence, sentence, rules, SentenceContext(9)).pattern.type.value
    'preference'
    >>> read_by_model("rename the class", "rename the class", rules, SentenceContext(3)) is None
    True
    """
    if context.word_count > rules.statement_model.long_words or _NO_SENTENCE.search(typed) is not None:
        return None
    return _read_part(core, typed, rules, context)


def read_likely(core: str, typed: str, rules: MemoryRules, context: SentenceContext) -> Match | None:
    """The sentence as a proposal when it is likely a statement, whatever its message asks for; surer the likelier, never sure.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> rules = load_memory_rules()
    >>> sentence = "the meters send their readings over MQTT, never over HTTP"
    >>> read_likely(sentence, sentence, rules, SentenceContext(60, is_troubled=True)).pattern.confidence < 0.56
    True
    >>> read_likely("rename the class", "rename the class", rules, SentenceContext(3)) is None
    True
    """
    own = rules.statement_model
    if (
        context.word_count > own.long_words
        or core.count(" ") < _LEAST_LIKELY_WORDS - 1
        or _NO_SENTENCE.search(typed) is not None
        or not is_readable(core)
        or _NO_STATEMENT.search(core) is not None
        or _OF_OTHERS.search(core) is not None
        or _POINTING.match(without_inside(core)) is not None
        or compiled(rules.self_contained.doubts).search(core.lower()) is not None
        or is_task(core, rules)
        or compiled(rules.durability.work).search(core.lower()) is not None
        or points_outside(core, rules)
    ):
        return None
    judged = shipped_model().judge(name_features(core, rules), own.likely_least, types_by_form(typed, core, rules))
    if judged is None:
        return None
    share = (judged[0] - own.likely_least) / (1.0 - own.likely_least)
    confidence = round(_LEAST_LIKELY + share * (_MOST_LIKELY - _LEAST_LIKELY), 3)
    return Match(replace(_LIKELY, type=judged[1], confidence=confidence), _WISH.sub("", core), {}, None)


def _read_part(core: str, typed: str, rules: MemoryRules, context: SentenceContext) -> Match | None:
    if (
        cut_tail(core, rules.drop_after).count(" ") < _LEAST_WORDS - 1
        or not is_readable(core)
        or _NO_STATEMENT.search(core) is not None
        or is_task(core, rules)
        or is_unsettled(core, rules)
        or _POINTING.match(without_inside(core)) is not None
    ):
        return None
    judged = _judge(core, rules, types_by_form(typed, core, rules))
    if judged is None or judged[0] < _least(typed, judged[1], rules, context):
        return None
    chance, type_ = judged
    if type_ is FactType.PROCEDURE and _AGAIN.search(core) is None:
        return None  # done once: "read the guide and the notes beside it"
    share = (chance - rules.statement_model.least) / (1.0 - rules.statement_model.least)
    confidence = round(_LEAST_CONFIDENCE + share * (_MOST_CONFIDENCE - _LEAST_CONFIDENCE), 2)
    return Match(replace(_LEARNED, type=type_, confidence=confidence), _WISH.sub("", core), {}, None)


def _least(typed: str, type_: FactType, rules: MemoryRules, context: SentenceContext) -> float:
    """How likely a sentence has to be: surer in a long message, in one that tells of a fault, and where it trails off."""
    own = rules.statement_model
    is_long = context.word_count > own.most_words
    asked = (
        (own.long_least, is_long),
        (own.plain_least, type_ is FactType.FACT),
        (own.told_least, (is_long or context.is_troubled) and type_ not in _SETTLED),
        (own.troubled_least, context.is_troubled),
        (own.trailing_least, typed.endswith(("...", "…"))),
    )
    return max([own.least, *(least for least, is_so in asked if is_so)])


def types_by_form(typed: str, core: str, rules: MemoryRules) -> frozenset[FactType]:
    """The types that a sentence of this form can be: "let's" decides, "don't" forbids, a plain clause tells."""
    sentence = straighten(typed)
    for form in rules.statement_model.forms:
        if compiled(form.expression).search(sentence):
            return form.types
    clause = parse_clause(core, rules.clauses)
    if clause is None or clause.frame or clause.subject.lower() in {"i", "we"}:
        return frozenset(TYPES)
    return _OF_CLAUSE if not clause.modal else _OF_MODAL


def _judge(
    text: str, rules: MemoryRules, allowed: frozenset[FactType] = frozenset(TYPES)
) -> tuple[float, FactType] | None:
    return shipped_model().judge(name_features(text, rules), rules.statement_model.least, allowed)
