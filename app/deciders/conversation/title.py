"""What a conversation is called: a few words out of its first message.

Prepared texts give their own title or heading, pasted output its command, a question stays as it was asked, everything
else gives the clause that says what is wanted, without the politeness around it. What a version control system says of
a folder is no speech (`pasted.py`). Must not know the store or times. Rules: `rules/conversation/titles.yaml`.
Source: S1, conversation field `title` ("Auto-generated from first message intent").
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from app.deciders.conversation.boundary.markers import read_phrase, speech_head
from app.language.analysis_cache import SECRET_MARK
from app.language.pasted import drop_status, find_branch
from app.language.sentences import cut_sentences
from app.language.stems import stem
from app.resources import load_rules, misfit

MAX_TITLE_CHARS = 96  # readers knew 49 % of conversations by 72: half of what they missed was cut off
NO_TITLE = "Untitled conversation"
_READ_CHARS = 4000
_TIDY_CHARS = 400  # a path without an end would be read over and over
_MIN_CLAUSE_CHARS = 40  # a border before this cuts off what is meant
_MIN_NAMING_CHARS = 16
_END_FILES = re.compile(
    r"(?:\s+(?:in |and )?@?[\w/-]+(?:\.[\w-]+)*\.\w{1,5})+\Z"
)  # what it is about, pointed at behind the sentence
_MAX_SENTENCES = 6
_MAX_EMPTY_WORDS = 8
_THIN_CHARS = 28  # so short a clause says little without the next
_LEAD_WORDS, _INTRODUCING_WORDS = 4, 9  # before a heading: then it is not what the text is called
_WANTING_WORDS, _NAMING_WORDS, _MAX_STANDING, _NAMED_BY_WORDS, _POINTING_WORDS = 4, 6, 4, 2, 3

_LABELLED = re.compile(r"(?:^|\n|[:,]\s)[ \t]*title:[ \t]*(?P<title>\S[^\n]{2,120})", re.IGNORECASE)
_HEADING = re.compile(r"^[ \t]{0,8}#{1,4}[ \t]+(?P<title>[^\n]{2,160})$", re.MULTILINE)
_PROMPT = re.compile(
    r"\A\s*(?:\[[^\]\n]{8,120}\][ \t]*|(?:\([\w.-]+\)[ \t]*)?[\w.-]+@[\w.-]+[:\s][^\n$#%]{0,80}[$#%][ \t]+|[$%>][ \t]+)(?P<command>[^\n]{2,200})"
)
_FAULT = re.compile(r"^[\w.]*(?:Error|Exception|Panic|Fault)\b[^\n]{0,120}", re.MULTILINE)
_BULLET = re.compile(r"^(?:[\s>*+\-•]|\d{1,3}[.)](?=\s)){1,8}(?=\S)")
_FILE_ALONE = re.compile(r"@?[\w/-]*\.\w{1,5}|@[\w./-]+")
_POINTER = re.compile(r"(?<!\w)@(?=[\w./-]+\.\w)")  # "@src/a.py"
_FILE_NAMED = re.compile(
    r"(?:#file:|@)(?:[\w.-]+/)*(?P<name>[\w-]+(?:\.[\w-]+)*\.\w{1,5})|(?<![\w/.])(?P<bare>[\w-]+\.(?:py|js|ts|tsx|md|go|rs|java|vue|css|html|ex|exs|kt|json|yaml|yml|toml))\b"
)
_TAG = re.compile(r"<[^<>\n]{1,60}>|\[(?:Image|Pasted text)[^\]\n]{0,40}\]", re.IGNORECASE)
_URL = re.compile(r"https?://(?P<host>[^/\s]+)(?P<path>/\S*)?")
_LONG_PATH = re.compile(r"(?<![\w/])@?(?:[~.]{0,2}/)?(?:[\w.@-]+/)+(?P<name>[\w.@-]+)/?")
_HASH = re.compile(r"\b(?P<short>[0-9a-f]{7})[0-9a-f]{9,33}\b")
_BORDER = re.compile(r"\.{3}\s|\s[-–—]\s|[;:(]|,\s|\s\(")
_ASIDE = re.compile(r"\s\([^()]{0,60}\)")
_ADDED_TO = re.compile(r"\s(?:to|into)\s")
_POINTING_END = re.compile(r"\s(?:it|this|that)\Z", re.IGNORECASE)
_TOLD_ERROR = re.compile(r"\berror\b[^:]{0,60}:\s+(?P<error>\S.{7,})", re.IGNORECASE)
_TRYING = re.compile(
    r"(?:when(?:ever)? )?i(?:'m| am|'ve| have)? (?:try|trying|tried|want|wanted)(?: to)? ", re.IGNORECASE
)
_GETTING = re.compile(
    r"[\s,.]*\b(?:and |but |then )?(?:i|we|it)?(?:'m| am)?(?: still)? ?(?:get|got|gets|getting|see|seeing|saw|have|having|gives?|throws?|shows?|says?|fails? with|there is|there was)\b[^.]{0,40}\Z",
    re.IGNORECASE,
)
_STATE = re.compile(
    r"\b(?:is|are|was|were|isn't|aren't|has|have|doesn't|does not|don't|fails?|broken|issue|problem|bug)\b",
    re.IGNORECASE,
)
_FIRST_PART = re.compile(
    r"(?:when(?:ever)?|if|after|before|while|in|on|at|for|with|since|as|once)\s[^,]{3,160},\s+", re.IGNORECASE
)
_INTRODUCED = re.compile(r"(?:in|on|at|for|with|to|of|about)\s[^,]{1,40},\s", re.IGNORECASE)  # "in the cart, …"
# how things stand, before what is wanted
_STANDING = re.compile(
    r"(?:so |ok,? |now,? )*(?:(?:we|i)(?: now)? (?:have|can|use|(?:are|am)(?! going))\b|(?:we've|i've) got\b|i'm (?:running|using|on|working)\b|my\b|"
    r"(?:as of (?:now|today)|for now|right now|at the moment|currently|until now|so far)\b|"
    r"(?!(?:please|i'd|i want|i need|we need|let's|can you)\b)(?:[\w'-]+ ){1,5}(?:can|is|are|has|have|does|do|shows?|uses?)\b[^.]{0,60}\b(?:for now|right now|at the moment|currently|so far|until now)\b|"
    r"there (?:is|are) (?:currently|no)\b|(?:the |this )?\"?[\w.-]+\"? (?:is|are) (?:used|currently|too)\b)",
    re.IGNORECASE,
)
# what is to be read first, before what is wanted
_BACKGROUND = re.compile(
    r"(?:so |ok,? |now,? )*(?:please )?(?:check|look at|see|read|review) (?:out )?how\b", re.IGNORECASE
)
_TURN = re.compile(r"\b(?:but|however|error|fail\w*|how|why|what|need|want|would like|please)\b", re.IGNORECASE)
_WANTING = re.compile(
    r"\b(?:need to|want|i'd like|would like|please|can you|could you|how (?:can|do|should))\b", re.IGNORECASE
)
_AFTER_TURN = re.compile(
    r"\A[^,]{3,80}, but (?=(?:how|what|why|can|could|i want|i need|i'd like|please)\b)", re.IGNORECASE
)
# what a wish goes out from: "based on the commit below, please update …", "going back to the plan, what is …"
_OPENER = re.compile(
    r"\A(?:based on|going back to|coming back to|back to|given|according to|regarding|concerning|as for|before|after|now that|since|because)\s[^,]{3,80},\s+"
    r"(?=(?:please|can|could|would|let's|let us|i want|i need|i'd like|i would like|we need|we should|how|what|why|which|where|is there|there)\b)",
    re.IGNORECASE,
)
_SAID_OF_IT = re.compile(r"\s+[-–—]\s+(?:it|they|this|that|these|those)\s", re.IGNORECASE)
_EMPTY_WISH = re.compile(r"\b(?:it|this|that|them|these|those|there|one thing|questions?|ideas?)\b", re.IGNORECASE)
_WANTING_CHARS = 60
_SAYS = re.compile(r"(?:is|are|was|were|isn't|aren't|wasn't|has|have|does|should)\b", re.IGNORECASE)
_SPACE = re.compile(r"\s+")
_SUBJECT_CHARS = 76  # what is longer is a sentence, and a reader looks for its subject
_PLAIN_CHARS = 92  # what is longer is cut at its last preposition
_SUBJECT_WORDS = 3  # fewer name nothing
_TWICE = re.compile(r"\b([a-z]{2,}) \1\b", re.IGNORECASE)
_THIS_ONE = re.compile(
    r"\bthis (?:new )?(?:file|module|method|function|class|component|script|page|document)\b", re.IGNORECASE
)
_OPEN_BRACKET = re.compile(r"\s*\([^)]*\Z")
# "weekly widget, can you make it so that …": what it is about, then the request
_ASKED_OF = re.compile(
    r"\A(?P<of>(?:[\w.-]+ ){0,3}[\w.-]+),? (?:can|could|would) you (?:please )?(?:make (?:it )?(?:so )?(?:that )?|make sure (?:that )?)?",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"(?:when(?:ever)?|if|after|before|once|while|as soon as|instead of)\s", re.IGNORECASE)
# where a condition ends and what is wanted begins: a comma, a person who wishes, "… is done the …"
_CONDITION_END = re.compile(
    r"\A\S+ \S+ \S.{0,90}?(?:,\s+(?:then )?|\s(?=(?:i|we|you|users?) (?:need|want|would|should|can|must|have to)\b)|"
    r"\s(?:is|are|was|were|gets?|has been|have been) (?:[a-z]+(?:ed|en|ne|de)|complete|ready|set|put|run|over|shown|available|empty)\s+)",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"\A(?:(?:i|we|you|users?) )?(?:(?:would|'d) )?(?:like|love|need|want|have|should be able|must be able)(?:s|ed)? to (?:be able to )?(?:see |have |get )?|"
    r"\A(?:i|we|users?) (?:would )?(?:need|want|like|should)s?\s+",
    re.IGNORECASE,
)
_THEN_SAYS = re.compile(
    r"\A(?:it|they) (?:should |must |will )?(?!(?:is|are|was|were|has|have)\b)|\Ajust ", re.IGNORECASE
)
_SAYS_NOTHING = re.compile(r"\A(?:you|i|we) (?:get|got|see|saw|have)\b|\b(?:following|below)\b", re.IGNORECASE)
_READING = re.compile(r"\A(?:check|look|read|get back|go|see|review)\b", re.IGNORECASE)
_READ_ONLY = re.compile(r"(?:check|look at|see|read|review|open) (?:the |this |that )?\S+", re.IGNORECASE)
_BEHIND = re.compile(r"(?:due|because|by|from|of|since|as|than)\b", re.IGNORECASE)  # goes on with what stood before
_PLACE = re.compile(r"\A(?:in|on|at|for|from|inside|within)\s[^,]{1,60},\s", re.IGNORECASE)
_PLACE_ALONE = re.compile(r"(?:in|on|at|for|inside|within)\s[^,.:;]{3,50}", re.IGNORECASE)
_SAYS_MORE = re.compile(
    r"\b(?:is|are|was|were|has|have|does|do|doesn't|don't|fails?|can|should|must|need|want|would|will|i|we)\b",
    re.IGNORECASE,
)
_POINTED_FIRST = re.compile(
    r"\A(?:(?:(?:refer to|ref|see|read)[\s:]*)?(?:[@#](?:file:)?|file:)[\w./-]+(?:\s*\(\d+(?:-\d+)?\))?[\s,:]+)+(?=\S+ \S+ \S)",
    re.IGNORECASE,
)
_FOR_ME = re.compile(
    r"(?:\A|(?<=, ))(redirect|take|bring|send|return|lead|navigate) (?:me|us) (?=\S+ \S)", re.IGNORECASE
)
_PREPOSITION = re.compile(r"\s(?:for|from|in|into|on|with|as|at|by|over|during|via)\s", re.IGNORECASE)
_SO_THAT = re.compile(r"\A(?P<verb>[a-z]+) (?P<of>(?:\S+ ){1,6}?)(?:so that|such that|so) ", re.IGNORECASE)
_CHANGING = frozenset({"update", "change", "modify", "adjust", "edit", "rework", "refactor", "fix", "improve", "make"})
# what only explains, compares or adds, behind a subject
_ASIDE_BEHIND = re.compile(
    r"[\s,]+(?:so (?:that|it|i|we|you|users?)|(?<!that is )similar(?:ly)? to|like (?:we|i|you|in|the)|(?:just )?as (?:mentioned|per|described|we|in)|instead of|and make sure|making sure|just (?:the|a)|"
    r"in order to|such as|including|and then|and also|because|since|which|but|if|unless|although|where|when(?:ever)?|while|once(?! more| again)|after|before|until|based on|given that|"
    r"and (?=(?:add|allow|apply|build|change|check|create|delete|display|do|drop|fix|format|give|handle|keep|link|list|make|move|open|print|put|refer|remove|rename|replace|return|run|save|see|send|set|show|store|update|use|write)\b))\b",
    re.IGNORECASE,
)
_MAKING = r"\A(?:{})\s+(?:(?:me|us)\s+)?(?!(?:it|this|that|them|these|those|sure|me|us)\b)(?=\S)"
_NOTHING = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class TitleRules:
    """`rules/conversation/titles.yaml`, compiled."""

    lead_in: re.Pattern[str]
    asking_lead_in: re.Pattern[str]
    request: re.Pattern[str]
    making: re.Pattern[str]
    question: re.Pattern[str]
    asking: re.Pattern[str]
    clause_end: re.Pattern[str]
    skipped: re.Pattern[str]
    heading_label: re.Pattern[str]
    loose_start: re.Pattern[str]
    loose_end: re.Pattern[str]
    empty_words: frozenset[str]
    go_ahead: frozenset[str]
    chore_terms: frozenset[str]
    plain_headings: frozenset[str]

    @classmethod
    def parse(cls, rules: Mapping[str, Any]) -> "TitleRules":
        """The mapping of `titles.yaml`, compiled. Raises InvalidError when it does not fit."""
        try:
            return cls(
                lead_in=_compile(rules["lead_ins"], r"\A(?:{})(?![\w'-])[\s,.:;!-]*"),
                asking_lead_in=_compile(rules["asking_lead_ins"], r"\A(?:{})(?![\w'-])[\s,.:;!-]*"),
                request=_compile(rules["requests"], r"(?<![\w'-])(?:{})(?![\w'-])"),
                making=_compile(rules["making_verbs"], _MAKING),
                question=_compile(rules["question_starts"], r"\A(?:{})(?![\w'-])"),
                asking=_compile(
                    rules["asking_words"], r"\A(?:(?:[a-z]{2,5}|according to)\s+(?=wh|how))?(?:{})(?![\w-])"
                ),
                clause_end=_compile(rules["clause_ends"], r"[\s,]+(?:{})(?![\w'-])"),
                skipped=_compile(rules["skipped_sentences"], r"\A(?:{})(?![\w'-])"),
                heading_label=_compile(rules["heading_labels"], r"\A(?:{})\s*(?:#?\d+\s*)?[:–—-]\s*"),
                loose_start=_compile(rules["loose_starts"], r"\A(?:(?:{})\s+)+"),
                loose_end=_compile(rules["loose_ends"], r"(?:[\s,]+(?:{}))+\Z"),
                go_ahead=frozenset(read_phrase(phrase) for phrase in rules["go_ahead"]),
                chore_terms=frozenset(stem(read_phrase(word)) for word in rules.get("chore_words", ())),
                empty_words=frozenset(read_phrase(word) for word in rules["empty_words"]),
                plain_headings=frozenset(read_phrase(heading) for heading in rules["plain_headings"]),
            )
        except (KeyError, TypeError) as error:
            raise misfit("titles", error) from error

    @staticmethod
    def shipped() -> "TitleRules":
        """The rules that come with the program; read once."""
        return _shipped()


@cache
def _shipped() -> TitleRules:
    return TitleRules.parse(load_rules("titles"))


def _compile(phrases: Sequence[object], frame: str) -> re.Pattern[str]:
    """`frame` with the phrases in place of {}, longest first; a list that a person emptied matches nothing."""
    ordered = sorted(map(read_phrase, phrases), key=len, reverse=True)
    if not ordered:
        return _NOTHING
    return re.compile(frame.replace("{}", "|".join(re.escape(phrase) for phrase in ordered)), re.IGNORECASE)


def make_title(text: str, *, rules: TitleRules | None = None, is_whole: bool = False) -> str:
    """A title of at most 96 characters for a conversation that begins with `text`. `rules` None: the shipped ones.

    `is_whole`: the clause as it was said, not only its subject.

    >>> make_title("I want to add a FAB button")
    'FAB button'
    >>> make_title("what does `make -j` do?")
    'What does make -j do?'
    """
    rules = rules or TitleRules.shipped()
    head = _plain(text)
    prepared = _prepared_title(head, rules)
    if prepared:
        return shorten_words(prepared, MAX_TITLE_CHARS)
    clause, is_question = _best_clause(head, rules)
    if clause and _is_bare(clause, rules):
        return NO_TITLE
    if clause:
        clause = _capitalise(clause if is_question or is_whole else _say_subject(clause, head, rules))
    elif rules.skipped.match(head.strip()):
        return NO_TITLE
    else:
        clause = find_branch(head, "Changes on {}") or _capitalise(_first_line(head))
    if _is_bare(clause, rules):
        return NO_TITLE
    if is_question:
        return shorten_words(clause, MAX_TITLE_CHARS - 1) + "?"
    return shorten_words(clause, MAX_TITLE_CHARS) if clause else NO_TITLE


def only_announces(title: str, rules: TitleRules | None = None) -> bool:
    """Whether a title says only that something follows: a later message of the conversation names it better.

    >>> only_announces("Familiarize yourself with the code"), only_announces("Read the tax code")
    (True, False)
    """
    return _is_empty(title, rules or TitleRules.shipped())


def _plain(text: str) -> str:
    """The part that is read, with what redaction left said in two words."""
    return SECRET_MARK.sub("a secret", text[:_READ_CHARS].replace("’", "'"))


def _prepared_title(head: str, rules: TitleRules) -> str:
    """The title a prepared or pasted text carries itself, or ""."""
    labelled = _LABELLED.search(head)
    if labelled is not None:
        return tidy_words(labelled["title"])
    for heading in _HEADING.finditer(head):
        if _has_order_before(head, heading.start()):
            break  # with sections, or something pasted, below it
        title = rules.heading_label.sub("", tidy_words(heading["title"]).strip("*# "))
        if title and title.lower().rstrip(":") not in rules.plain_headings:
            return title
    if head.lstrip().startswith("Traceback"):
        faults = _FAULT.findall(head)
        return tidy_words(faults[-1]) if faults else ""
    pasted = _PROMPT.match(head)
    return tidy_words(pasted["command"]) if pasted is not None else ""


def _has_order_before(head: str, at: int) -> bool:
    """Whether more than an introduction of the text below ("Implement the following plan:") stands before a heading."""
    before = head[:at].strip()
    count = len(before.split())
    is_heading_first = _HEADING.match(head.lstrip()) is not None
    return not is_heading_first and count >= (_INTRODUCING_WORDS if before.endswith(":") else _LEAD_WORDS)


def _best_clause(text: str, rules: TitleRules) -> tuple[str, bool]:
    """The first clause that names something, and whether it asks; a bare "yes" only when nothing follows it."""
    bare = pointing = ""
    sentences = _wanting_first(list(_sentences(text, rules)), rules)
    has_file = _FILE_NAMED.search(text) is not None
    for place, sentence in enumerate(sentences):
        clause, is_question = _read_sentence(sentence, rules)
        is_pointing = not has_file and not is_question and _THIS_ONE.search(clause) is not None
        if is_pointing and len(clause) > 2:  # "the linter is unhappy with this file": the next may say what it is about
            pointing = pointing or clause
            continue
        is_bare = (
            (_READ_ONLY.fullmatch(clause) is not None and place + 1 < len(sentences))
            or not rules.lead_in.sub("", clause, count=1)
            or _is_empty(clause, rules)
            or _FILE_ALONE.fullmatch(clause)
        )
        if len(clause) > 2 and is_bare:
            bare = bare or clause
        elif len(clause) > 2:
            return (clause, is_question) if is_question else (_filled(clause, sentences[place:], rules), False)
    return pointing or bare, False


def _filled(clause: str, sentences: Sequence[str], rules: TitleRules) -> str:
    """A short clause with the next one that says something, where both fit: "sketch.js is too large. Extract the modes".

    A place alone ("In the order form when picking a courier.") stands before it as one. `sentences`: its own first.
    """
    is_place = _PLACE_ALONE.fullmatch(sentences[0].rstrip(". ")) is not None and not _SAYS_MORE.search(sentences[0])
    if not is_place and (len(clause) >= _THIN_CHARS or not _STATE.search(clause)):
        return clause
    for sentence in sentences[1:]:
        more, is_question = _read_sentence(sentence, rules)
        if _is_empty(more, rules) or _is_bare(more, rules):
            continue
        if is_place and len(clause) + len(more) + 2 <= MAX_TITLE_CHARS:
            return f"{clause}: {more[:1].lower() + more[1:] if more[1:2].islower() else more}"
        first = more.split()[:_POINTING_WORDS]
        if len(first) < _POINTING_WORDS or sentence.endswith(":") or _EMPTY_WISH.search(" ".join(first)):
            return clause  # says more of the same
        whole = f"{clause.rstrip('.')}. {_capitalise(more)}{'?' if is_question else ''}"
        return whole if len(whole) <= MAX_TITLE_CHARS else clause
    return clause


def _wanting_first(sentences: Sequence[str], rules: TitleRules) -> Sequence[str]:
    """The sentences from the one on that wants something, where those before it only tell how things stand.

    "We have a cart page. I would like to pay from there."
    """
    while len(sentences) > 1 and _is_empty(
        _strip_lead_ins(sentences[0].rstrip(".!?: "), rules, is_asking=False), rules
    ):
        sentences = sentences[1:]  # "I need to discuss something."
    is_reading = bool(sentences) and _BACKGROUND.match(sentences[0]) is not None
    is_standing = bool(sentences) and _STANDING.match(sentences[0]) is not None and not _TURN.search(sentences[0])
    if not (is_standing or is_reading):
        return sentences
    for place, sentence in enumerate(sentences[1:_MAX_STANDING], 1):
        wanting = _AFTER_TURN.sub("", sentence)
        clause = _strip_lead_ins(wanting.rstrip(".!?: "), rules, is_asking=wanting.endswith("?"))
        first = " ".join(clause.split()[:_NAMING_WORDS])
        is_wanting = wanting.endswith("?") or _WANTING.search(wanting[:_WANTING_CHARS]) is not None
        if is_reading:
            wanting = _WISH.sub("", wanting)
            is_wanting = (wanting != sentence and not _CONDITION.match(wanting)) or rules.making.match(
                clause
            ) is not None
        if is_wanting and len(clause.split()) >= _WANTING_WORDS and not _EMPTY_WISH.search(first):
            return [wanting, *sentences[place + 1 :]]
    return sentences


def _is_bare(clause: str, rules: TitleRules) -> bool:
    """Whether a clause only lets the assistant go on: "yes", "proceed", "ok great"."""
    return clause.lower().rstrip(" .!") in rules.go_ahead or not rules.lead_in.sub("", clause, count=1)


def _is_empty(clause: str, rules: TitleRules) -> bool:
    """Whether a clause only announces: "few things to add", "discuss something"."""
    words = [word.strip(".,;:!?'\"").lower() for word in clause.split()]
    return len(words) <= _MAX_EMPTY_WORDS and all(word in rules.empty_words for word in words if word)


def _read_sentence(sentence: str, rules: TitleRules) -> tuple[str, bool]:
    """The clause of a sentence that names what is wanted, and whether it asks."""
    stripped = sentence.rstrip(".!?: ")
    has_mark = "?" in sentence[len(stripped) :]
    told = _TOLD_ERROR.search(stripped)
    if told is not None:
        return _say_error(stripped[: told.start()], _cut_clause(told["error"], rules), rules), False
    clause = _strip_lead_ins(stripped, rules, is_asking=has_mark)
    clause = _strip_lead_ins(_OPENER.sub("", clause), rules, is_asking=has_mark)
    is_request = rules.request.search(stripped[: len(stripped) - len(clause)]) is not None
    intro = _INTRODUCED.match(clause)
    at = intro.end() if intro is not None and rules.asking.match(clause[intro.end() :]) else 0
    if rules.question.match(clause[at:]) or (has_mark and rules.asking.match(clause[at:])):
        return _cut_question(clause if len(clause) < MAX_TITLE_CHARS else clause[at:], rules), True
    cut = _cut_clause(_strip_making(clause, rules), rules)
    return cut, has_mark and not is_request and stripped.endswith(cut)


def _say_error(before: str, error: str, rules: TitleRules) -> str:
    """An error with what brought it: "saving the form" of "when saving the form I get this error: …"."""
    doing = _strip_lead_ins(_GETTING.sub("", before), rules, is_asking=False)
    doing = _TRYING.sub("", doing, count=1).strip(" ,.;:")
    if len(doing.split()) < _NAMED_BY_WORDS or len(doing) > MAX_TITLE_CHARS - _MIN_NAMING_CHARS:
        return error
    return f"{doing}: {error}"


def _cut_question(clause: str, rules: TitleRules) -> str:
    """A question as it was asked; only one that is too long loses what follows its first clause."""
    clause = _ASIDE.sub("", clause)
    if len(clause) < MAX_TITLE_CHARS:
        return clause
    return _cut_borders(clause, rules).strip(" ,;:-–—.'\"")


def _say_subject(clause: str, head: str, rules: TitleRules) -> str:
    """What a clause is about, without when, why and like what: a title names, it does not tell.

    "when selecting a guest, I would like to see more cards" is "more cards"; "update tts.py so that, when it is done, it
    keeps the key" is "tts.py: keeps the key".
    """
    clause = _ASKED_OF.sub(lambda match: f"{match['of'].rstrip(',')}: ", _TWICE.sub(r"\1", clause))
    clause = _FOR_ME.sub(r"\1 ", clause)
    remark = _SAID_OF_IT.search(clause, _MIN_NAMING_CHARS)
    clause = clause if remark is None else clause[: remark.start()]
    named = _FILE_NAMED.search(head) if _THIS_ONE.search(clause) else None
    if named is not None:
        clause = _THIS_ONE.sub(named["name"] or named["bare"], clause, count=1)
    if len(clause) <= _SUBJECT_CHARS:
        clause = _drop_condition(clause, rules, is_wish=True)
    else:
        asked = _SO_THAT.match(clause)
        if asked is not None and asked["verb"].lower() in _CHANGING:
            clause = _say_change(clause, asked, rules)
        else:
            clause = rules.loose_end.sub("", _cut_aside(_drop_condition(clause, rules), _SUBJECT_CHARS))
    return _OPEN_BRACKET.sub("", clause).rstrip(" ,;:-–—")


def _say_change(clause: str, asked: re.Match[str], rules: TitleRules) -> str:
    """ "tts.py: keeps the key" of "update tts.py so that when it is done it keeps the key"; the clause where that says nothing."""
    of = _drop_loose_start(asked["of"].strip(" ,"), rules)
    wanted = _drop_condition(clause[asked.end() :], rules)
    wanted = rules.loose_end.sub("", _cut_aside(_drop_loose_start(wanted, rules), _SUBJECT_CHARS - len(of) // 2))
    is_said = len(wanted.split()) >= _SUBJECT_WORDS and not (_EMPTY_WISH.match(wanted) or _CONDITION.match(wanted))
    return f"{of}: {wanted}" if is_said else clause


def _drop_condition(clause: str, rules: TitleRules, *, is_wish: bool = False) -> str:
    """What is wanted, without the conditions and the wishing before it; all of it where nothing would be left.

    `is_wish`: only where a condition is followed by a wish ("when paying, I need a receipt").
    """
    rest = clause
    while _CONDITION.match(rest) and (end := _CONDITION_END.match(rest)) is not None:
        rest = rest[end.end() :]
    conditioned = rest
    rest = _THEN_SAYS.sub("", _WISH.sub("", rest, count=1), count=1)
    if is_wish and (conditioned == clause or rest == conditioned):
        return clause
    made = _strip_making(rest, rules)
    rest = rest if " or " in made else made
    is_loose = _EMPTY_WISH.match(rest) or _SAYS_NOTHING.search(rest) or _BEHIND.match(rest)
    says = len(rest.split()) >= _SUBJECT_WORDS and not is_loose
    return rest if says and not rest.lower().startswith("now") else clause


def _cut_aside(clause: str, limit: int) -> str:
    """A clause too long up to the last explanation that fits, or the first that does not."""
    if len(clause) <= limit or _CONDITION.match(clause):
        return clause
    place = _PLACE.match(clause)
    start = place.end() if place is not None else 0
    ends = [
        one.start()
        for one in _ASIDE_BEHIND.finditer(clause, start)
        if len(clause[start : one.start()].split()) >= _SUBJECT_WORDS
        and not (_READING.match(clause) and one[0].split()[0] == "and")
    ]
    fits = [end for end in ends if end <= limit]
    cut = clause[: max(fits) if fits else min(ends)] if ends else clause
    if len(cut) > _PLAIN_CHARS:
        steps = [one.start() for one in _PREPOSITION.finditer(cut, limit // 2, _PLAIN_CHARS)]
        cut = cut[: max(steps)] if steps else cut
    return cut


def _sentences(text: str, rules: TitleRules) -> Iterator[str]:
    head = _POINTED_FIRST.sub("", _TAG.sub(" ", speech_head(drop_status(text))).lstrip())
    taken = 0
    for part in cut_sentences(head):
        sentence = tidy_words(_BULLET.sub("", part.strip()).lstrip("# "))
        is_heading = sentence.lower().rstrip(":") in rules.plain_headings
        is_skipped = rules.skipped.match(sentence) or rules.skipped.match(rules.lead_in.sub("", sentence, count=1))
        if not sentence or is_heading or is_skipped:
            continue
        yield sentence
        taken += 1
        if taken == _MAX_SENTENCES:
            return


def tidy_words(text: str) -> str:
    """`text` on one line with paths cut to their names, hashes to seven signs, addresses to what they name.

    >>> tidy_words("see https://github.com/acme/shop/pull/17 and ./src/cart/total.py")
    'see shop pull 17 and total.py'
    """
    text = _URL.sub(_say_address, text[:_TIDY_CHARS])
    text = _LONG_PATH.sub(lambda match: match["name"] if len(match[0]) > 12 else match[0], text)
    text = _HASH.sub(lambda match: match["short"], text)
    text = _POINTER.sub("", text)
    return _SPACE.sub(" ", text.replace("`", "").replace("**", "")).strip()


def _say_address(match: re.Match[str]) -> str:
    parts = [part for part in (match["path"] or "").rstrip(".,;)").split("/") if part]
    if len(parts) >= 4 and parts[2] in {"pull", "issues", "commit", "discussions"}:
        return f"{parts[1]} {parts[2].removesuffix('s')} {parts[3][:7]}"
    return parts[-1] if parts else match["host"]


def _strip_lead_ins(clause: str, rules: TitleRules, *, is_asking: bool) -> str:
    while True:
        stripped = rules.lead_in.sub("", clause, count=1)
        if not is_asking:
            stripped = rules.asking_lead_in.sub("", stripped, count=1)
        if stripped == clause or not stripped:
            return clause
        clause = stripped


def _strip_making(clause: str, rules: TitleRules) -> str:
    """Without "add", "create": what is made names the conversation, unless it is added to something."""
    made = rules.making.sub("", clause, count=1)
    if made != clause and _ADDED_TO.search(made[:MAX_TITLE_CHARS]):
        return clause
    return _drop_loose_start(made, rules) or clause


def _drop_loose_start(clause: str, rules: TitleRules) -> str:
    """Without "the", "to", "for" at its front, unless it says where first; "this is how …" keeps its subject."""
    bare = rules.loose_start.sub("", clause)
    return clause if _INTRODUCED.match(clause) or _SAYS.match(bare) else bare


def _cut_clause(clause: str, rules: TitleRules) -> str:
    clause = _ASIDE.sub("", clause)
    whole = _main_part(_END_FILES.sub("", clause) if len(clause) > MAX_TITLE_CHARS else clause, rules)
    clause = _cut_borders(whole, rules)
    clause = _drop_loose_start(clause, rules)
    clause = (
        rules.loose_end.sub("", clause) if len(whole) > MAX_TITLE_CHARS or not _POINTING_END.search(clause) else clause
    )
    clause = clause.strip(" ,;:-–—.'")
    return clause.replace('"', "") if clause.count('"') % 2 else clause


def _main_part(clause: str, rules: TitleRules) -> str:
    """Of a sentence too long what is wanted, not when: "when adding a price, I need a filter that …" gives the second part."""
    first = _FIRST_PART.match(clause) if len(clause) > MAX_TITLE_CHARS else None
    main = _strip_lead_ins(clause[first.end() :], rules, is_asking=False) if first is not None else ""
    return main if len(main.split()) >= _WANTING_WORDS and not _EMPTY_WISH.match(main) else clause


def _cut_borders(clause: str, rules: TitleRules) -> str:
    """`clause` whole where it fits, else up to where its last part that fits ends."""
    if len(clause) <= MAX_TITLE_CHARS:
        return clause
    remark = _SAID_OF_IT.search(clause, _MIN_NAMING_CHARS, MAX_TITLE_CHARS)
    if remark is not None:  # what is said of it further names it no better
        return clause[: remark.start()]
    ends = [
        border.start()
        for pattern in (_BORDER, rules.clause_end)
        for border in pattern.finditer(clause, _MIN_CLAUSE_CHARS, MAX_TITLE_CHARS)
    ]
    return rules.loose_end.sub("", clause[: max(ends)]) if ends else clause


def _capitalise(clause: str) -> str:
    first = clause.split(" ", 1)[0]
    is_word = first.rstrip(",:;").replace("'", "").isalpha()
    return clause[:1].upper() + clause[1:] if is_word and first.islower() else clause


def _first_line(head: str) -> str:
    lines = (tidy_words(line.lstrip("#>*-$ ")) for line in head.splitlines())
    return next((line for line in lines if any(sign.isalnum() for sign in line)), "")


def shorten_words(text: str, limit: int) -> str:
    """`text` on one line, cut at a word with "…" when longer than `limit`.

    >>> shorten_words("one two three", 9)
    'one two…'
    """
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > limit // 2 else cut).rstrip(" ,;:-–—.") + "…"
