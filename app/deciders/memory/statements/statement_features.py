"""What a sentence is made of, as names for the model of sayings: its words, their kinds in order, and its main clause.

Names of files, tools, people and numbers count as such, so that one project's words do not matter in another. Knows no
weights and no types. Changing what is named here means learning the weights anew. Source: S3 (fact extraction).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from app.deciders.memory.rules import MemoryRules, compiled
from app.deciders.memory.slots.slots import find_attributes, find_technologies
from app.deciders.memory.statements.clauses import Clause, parse_clause
from app.deciders.memory.statements.matching import doubts_clause, doubts_sentence, is_task_after
from app.deciders.memory.statements.phrasing import cut_tail

MAX_TOKENS = 40
_FAULT_WORD = re.compile(r"[a-z0-9][\w'-]*", re.IGNORECASE)
_CARE = re.compile(  # dealing with faults is none
    r"^nothing (?=(?:gets?|goes|may|must|leaves?|ships?|below|above|over|under|beyond|outside|but|except|smaller|larger|bigger|longer|of|is (?:ever|allowed|written|stored|kept))\b)|\b(?:crash|error|bug|failure|exception|problem)(?:es|s)? ?-?(?:report|track|handl|budget|rate|code|boundar|monitor|type|fix|messag|text|string|class|envelope|respons|pag|bod|object|payload|shape|format|screen|log)\w*"
    r"|^(?:all |new )?(?:errors?|exceptions?|failures?|bugs?|issues?|incidents?|crashes) (?=(?:must|should|may|have to|go|goes|come back as|come as|use|follow|carry|include|contain|always|never|(?:is|are|get|gets) (?:returned|logged|handled|reported|sent|wrapped|tracked|shown|caught|raised|thrown|stored|formatted|written|mapped|never|always))\b)"
    r"|\b(?:0|zero|no|without|fewer|free of) (?:[a-z]+ )?(?:crashes|errors|bugs|failures|exceptions|regressions)\b"
    r"|\b(?:log|catch|wrap|return|raise|throw|handle|report|swallow|track|show|on|for) (?:all |any |every |[a-z]+ )?(?:errors|exceptions|failures)\b"
)
_SEEN_FAULT = re.compile(
    r"\bcrash\w+\b|\bkeeps? (?!running|using|working)[a-z]+ing\b|\b(?:returns?|gives?|gets?|throws?|sends?|responds? with) (?:back )?(?:an? )?[45]\d\d\b",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"`[^`]+`|[~@./]?[A-Za-z_][\w./@#+-]*(?:'[a-z]+)?(?:\(\))?|\d[\w.,:/%-]*|[?!,:;=]|->|>|[()]")
_CODE = re.compile(r"`|[a-z][A-Z]|\w[_/.]\w|^[~./@]\w|\(\)$|^\w+\.\w+$")
_HOLDERS = frozenset({"<n>", "<code>", "<tech>", "<Name>"})
_CLOSED_WORDS = (
    "a an the this that these those it its they them their he she his her him i me my mine we us our ours you your who which "
    "what where when why how whether is are was were be been being am do does did don't doesn't didn't not no never none nothing "
    "nobody only always all every each any both most some many few more less least much have has had having can can't cannot could "
    "should shouldn't would wouldn't will won't may might must mustn't shall need needs let let's lets and or but nor so because "
    "since as if unless until while whenever before after once then than though although in on at to for from with without by of "
    "off out over under into onto through via per about against between within outside inside above below behind beyond during "
    "towards up down now today yesterday tomorrow still yet already just also too again currently usually mostly normally generally "
    "instead rather else ever here there please ok okay yes there's that's it's i'm we're i've we've i'd i'll we'll you're isn't "
    "aren't wasn't use uses used using want wants like likes prefer prefers keep keeps stay stays go goes run runs get gets got make "
    "makes made everything everyone anything everywhere forever"
)
_CLOSED = frozenset(_CLOSED_WORDS.split())
_SIZES = ((6, ""), (9, "6"), (12, "9"))
_LONG_TOKENS, _SHORT_PLURAL = 18, 3
_STEM_CHARS = 5  # "decide", "decided", "decision": near enough to count as one
_FRAME = re.compile(r"(?:in|on|at) [^,]{1,40}, ", re.IGNORECASE)
_DEED = re.compile(r"(?:i|you) (?:just |also |already )?(?:[a-z]+ed|made|put|did|wrote|got|found|saw) ", re.IGNORECASE)
_NO_ORDERS = frozenset({"let's", "lets", "don't", "not", "no", "yes", "when", "whatever", "whichever", "same", "also"})
_ONE_THING = re.compile(r"(?:^|, )[a-z]+ (?:me |us )?(?:an?|the|this|that|these|those|both|two|three) ", re.IGNORECASE)
_EACH_TIME = re.compile(
    r"\b(?:always|never|every|each|all|any|whenever|when|before|after|once|first|if|while|please|end of|own|not|no|only|instead|rather)\b",
    re.IGNORECASE,
)
_CASE = re.compile(r"(?:if|unless|once|until) [^,]{3,90}, (?:then )?(?=[a-z`]+ )", re.IGNORECASE)
_NO_VERBS = frozenset({"the", "a", "an", "our", "my", "all", "each", "every", "no", "nothing", "it", "we", "they", "that", "this", "only", "nobody"})  # fmt: skip
_VERDICT_WORDS = 3  # longer ones say more: "fine with Gleam, so that is it"
NOUNS_TOO = frozenset({"change", "test", "log", "build", "release", "review", "update", "commit", "import", "export", "report", "query", "call", "type", "name", "order", "plan", "request", "support", "feature"})  # fmt: skip
_TALK_WORDS = 40
_LISTS = ("pointing", "seen", "parts")
_SAID_LISTS = (("standing", "standing"), ("faults", "fault"), ("passing", "passing"))


@dataclass(frozen=True, slots=True)
class SentenceContext:
    """The message that a sentence stands in."""

    word_count: int = 0
    is_troubled: bool = False  # tells of a fault: its plain clauses are about that

    @property
    def is_talk(self) -> bool:
        return self.word_count > _TALK_WORDS


def tells_of_fault(text: str, rules: MemoryRules) -> bool:
    """Whether the words speak of something that goes wrong."""
    low = without_care(text.lower())
    return (
        rules.clauses.has("faults", low, [word.lower() for word in _FAULT_WORD.findall(low)])
        or _SEEN_FAULT.search(text) is not None
    )


def without_care(low: str) -> str:
    """The text in lower case without what deals with faults: "crash reports go to Sentry" tells of none."""
    return _CARE.sub(" ", low)


def is_readable(text: str) -> bool:
    """Whether one of the small words stands in it that hold an English sentence together."""
    return not _CLOSED.isdisjoint(text.lower().split())


def name_features(text: str, rules: MemoryRules) -> frozenset[str]:
    """The names of what the sentence is made of; empty when it has no word.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> sorted(one for one in name_features("Mia owns it", load_memory_rules()) if one.startswith("ab "))
    ['ab <w> v:s', 'ab ^ <w>', 'ab it $', 'ab v:s it']
    """
    words = [found[0].rstrip(".") for found in _TOKEN.finditer(text)][:MAX_TOKENS]
    if not words:
        return frozenset()
    kinds = [_kind(word, rules, is_first=not place) for place, word in enumerate(words)]
    forms = [kind if kind in _HOLDERS else word.lower() for word, kind in zip(words, kinds, strict=True)]
    clause = parse_clause(text, rules.clauses)
    return frozenset(
        [
            *_word_names(forms, kinds),
            *_clause_names(clause, rules),
            *_told(text, forms, kinds, rules),
            *_doubts(text, clause, rules),
        ]
    )


def _kind(word: str, rules: MemoryRules, *, is_first: bool) -> str:
    if not is_first and word[0].isupper():
        low = word.lower()
        is_common = low in _CLOSED or (len(word) > 2 and _CODE.search(word) is not None) or _is_tool(low, rules)
        return _kind_of(word, rules) if is_common else "<Name>"
    return _kind_of(word, rules)


def _kind_of(word: str, rules: MemoryRules) -> str:
    """The word itself where it is one of the closed classes, else what kind of word it is."""
    low = word.lower()
    if low in _CLOSED:
        return low
    if word[0].isdigit():
        return "<n>"
    if not word[0].isalpha() and len(word) <= 2 and word[0] != "_":
        return word
    if len(word) > 2 and _CODE.search(word):
        return "<code>"
    return "<tech>" if _is_tool(low, rules) else _open_kind(low, rules)


def _is_tool(low: str, rules: MemoryRules) -> bool:
    return low in rules.slots.technologies and low not in rules.slots.guarded


def _open_kind(low: str, rules: MemoryRules) -> str:
    forms = rules.clauses.verbs.get(low, ())
    if forms:
        return "v:s" if low.endswith("s") else f"v:{forms[0].group}:{forms[0].form}"
    if low in rules.clauses.orders:
        return "v:order"
    if low in rules.clauses.words["parts"]:
        return "<part>"
    ending = next((one for one in ("ing", "ed", "ly") if low.endswith(one)), "")
    if ending:
        return f"<{ending}>"
    is_plural = low.endswith("s") and not low.endswith(("ss", "us", "is")) and len(low) > _SHORT_PLURAL
    return "<pl>" if is_plural else "<w>"


def _word_names(forms: list[str], kinds: list[str]) -> Iterator[str]:
    count = len(forms)
    yield f"len{next((size or count for limit, size in _SIZES if count < limit), 12)}"
    yield f"longer{count > _LONG_TOKENS}"
    for word in forms:
        yield f"w {word}"
    for first, second in pairwise(forms):
        yield f"b {first} {second}"
    yield f"s {forms[0]}"
    yield f"s2 {' '.join(forms[:2])}"
    yield f"e {forms[-1]}"
    for kind in kinds:
        yield f"a {kind}"
    for first, second in pairwise(("^", *kinds, "$")):
        yield f"ab {first} {second}"
    yield f"as3 {' '.join(kinds[:3])}"
    framed = ("^", *kinds, "$")
    for place in range(len(kinds)):
        yield f"at {' '.join(framed[place : place + 3])}"
    yield from (f"st {word[:_STEM_CHARS]}" for word in forms if word not in _HOLDERS and len(word) > _SHORT_PLURAL)


def _clause_names(clause: Clause | None, rules: MemoryRules) -> Iterator[str]:
    if clause is None:
        yield "c none"
        return
    yield f"c g {clause.group}"
    yield f"c f {clause.form}"
    yield f"c m {clause.modal}"
    yield f"c neg {clause.is_negated}"
    yield f"c past {clause.is_past}"
    yield f"c v {clause.verb}"
    yield f"c gm {clause.group} {bool(clause.modal)} {clause.is_negated}"
    yield f"c fr {bool(clause.frame)}"
    subject = clause.subject.split()
    first = subject[0].lower()
    yield f"c s0 {first if first in _CLOSED else 'x'}"
    yield f"c sh {_kind_of(subject[-1].lower(), rules)}"


def _told(text: str, forms: list[str], kinds: list[str], rules: MemoryRules) -> Iterator[str]:
    """What is named or said of it anywhere in the sentence."""
    low = text.lower()
    named = {
        "unit": compiled(rules.clauses.units).search(text) is not None,
        "tech": bool(find_technologies(text, (), rules.slots)),
        "attr": bool(find_attributes(text, rules.slots)),
    }
    yield from (name for name, is_so in named.items() if is_so)
    if any(named.values()) or not {"<code>", "<Name>", "<n>"}.isdisjoint(kinds):
        yield "named"
    yield from (name for words, name in _SAID_LISTS if rules.clauses.has(words, low, forms))
    yield from (name for name in _LISTS if not rules.clauses.words[name].isdisjoint(forms))


def _doubts(text: str, clause: Clause | None, rules: MemoryRules) -> Iterator[str]:
    """What speaks against a statement, each by its name: how much it counts is learned."""
    main = cut_tail(text, rules.cut_after)
    named = {
        "d whole": doubts_sentence(main, rules),
        "d clause": doubts_clause(main, rules),
        "d task": is_task_after(text, rules),
        "d fault": tells_of_fault(text, rules),
        "d deed": _DEED.match(text) is not None,
        "d order": clause is None and _is_order(text, rules),
    }
    if clause is not None:
        named["d over"] = clause.is_past and clause.form == "plain"  # "all was well"
        named["d found"] = is_found(clause, rules)
    found = [name for name, is_so in named.items() if is_so]
    yield from found or ("d none",)


def is_found(clause: Clause, rules: MemoryRules) -> bool:
    """Whether it only says how something was found to be just now: "one retry is enough"."""
    first = clause.rest.lower().split(" ", 1)[0]
    is_verdict = clause.verb == "be" and clause.form == "plain" and first in rules.clauses.words["verdicts"]
    return is_verdict and clause.rest.count(" ") < _VERDICT_WORDS


def _is_order(text: str, rules: MemoryRules) -> bool:
    """Whether it begins with a verb, or is an aside without one."""
    words = rules.clauses.words
    first = first_word(text)
    is_verb = any(
        first in verbs for verbs in (words["conventions"], words["habits"], words["tasks"], rules.clauses.orders)
    )
    is_verb = is_verb or (first in words["openings"] and first not in _NO_ORDERS)
    return is_verb or ("," not in text and (first in words["prepositions"] or first == "rather"))


def first_word(text: str) -> str:
    """The word that the sentence begins with behind "in the parser, ", in lower case."""
    frame = _FRAME.match(text)
    return text[frame.end() if frame is not None else 0 :].split(" ", 1)[0].lower().strip(",:;")


def is_task(text: str, rules: MemoryRules) -> bool:
    """Whether it orders one thing done: what the verb says is done once and not kept to."""
    case = _CASE.match(text)
    if case is not None:
        then = text[case.end() :]
        return parse_clause(then, rules.clauses) is None and first_word(then) not in _NO_VERBS
    own, first = rules.clauses.words, first_word(text)
    is_once = _ONE_THING.search(text) is not None and _EACH_TIME.search(text) is None
    is_kept = first in own["conventions"] or (first in own["habits"] and first not in own["tasks"] and not is_once)
    is_opening = first in own["openings"] and first not in _NO_ORDERS
    is_verb = first in own["tasks"] or first in rules.clauses.orders or is_opening
    is_noun = not is_once and (first not in own["tasks"] or first in NOUNS_TOO)
    return is_verb and not is_kept and not (is_noun and parse_clause(text, rules.clauses) is not None)
