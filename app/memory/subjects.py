"""What a clause is about: a person, a thing of the project, a kind of things; by the words of its subject.

Knows noun phrases and word lists; must not know what is said of them. Source: S3, issue 3 "Extraction".
"""

import re

from app.memory.identities import NAME
from app.memory.rules import MemoryRules
from app.memory.slots import find_attributes, find_technologies

_PERSON = re.compile(r"(?:(?:Dr|Mr|Ms|Mrs)\.? )?[A-Z][a-zà-ÿ]+(?:(?: and |, | )[A-Z][a-zà-ÿ]+)*$")
_NOUN = re.compile(r"\w{3,}(?:ing|tions?|ments?|ness|ities|ity|ware|ships?)$", re.IGNORECASE)
_RELATED = re.compile(
    r"^my (?:[\w-]+ )?(?:colleague|boss|lead|manager|mentor|supervisor|teammate|coworker|friend|partner)\b",
    re.IGNORECASE,
)
_GROUP = re.compile(r"[A-Z][a-z]+'s? (?:team|group|squad|crew|people|folks|company)$")  # "Mia's team"
_GENERAL_PLURAL = re.compile(r"(?:[\w`./-]+ ){0,3}[\w-]{3,}(?<!ss)(?<!us)(?<!is)s$", re.IGNORECASE)
NOUNS_TOO = frozenset({"change", "test", "log", "build", "release", "review", "update", "commit", "import", "export", "report", "query", "call", "type", "name", "order", "plan", "request", "support", "feature"})  # fmt: skip
_CODE = re.compile(r"\b[a-z]+[A-Z]\w*|\b(?:[A-Z][a-z]+){2,}\b|\w\(\)|\w_\w")
_COUNTING = frozenset({"both", "all", "each", "some", "most", "any", "none", "either", "neither", "only"})


def subject_kind(subject: str, rules: MemoryRules) -> str:
    """What the clause is about, as the name of a weight; empty when it points at something unsaid."""
    words = subject.lower().split()
    lists = rules.clauses.words
    first, head = words[0], words[-1].strip("`\"'")
    is_noun = first in NOUNS_TOO and len(words) > 1 and words[-1].endswith("s")  # "change tickets go in …"
    is_order = first in lists["openings"] and len(words) > 1 and not is_noun
    if (
        is_order
        or (lists["determining"].intersection(words[1:2]) and first not in lists["whole"])
        or first in lists["pointing"]
        or lists["pointing"].intersection(words[1:])
        or head in rules.pronouns
        or head in _COUNTING
        or head in lists["prepositions"]
    ):
        return ""
    if first == "i":
        return "i"
    if head in lists["seen"] and first not in lists["ours"] and first not in lists["whole"]:
        return "seen"
    if first in lists["ours"]:
        return "we" if first in {"we", "us"} else "ours"
    if is_person(subject, rules):
        return "person"
    if first in lists["whole"] or first == "no":
        return "all"
    if first == "my":
        return "mine"
    return _noun_kind(subject, first, head, rules)


def _noun_kind(subject: str, first: str, head: str, rules: MemoryRules) -> str:
    if _CODE.search(subject):
        return "code"
    if NAME.search(subject) or find_technologies(f"the {subject}", (), rules.slots):
        return "named"
    if _is_part(head, rules) or find_attributes(subject, rules.slots):
        return "known"
    if first in {"the", "a", "an"}:
        return "a" if first != "the" else "the"
    return "plural" if _GENERAL_PLURAL.match(subject) else "bare"


def is_talked_about(label: str, rules: MemoryRules) -> bool:
    """Whether a noun phrase ends with a part of systems or businesses that is spoken of again: "test accounts"."""
    return _is_part(label.lower().split()[-1], rules)


def _is_part(head: str, rules: MemoryRules) -> bool:
    parts = rules.clauses.words["parts"]
    return head in parts or f"{head}s" in parts or head.removesuffix("s") in parts


def is_person(subject: str, rules: MemoryRules) -> bool:
    """Whether the words name people: "Mia", "Dr. Ono and Lee", "my boss"."""
    if _RELATED.match(subject) or _GROUP.match(subject):
        return True
    if not _PERSON.match(subject) or _NOUN.match(subject):
        return False
    words = subject.lower().replace(",", " ").split()
    known = (
        rules.not_persons | rules.clauses.words["parts"] | rules.clauses.words["seen"] | rules.clauses.words["whole"]
    )
    known |= rules.clauses.words["openings"] | rules.clauses.words["no_names"]
    is_common = any(word in known or word in rules.clauses.verbs for word in words)
    return not is_common and not any(word in rules.slots.technologies for word in words)


def is_style(subject: str, rules: MemoryRules) -> bool:
    """Whether it speaks of a style or a rule of the project in general: "error messages", not "the error message"."""
    words = subject.lower().split()
    is_general = words[0] not in {"the", "a", "an", "this", "that", "my", "these", "those"}
    return is_general and not rules.orders.topics.isdisjoint(words[-2:])
