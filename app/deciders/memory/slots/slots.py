"""Which question a statement answers, and with what: (subject, attribute, scope) and the canonical value.

Values are read beside the place where their attribute is named: "200ms" and "200 ms" are one. Pure look-ups in the ontology; a technology answers the attribute that the sentence names, else its own, where the sentence states
its use: "runs on Redis", not "a Redis key". Where no attribute is named the sentence's own subject makes the slot. Source: S4
(key, value, scope), DESIGN "slot".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from typing import NamedTuple

from app.deciders.memory.levels.word_weight_rules import load_wording_rules
from app.deciders.memory.slots.rules import Attribute, SlotRules, normal_name
from app.values import Entity, EntityKind, Slot

_NUMBER = re.compile(r"(?<![\w.-])\d[\d,._]*\d?k?\b(?!\s?%)")
_DURATION = re.compile(
    r"(?<![\w.])(\d+(?:\.\d+)?)\s?-?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|months?|years?)\b",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s?(?:%|per ?cent\b)", re.IGNORECASE)
_VERSION = re.compile(r"(?<![\w.])v?(\d+(?:\.\d+){0,3}(?:-[\w.]+)?)\b(?!\s?%)", re.IGNORECASE)
_VERSION_SAID = re.compile(r"v?(\d{1,4}(?:\.\d+){0,3}(?:\.x|\+)?)(?=$|[ ,;])", re.IGNORECASE)
_VERSION_AFTER = re.compile(
    r"(?: ?v| v?|[:@-]v?| version )(\d{1,4}(?:\.\d+){0,3}(?:\.x|\+)?)(?=$|[ ,;)](?!(?:%|[\w-]{3,}(?<!s)s\b)))",
    re.IGNORECASE,
)
_PORT = re.compile(r"(?<![\w.])(\d{2,5})\b(?![.%])")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s?(bytes|[kmgt]i?b|[kmg])\b", re.IGNORECASE)
_PATH = re.compile(r"[~.\w@-]*/[\w./~@*<>{}$-]*[\w*/]|(?<=`)[^`]+(?=`)|\b[\w-]+\.(?!$)[a-z]{1,6}\b")
_NAME_VALUE = re.compile(
    r"(?:\b(?:is|are|called|named|to|be|=|:|use|on|at)|^) (?:called |named |set to |now |the )*"
    r"(`[^`]+`|\"[^\"]+\"|(?-i:[A-Z][\w./@:+#-]*)|\w*[\d./@:_+#-][\w./@:+#-]*\w)",
    re.IGNORECASE,
)
_TEXT = re.compile(r"(?:\b(?:is|are|be|to|in|with|a|use|uses)|:) (.{2,60}?)(?=$|[,;.]| because )", re.IGNORECASE)
_PERSON = re.compile(r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)?\b")
_COLOUR = re.compile(
    r"#[0-9a-f]{3,8}\b|\b(?:dark |light |deep |bright )?(?:red|green|blue|purple|violet|orange|yellow|pink|teal|cyan|magenta|black|white|gr[ae]y|brown|indigo|turquoise|navy|maroon|gold|silver|amber|crimson)\b",
    re.IGNORECASE,
)
_DAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATE = re.compile(
    rf"\b(?:(?:{_DAY},? )?(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b|{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b)|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|tomorrow|(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?:\.? \d{1,2}(?:st|nd|rd|th)?)?\b|\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|\d{4}-\d\d-\d\d|q[1-4]\b|(?:the )?end of (?:the )?(?:week|month|quarter|year|sprint|q[1-4])|the \d{1,2}(?:st|nd|rd|th)|next (?:week|month|sprint|quarter))",
    re.IGNORECASE,
)
_UNITS = {
    "milliseconds": "ms",
    "millisecond": "ms",
    "ms": "ms",
    "w": "weeks",
    "d": "days",
    "h": "hours",
    "m": "minutes",
    "s": "seconds",
}


def read_value(attribute: Attribute, text: str, start: int, end: int) -> str:
    """The canonical value of `attribute` in `text`, named at [start, end); empty when there is none.

    >>> read_value(Attribute("timeout", "duration", (), False), "the timeout is 30s", 4, 11)
    '30 seconds'
    """
    after, before = text[end:], text[:start]
    low = f" {text.lower()} "
    found = [(place, -len(choice), choice) for choice in attribute.choices if (place := _find_word(choice, low)) >= 0]
    if found:
        return min(found)[2]
    if attribute.kind == "person":
        return next(_people(after), "") or next(reversed([*_people(before)]), "")
    return _read(attribute.kind, after) or (
        _read(attribute.kind, before) if attribute.kind not in {"name", "text"} else ""
    )


def read_version(text: str) -> str:
    """The version that the text begins with: "5.0"; empty when it begins with none."""
    found = _VERSION_SAID.match(text)
    return found[1] if found is not None else ""


def read_version_after(text: str, end: int) -> str:
    """The version said with the name that ends at `end`: "16" of "Postgres 16 in staging"; empty for "Redis 3 times"."""
    found = _VERSION_AFTER.match(text, end)
    return found[1] if found is not None else ""


def _people(text: str) -> Iterator[str]:
    """What may be names of people, in order; a sentence may begin with "The" or "You"."""
    known = load_wording_rules().function_words
    return (found[0] for found in _PERSON.finditer(text) if known.isdisjoint(found[0].lower().split()))


def _find_word(choice: str, text: str) -> int:
    found = re.search(rf"(?<![\w-]){re.escape(choice)}(?![\w-])", text)
    return found.start() if found is not None else -1


def _read(kind: str, text: str) -> str:  # one branch per kind of value
    if kind == "duration":
        return _duration(text)
    if kind == "size":
        found = _SIZE.search(text)
        return f"{found[1]} {found[2].upper()}" if found else ""
    expression = _SIMPLE.get(kind)
    found = expression.search(text) if expression is not None else None
    if found is None:
        return ""
    value = found[found.lastindex or 0].strip("`\"' ")
    if kind == "percent":
        return f"{value} %"
    if kind == "number":
        return value.replace(",", "").replace("_", "").rstrip(".")
    return value if kind in {"path", "name"} else value.lower()


_SIMPLE = {
    "number": _NUMBER, "percent": _PERCENT, "version": _VERSION, "port": _PORT, "path": _PATH, "name": _NAME_VALUE,
    "text": _TEXT, "colour": _COLOUR, "date": _DATE,
}  # fmt: skip


def _duration(text: str) -> str:
    found = _DURATION.search(text)
    if found is None:
        return ""
    unit = found[2].lower()
    if unit not in _UNITS:
        long = next(
            (
                name
                for short, name in (("sec", "seconds"), ("min", "minutes"), ("hr", "hours"), ("hour", "hours"))
                if unit.startswith(short)
            ),
            unit,
        )
        unit = long if long.endswith("s") else f"{long}s"
    unit_name = _UNITS.get(unit, unit)
    return f"{found[1]} {unit_name.removesuffix('s') if found[1] == '1' and unit_name != 'ms' else unit_name}"


_WORD = re.compile(r"[\w'’-]+|[:=>]")
_BEGIN_WORDS = 1  # "the", "our"
_FILLERS = frozenset({"a", "an", "the", "our", "its", "own", "now", "just", "plain", "only", "still", "currently", "always", "latest", "new", "pure", "mostly", "all", "both", "either", "mainly", "exclusively", "standard", "everything", "it", "them"})  # fmt: skip
_USING = frozenset({"use", "uses", "using", "used", "is", "are", "be", ":", "=", ">", "adopt", "adopts", "adopted", "choose", "chose", "chosen", "pick", "picked", "prefer", "prefers", "require", "requires", "want", "wants", "take", "takes", "keep", "keeps", "need", "needs", "runs", "run", "target", "targets", "install", "add", "write", "have", "has", "as", "called", "get", "go", "goes", "going", "stick", "make"})  # fmt: skip
_THROUGH = frozenset({"on", "to", "with", "via", "through", "by", "in", "into", "over", "for", "onto", "at", "under"})
_DONE = re.compile(
    r"(?:\w+ed|\w+en|\w+ing|\w+s|built|sent|kept|made|run|go|going|done|held|live|build|write|host|deploy|"
    r"store|test|lint|stay|work|rely|depend|base|bound|bundle|format|cache|standardi[sz]e|move|migrate|switch|manage|ship|"
    r"serve|log|handle|monitor|stick|develop|queue|route|put|keep|do|style|search)$"
)
_BEGUN = frozenset({"start", "starts", "starting", "derive", "derives", "inherit", "inherits"})  # "from …"
_AND = frozenset({"and", "or", "plus"})
_AFTER_START = re.compile(
    r"\s*(?:\(|$|[,;.:]|(?:and|or|for|as|everywhere|plus|instead|only|over|with|is|not|on|in|stays?|it)\b)"
)


def is_stated(text: str, start: int, end: int) -> bool:
    """Whether the name at [start, end) is what the sentence says to be used.

    >>> [is_stated(said, said.index("Redis"), said.index("Redis") + 5) for said in ("Sessions live in Redis", "a Redis key expires")]
    [True, False]
    """
    before = [word.lower() for word in _WORD.findall(text[:start])]
    if len(before) <= _BEGIN_WORDS and (not before or before[0] in _FILLERS):
        return _AFTER_START.match(text, end) is not None
    while before and before[-1] in _FILLERS:
        before.pop()
    if not before or before[-1] in _USING or before[-1] in _AND:
        return bool(before)
    verb = next((word for word in reversed(before[:-1]) if word not in _FILLERS), "")
    if before[-1] == "from":
        return verb in _BEGUN
    return before[-1] in _THROUGH and _DONE.match(verb) is not None


_TOKEN = re.compile(r"[A-Za-z_@.#]?[\w.+#/&'-]*[\w+#]|\d+")
_ARTICLES = frozenset({"the", "a", "an", "our", "my", "all", "any", "every", "each", "this", "your", "person's"})
_NO_SUBJECT = frozenset({"use", "run", "keep", "set", "we", "is", "are", "default", "new", "main", "minimum", "maximum", "max", "min", "i", "person", "still", "also", "now", "only", "just", "always", "usually", "should", "would", "will", "must", "can", "could", "do", "does", "in", "for", "on", "at", "to"})  # fmt: skip
_BEFORE_SUBJECT = frozenset({"of", "behind", "with", "by", "from", "inside", "within", "under", "between", "about"})
_SUBJECT_ENDS = frozenset({"is", "are", "was", "and", "or", "to", "with", "from", "instead", "at", "on", "by", "please", "only", "but", "the", "a", "an", "we", "i", "it", "that", "which", "who", "so", "because", "if", "when", "now", "go", "goes", "come", "comes", "run", "runs", "use", "uses", "live", "lives", "through", "via", "all", "every", "each", "any", "has", "have", "must", "should", "may", "can", "will", "needs", "need"})  # fmt: skip
_MAX_SUBJECT_WORDS = 3
_MOST_NAME_WORDS = 2
_FIRST_CHARS = 4  # "The Postgres …"
_WRITTEN = frozenset({"written", "built", "coded", "developed", "implemented", "programmed", "is", "are", "done", "made", "write", "writes"})  # fmt: skip
_SENTENCE_BEGINS = re.compile(r"[.!?]\W*\s\W*$|\n\W*$")
_MEASURES = frozenset({"port", "version", "number", "duration", "size", "percent", "path"})
_SERVES = frozenset({"for", "as", "for the", "for our", "as the", "as our", "for all"})
_IS = frozenset({":", "=", "->", "is", "stays", "with", "on", "via", "through", "in"})
_NO_PARTS: Mapping[str, str] = {}
_REASON = re.compile(r"\b(?:because|due to|thanks to|since it|as it)\b", re.IGNORECASE)  # what follows is no subject
_SUBJECT_AFTER = re.compile(
    r"\b(?:for|of|in|on|by|at) (?:the |our |this |all )?((?:[\w./-]+ ){0,2}[\w./-]+)", re.IGNORECASE
)


class Token(NamedTuple):  # made for every word of every sentence: a frozen dataclass costs three times as much
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mention:
    """A technology or the name of an attribute, where it stands."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class FilledSlot:
    slot: Slot | None
    value: str
    old_value: str = ""


def split_words(text: str) -> tuple[Token, ...]:
    return tuple(Token(found[0].rstrip("."), found.start(), found.end()) for found in _TOKEN.finditer(text))


def find_technologies(text: str, entities: Sequence[Entity], rules: SlotRules) -> list[Mention]:
    """Known technologies in the text, canonical, in order. Everyday words count only when they are meant as names."""
    named = frozenset(normal_name(entity.text) for entity in entities if entity.kind is EntityKind.TECHNOLOGY)
    return list(_technologies(text, named, rules))


def _technologies(text: str, named: frozenset[str], rules: SlotRules) -> tuple[Mention, ...]:
    tokens = split_words(text)
    firsts = [_first_name(token.text) for token in tokens]
    if rules.technology_starts.keys().isdisjoint(firsts):
        return ()  # most sentences
    found: list[Mention] = []
    index = 0
    while index < len(tokens):
        mention, length = _technology_at(text, tokens, index, firsts[index], named, rules)
        if mention is not None:
            found.append(mention)
        index += length
    return tuple(found)


def _first_name(word: str) -> str:
    return word.lower() if word.isalnum() else normal_name(word).split(" ", 1)[0]


def _technology_at(
    text: str, tokens: Sequence[Token], index: int, first: str, named: frozenset[str], rules: SlotRules
) -> tuple[Mention | None, int]:
    longest = rules.technology_starts.get(first, 0)
    for length in range(min(longest, len(tokens) - index), 0, -1):
        run = tokens[index : index + length]
        name = normal_name(" ".join(token.text for token in run))
        canonical = rules.technologies.get(name)
        if canonical is None:
            continue
        if length == 1 and name in rules.guarded and name not in named and not _is_name(text, tokens, index, rules):
            continue
        return Mention(canonical, run[0].start, run[-1].end), length
    return None, 1


def _is_name(text: str, tokens: Sequence[Token], index: int, rules: SlotRules) -> bool:
    """Whether an everyday word is meant as a name: in capitals where no sentence begins, or beside a word that says so."""
    following = tokens[index + 1].text.lower() if index + 1 < len(tokens) else ""
    begins = index == 0 or _SENTENCE_BEGINS.search(text, tokens[index - 1].end - 1, tokens[index].start) is not None
    return (tokens[index].text[0].isupper() and not begins) or following in rules.support


def find_attributes(text: str, rules: SlotRules) -> tuple[Mention, ...]:
    """The attributes that the text names, longest names first where they overlap, in order."""
    tokens = split_words(text)
    words = [token.text.lower() for token in tokens]
    if rules.attribute_starts.keys().isdisjoint(words):
        return ()  # most sentences
    found: list[Mention] = []
    index = 0
    while index < len(tokens):
        step = 1
        longest = rules.attribute_starts.get(words[index], 0)
        for length in range(min(longest, len(tokens) - index), 0, -1):
            name = rules.attribute_words.get(" ".join(words[index : index + length]))
            if name is not None:
                found.append(Mention(name, tokens[index].start, tokens[index + length - 1].end))
                step = length
                break
        index += step
    return tuple(found)


def fill_slot(
    text: str, rules: SlotRules, parts: Mapping[str, str] = _NO_PARTS, *, entities: Sequence[Entity] = ()
) -> FilledSlot:
    """The slot that the statement fills and its value. `parts`: the words for what is `new`, `old`, the `subject`.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> fill_slot("Use pg for the billing service", load_memory_rules().slots)
    FilledSlot(slot=Slot(subject='billing service', attribute='database', scope=''), value='PostgreSQL', old_value='')
    """
    attributes = find_attributes(text, rules)
    technologies = find_technologies(text, entities, rules)
    found = _by_change(technologies, attributes, parts, rules) or _by_measure(text, technologies, attributes, rules)
    found = found or _by_technology(text, technologies, attributes, parts, rules)
    found = found or _by_attribute(text, attributes, rules) or _by_choice(text, rules)
    left = find_technologies(parts.get("old", ""), entities, rules)
    if left and (found is None or found[1].startswith(left[0].name)):
        found = _in_place_of(left[0].name, parts.get("new", ""), rules) or found
    if found is None:
        return FilledSlot(None, "")
    attribute, value = found
    value, old_version = _with_versions(value, technologies, parts)
    taken = [*attributes, *technologies]
    scope = _scope(text, taken, attribute, rules)
    if not scope and parts.get("old"):
        scope = _scope(parts.get("subject", ""), [], attribute, rules)  # "moved the staging port from … to …"
    subjects = (_named_first(parts.get("subject", ""), rules), *_named_after(text, taken))
    subject = next((one for one in subjects if _is_subject(one, scope, value, rules)), "")
    old = old_version or _old_value(parts.get("old", ""), attribute, entities, rules)
    if old and old.casefold() == value.casefold():
        return FilledSlot(None, "")  # only what is given up was understood
    return FilledSlot(Slot(subject, attribute, scope), value, old)


def _with_versions(value: str, technologies: Sequence[Mention], parts: Mapping[str, str]) -> tuple[str, str]:
    """The technology with its new version, and with its old one: "upgraded Django from 4.2 to 5.0"."""
    if all(one.name != value for one in technologies):
        return value, ""
    new, old = read_version(parts.get("new", "")), read_version(parts.get("old", ""))
    return f"{value} {new}".rstrip(), f"{value} {old}" if old else ""


def _by_change(
    technologies: Sequence[Mention], attributes: Sequence[Mention], parts: Mapping[str, str], rules: SlotRules
) -> tuple[str, str] | None:
    """The new value where an old one is said beside it: "the port went from 80 to 81"."""
    if not parts.get("old") or not parts.get("new"):
        return None
    for mention in attributes:
        attribute = rules.attributes[mention.name]
        is_bare = attribute.kind != "version" or not technologies  # "the Node version": the technology's own
        if attribute.kind in _MEASURES and is_bare and (value := read_value(attribute, parts["new"], 0, 0)):
            return attribute.name, value
    return None


def _by_measure(
    text: str, technologies: Sequence[Mention], attributes: Sequence[Mention], rules: SlotRules
) -> tuple[str, str] | None:
    """A number said of a technology: "Postgres listens on 5432" is about the port, not about the database."""
    if not technologies or technologies[0].start > _FIRST_CHARS:
        return None
    measured = [one for one in attributes if rules.attributes[one.name].kind in _MEASURES]
    return _by_attribute(text, measured, rules)


def _by_technology(
    text: str,
    technologies: Sequence[Mention],
    attributes: Sequence[Mention],
    parts: Mapping[str, str],
    rules: SlotRules,
) -> tuple[str, str] | None:
    new, is_changed = parts.get("new", ""), bool(parts.get("old"))
    where = text.find(new) if new else -1
    inside = [one for one in technologies if where >= 0 and where <= one.start < where + len(new)]
    for technology in (*inside, *(one for one in technologies if one not in inside)):
        answers = rules.answers.get(technology.name, frozenset())
        asked = next(
            (one.name for one in attributes if one.name in answers or rules.attributes[one.name].is_multi), None
        )
        asked = asked or _purpose(text, technology, attributes, rules)
        is_choice = technology in inside or is_changed or is_stated(text, technology.start, technology.end)
        attribute = asked or (rules.attribute_of.get(technology.name) if is_choice else None)
        if attribute is not None and not _is_scope(text, technology, rules):
            return attribute, f"{technology.name} {read_version_after(text, technology.end)}".rstrip()
    return None


def _purpose(text: str, technology: Mention, attributes: Sequence[Mention], rules: SlotRules) -> str | None:
    """The attribute that a technology is said to serve: "Supabase for auth", "auth: Supabase"."""
    for one in attributes:
        first, second = sorted((one, technology), key=lambda mention: mention.start)
        between = text[first.end : second.start].strip().lower()
        links = _SERVES if first is technology else _IS
        if between in links and rules.attributes[one.name].kind == "technology":
            return one.name
    return None


def _is_scope(text: str, technology: Mention, rules: SlotRules) -> bool:
    """Whether a language is where something holds ("in Python, …"), not what is used ("written in Python")."""
    before = text[: technology.start].lower().split()
    if technology.name not in rules.languages or not before or before[-1] != "in":
        return False
    return len(before) == 1 or before[-2] not in _WRITTEN


def _by_attribute(text: str, attributes: Sequence[Mention], rules: SlotRules) -> tuple[str, str] | None:
    for mention in attributes:
        attribute = rules.attributes[mention.name]
        value = read_value(attribute, text, mention.start, mention.end)
        if value:
            return attribute.name, value
    return None


def _by_choice(text: str, rules: SlotRules) -> tuple[str, str] | None:
    found = rules.speaking_pattern.search(f" {normal_name(text)} ".replace(".", " ").replace(",", " "))
    return (rules.speaking_choices[found[1]], found[1]) if found is not None else None


def _in_place_of(left: str, new: str, rules: SlotRules) -> tuple[str, str] | None:
    """What takes the place of a known technology is one of its kind, though nobody has heard of it."""
    value, attribute = " ".join(new.split()).strip("`\"',;").rstrip(".,;"), rules.attribute_of.get(left)
    if attribute is not None and read_version(value):
        return attribute, left  # its version is read beside it
    is_name = 0 < len(value.split()) <= _MOST_NAME_WORDS
    return (attribute, value) if attribute is not None and is_name else None


def _old_value(old: str, attribute: str, entities: Sequence[Entity], rules: SlotRules) -> str:
    if not old:
        return ""
    technologies = find_technologies(old, entities, rules)
    if technologies:
        return f"{technologies[0].name} {read_version_after(old, technologies[0].end)}".rstrip()
    known: Attribute = rules.attributes[attribute]
    return read_value(known, old, 0, 0) or " ".join(old.split()).strip("`\"' ").lower()


def _scope(text: str, taken: Sequence[Mention], attribute: str, rules: SlotRules) -> str:
    tokens = split_words(text)
    for index, token in enumerate(tokens):
        before = _word_before(tokens, index)
        is_asked = before in rules.scope_prepositions
        language = rules.technologies.get(normal_name(token.text))
        if language in rules.languages and before == "in" and attribute != "language":
            return str(language).lower()
        scope = rules.scopes.get(token.text.lower())
        is_taken = any(one.start <= token.start < one.end for one in taken)
        is_own = rules.attribute_words.get(token.text.lower()) == attribute  # "pytest for tests"
        if scope is not None and not is_own and (is_asked or (not before and not is_taken)):
            return scope
    return ""


def _word_before(tokens: Sequence[Token], index: int) -> str:
    """The word before a token, articles skipped; empty at the beginning."""
    place = index - 1
    if place >= 0 and tokens[place].text.lower() in _ARTICLES:
        place -= 1
    return tokens[place].text.lower() if place >= 0 else ""


def _is_subject(subject: str, scope: str, value: str, rules: SlotRules) -> bool:
    words = subject.split()
    if (
        not words
        or rules.empty_subjects.intersection((subject, words[0]))
        or rules.scopes.get(subject) == (scope or "-")
    ):
        return False
    is_known = subject in rules.attribute_words or normal_name(subject) in rules.technologies
    is_value = any(char.isdigit() for char in subject) or subject in value.lower()
    return not is_known and not is_value and not subject.endswith("ing")


def _named_first(subject: str, rules: SlotRules) -> str:
    """What is left of the sentence's subject without the attribute: "billing service" of "the billing service database"."""
    taken = [*find_attributes(subject, rules), *find_technologies(subject, (), rules)]
    words = [
        token.text.lower().removesuffix("'s")
        for token in split_words(subject)
        if not any(one.start <= token.start < one.end for one in taken)
    ]
    subject_words = (
        word for word in words if word not in _ARTICLES and word not in _NO_SUBJECT and word not in rules.scopes
    )
    kept = [*dropwhile(_BEFORE_SUBJECT.__contains__, subject_words)]
    return " ".join(kept) if len(kept) <= _MAX_SUBJECT_WORDS else ""


def _named_after(text: str, taken: Sequence[Mention]) -> Iterator[str]:
    """What stands after "for", "of", "in": up to the next word that cannot belong to a name."""
    why = _REASON.search(text)
    for found in _SUBJECT_AFTER.finditer(text[: why.start()] if why else text):
        place = found.start(1)
        words: list[str] = []
        for token in split_words(found[1]):
            is_taken = any(one.start <= place + token.start < one.end for one in taken)
            if is_taken or token.text.lower() in _SUBJECT_ENDS:
                break
            words.append(token.text.lower())
        yield " ".join(words)


_MAX_GUESSED_WORDS = 4
_PLACE = re.compile(
    r"^(?P<subject>[^,;:]{2,50}?) (?:lives?|goe?s?|sits?|stays?|belongs?|resides?|is|are)(?: (?:kept|stored|saved|written|found|now))? "
    r"(?:in|into|under|at|to|inside) (?:the )?(?P<value>(?:[~.\w@<>:-]*/[\w./~@*<>{}$-]*|`[^`]+`))",
    re.IGNORECASE,
)
_ADDRESS = re.compile(
    r"^(?P<subject>[^,;:]{2,40}?)(?: (?:is|runs|lives|listens|answers)(?: at| on| under)?|:| =) (?P<value>(?:https?|wss?|tcp)://\S+|[\w.-]+:\d{2,5}\b)",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"^(?P<subject>[^,;:]{2,40}?) (?:is|are) (?:now )?(?:called|named) (?!(?:in|after|by|with|as|like|on|to|from|using|for)\b)(?P<value>[`\"'“]?[\w./@:-]+[`\"'”]?)",
    re.IGNORECASE,
)
_DROPPED = frozenset(["the", "a", "an", "our", "my", "all", "any", "every", "each", "this", "new", "no", "any", "only"])


def guess_slot(text: str, rules: SlotRules) -> FilledSlot:
    """The slot that the words of the sentence make by themselves; empty when they make none.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> guess_slot("the exports live in /srv/exports", load_memory_rules().slots)
    FilledSlot(slot=Slot(subject='exports', attribute='location', scope=''), value='/srv/exports', old_value='')
    """
    for attribute, expression in (("address", _ADDRESS), ("location", _PLACE), ("name", _NAME)):
        found = expression.match(text)
        subject = _subject(found["subject"], rules) if found is not None else ""
        if found is not None and subject:
            scope = rules.scopes.get(subject, "")
            value = found["value"].strip("`\"'“”,").rstrip(".,")  # "./logs" begins so
            return FilledSlot(Slot("" if scope else subject, attribute, scope), value)
    return FilledSlot(None, "")


def _subject(text: str, rules: SlotRules) -> str:
    """The noun phrase as slots keep it; empty when it is too long for one or points elsewhere."""
    words = [token.text.lower() for token in split_words(text)]
    kept = [word for word in words if word not in _DROPPED]
    subject = " ".join(kept)
    is_one = 0 < len(kept) <= _MAX_GUESSED_WORDS and not rules.empty_subjects.intersection((subject, kept[0]))
    return subject if is_one else ""
