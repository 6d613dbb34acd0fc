"""Workflows: what is done again and again in the same order, mined from sequences of steps.

Pure. A pattern is a closed sequential pattern (Yan, Han, Afshar, CloSpan 2003; BIDE, Wang and Han 2004) over the stretches of work
that begin with an edit or after one: found at least three times, in two conversations (or six times in one), with at most one other step in between. What everybody does
(commit, then push) is none, nor is what is done in either order. Source: S4 "Workflows", issue 18.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise

from app.deciders.learning.commands import CommandRules, Step, load_command_rules

STEPS_MOST = 8  # of a stretch; of a longer one the last
_PATTERN_STEPS = 6
_TIMES_LEAST = 3  # issue 18
_CONVERSATIONS_LEAST, _TIMES_IN_ONE = 2, 6  # or so often in one: some conversations last for days
_STEPS_BETWEEN = 1  # other steps that may stand between two of a pattern
_SAME_ORDER = 0.75  # of the times that two steps come together, they come in this order
_OF_ITS_GOAL = 0.4  # of the times that the last step is done, it is done so
_AFTER_EDIT, _ALONE_AFTER_EDIT = 0.4, 0.6  # the same, of the edits after which something was run; of one step alone
_NEARLY_ALL = 0.7  # a longer pattern that comes nearly as often stands for its parts
_ALIKE = 0.66  # of two patterns that share so many steps in order one is enough
_KEPT = 10
EDIT = "edit"  # the step of changing files, with which a stretch may begin
_FILLED_IN = "generate"  # an edit of what was generated belongs to it
_HANDING_OVER = frozenset({"commit", "commit message", "push", "pull"})
_DELIVERING = frozenset(
    {"commit", "commit message", "push", "pull request", "release", "publish", "deploy", "stage", "prod", "pull"}
)


@dataclass(frozen=True, slots=True)
class Did:
    """One thing that was done: an edit, or a step of a command line."""

    step: Step | None = None  # None: an edit
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Stretch:
    """An edit and the steps after it, each once in a row, as often as they were done in this order."""

    steps: tuple[str, ...]
    times: int = 1
    succeeded: int = 1  # of these times
    commands: Mapping[str, str] = field(default_factory=dict)  # step: as it is written
    conversation_ids: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Workflow:
    """What is done again and again."""

    steps: tuple[str, ...]
    goal: str  # what it is for: "deploy"
    times: int
    succeeded: int
    share: float  # of the times that its last step was done, 0..1
    commands: Mapping[str, str] = field(default_factory=dict)
    conversation_ids: frozenset[int] = frozenset()

    @property
    def trigger(self) -> str:
        """
        >>> Workflow(("test", "commit"), "commit", 3, 3, 1.0).trigger
        'commit_request'
        """
        return f"{self.goal.replace(' ', '_')}_request"

    @property
    def hint(self) -> str:
        """
        >>> Workflow(("test", "build", "stage", "verify", "prod"), "deploy", 3, 3, 1.0).hint
        'deploy: test→build→stage→verify→prod'
        """
        return f"{self.goal}: {'→'.join(self.steps)}"


def read_stretches(done: Sequence[Did]) -> tuple[Stretch, ...]:
    """What one conversation did, cut before edits and after what delivers; equal stretches counted together.

    >>> from app.deciders.learning.commands import read_steps
    >>> did = [Did(one) for one in read_steps("npm test && npm run build && git commit -m x && npm test && git commit -m y")]
    >>> [(one.steps, one.times) for one in read_stretches([Did(), *did])]
    [(('edit', 'test', 'build', 'commit'), 1), (('test', 'commit'), 1)]
    """
    times: Counter[tuple[str, ...]] = Counter()
    good: Counter[tuple[str, ...]] = Counter()
    commands: dict[tuple[str, ...], dict[str, str]] = {}
    for stretch in _cut(done):
        steps, is_good, written = _told(stretch)
        if len(steps) > 1:
            times[steps] += 1
            good[steps] += is_good
            commands.setdefault(steps, {}).update(written)
    return tuple(Stretch(steps, count, good[steps], commands[steps]) for steps, count in times.items())


def _cut(done: Sequence[Did]) -> Iterator[list[Did]]:
    """An edit begins anew, several in a row once, but for one that fills in what was generated, and so does a step that is done once more after something was delivered."""
    stretch: list[Did] = []
    labels: list[str] = []
    for one in done:
        label = one.step.label if one.step is not None else EDIT
        if one.step is None and labels[-1:] == [_FILLED_IN]:
            continue
        is_again = label in labels[:-1] and not _DELIVERING.isdisjoint(labels)
        if one.step is None or (is_again and label != labels[-1]):
            yield stretch
            stretch, labels = [], []
        stretch.append(one)
        labels.append(label)
    yield stretch


def _told(stretch: Sequence[Did]) -> tuple[tuple[str, ...], bool, dict[str, str]]:
    """Its steps, whether each was well at last, and how they were written."""
    labels: list[str] = []
    is_good: dict[str, bool] = {}
    written: dict[str, str] = {}
    before: Step | None = None
    for one in stretch:
        label = one.step.label if one.step is not None else EDIT
        is_joined = (
            before is not None and one.step is not None and before.label == label and before.name != one.step.name
        )
        if labels[-1:] != [label]:
            labels.append(label)
        is_good[label] = not one.is_error
        if one.step is not None:  # two programs for one step: both; one program again: as it was written last
            written[label] = (
                f"{written[label]} && {one.step.form}" if is_joined and "&&" not in written[label] else one.step.form
            )
        before = one.step
    labels = labels[-STEPS_MOST:]
    return (
        tuple(labels),
        all(is_good[label] for label in labels),
        {one: written[one] for one in labels if one in written},
    )


def mine_workflows(stretches: Iterable[Stretch], rules: CommandRules | None = None) -> tuple[Workflow, ...]:
    """What recurs, the weightiest first; at most ten.

    >>> deploys = [Stretch(("test", "build", "stage", "verify", "prod"), 1, 1, {}, frozenset({n})) for n in (1, 2, 3)]
    >>> [(one.hint, one.times) for one in mine_workflows(deploys)]
    [('deploy: test→build→stage→verify→prod', 3)]
    """
    rules = rules or load_command_rules()
    known = list(stretches)
    support = _count(known)
    pairs, lasts = _orders(known), _ends(known)
    fitting = {
        steps: times
        for steps, (times, conversations) in support.items()
        if times >= _TIMES_LEAST
        and (len(conversations) >= _CONVERSATIONS_LEAST or times >= _TIMES_IN_ONE)
        and not _DELIVERING.issuperset(set(steps) - {EDIT})
        and times >= _least_share(steps) * _occasions(steps, lasts)
        and all(_is_ordered(pair, pairs) for pair in pairwise(steps))
        and (steps[-1] in rules.activity_names or not set(rules.goals).isdisjoint(steps))  # else it has no name
    }
    fitting = {steps: times for steps, times in fitting.items() if not _is_said_after_edits(steps, fitting)}
    kept: list[tuple[str, ...]] = []
    for steps in sorted(fitting, key=lambda one: (-_weight(one, fitting[one]), -len(one), one)):
        if (
            len(kept) < _KEPT
            and _is_closed(steps, fitting)
            and not any(_is_one_enough(steps, one, rules) for one in kept)
        ):
            kept.append(steps)
    return tuple(_workflow(steps, known, lasts, rules) for steps in kept)


def _least_share(steps: Sequence[str]) -> float:
    if steps[0] != EDIT:
        return _OF_ITS_GOAL
    return _AFTER_EDIT if len(steps) > 2 else _ALONE_AFTER_EDIT


def _is_said_after_edits(steps: tuple[str, ...], fitting: Mapping[tuple[str, ...], int]) -> bool:
    """Whether it only commits and pushes after one step that follows most edits anyway."""
    others = tuple(one for one in steps if one not in _HANDING_OVER)
    return len(others) == 1 and EDIT not in steps and (EDIT, *others) in fitting


def _weight(steps: Sequence[str], times: int) -> int:
    """An edit before them says little: it weighs one step less; so does what is generated where nothing is migrated, for that waits for its source."""
    is_aside = "generate" in steps[:-1] and "migrate" not in steps
    return (len(steps) - 1 - (steps[0] == EDIT) - is_aside) * times


def _patterns(steps: Sequence[str]) -> set[tuple[str, ...]]:
    """Its parts in order, with few others in between, each step once.

    An edit begins none that delivers: what is asked for is then the delivery, not what follows an edit.
    """
    found: set[tuple[str, ...]] = set()
    for length in range(2, min(len(steps), _PATTERN_STEPS) + 1):
        for places in combinations(range(len(steps)), length):
            part = tuple(steps[place] for place in places)
            is_near = all(later - earlier <= _STEPS_BETWEEN + 1 for earlier, later in pairwise(places))
            delivers_an_edit = part[0] == EDIT and not _DELIVERING.isdisjoint(part)
            if is_near and len(set(part)) == length and not delivers_an_edit:
                found.add(part)
    return found


def _count(known: Sequence[Stretch]) -> dict[tuple[str, ...], tuple[int, set[int]]]:
    times: Counter[tuple[str, ...]] = Counter()
    conversations: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for one in known:
        for part in _patterns(one.steps):
            times[part] += one.times
            conversations[part] |= one.conversation_ids
    return {part: (count, conversations[part]) for part, count in times.items()}


def _orders(known: Sequence[Stretch]) -> Counter[tuple[str, str]]:
    """How often one step came before the other in one stretch; where both orders stand in it, it says nothing."""
    orders: Counter[tuple[str, str]] = Counter()
    for one in known:
        pairs = set(combinations(one.steps, 2))
        for pair in pairs:
            if pair[::-1] not in pairs:
                orders[pair] += one.times
    return orders


def _is_ordered(pair: tuple[str, str], orders: Counter[tuple[str, str]]) -> bool:
    both = orders[pair] + orders[pair[1], pair[0]]
    return bool(both) and orders[pair] >= _SAME_ORDER * both


def _ends(known: Sequence[Stretch]) -> Counter[str]:
    ends: Counter[str] = Counter()
    for one in known:
        for step in set(one.steps):
            ends[step] += one.times
    return ends


def _occasions(steps: Sequence[str], ends: Mapping[str, int]) -> int:
    """How often it could have been done so: whatever is run follows an edit, so that there the edits count."""
    return max(1, ends[EDIT] if steps[0] == EDIT else ends[steps[-1]])


def _is_closed(steps: tuple[str, ...], fitting: Mapping[tuple[str, ...], int]) -> bool:
    """Whether no longer pattern with all that is run in it comes nearly as often."""
    run = tuple(one for one in steps if one != EDIT)
    return not any(
        len(other) > max(len(run), 2)
        and other != steps
        and (len(other) > len(steps) or EDIT not in other)
        and times >= _NEARLY_ALL * fitting[steps]
        and is_part(run, other)
        for other, times in fitting.items()
    )


def is_part(steps: Sequence[str], other: Sequence[str]) -> bool:
    """Whether the steps stand in the other, in this order.

    >>> is_part(("test", "commit"), ("test", "build", "commit")), is_part(("commit", "test"), ("test", "commit"))
    (True, False)
    """
    left = iter(other)
    return all(step in left for step in steps)


def are_alike(steps: Sequence[str], other: Sequence[str]) -> bool:
    """Whether one of the two is enough.

    >>> are_alike(("test", "install", "push"), ("test", "install", "commit")), are_alike(("test", "commit"), ("build", "prod"))
    (True, False)
    """
    return common_length(steps, other) >= _ALIKE * max(len(steps), len(other))


def common_length(steps: Sequence[str], other: Sequence[str]) -> int:
    """How many steps they share in order (longest common subsequence)."""
    row = [0] * (len(other) + 1)
    for one in steps:
        before = row
        row = [0]
        for place, two in enumerate(other):
            row.append(before[place] + 1 if one == two else max(before[place + 1], row[-1]))
    return row[-1]


def _is_one_enough(steps: Sequence[str], other: Sequence[str], rules: CommandRules) -> bool:
    """Alike, or two halves of one thing: for the same goal, one goes on where the other ends."""
    goes_on = steps[-1] == other[0] or other[-1] == steps[0]
    return are_alike(steps, other) or (goes_on and name_goal(steps, rules) == name_goal(other, rules))


def _workflow(steps: tuple[str, ...], known: Sequence[Stretch], lasts: Counter[str], rules: CommandRules) -> Workflow:
    showing = [one for one in known if steps in _patterns(one.steps)]
    times = sum(one.times for one in showing)
    written: dict[str, Counter[str]] = defaultdict(Counter)
    for one in showing:
        for step in steps:
            if one.commands.get(step):
                written[step][one.commands[step]] += one.times
    return Workflow(
        steps=steps,
        goal=name_goal(steps, rules),
        times=times,
        succeeded=sum(one.succeeded for one in showing),
        share=round(times / _occasions(steps, lasts), 2),
        commands={step: _common_form(forms) for step, forms in written.items()},
        conversation_ids=frozenset().union(*(one.conversation_ids for one in showing)),
    )


def _common_form(forms: Counter[str]) -> str:
    """How the command is mostly written, else what most of them begin with.

    >>> _common_form(Counter({"npm test": 3, "npm t": 1}))
    'npm test'
    >>> _common_form(Counter(["mix gen.migration add_units", "mix gen.migration fix_price", "mix gen.schema seats"]))
    'mix gen.migration …'
    >>> _common_form(Counter(["pytest tests/test_cart.py", "pytest -q", "pytest -x"]))
    'pytest …'
    """
    usual, times = forms.most_common(1)[0]
    if times * 2 > forms.total():
        return usual
    words = {form: form.split() for form in forms}
    for length in range(max(map(len, words.values())) - 1, 0, -1):
        begins: Counter[tuple[str, ...]] = Counter()
        for form, count in forms.items():
            if len(words[form]) >= length:
                begins[tuple(words[form][:length])] += count
        begin, count = begins.most_common(1)[0]
        if count * 2 > forms.total():
            return " ".join([*(begin[:-1] if begin[-1] == "…" else begin), "…"])
    return usual


def name_goal(steps: Sequence[str], rules: CommandRules | None = None) -> str:
    """What it is for: the weightiest thing among its steps, else the last.

    >>> name_goal(("test", "build", "stage", "verify", "prod")), name_goal(("test", "commit", "push"))
    ('deploy', 'push')
    """
    rules = rules or load_command_rules()
    goal = next((one for one in rules.goals if one in steps), steps[-1])
    return rules.goal_names.get(goal, goal)


_OFTEN = ((0.9, "every time"), (0.6, "mostly"), (0.0, "often"))


def word_workflow(workflow: Workflow) -> str:
    """The workflow as a sentence.

    >>> word_workflow(Workflow(("test", "commit"), "commit", 3, 3, 0.7, {"test": "npm test", "commit": "git commit -m …"}))
    'For a commit this is done mostly: test (npm test), commit (git commit -m …).'
    >>> word_workflow(Workflow(("edit", "test"), "test", 3, 3, 0.95, {"test": "npm test"}))
    'After an edit this is done every time: test (npm test).'
    """
    often = next(words for least, words in _OFTEN if workflow.share >= least)
    steps = ", ".join(
        f"{step} ({workflow.commands[step]})" if workflow.commands.get(step) else step
        for step in workflow.steps
        if step != EDIT
    )
    when = "After an edit" if EDIT in workflow.steps else f"For {_an(workflow.goal)}"
    return f"{when} this is done {often}: {steps}."


def _an(word: str) -> str:
    return f"{'an' if word[:1] in 'aeiou' else 'a'} {word}"
