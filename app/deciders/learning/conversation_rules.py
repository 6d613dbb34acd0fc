"""What one conversation teaches: phrases and their intents, how far pronouns point back, what begins a conversation, files that
change together, commands in order, errors and what repaired them.

Pure. A pattern keeps words of the shipped lists only; what is named becomes a slot, what is neither makes the phrase unfit, so that
no text of a person and nobody's name is in a rule. Source: S1 "Long-Term Memory Cleanse", "What Gets Consolidated".
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from pathlib import PurePosixPath
from typing import Any

from app.deciders.learning.commands import read_ordered, read_steps
from app.deciders.learning.workflows import Did, read_stretches
from app.language.lexicon import Lexicon
from app.language.sentences import split_sentences
from app.resources import load_rules, misfit
from app.values.rules import RuleCandidate, RuleKind
from app.values.understanding import Entity, Intent, Reference, ReferenceKind, ReferenceState

_WORDS_LEAST, _WORDS_MOST, _CHARS_MOST = 2, 9, 120  # of a phrase that generalises
_LITERALS_LEAST = 2  # words of a phrase beside its slots
_SLOTS_MOST = 2  # what leaves more than these open says nothing
_OPENER_WORDS = 2  # before a comma: "yes, …", "in that case, …"; what follows later is a second clause
_TOGETHER = 0.4  # of the turns that changed either of two files; less often, one just goes along now and then
_FILES_OF_A_TURN = 6  # more were changed by one order of another kind: a rename, a formatter
_PAIRS, _SEQUENCES, _FIXES = 12, 12, 6  # of one conversation
_PATH_PARTS = 3
_LINE_CHARS = 160
_WORD = re.compile(r"\{\w+\}|[a-z][\w'-]*|\d[\w.:-]*|[^\w\s{}]", re.IGNORECASE)
_NUMBERS = re.compile(r"\b(?:0x[0-9a-f]+|\d+(?:[.:]\d+)*)\b", re.IGNORECASE)
_QUOTED = re.compile(r"'[^']{0,80}'|\"[^\"]{0,80}\"|`[^`]{0,80}`|“[^”]{0,80}”")
_PLACES = re.compile(r"(?:[A-Za-z]:)?(?:[\w.@~-]*[\\/])+([\w.@-]+)")
_SAYS = re.compile(r'says "([^"]{3,60})"')
_PAUSE_H = re.compile(r"\b(\d+)(?: h|-day| days?)\b")


@dataclass(frozen=True, slots=True, eq=False)
class LearningRules:
    """`rules/learning/learned.yaml`, with the words of the lexicon."""

    colors: frozenset[str]
    slots: Mapping[str, str]
    fillers: tuple[str, ...]
    determiners: frozenset[str]
    words: frozenset[str]
    test_words: frozenset[str]
    style_ends: tuple[str, ...]
    service_words: tuple[str, ...]

    @classmethod
    def parse(cls, rules: Mapping[str, Any], lexicon: Mapping[str, Any]) -> "LearningRules":
        """The mappings of `learned.yaml` and `lexicon.yaml`. Raises InvalidError when they do not fit."""
        try:
            words = set(map(_plain, rules["words"]))
            names: set[str] = set()
            for name, listed in lexicon.items():
                target = names if name.endswith("_names") else words
                if isinstance(listed, list | dict):
                    target.update(word for entry in listed for word in _plain(entry).split())
            return cls(
                colors=frozenset(map(_plain, rules["colors"])),
                slots={_plain(kind): _plain(slot) for kind, slot in rules["slots"].items()},
                fillers=tuple(sorted(map(_plain, rules["fillers"]), key=len, reverse=True)),
                determiners=frozenset(map(_plain, rules["determiners"])),
                words=frozenset(words - (names - set(map(_plain, rules["words"])))),
                test_words=frozenset(map(_plain, rules["patterns"]["test_words"])),
                style_ends=tuple(map(_plain, rules["patterns"]["style_ends"])),
                service_words=tuple(map(_plain, rules["patterns"]["service_words"])),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise misfit("learned", error) from error


def _plain(entry: object) -> str:
    if isinstance(entry, bool):  # YAML reads a bare yes or no as a truth value
        return "yes" if entry else "no"
    return str(entry).lower()


@cache
def load_learning_rules() -> LearningRules:
    return LearningRules.parse(load_rules("learned"), load_rules("lexicon"))


@dataclass(frozen=True, slots=True)
class TaughtMessage:
    """One message of the person as it teaches. `back`: per reference how many of the person's messages it points back, by its place."""

    text: str  # the person's own words
    intents: tuple[Intent, ...] = ()
    entities: tuple[Entity, ...] = ()
    references: tuple[Reference, ...] = ()
    back: tuple[int | None, ...] = ()
    is_start: bool = False
    boundary_state: str = "decided"
    boundary_reason: str = ""
    is_intent_corrected: bool = False


@dataclass(frozen=True, slots=True)
class TaughtUse:
    """One use of a tool. `turn`: after which of the messages it stood; `file` as seen from the project."""

    file: str = ""
    command: str = ""
    is_error: bool = False
    error: str = ""
    turn: int = 0


def learn_from_conversation(
    messages: Sequence[TaughtMessage], uses: Sequence[TaughtUse], rules: LearningRules | None = None
) -> tuple[RuleCandidate, ...]:
    """What the conversation teaches, each once, however often it stands there.

    >>> said = TaughtMessage("Make it purple", (Intent.EXECUTE,), back=(1,))
    >>> [(one.kind.value, one.pattern, dict(one.details)) for one in learn_from_conversation([said], [])]
    [('phrase', 'make it {color}', {'intents': ['EXECUTE'], 'context_required': ['previous_entity']})]
    """
    rules = rules or load_learning_rules()
    found: dict[tuple[RuleKind, str, str], RuleCandidate] = {}
    for group in (
        _phrases(messages, rules),
        _pointers(messages),
        _beginnings(messages, rules),
        _files(uses, rules),
        _sequences(messages, uses),
        _fixes(uses),
    ):
        for one in group:
            found.setdefault((one.kind, one.pattern, one.identity), one)
    return tuple(found.values())


# phrases ---------------------------------------------------------------------------------------------


def generalise(text: str, entities: Sequence[Entity], rules: LearningRules | None = None) -> str:
    """The phrase with slots for what is named; "" where other words of the person are left, or hardly any.

    >>> generalise("Make it purple!", ())
    'make it {color}'
    >>> generalise("Please ask Zbigniew about it", ())
    ''
    """
    rules = rules or load_learning_rules()
    line = " ".join(text.replace("’", "'").split()).strip(" .!")
    if not line or len(line) > _CHARS_MOST or "\n" in text.strip():
        return ""
    said = [one for one in split_sentences(text) if not _is_filler(text[one.start : one.end], rules)]
    if len(said) != 1:  # two sentences are no phrase
        return ""
    start, end = said[0].start, said[0].end
    inside = [
        replace(one, start=one.start - start, end=one.end - start) for one in entities if start <= one.start < end
    ]
    words = _slotted(text[start:end], inside, rules)
    while words and (cut := _filler_at(words, rules)):
        words = words[cut:]
    if not _WORDS_LEAST <= len(words) <= _WORDS_MOST or all(word.startswith("{") for word in words):
        return ""
    if any(not word.startswith("{") and word not in rules.words and word not in {",", "?"} for word in words):
        return ""
    while words[-2:] == ["?", "?"]:
        del words[-1]
    pattern = " ".join(words).replace(" ,", ",").replace(" ?", "?")
    return pattern if is_phrase(pattern) else ""


def is_phrase(pattern: str) -> bool:
    """Whether a pattern reads as something that one says: a clause of its own in which what is named stands where a name can stand.

    >>> [one for one in ("make it {color}", "what about {file}?", "{feature} is broken") if not is_phrase(one)]
    []
    >>> [one for one in ("{feature} good {file} it is", "from {feature} in {feature}", "what {feature} so long?") if is_phrase(one)]
    []
    """
    words = _WORD.findall(pattern)
    slots = [place for place, word in enumerate(words) if word.startswith("{")]
    literal = [word for word in words if word[0].isalpha()]
    if len(literal) < _LITERALS_LEAST or len(slots) > _SLOTS_MOST:  # "take …" says nothing
        return False
    if "," in words and words.index(",") > _OPENER_WORDS:
        return False
    lexicon = Lexicon.shipped()
    helping = lexicon.auxiliaries | lexicon.modals
    following = [words[place + 1] if place + 1 < len(words) else "" for place in slots]
    for place, after in zip(slots, following, strict=True):
        if after.startswith("{") or after in lexicon.pronouns:
            return False
        is_first = place == 0 or (place == 1 and words[0] in lexicon.question_words)
        if is_first and after not in helping:
            return False
    return not slots or any(_is_verb(word, lexicon) or word in lexicon.question_words for word in literal)


def _is_verb(word: str, lexicon: Lexicon) -> bool:
    return word in lexicon.auxiliaries or word in lexicon.modals or lexicon.base_of(word) in lexicon.verbs


def _is_filler(sentence: str, rules: LearningRules) -> bool:
    """Whether a sentence only greets, thanks or agrees: "Thanks!" before what is asked for."""
    words = [word.lower() for word in re.findall(r"[\w']+", sentence.replace("’", "'"))]
    return not words or " ".join(words) in rules.fillers


def _slotted(text: str, entities: Sequence[Entity], rules: LearningRules) -> list[str]:
    """Its words in lower case, entities and colours as slots, without the determiner before a slot."""
    parts: list[str] = []
    place = 0
    for one in sorted(entities, key=lambda one: one.start):
        slot = rules.slots.get(one.kind.value)
        if slot is None or one.start < place or (one.text.lower() in rules.words and slot != "value"):
            continue
        color = one.text.lower() in rules.colors
        parts += [text[place : one.start], f" {{{'color' if color else slot}}} "]
        place = one.end
    parts.append(text[place:])
    words = [word.lower() for word in _WORD.findall("".join(parts).replace("’", "'"))]
    named = [
        "{color}" if word in rules.colors else word for word in words if word not in {".", "!", '"', "'", "`", ":", "-"}
    ]
    kept = [
        word
        for place, word in enumerate(named)
        if not (word in rules.determiners and place + 1 < len(named) and named[place + 1].startswith("{"))
    ]
    return [word for place, word in enumerate(kept) if not (place and word == kept[place - 1] and word.startswith("{"))]


def _filler_at(words: Sequence[str], rules: LearningRules) -> int:
    """How many words of a filler stand at the beginning."""
    for filler in rules.fillers:
        parts = filler.split()
        if list(words[: len(parts)]) == parts and len(words) > len(parts):
            return len(parts)
    return 1 if words[0] == "," else 0


def _phrases(messages: Sequence[TaughtMessage], rules: LearningRules) -> Iterator[RuleCandidate]:
    for one in messages:
        pattern = generalise(one.text, one.entities, rules) if one.intents else ""
        if not pattern:
            continue
        points_back = any(back for back in one.back)
        details: dict[str, Any] = {"intents": [intent.value for intent in one.intents]}
        if points_back:
            details["context_required"] = ["previous_entity"]
        if one.is_intent_corrected:
            details["corrected"] = True
        yield RuleCandidate(RuleKind.PHRASE, pattern, details)


# pointing words --------------------------------------------------------------------------------------

_NOUNS = frozenset({"it", "they", "them", "its", "their"})


def _pointers(messages: Sequence[TaughtMessage]) -> Iterator[RuleCandidate]:
    furthest: Counter[str] = Counter()
    for one in messages:
        for reference, back in zip(one.references, one.back, strict=False):
            if reference.state not in {ReferenceState.RESOLVED, ReferenceState.CORRECTED} or not back:
                continue
            words = reference.mention.lower().split()
            if reference.kind is ReferenceKind.DEFINITE or len(words) > 1:
                furthest["the {entity}"] = max(furthest["the {entity}"], back)
            elif words and reference.kind in {ReferenceKind.PRONOUN, ReferenceKind.DEMONSTRATIVE}:
                furthest[words[0]] = max(furthest[words[0]], back)
    for word, back in furthest.items():
        if word == "the {entity}":
            details: dict[str, Any] = {
                "type": "specific_from_context",
                "must_exist_in": f"last_{max(5, back)}_messages",
            }
            yield RuleCandidate(RuleKind.DEMONSTRATIVE, word, details)
        else:
            kind = "most_recent_noun" if word in _NOUNS else "most_recent_feature"
            yield RuleCandidate(RuleKind.PRONOUN, word, {"type": kind, "lookback": back})


# what begins a conversation --------------------------------------------------------------------------


def _beginnings(messages: Sequence[TaughtMessage], rules: LearningRules) -> Iterator[RuleCandidate]:
    for one in messages:
        if not one.is_start:
            continue
        match = _SAYS.search(one.boundary_reason)
        if match:
            yield RuleCandidate(RuleKind.MARKER, match[1].lower())
        elif one.boundary_state in {"answered", "corrected"}:
            opening = _opening(one.text, rules)
            if opening:
                yield RuleCandidate(RuleKind.MARKER, opening)
        yield from _signs(one.boundary_reason)


def _opening(text: str, rules: LearningRules) -> str:
    """The first words, where they are of the lists: at most four, at least two."""
    words = [word.lower() for word in re.findall(r"[\w']+", text.replace("’", "'")[:60])]
    kept: list[str] = []
    for word in words[:4]:
        if word not in rules.words:
            break
        kept.append(word)
    lexicon = Lexicon.shipped()
    while kept and kept[-1] in lexicon.determiners | lexicon.possessives | lexicon.auxiliaries:
        del kept[-1]  # what it announces is not there any more: "add a"
    return " ".join(kept) if len(kept) >= _WORDS_LEAST and len(words) > len(kept) else ""


def _signs(reason: str) -> Iterator[RuleCandidate]:
    if "new session" in reason:
        yield RuleCandidate(RuleKind.SIGN, "new_session_started", {"value": True})
    if "shared entities" in reason and reason.startswith("new"):
        yield RuleCandidate(RuleKind.SIGN, "entity_similarity_below", {"value": 0.3})
    pause = _PAUSE_H.search(reason)
    if pause and (int(pause[1]) >= 4 or "day" in pause[0]):
        yield RuleCandidate(RuleKind.SIGN, "time_gap_exceeds", {"value": "4 hours"})


# files, commands, errors -----------------------------------------------------------------------------


def _files(uses: Sequence[TaughtUse], rules: LearningRules) -> Iterator[RuleCandidate]:
    by_turn: dict[int, dict[str, None]] = {}
    for one in uses:
        if one.file and not one.is_error and not one.command:
            by_turn.setdefault(one.turn, {}).setdefault(_short_path(one.file))
    pairs: Counter[tuple[str, str]] = Counter()
    turns = Counter(file for files in by_turn.values() for file in files)
    for files in by_turn.values():
        if len(files) <= _FILES_OF_A_TURN:
            pairs.update(combinations(sorted(files), 2))
    ratios = {pair: count / max(turns[file] for file in pair) for pair, count in pairs.items()}
    together = [pair for pair, ratio in ratios.items() if ratio >= _TOGETHER]
    together.sort(key=lambda pair: (-pairs[pair], -ratios[pair], _folder(pair[0]) != _folder(pair[1]), pair))
    for first, second in together[:_PAIRS]:
        details = {"files": [first, second], "pattern": name_pairing(first, second, rules)}
        yield RuleCandidate(RuleKind.FILES, f"{first} + {second}", details, is_of_project=True)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _short_path(path: str) -> str:
    return "/".join(path.replace("\\", "/").rstrip("/").split("/")[-_PATH_PARTS:])


def name_pairing(first: str, second: str, rules: LearningRules | None = None) -> str:
    """How two files hang together, as far as their names tell.

    >>> name_pairing("HostControlPanel.razor", "HostControlPanelContent.razor")
    'component_parent_child'
    >>> name_pairing("AssetProcessingService.cs", "UnifiedHtmlTransformService.cs")
    'service_dependency'
    >>> name_pairing("src/cart.py", "tests/test_cart.py")
    'code_and_test'
    """
    rules = rules or load_learning_rules()
    one, other = PurePosixPath(first), PurePosixPath(second)
    tests = [bool(rules.test_words & set(re.split(r"[\W_]+", path.as_posix().lower()))) for path in (one, other)]
    if tests[0] != tests[1]:
        return "code_and_test"
    styles = [path.suffix.lower() in rules.style_ends for path in (one, other)]
    if styles[0] != styles[1]:
        return "code_and_style"
    stems = [one.stem.lower(), other.stem.lower()]
    if (
        one.suffix == other.suffix
        and stems[0] != stems[1]
        and (stems[0].startswith(stems[1]) or stems[1].startswith(stems[0]))
    ):
        return "component_parent_child"
    if all(any(word in stem for word in rules.service_words) for stem in stems):
        return "service_dependency"
    return "same_folder" if one.parent == other.parent and one.parent != PurePosixPath() else "changed_together"


def command_name(command: str) -> str:
    """What a command line does in the end, without its arguments; "" for one that only looks.

    >>> command_name("cd web && npm run build --if-present"), command_name("git commit -m 'a secret plan'"), command_name("ls -la")
    ('npm run build', 'git commit', '')
    """
    steps = read_steps(command)
    return steps[-1].name if steps else ""


def _sequences(messages: Sequence[TaughtMessage], uses: Sequence[TaughtUse]) -> Iterator[RuleCandidate]:
    """What was done in a row between two edits, step by step; the longest and most frequent first."""
    stretches = read_stretches(list(_done_and_ordered(messages, uses)))
    for one in sorted(stretches, key=lambda one: (-len(one.steps), -one.times, one.steps))[:_SEQUENCES]:
        details = {
            "steps": list(one.steps), "times": one.times, "succeeded": one.succeeded, "commands": dict(one.commands),
        }  # fmt: skip
        yield RuleCandidate(RuleKind.SEQUENCE, " → ".join(one.steps), details, is_of_project=True)


def _done_and_ordered(messages: Sequence[TaughtMessage], uses: Sequence[TaughtUse]) -> Iterator[Did]:
    """What each turn did, then what its prompt ordered in words and no command of the turn shows."""
    by_turn: defaultdict[int, list[TaughtUse]] = defaultdict(list)
    for one in uses:
        by_turn[one.turn].append(one)
    for turn in range(max((len(messages), *by_turn)) + 1):
        done = list(_done(by_turn[turn]))
        yield from done
        ordered = read_ordered(messages[turn - 1].text) if 0 < turn <= len(messages) else ()
        labels = {one.step.label for one in done if one.step is not None}
        yield from (Did(step) for step in ordered if step.label not in labels)


def _done(uses: Sequence[TaughtUse]) -> Iterator[Did]:
    for one in uses:
        if one.file and not one.command:
            if not one.is_error:
                yield Did()
            continue
        steps = read_steps(one.command)
        for place, step in enumerate(steps, 1):
            yield Did(step, is_error=one.is_error and place == len(steps))  # which of them failed is not known


def _fixes(uses: Sequence[TaughtUse]) -> Iterator[RuleCandidate]:
    failing: dict[str, tuple[str, dict[str, None]]] = {}
    found: dict[str, RuleCandidate] = {}
    for one in uses:
        if one.file and not one.command and not one.is_error:
            for _, files in failing.values():
                files.setdefault(_short_path(one.file))
        name = command_name(one.command) if one.command else ""
        if not name:
            continue
        if one.is_error:
            failing[name] = (one.error, {})
        elif name in failing:
            error, files = failing.pop(name)
            shape = shape_error(error)
            if files and shape:
                details = {"command": name, "files": list(files)[-3:]}
                found[shape] = RuleCandidate(RuleKind.FIX, shape, details, is_of_project=True)
    yield from list(found.values())[-_FIXES:]


def shape_error(line: str) -> str:
    """An error's line without numbers, quoted texts and folders: the same error tomorrow has the same shape.

    >>> shape_error("src/cart.ts(4,7): error TS2322: Type 'string' is not assignable.")
    "cart.ts(#,#): error TS2322: Type '…' is not assignable."
    """
    plain = _PLACES.sub(r"\1", _QUOTED.sub("'…'", " ".join(line.split())))
    return _NUMBERS.sub("#", plain)[:_LINE_CHARS].strip()
