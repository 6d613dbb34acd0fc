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

from app.errors import InvalidError
from app.memory.clauses import parse_clause
from app.memory.matching import BARE, Match, doubts_clause, doubts_sentence, is_task_after
from app.memory.phrasing import cut_tail
from app.memory.rules import MemoryRules
from app.memory.saying_features import is_readable, name_features, names_somebody
from app.memory.standing import Setting, is_verdict, tells_of_fault
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
_NO_SENTENCE = re.compile(r"(?:\.\.\.|…|:)$|\[image|^[\"“]|^[^\w`@./#~*('-]|\S{45}", re.IGNORECASE)
_LEARNED = replace(BARE, id="learned", reason="sounds like what people want remembered")
_FRAME = re.compile(r"(?:in|on|at) [^,]{1,40}, ", re.IGNORECASE)
_DEED = re.compile(r"(?:i|you) (?:just |also |already )?(?:[a-z]+ed|made|put|did|wrote|got|found|saw) ", re.IGNORECASE)
_NO_ORDERS = frozenset({"let's", "lets", "don't", "not", "no", "yes", "when", "whatever", "whichever", "same", "also"})
_LEAST_WORDS = 3
_VERDICT_WORDS = 3  # longer ones say more: "fine with Gleam, so that is it"
_LEAST_CONFIDENCE, _MOST_CONFIDENCE = 0.52, 0.74  # only what is quite sure is kept without asking


@dataclass(frozen=True, slots=True)
class SayingModel:
    """Whole weights (hundredths) by name: first how much it speaks for a statement, then for each of `TYPES`."""

    weights: Mapping[str, Sequence[int]]
    bias: Sequence[int]
    examples_hash: str

    @classmethod
    def load(cls, path: Path) -> "SayingModel":
        """The model in a weights file. Raises InvalidError when the file is damaged."""
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            return cls(raw["weights"], raw["bias"], str(raw["examples_hash"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InvalidError(
                f"The weights {path} cannot be read: {error}", hint="Install the app again; the file is part of it."
            ) from error

    def dump(self) -> str:
        """What stands in a weights file; the same model gives the same text."""
        head = json.dumps({"examples_hash": self.examples_hash, "bias": list(self.bias)})
        rows = ",\n".join(
            f"{json.dumps(name)}:[{','.join(map(str, self.weights[name]))}]" for name in sorted(self.weights)
        )
        return f'{head[:-1]}, "weights": {{\n{rows}\n}}}}\n'

    def judge(self, names: frozenset[str], least: float) -> tuple[float, FactType] | None:
        """How likely it states something that lasts, and of what type; None below `least`."""
        rows = [row for name in names if (row := self.weights.get(name)) is not None]
        scale = math.sqrt(NORM_FEATURES / max(len(rows), 1))
        total = (self.bias[0] + scale * sum(row[0] for row in rows)) / SCALE
        chance = 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, total))))
        if chance < least:
            return None
        sums = [self.bias[place] + scale * sum(row[place] for row in rows) for place in range(1, len(TYPES) + 1)]
        return chance, TYPES[sums.index(max(sums))]


@cache
def shipped_model() -> SayingModel:
    """The model that is part of the app, read once."""
    return SayingModel.load(resource_path("statements", "weights.json"))


def read_saying(core: str, typed: str, rules: MemoryRules, setting: Setting) -> Match | None:
    """The sentence as a statement when it is likely one; `typed` is it before its edges were stripped.

    >>> from app.memory.rules import load_memory_rules
    >>> rules = load_memory_rules()
    >>> said = "my rule of thumb is one class per file"
    >>> read_saying(said, said, rules, Setting(9)).pattern.type.value
    'preference'
    >>> read_saying("rename the class", "rename the class", rules, Setting(3)) is None
    True
    """
    if (
        setting.word_count > rules.sayings.most_words
        or cut_tail(core, rules.drop_after).count(" ") < _LEAST_WORDS - 1
        or setting.is_troubled
        or not is_readable(core)
        or _NO_SENTENCE.search(typed) is not None
        or _says_too_little(core, rules)  # most messages are orders: asked before what costs more
    ):
        return None
    judged = _judge(core, rules)
    if judged is None or _is_doubtful(core, rules):
        return None
    chance, type_ = judged
    share = (chance - rules.sayings.least) / (1.0 - rules.sayings.least)
    confidence = round(_LEAST_CONFIDENCE + share * (_MOST_CONFIDENCE - _LEAST_CONFIDENCE), 2)
    return Match(replace(_LEARNED, type=type_, confidence=confidence), core, {}, None)


def _judge(text: str, rules: MemoryRules) -> tuple[float, FactType] | None:
    judged = shipped_model().judge(name_features(text, rules), rules.sayings.least)
    if judged is not None and judged[1] is FactType.ENTITY and not names_somebody(text):
        return judged[0], FactType.FACT
    return judged


def retype(match: Match, rules: MemoryRules) -> Match:
    """What was weighed as a plain clause, under the type that the learned weights give it when they know it.

    A clause in the present tells how things are; that it was decided would be a guess.
    """
    judged = _judge(match.text, rules)
    if judged is None or judged[1] is FactType.DECISION:
        return match
    return replace(match, pattern=replace(match.pattern, type=judged[1]))


def _says_too_little(core: str, rules: MemoryRules) -> bool:
    """Whether it has no subject (which orders keep holding is told elsewhere) or tells what somebody just did or found."""
    clause = parse_clause(core, rules.clauses)
    is_over = clause is not None and clause.is_past and clause.form == "plain"  # "all was well"
    is_found = clause is not None and clause.rest.count(" ") < _VERDICT_WORDS and is_verdict(clause, rules)
    if is_over or is_found or _DEED.match(core):
        return True
    words = rules.clauses.words
    frame = _FRAME.match(core)
    first = core[frame.end() if frame is not None else 0 :].split(" ", 1)[0].lower().strip(",:;")
    own = rules.orders
    is_verb = any(first in verbs for verbs in (own.conventions, own.habits, own.tasks, rules.clauses.orders))
    is_verb = is_verb or (first in words["openings"] and first not in _NO_ORDERS)
    is_aside = "," not in core and (first in words["prepositions"] or first == "rather")
    return (is_verb or is_aside) and clause is None


def _is_doubtful(core: str, rules: MemoryRules) -> bool:
    main = cut_tail(core, rules.cut_after)
    return (
        doubts_sentence(main, rules)
        or doubts_clause(main, rules)
        or is_task_after(core, rules)
        or tells_of_fault(core, rules)
    )
