"""How far a conversation got: planned, implemented, tested, completed or abandoned.

Owns the reading of the person's words and of tool events; must not know times or the store. Merged is set by hand.
What was only ordered has no outcome: an edit, a commit or the person's own words say that it was made.
Rules are `rules/conversation/outcomes.yaml`. Source: S1, conversation field `outcome`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from app.deciders.conversation.boundary.markers import read_phrase, speech_head
from app.resources import load_rules, misfit
from app.values.conversation import Outcome, ToolOutcome
from app.values.understanding import Intent, PriorMessage, Speaker

ORDERED = "changes were ordered, whether they were made nobody said"
_VERDICT_CHARS = 160  # who praises and goes on at length is not done
_BROKEN_CHARS = 400  # what is pasted below a report says no more than the report
_LOOK_BACK_CHARS = 40
_CLAUSE_END = re.compile(r"[.!?;\n]|,\s|\s-\s")
_SENTENCE_END = re.compile(r"[.!?\n]")
_NUMBERED = re.compile(r"\s*(?:\d{1,3}|[A-Za-z])[.):]\s")
_CLAUSE_CLOSES = re.compile(r"\s*(?:\Z|[.,;!:)\n]|\s-|\s(?:now|and|but|again|too|on)\b)")
_GOES_ON = re.compile(
    r"[\s,.;!-]+(?:but|except|however|though|although|now\s+(?:let's|we|add|do|make))\b", re.IGNORECASE
)
_NEXT_SENTENCE = re.compile(r"[^.!?\n]{0,30}[.!?\n]+\s*(?P<words>\S.*)", re.DOTALL)
_MORE_WORDS = 4  # a sentence as long as this after the praise wants something else
_GATE = re.compile(r"\A(?:(?:ok|okay|yes|yeah|yep|hm+|mm+k?|and|so|well|alright)[\s,.!-]+)*", re.IGNORECASE)
_LET_GO = re.compile(
    r"\s*(?:\Z|[.,;:!?\n-]|(?:for now|for the moment|entirely|completely|altogether|idea|instead|i want|let's|on second)\b)",
    re.IGNORECASE,
)
_ORDERS = frozenset({Intent.EXECUTE, Intent.PLAN})
_NOTHING = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True, eq=False)  # told apart by identity: to hash a pattern reads all of it
class OutcomeRules:
    """`rules/conversation/outcomes.yaml`, compiled."""

    completed: re.Pattern[str]
    taken_back: re.Pattern[str]
    broken: re.Pattern[str]
    abandoned: re.Pattern[str]
    taken_as_done: re.Pattern[str]
    acts: re.Pattern[str]
    clause_ends: re.Pattern[str]
    no_claim_after: re.Pattern[str]
    thing_after: re.Pattern[str]
    approval: re.Pattern[str]
    tested: re.Pattern[str]
    commit: re.Pattern[str]
    courtesy: re.Pattern[str]
    planning: re.Pattern[str]
    edit_tools: frozenset[str]
    test_command: re.Pattern[str]
    commit_command: re.Pattern[str]

    @classmethod
    def parse(cls, rules: Mapping[str, Any]) -> "OutcomeRules":
        """The mapping of `outcomes.yaml`, compiled. Raises InvalidError when it does not fit."""
        try:
            return cls(
                completed=_compile(rules["completed"]),
                taken_back=_compile(rules["completed_unless_after"]),
                broken=_compile(rules["broken"]),
                abandoned=_compile(rules["abandoned"]),
                taken_as_done=_compile(rules["taken_as_done"]),
                acts=_compile(rules["acts_of_assistant"]),
                clause_ends=_compile(rules["taken_as_done_at_an_end"]),
                no_claim_after=_compile([*rules["claimed_unless_after"], *rules["completed_unless_after"]]),
                thing_after=_compile(rules["claimed_unless_right_after"], r"{}\s+\Z"),
                approval=_compile(rules["approvals"]),
                tested=_compile(rules["tested"]),
                commit=_compile(rules["commits"]),
                courtesy=_compile(rules["courtesies"]),
                planning=_compile(rules["planning"]),
                edit_tools=frozenset(map(read_phrase, rules["edit_tools"])),
                test_command=_compile(rules["test_commands"]),
                commit_command=_compile(rules["commit_commands"]),
            )
        except (KeyError, TypeError) as error:
            raise misfit("outcomes", error) from error

    @staticmethod
    def shipped() -> "OutcomeRules":
        """The rules that come with the program; read once."""
        return _shipped()


@cache
def _shipped() -> OutcomeRules:
    return OutcomeRules.parse(load_rules("outcomes"))


def _compile(phrases: Sequence[object], frame: str = "{}") -> re.Pattern[str]:
    """Any of the phrases as whole words, longest first; a list that a person emptied matches nothing."""
    words = sorted(map(read_phrase, phrases), key=len, reverse=True)
    if not words:
        return _NOTHING
    any_of = rf"(?<![\w-])(?:{'|'.join(map(re.escape, words))})(?![\w-])"
    return re.compile(frame.replace("{}", any_of), re.IGNORECASE)


def infer_outcome(
    messages: Sequence[PriorMessage],
    *,
    tool_events: Sequence[ToolOutcome] = (),
    is_ended: bool,
    next_marker: str = "",
    rules: OutcomeRules | None = None,
) -> tuple[Outcome | None, str]:
    """The outcome and why; None with a reason when nothing tells.

    `next_marker` are the words that opened the conversation after this one ("forget that"), if any. `rules` None: the shipped ones.

    >>> infer_outcome([PriorMessage(1, None, "works now, thanks")], is_ended=True)
    (<Outcome.COMPLETED: 'completed'>, 'the person says "works now"')
    """
    rules = rules or OutcomeRules.shipped()
    spoken = [message for message in messages if message.speaker is Speaker.USER]
    if not spoken:
        return None, "nothing was said"
    last = speech_head(spoken[-1].text)
    is_opening = len(spoken) == 1  # "forget that, let's …" lets the matter before it go
    dropped = _find_dropping(next_marker, rules) or ("" if is_opening else _find_dropping(last, rules))
    if dropped:
        return Outcome.ABANDONED, f'the person says "{dropped}"'
    praised = _find_praise(last, rules)
    if praised and not (is_opening and _ORDERS.intersection(spoken[-1].intents)):
        return Outcome.COMPLETED, f'the person says "{praised}"'
    broken = "" if is_opening else _find_broken(last, rules)
    if broken:
        return None, f'the person says "{broken}"'
    return _judge_tools(tool_events, rules) or _judge_words(
        spoken, rules, is_watched=bool(tool_events), is_ended=is_ended
    )


def find_sign_of_result(
    messages: Sequence[PriorMessage], *, tool_events: Sequence[ToolOutcome] = (), rules: OutcomeRules | None = None
) -> str:
    """What shows that something was made, apart from the answers: a file changed, a commit, what the person says of it; "" for nothing.

    >>> said = [PriorMessage(1, None, "add a cart", intents=(Intent.EXECUTE,)), PriorMessage(2, None, "please write a commit message")]
    >>> find_sign_of_result(said), find_sign_of_result(said[:1])
    ('the person says "commit message"', '')
    """
    rules = rules or OutcomeRules.shipped()
    found = _judge_tools(tool_events, rules)
    if found is not None:
        return found[1]
    spoken = [message for message in messages if message.speaker is Speaker.USER]
    committed = [_wants_commit(one.text, rules) for one in spoken]
    claims = [_claim(one.text, rules, is_test=False) for one in spoken[1:]]
    return next((one[1] for one in reversed([*committed, *claims]) if one is not None), "")


def find_dropping(text: str, rules: OutcomeRules | None = None) -> str:
    """Words of a prompt that let the matter go, "" for none.

    >>> find_dropping("this is too slow, forget it"), find_dropping("forget it when the cart is empty")
    ('forget it', '')
    """
    return _find_dropping(speech_head(text), rules or OutcomeRules.shipped())


def opens_with_approval(text: str, rules: OutcomeRules | None = None) -> bool:
    """Whether a prompt begins content and names nothing that does not work: "looks ok, only the button is ugly".

    >>> opens_with_approval("looks ok, only the button is ugly"), opens_with_approval("great, but it still fails")
    (True, False)
    """
    rules = rules or OutcomeRules.shipped()
    return rules.approval.match(_GATE.sub("", text)) is not None and not _find_broken(text, rules)


def _judge_tools(tool_events: Sequence[ToolOutcome], rules: OutcomeRules) -> tuple[Outcome, str] | None:
    """What edits, commits and test runs tell; None when there were none that tell."""
    edits = [index for index, event in enumerate(tool_events) if is_edit(event, rules)]
    commits = [index for index, event in enumerate(tool_events) if is_commit(event, rules)]
    tests = [index for index, event in enumerate(tool_events) if is_test(event, rules)]
    is_tested = bool(tests) and not has_failed(tool_events[tests[-1]]) and (not edits or tests[-1] > edits[-1])
    if is_tested and (edits or commits):
        return Outcome.TESTED, "tests passed after the last change"
    if edits and tests and tests[-1] > edits[-1]:
        return Outcome.IMPLEMENTED, "files were changed, the last tests failed"
    if edits:
        return Outcome.IMPLEMENTED, "files were changed"
    if commits:
        return Outcome.IMPLEMENTED, "changes were committed"
    return (Outcome.TESTED, "tests passed") if is_tested else None


def _judge_words(
    spoken: Sequence[PriorMessage], rules: OutcomeRules, *, is_watched: bool, is_ended: bool
) -> tuple[Outcome | None, str]:
    """Without file changes the person's words tell; where tools were seen, none of which changed a file, only a wish to commit."""
    intents = [intent for message in spoken for intent in message.intents]
    ordered_at = next((place for place, one in enumerate(spoken) if _ORDERS.intersection(one.intents)), len(spoken))
    replies = spoken[ordered_at + 1 :]
    claims = (_claim(one.text, rules, is_test=Intent.TEST in one.intents[:1]) for one in reversed(replies))
    if is_watched:  # commands change files, too: who wants it committed has seen that
        claims = (_wants_commit(one.text, rules) for one in reversed(replies))
    newest = next((claim for claim in claims if claim is not None), None)
    if newest is not None:
        return newest
    if Intent.EXECUTE in intents:
        return None, ORDERED
    if Intent.PLAN in intents and any(rules.planning.search(speech_head(one.text)) for one in spoken):
        return Outcome.PLANNED, "only plans were made"
    return None, "nothing was planned or changed" if is_ended else "still open"


@lru_cache(maxsize=512)  # each message of a conversation is looked at again with every one that comes
def _claim(lower_text: str, rules: OutcomeRules, *, is_test: bool) -> tuple[Outcome, str] | None:
    """What a reply takes as done: "tests pass", "works, next the footer", "great, now …", "commit this"."""
    text = speech_head(lower_text)
    tested = _find_claim(rules.tested, text, rules)
    if tested:
        return Outcome.TESTED, f'the person says "{tested}"'
    opening = _GATE.sub("", text)
    plain = rules.approval.match(opening) or rules.acts.search(text)
    found = (
        (_words(plain) if plain is not None else "")
        or _find_claim(rules.taken_as_done, text, rules)
        or _find_claim(rules.clause_ends, text, rules, is_at_end=True)
        or _find_claim(rules.completed, text, rules)
        or _find_claim(rules.commit, text, rules)
    )
    if found:
        return Outcome.IMPLEMENTED, f'the person says "{found}"'
    return (Outcome.IMPLEMENTED, "changes were ordered, then tests") if is_test else None


def _wants_commit(lower_text: str, rules: OutcomeRules) -> tuple[Outcome, str] | None:
    found = _find_claim(rules.commit, speech_head(lower_text), rules)
    return (Outcome.IMPLEMENTED, f'the person says "{found}"') if found else None


def _find_claim(pattern: re.Pattern[str], text: str, rules: OutcomeRules, *, is_at_end: bool = False) -> str:
    """The first such words in a sentence that neither asks nor takes them back; `is_at_end`: only where a clause ends."""
    for match in pattern.finditer(text):
        if is_at_end and not _is_clause_end(text, match, rules):
            continue
        end = _SENTENCE_END.search(text, match.end())
        is_asked = end is not None and end[0] == "?"
        if not is_asked and not _is_taken_back(text, match.start(), rules.no_claim_after):
            return _words(match)
    return ""


def _is_clause_end(text: str, match: re.Match[str], rules: OutcomeRules) -> bool:
    """Whether "work" says that something works: not "the work", not "2. Redis works", which agrees to a plan."""
    before = text[max(0, match.start() - _LOOK_BACK_CHARS) : match.start()]
    is_answer = _NUMBERED.match(text[: match.start()].rpartition("\n")[2]) is not None
    closes = _CLAUSE_CLOSES.match(text, match.end()) is not None
    return closes and not is_answer and rules.thing_after.search(before) is None


def _find_praise(text: str, rules: OutcomeRules) -> str:
    if len(text) > _VERDICT_CHARS or text.rstrip().endswith("?"):
        return ""
    match = rules.completed.search(text)
    if match is None or _goes_on(text, match.end(), rules) or _is_taken_back(text, match.start(), rules.taken_back):
        return ""
    return _words(match)


def _goes_on(text: str, at: int, rules: OutcomeRules) -> bool:
    """Whether more is wanted after words of praise: "but …", or one more sentence that neither thanks nor praises."""
    if _GOES_ON.match(text, at):
        return True
    more = _NEXT_SENTENCE.match(text, at)
    if more is None or len(more["words"].split()) < _MORE_WORDS:
        return False
    return not any(pattern.match(more["words"]) for pattern in (rules.courtesy, rules.completed, rules.commit))


def _find_broken(text: str, rules: OutcomeRules) -> str:
    """Words that say it does not work: not "so that it never crashes", nor what a wish or a condition holds."""
    for match in rules.broken.finditer(text[:_BROKEN_CHARS]):
        if not _is_taken_back(text, match.start(), rules.taken_back):
            return _words(match)
    return ""


def _find_dropping(text: str, rules: OutcomeRules) -> str:
    """Words that let the matter go: "forget that", not "don't forget that" nor "drop this column"."""
    for match in rules.abandoned.finditer(text):
        if _LET_GO.match(text, match.end()) and not _is_taken_back(text, match.start(), rules.taken_back):
            return _words(match)
    return ""


def _is_taken_back(text: str, at: int, words: re.Pattern[str]) -> bool:
    """Whether the clause before `at` says that what follows does not hold: "not", "almost", "if"."""
    before = _CLAUSE_END.split(text[max(0, at - _LOOK_BACK_CHARS) : at])[-1]
    return words.search(before) is not None


def _words(match: re.Match[str]) -> str:
    return " ".join(match[0].lower().split())


def is_edit(event: ToolOutcome, rules: OutcomeRules | None = None) -> bool:
    """Whether the tool changed a file. `rules` None: the shipped ones."""
    return not has_failed(event) and event.tool.lower() in (rules or OutcomeRules.shipped()).edit_tools


def is_test(event: ToolOutcome, rules: OutcomeRules | None = None) -> bool:
    """Whether the tool ran checks, passed or failed. `rules` None: the shipped ones."""
    return bool(event.command) and (rules or OutcomeRules.shipped()).test_command.search(event.command) is not None


def is_commit(event: ToolOutcome, rules: OutcomeRules | None = None) -> bool:
    """Whether the tool committed changes. `rules` None: the shipped ones."""
    rules = rules or OutcomeRules.shipped()
    return bool(event.command) and not has_failed(event) and rules.commit_command.search(event.command) is not None


def has_failed(event: ToolOutcome) -> bool:
    return event.is_error or event.exit_status not in (None, 0)
