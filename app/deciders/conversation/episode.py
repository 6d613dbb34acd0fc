"""What a conversation came to, told in full sentences: what was done, what works, what is next.

Made of signs and of what the assistant's model wrote: commits, to-dos, an accepted plan, the end of the last answer, a summary.
Nothing is told without one of them. Pure: knows neither store nor times. Source: issue 16 points 3 and 8, S3 "Episodic Memory".
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.deciders.conversation.assistant_questions import is_answering, question_of
from app.deciders.conversation.title import NO_TITLE, make_title, only_announces, shorten_words
from app.language.sentences import cut_sentences

ANSWER_END_CHARS = 400
_ONLY_FILES = re.compile(r"(?:You worked on “[^”]*”\. )?[^.“”]+ changed (?:[^\s“”]+(?:, | and )?)+(?: more)?\.")
_MARKS = re.compile(r"\*\*|__|[✅✔✨🎉🚀☑]️?|^\s{0,8}(?:#{1,6}\s+|[-*+•]\s+|\d{1,2}[.)]\s+|>\s*)")
_DONE = re.compile(
    r"(?:^|[,;:–—-] |\band )I(?:'ve| have)?(?: also| now| just)? (?:added|fixed|updated|changed|created|removed|moved|renamed|replaced|implemented|"
    r"refactored|wired|wrote|written|made|set|switched|split|merged|committed|pushed|cleaned|corrected|extended|introduced)\b"
    r"|\b(?:has|have) been \w+(?:ed|t|n)\b|\b(?:is|are) now\b|\bnow (?:works?|shows?|uses?|supports?|displays?|returns?|has|handles?|includes?)\b"
    r"|\bsuccessfully \w+(?:ed|t|n)\b|^(?:added|fixed|updated|created|removed|implemented|refactored|replaced|moved|renamed)\b",
    re.IGNORECASE,
)
_WORKS = re.compile(
    r"\btests?\b.{0,30}\b(?:pass|passes|passed|passing|green)\b|\b(?:build|compile|lint|type check)\w*\b.{0,20}\b(?:succeed|success|pass|clean)\w*"
    r"|\b(?:works? (?:correctly|now|as expected)|working (?:correctly|now|as expected))\b|\bverified\b",
    re.IGNORECASE,
)
_TESTS_PASS = re.compile(r"\btests?\b.{0,30}\b(?:pass|passes|passed|passing|green)\b", re.IGNORECASE)
# a hope, an order to the person or praise shows nothing
_HOPED = re.compile(
    r"\b(?:should|hopefully|please|would|ought to|in theory|ready (?:to|for)|fully (?:operational|functional)|production[- ]ready|"
    r"future[- ]proof|seamless\w*|robust|quick way)\b|!\W*\Z",
    re.IGNORECASE,
)
# an answer that tells of its result without a word of making
_MADE = re.compile(
    r"\bthis (?:ensures|makes sure|means|will now|now)\b|\b(?:is|are) (?:now )?(?:fixed|resolved|in place|done|complete)\b"
    r"|\bshould (?:now )?be (?:now )?(?:resolved|fixed)\b|\bnote that I (?:used|kept|chose|left|put|named)\b|\bthe changes?(?: made)?:",
    re.IGNORECASE,
)
_NOTHING_MADE = re.compile(
    r"\bI (?:haven['’]t|have not|didn['’]t|did not) (?:made?|changed?|edit(?:ed)?|modif(?:y|ied)|touch(?:ed)?)\b (?:any|a|the) (?:\w+ )?(?:code|change|file|anything)s?\b|\bI (?:made|have made) no (?:code )?changes?\b",
    re.IGNORECASE,
)
# the person says that what an answer called done is not
_REFUTED = re.compile(
    r"\b(?:not|n['’]t|never|no longer|stopped)\s+(?:\w+\s+)?(?:work|show|fix|help|chang|do\b|doing|see\b|appear|correct|right|the case)\w*"
    r"|\bstill\b|\bsame (?:error|issue|problem|thing)\b|\bno (?:change|difference|changes)\b|\bunfortunately\b|\bfor some reason\b"
    r"|\byou (?:made no|did not|didn['’]t|broke|removed|deleted|are deleting|forgot|missed)\b"
    r"|\b(?:get|got|gets|getting|having|seeing|throws?|there is|there's) (?:\w+ ){0,3}(?:error|exception)\b|\b(?:wrong|ugly|broken|broke|disappeared|stuck)\b",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(r"\b(?:revert|undo|roll back|rollback|scratch)\b", re.IGNORECASE)
_NEXT = re.compile(
    r"\bnext steps? (?:is|are|would|could|should)\b|^(?:(?:suggested|recommended|possible) )?next(?: steps?)?[,:–-]"
    r"|\bstill (?:to do|needs?|missing|open|has to|have to)\b|\bremains to\b|\bnot yet\b|\bleft to\b"
    r"|\bremaining (?:steps?|work|tasks?|issues?|items?) (?:is|are)\b|^remaining\b"
    r"|\byou(?:'ll| will)? (?:need|have) to\b|\b(?:would you like|do you want|want|shall|should) (?:me|I|us)\b",
    re.IGNORECASE,
)
_GOING_ON = re.compile(
    r"(?:(?:now|great|perfect|excellent|good|ok|okay|next)[,.!]? )*(?:let me|let's|i'll|i will|i'm going to)\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:what|where|why|how far) (?:did|were|was|had|have) (?:we|i|you)\b|\blast (?:time|session|week)\b|\byesterday\b"
    r"|\bwhat(?:'s| is) (?:left|next|still)\b|\bleft (?:off|to do)\b|\bpick up where\b|\bwe (?:stopped|left)\b",
    re.IGNORECASE,
)
_OFFER = re.compile(r"\btodos? have been\b|\blet me know\b|\bfeel free\b|\banything else\b|\bhappy to\b", re.IGNORECASE)
# of what is next: a question for a choice, an offer of anything, what always has to be there
_NO_NEXT = re.compile(
    r"^[\w /-]{3,40}: (?:\w+ ){0,3}(?:what|which|do you|should|would)\b.*\?"
    r"|\bany other\b|\bwhat (?:still|remains)\b|\bhelp you with\b|\byou(?:'ll| will)? (?:need|have) to have\b|^note\b",
    re.IGNORECASE,
)
_CLOSED = re.compile(r"[.!?]\W*\Z|^\W*next(?: steps?)?\W+\w", re.IGNORECASE)  # a heading, or what was cut, says nothing
_POINTING = re.compile(r"\b(?:it|this|that|these|those|there|them)\b", re.IGNORECASE)
_LEAD = re.compile(r"^(?:next(?: steps?)?|remaining|still to do|todo)\s*[:–-]\s*", re.IGNORECASE)
_DANGLING = re.compile(r"[:;,(]\s*\Z|^(?:and|or|but|which|because)\b", re.IGNORECASE)
_LEAST_WORDS, _SENTENCE_CHARS = 3, 220
_LISTED, _TOPICS = 4, 5
_RULED_OUT = re.compile(r"\b(?:not|no longer|never|instead of|rather than|without)\b", re.IGNORECASE)
_TAKES_BACK = re.compile(r"\b(?:not|no longer|removed?|reverted?|dropped|replaced|without)\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[,.;:!?]\s|\b(?:and|but)\b")
_SAID_OUTCOME = re.compile(r"\s*\((?:implemented|completed|done|finished|fixed|tested|shipped)\)\.?\Z", re.IGNORECASE)
_REFUTED_CHARS, _LATE = 300, 2  # what was done last was done in the last turns
_SAME_MATTER, _LEAST_SHARED = 0.75, 3
_LEAST_FIT, _LEAST_DONE_WORDS, _DONE_MOST = 2, 4, 3  # of what an answer says was done
_STEM_CHARS, _ASKED_CHARS = 6, 1_000
_FIRST_PERSON = re.compile(
    r"\A(?:(?:based on|after|as)[^,]{3,60}, )?I(?:'ve|’ve| have)?(?: also| now| just| successfully)? (?=[a-z]+(?:ed|de|ote|nt|t)\b)",
    re.IGNORECASE,
)
_LOOSE_SUBJECT = re.compile(
    r"(?:the (?:issue|problem|cause|error) (?:is|was)|it|this|that|these|those|they|there|here|you|your|use|both|context|phase|step|note|i'll|now|so|all|then|the following)\b",
    re.IGNORECASE,
)
_NO_MATTER = re.compile(r"(?:i(?:'m|’m)?|this|that|it|there|here)\b", re.IGNORECASE)  # a title that tells what was seen
_BARE_COMMIT = re.compile(
    r"(?:initial commit|first commit|wip\b|merge (?:branch|pull)|bump\b|update readme|fix typo)", re.IGNORECASE
)
_PLAIN = frozenset({
    "this", "that", "with", "from", "have", "been", "will", "your", "when", "then", "also", "into", "only", "code", "file", "files", "made", "make",
    "update", "change", "fixed", "added", "create", "commit", "messag", "tests", "test", "pass", "should", "would", "could", "each",
    "other", "there", "their", "which", "what", "where"
})  # fmt: skip
_LINE_CHARS, _TITLE_CHARS = 160, 72


@dataclass(frozen=True, slots=True)
class EpisodeParts:
    """All that is known of how a conversation went. `works`: the sign of its outcome, in words."""

    title: str
    app: str  # as people call the assistant
    outcome: str = ""
    works: str = ""
    summary: str = ""
    topics: Sequence[tuple[str, str]] = ()  # title and summary of each part, where a judge told several apart
    done: str = ""
    next: str = ""
    plan: str = ""
    todos: Sequence[tuple[str, str]] = ()  # text, state
    commits: Sequence[str] = ()
    pull_requests: Sequence[str] = ()
    answer_end: str = ""
    turns: Sequence[tuple[str, str]] = ()  # each prompt with the end of its answer, the oldest first


@dataclass(frozen=True, slots=True)
class Composed:
    """`narrative` in full sentences; `next` in one line, "" where nothing is left."""

    title: str
    narrative: str
    done: tuple[str, ...]
    works: tuple[str, ...]
    next: str
    gist: str  # of what was done the sentence that says most


@dataclass(frozen=True, slots=True)
class AnswerEnd:
    """What the end of an answer says, by what it is about. `is_unfinished`: it announces what comes next, and ends there."""

    done: tuple[str, ...] = ()
    works: tuple[str, ...] = ()
    next: tuple[str, ...] = ()
    is_unfinished: bool = False


def says_order_carried_out(answer_end: str) -> bool:
    """Whether the end of an answer to an order tells of what was made, and asks nothing.

    >>> says_order_carried_out("Note that I used push_navigate."), says_order_carried_out("Let me check the form:")
    (True, False)
    """
    end = read_answer_end(answer_end)
    if end.is_unfinished or question_of(answer_end) or _NOTHING_MADE.search(answer_end):
        return False
    return bool(end.done) or _MADE.search(answer_end) is not None


def says_nothing_made(answer_end: str) -> bool:
    """Whether an answer says that it changed nothing.

    >>> says_nothing_made("I haven't made any code changes."), says_nothing_made("I haven't made the icon larger.")
    (True, False)
    """
    return _NOTHING_MADE.search(answer_end) is not None


def says_tests_pass(answer_end: str) -> bool:
    """Whether the end of an answer says that tests pass.

    >>> says_tests_pass("Added the export. All 12 tests pass."), says_tests_pass("The build is clean.")
    (True, False)
    """
    return any(_TESTS_PASS.search(one) for one in read_answer_end(answer_end).works)


def compose_episode(parts: EpisodeParts) -> Composed | None:
    """The episode; None when nothing shows what was done: that files were changed, that it works, what is next says nothing alone.

    >>> episode = compose_episode(EpisodeParts("Export orders as CSV", "Claude Code", commits=("Add CSV export",), works="tests passed"))
    >>> episode.narrative
    'You worked on “Export orders as CSV”. Claude Code committed “Add CSV export”. Tests passed.'
    """
    end = read_answer_end(parts.answer_end)
    done = [*_committed(parts), *_finished(parts)]
    gist, is_named = done[-1] if done else "", True
    if len(parts.topics) > 1:
        done = [*_told_topics(parts), *done]
        gist = _sentence(_SAID_OUTCOME.sub("", parts.topics[-1][1]))
    elif parts.summary:
        gist = _sentence(_SAID_OUTCOME.sub("", parts.summary))
        done.insert(0, gist)
    elif parts.done:
        gist = _sentence(parts.done)
        done.append(gist)
    elif answered := _answered(parts):
        late = [one for one in answered if one[0].place >= len(parts.turns) - _LATE]
        gist = max(late, key=lambda one: one[0].fit)[1] if late else ""
        done += [text for _, text in answered]
        is_named = any(one.is_of_title for one, _ in answered) or len(done) > len(answered)
    elif parts.plan and not done:
        gist = f"You accepted a plan: {_sentence(parts.plan)}"
        done.append(gist)
    if not done:
        return None
    works = [_sentence(parts.works)] if parts.works else list(end.works[:1])
    left = _left(parts, end)
    if not parts.summary and len(parts.topics) <= 1 and _is_left_broken(parts.turns):
        gist = ""  # a finished tone over an open fault
    named = [f"You worked on “{parts.title}”."] if parts.title and is_named else []
    told = [*named, *done, *works, *([_sentence(f"Next: {left}")] if left else [])]
    title = parts.title or _shortened(done[0])
    return Composed(title, " ".join(dict.fromkeys(told)), tuple(done), tuple(works), left, gist)


def read_answer_end(text: str) -> AnswerEnd:
    """What was done, what works and what is next, as sentences of an answer's last 400 characters say it.

    >>> end = read_answer_end("I've added the export button. All tests pass. Next: wire it to the order list.")
    >>> end.done, end.works, end.next
    (("I've added the export button.",), ('All tests pass.',), ('Wire it to the order list.',))
    >>> [read_answer_end(f"Done. {one}").next for one in ("Next year it starts at 1.", "Would you like me to help you imple")]
    [(), ()]
    """
    found: dict[str, list[str]] = {"done": [], "works": [], "next": []}
    sentences = cut_sentences(text.strip())
    if _GOING_ON.match(_MARKS.sub("", sentences[-1])) or text.rstrip().endswith(":"):
        return AnswerEnd(is_unfinished=True)
    if len(text.strip()) >= ANSWER_END_CHARS - 1 and len(sentences) > 1:
        sentences = sentences[1:]  # the first began before the cut
    for raw in sentences:
        sentence = " ".join(_MARKS.sub("", _MARKS.sub("", raw)).split())
        if len(sentence.split()) < _LEAST_WORDS or len(sentence) > _SENTENCE_CHARS:
            continue
        if _OFFER.search(sentence) or _DANGLING.search(sentence) or "{" in sentence or "```" in sentence:
            continue
        for name, pattern in (("next", _NEXT), ("works", _WORKS), ("done", _DONE)):
            if _HOPED.search(sentence) if name != "next" else _NO_NEXT.search(sentence) or not _CLOSED.search(raw):
                continue
            if pattern.search(sentence) and not (sentence.endswith("?") and _POINTING.search(sentence)):
                found[name].append(_sentence(_LEAD.sub("", sentence)))
                break
    return AnswerEnd(tuple(found["done"][:2]), tuple(found["works"][:1]), tuple(found["next"][:1]))


def asks_for_past(text: str) -> bool:
    """Whether a prompt asks what was done before, what is left, or why.

    >>> asks_for_past("what did we do last?"), asks_for_past("why did we move to cents?"), asks_for_past("add an export")
    (True, True, False)
    """
    return _PAST.search(text) is not None


def tells_only_files(narrative: str) -> bool:
    """Whether an episode says no more than which files were changed: none is made so any more, older ones stand in stores.

    >>> tells_only_files("You worked on “Export”. Claude Code changed main.py, db.py and 3 more.")
    True
    >>> tells_only_files("You worked on “Export”. Claude Code committed “Add CSV export”.")
    False
    """
    return _ONLY_FILES.fullmatch(narrative) is not None


def last_time_line(title: str, done: str, left: str, branch: str = "") -> str:
    """One line of what was done last; "" where nothing shows it. `branch`: that of the last session where it is another one.

    The title stands before what was done only where both name the same matter.

    >>> last_time_line("Export orders as CSV", "Added the export route.", "wire the button.")
    'Last time: Export orders as CSV. Added the export route. Next: wire the button.'
    >>> last_time_line("Export orders as CSV", "Fixed the login form.", "", "fix/login")
    'Last time on branch fix/login: Fixed the login form.'
    """
    if not done:
        return ""
    is_matter = title and not title.endswith("…") and not _NO_MATTER.match(title)
    is_fitting = is_matter and _stems(title) & _stems(done.partition(": ")[2] or done)
    named = f"{title.rstrip('.')}{'' if title.endswith('?') else '.'} " if is_fitting else ""
    rest = f" Next: {_clipped(left)}" if left else ""
    return f"Last time{f' on branch {branch}' if branch else ''}: {named}{_clipped(done)}{rest}"


def goes_against(line: str, memory: str) -> bool:
    """Whether a line of what was done names what a memory rules out for the same matter; it may have been undone since.

    >>> memory = "Benchmark runs write to a temporary folder, not a persistent one."
    >>> goes_against("Last time: Persistent benchmark folders.", memory), goes_against("Last time: Benchmark colours.", memory)
    (True, False)
    """
    parts = _RULED_OUT.split(memory, maxsplit=1)
    if len(parts) < 2 or _TAKES_BACK.search(line):
        return False
    told, matter, out = _stems(line), _stems(parts[0]), _stems(_CLAUSE_END.split(parts[1], maxsplit=1)[0])
    return bool(told & (out - matter)) and bool(told & (matter - out))


def _clipped(text: str) -> str:
    return text if len(text) <= _LINE_CHARS else f"{text[: _LINE_CHARS - 1].rstrip()}…"


class _Worth(NamedTuple):
    """Of a sentence of what was done: how much of the matter it names, in which turn it was said, whether it is of the title."""

    fit: int
    place: int
    is_of_title: bool


def _answered(parts: EpisodeParts) -> list[tuple[_Worth, str]]:
    """What answers say was done of what was asked, in order, the best three.

    What the next prompt refutes was not done, what a later answer says of the same matter replaces it, and a side step stands under
    the request that it was made for.
    """
    matter = _stems(parts.title)
    found: dict[str, _Worth] = {}
    request = ""
    for place, (prompt, answer_end) in enumerate(parts.turns):
        request = request if is_answering(prompt) else prompt  # "1. yes 2. both" belongs to what was asked before
        if place + 1 < len(parts.turns) and _is_refuting(parts.turns[place + 1][0]):
            continue
        asked = _stems(prompt) | _stems(request)
        for sentence in _told_done(answer_end):
            stems = _stems(sentence)
            fit = 2 * len(stems & matter) + len(stems & asked)
            text = sentence if stems & matter else _under_request(request, sentence, parts.title)
            if fit >= _LEAST_FIT and text:
                found = {one: value for one, value in found.items() if not _is_same_matter(_stems(one), stems)}
                found[text] = _Worth(fit, place, bool(stems & matter))
    best = sorted(found, key=lambda one: found[one], reverse=True)[:_DONE_MOST]
    return [(found[one], one) for one in sorted(best, key=lambda one: found[one].place)]


def _told_done(answer_end: str) -> Iterable[str]:
    for raw in read_answer_end(answer_end).done:
        sentence = _sentence(_FIRST_PERSON.sub("", raw))
        is_cut = sentence.count('"') % 2 or sentence.count("`") % 2
        if len(sentence.split()) >= _LEAST_DONE_WORDS and not is_cut and not _LOOSE_SUBJECT.match(sentence):
            yield sentence


def _under_request(prompt: str, sentence: str, title: str) -> str:
    """`sentence` under what was asked for, where the title does not say that; "" where the prompt names nothing."""
    request = make_title(prompt)
    if request == title:
        return sentence
    is_empty = request in {"", NO_TITLE} or only_announces(request)
    return "" if is_empty else f"{shorten_words(request, _TITLE_CHARS).rstrip('.?')}: {sentence}"


def _is_same_matter(before: frozenset[str], after: frozenset[str]) -> bool:
    shared, least = len(before & after), min(len(before), len(after))
    return shared >= _LEAST_SHARED and shared >= _SAME_MATTER * least


def reports_fault(prompt: str) -> bool:
    """Whether a prompt says that what was called done is not: an error, nothing changed, something went missing.

    >>> reports_fault("when I save it I get this error"), reports_fault("now add a footer")
    (True, False)
    """
    return _REFUTED.search(prompt[:_REFUTED_CHARS]) is not None


def _is_refuting(prompt: str) -> bool:
    """Whether it reports a fault, or has something taken back."""
    return reports_fault(prompt) or _TAKEN_BACK.search(prompt[:_REFUTED_CHARS]) is not None


def _is_left_broken(turns: Sequence[tuple[str, str]]) -> bool:
    """Whether the last prompt says that something does not work and no answer says plainly that it was mended."""
    return bool(turns) and _is_refuting(turns[-1][0]) and not read_answer_end(turns[-1][1]).done


def _stems(text: str) -> frozenset[str]:
    """Words of four letters and more, by how they begin; identifiers in their parts."""
    parts = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", text[:_ASKED_CHARS])
    return frozenset(word[:_STEM_CHARS].lower() for word in re.findall(r"[^\W\d_]{4,}", parts)) - _PLAIN


def _committed(parts: EpisodeParts) -> Iterable[str]:
    telling = [one for one in parts.commits if len(one.split()) >= _LEAST_WORDS and not _BARE_COMMIT.match(one)]
    if telling:
        yield f"{parts.app} committed {_listed(telling, _LISTED)}."
    if parts.pull_requests:
        yield f"It opened the pull request {_listed(parts.pull_requests, _LISTED)}."


def _told_topics(parts: EpisodeParts) -> Iterable[str]:
    """A sentence a part; under its name where it is not that of the conversation."""
    for title, summary in parts.topics[-_TOPICS:]:
        told = _SAID_OUTCOME.sub("", summary)  # a word in brackets is no sign that it was done
        yield _sentence(told if parts.title == title or told == title else f"{title}: {told}")


def _finished(parts: EpisodeParts) -> Iterable[str]:
    finished = [text for text, state in parts.todos if state == "completed"]
    if finished:
        count = f"{len(finished)} of {len(parts.todos)} to-dos" if len(finished) < len(parts.todos) else "All to-dos"
        yield f"{count} are done: {_listed(finished, _LISTED)}."


def _left(parts: EpisodeParts, end: AnswerEnd) -> str:
    open_ones = [text for text, state in parts.todos if state in {"pending", "in_progress"}]
    if open_ones:
        return _listed(open_ones, _LISTED, quoted=False) + "."
    if parts.next or parts.summary:
        return _sentence(parts.next)
    return next((one for one in end.next if not one.endswith("?")), "")  # an offer is nothing that is left


def _listed(texts: Sequence[str], most: int, *, quoted: bool = True) -> str:
    """At most `most` of them, the last ones, in a row.

    >>> _listed(["a", "b", "c"], 2)
    '“b”, “c” and 1 more'
    """
    shown = [f"“{one}”" if quoted else one.rstrip(".") for one in list(texts)[-most:]]
    more = len(texts) - len(shown)
    if more:
        return f"{', '.join(shown)} and {more} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _shortened(text: str) -> str:
    return text if len(text) <= _TITLE_CHARS else f"{text[: _TITLE_CHARS - 1].rstrip()}…"


def _sentence(text: str) -> str:
    sentence = " ".join(text.split())
    if not sentence:
        return ""
    if _is_plain(sentence):
        sentence = sentence[0].upper() + sentence[1:]
    return sentence if sentence[-1] in ".!?…”" else f"{sentence}."


def _is_plain(sentence: str) -> bool:
    """Whether it begins with a word and not with a name in code."""
    first = sentence.split(" ", 1)[0]
    return first.isalpha() and first.islower()
