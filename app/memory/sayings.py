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
from app.memory.matching import BARE, Match, is_unsettled
from app.memory.phrasing import cut_tail
from app.memory.rules import MemoryRules
from app.memory.saying_features import is_found, is_readable, is_task, name_features, names_somebody
from app.memory.standing import Setting
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
_NO_SAYING = re.compile(  # what was done or is to be done by the other side, what is cut off, what only goes on
    r"^you(?:'re|'ve|'ll| (?!must|should|may|always|never|cannot|can't|have to|need to|only))\b|^(?:e\.g|i\.e|that way|reason being)\b"
    r"|^(?:i |we )?(?:don't|do not|dont) (?:think|know|see|get|understand|worry|forget)\b|^(?:rather|other) than [^,]*$|^instead of [^,]*$"
    r"|^let(?:'s|s| us) (?:just |also |first |then |please |now |not )*(?:be sure|make sure|record|start|look|see|talk|think|discuss|figure|proceed|"
    r"continue|move on|go (?:on|through|over)|try|address|tackle|consider|understand|explore|walk|check|review|capture|plan|fix|do (?:it|that|this|the|a))\b"
    r"|\b(?:of|the|a|an|to|with|from|and|or|in|at|for|by|as|than|is|are)$",
    re.IGNORECASE,
)
LEARNED_REASON = "sounds like what people want remembered"
_LEARNED = replace(BARE, id="learned", reason=LEARNED_REASON)
_SETTLED = frozenset({FactType.DECISION, FactType.CONSTRAINT, FactType.GOAL, FactType.PREFERENCE})
_LEAST_WORDS = 3
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
        setting.word_count > rules.sayings.long_words
        or cut_tail(core, rules.drop_after).count(" ") < _LEAST_WORDS - 1
        or setting.is_troubled
        or not is_readable(core)
        or _NO_SENTENCE.search(typed) is not None
        or _NO_SAYING.search(core) is not None
        or is_task(core, rules)
        or is_unsettled(cut_tail(core, rules.cut_after), rules)
        or _is_found(core, rules)
    ):
        return None
    judged = _judge(core, rules)
    if judged is None:
        return None
    chance, type_ = judged
    is_long = setting.word_count > rules.sayings.most_words
    if is_long and (chance < rules.sayings.long_least or type_ not in _SETTLED):
        return None
    share = (chance - rules.sayings.least) / (1.0 - rules.sayings.least)
    confidence = round(_LEAST_CONFIDENCE + share * (_MOST_CONFIDENCE - _LEAST_CONFIDENCE), 2)
    return Match(replace(_LEARNED, type=type_, confidence=confidence), core, {}, None)


def _is_found(core: str, rules: MemoryRules) -> bool:
    clause = parse_clause(core, rules.clauses)
    return clause is not None and is_found(clause, rules)


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
