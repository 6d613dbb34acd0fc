"""From the signals of a moment to the bytes that an assistant gets: candidates → tiers → levels → text → receipt.

Loads, calls the deciders of `app.deciders.recall`, keeps the receipt. The same state and the same signals give the same bytes. Source:
S4 "Context Assembly Algorithm", DESIGN section 5 "assemble".
"""

import secrets
import sys
from bisect import bisect
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

from app.capture.streams import find_project_root
from app.context import session_start
from app.context.candidate_set import CandidateSet
from app.context.candidates.collector import CandidateCollector
from app.context.draft import TOPICS_KEY, Draft, Footer, footer_tokens, line_tokens
from app.context.prediction import Predict
from app.context.receipts import PendingReceipt, Receipts
from app.deciders.recall.context.activity import detect_activity, load_activity_rules
from app.deciders.recall.context.allocation import (
    Dropped,
    Pick,
    allocate,
    default_shares,
    parse_shares,
    spend_remaining_budget,
)
from app.deciders.recall.context.render import Line, Rendered, frame_cost, heading_costs, line_of, render
from app.errors import StaleError
from app.language.token_counts import count_tokens
from app.memories.ranking_terms import body_tokens, mark_tokens
from app.places import write_private
from app.retrieval.recall import Recall
from app.settings import Settings
from app.store.store import Store
from app.values import (
    Activity,
    Context,
    ContextCandidate,
    ContextRequest,
    ContextSignals,
    IntentScore,
    Level,
    Tier,
)

_make_line = partial(tuple.__new__, Line)  # of all its values in their order: hundreds are made
_MAX_TOPICS, _TOPICS_TOKENS = 12, 80
_ALONG_WITH_A_PROMPT = ("hook:prompt", "turn")  # whoever asked for nothing gets no more than what fits
_ONLY_WHEN_ASKED = "hook:prompt"  # nothing is sent along with a prompt unless something fits it
_KEY_FILE = "frame.key"
FindIntents = Callable[[str], Sequence[IntentScore]]
FindFooters = Callable[[ContextRequest], tuple[Footer, ...]]  # what stands below the frame
FindStale = Callable[[str, Iterable[ContextCandidate], datetime], frozenset[int]]


class Assembler:
    """`assemble` is thread-safe; nothing is kept between two calls but counts of tokens."""

    def __init__(
        self,
        store: Store,
        recall: Recall,
        receipts: Receipts,
        settings: Callable[[], Settings],
        state_dir: Path,
        predict: Predict | None = None,
        find_stale: FindStale | None = None,
        find_intents: FindIntents | None = None,
        find_footers: FindFooters | None = None,
    ) -> None:
        self._store = store
        self._settings = settings
        self._collector = CandidateCollector(store, recall, settings, predict)
        self._receipts = receipts
        self._find_stale = find_stale
        self._find_intents = find_intents
        self._find_footers = find_footers
        self._secret_path = state_dir / _KEY_FILE
        self._secret = b""

    def assemble(self, request: ContextRequest) -> Context:
        """The context of this moment; empty when nothing fits. Keeps a receipt unless it is a preview."""
        started = self._store.clock.monotonic_s()
        now = request.signals.at or self._store.clock.now()
        signals = replace(request.signals, project_path=find_project_root(request.signals.project_path))
        intents = self._find_intents(signals.prompt) if self._find_intents is not None else ()
        activity, why = detect_activity(signals, intents=intents)
        warnings = () if activity is Activity.GENERAL else (f"{activity.value}: {why}",)
        asked = replace(request, signals=signals)
        footers = self._find_footers(asked) if self._find_footers is not None else ()
        if footers:
            most = request.max_chars and max(0, request.max_chars - sum(len(one.text) + 1 for one in footers))
            left = request.budget_tokens - sum(map(footer_tokens, footers))
            asked = replace(asked, budget_tokens=max(0, left), max_chars=most)
        gathered = self._collector.collect(signals, asked, now, activity)
        is_silent = request.delivery == _ONLY_WHEN_ASKED and not gathered.fitting
        draft = self._build({} if is_silent else gathered.candidates, gathered, asked, activity, warnings)
        took_ms = round((self._store.clock.monotonic_s() - started) * 1000, 3)
        draft = replace(draft, took_ms=took_ms, footers=footers, budget_tokens=request.budget_tokens)
        context = draft.as_text() if request.is_text_only else draft.explained()
        if request.within_ms is not None and draft.took_ms > request.within_ms:
            return replace(context, text="", token_count=0, items=())
        if not request.is_kept or context.is_empty:
            return context
        explain = draft.explained if request.is_text_only else lambda: context
        kept = PendingReceipt(
            replace(request, signals=signals), explain, gathered.revisions, draft.memory_ids, gathered.seq
        )
        try:
            receipt_id = self._receipts.keep(kept)
        except StaleError:  # erased while we read: rather nothing than what is gone
            return replace(context, text="", token_count=0, items=())
        return replace(context, receipt_id=receipt_id)

    def load(self) -> None:
        """Reads what assembling needs besides the store."""
        load_activity_rules()
        self._frame_secret()

    def rehearse(self) -> None:
        """Assembles for nobody: statements are prepared after it."""
        signals = ContextSignals(prompt="why does the build fail?", current_file="src/app.py", branch="fix/build")
        self.assemble(ContextRequest(signals, delivery="rehearsal", is_kept=False))

    # text --------------------------------------------------------------------------------------------

    def _build(
        self,
        candidates: Mapping[int, ContextCandidate],
        gathered: CandidateSet,
        request: ContextRequest,
        activity: Activity,
        warnings: tuple[str, ...],
    ) -> Draft:
        shares = dict(request.shares) or parse_shares(self._settings().tier_shares) or default_shares(activity)
        is_start = request.delivery == session_start.DELIVERY
        if is_start:  # its lines are chosen, and none is only named
            shares |= {Tier.BACKGROUND: shares[Tier.BACKGROUND] + shares[Tier.INDEX], Tier.INDEX: 0.0}
        room = request.budget_tokens - frame_cost(_counted)
        is_filled_up = not request.delivery.startswith(_ALONG_WITH_A_PROMPT)
        allocation = allocate(
            list(candidates.values()),
            budget_tokens=max(0, room),
            shares=shares,
            line_tokens=_mark_tokens(max(candidates, default=0)),
            tier_tokens=heading_costs(_counted),
            is_filled_up=is_filled_up,
        )
        if is_filled_up:
            used = sum(use.used_tokens for use in allocation.tiers)
            allocation = spend_remaining_budget(
                allocation,
                candidates,
                left_tokens=room - used - _TOPICS_TOKENS,
                line_tokens=_mark_tokens(max(candidates, default=0)),
                heading_tokens=heading_costs(_counted).get(Tier.BACKGROUND, 0),
            )
        picks = _in_stable_order(allocation.picks)
        stale = self._stale_of(picks, candidates, request)
        lines = [_line(candidates[pick.key], pick, is_stale=pick.key in stale) for pick in picks]
        topics = _topics(gathered, {pick.key for pick in picks}) if picks and not is_start else None
        if topics is not None and f"- {topics.texts[Level.INDEX]}" not in gathered.lines_given:
            candidates = {**candidates, topics.key: topics}
            picks.append(Pick(topics.key, Tier.INDEX, Level.INDEX, topics.tokens[Level.INDEX]))
            lines.append(_line(topics, picks[-1]))
        rendered, costs, cut = self._fit_exactly(picks, lines, candidates, request)
        return Draft(
            rendered=rendered,
            costs=costs,
            token_count=sum(costs) + sum(map(line_tokens, rendered.around)),
            budget_tokens=request.budget_tokens,
            picks=picks,
            candidates=candidates,
            gathered=gathered,
            stale=stale,
            tiers=allocation.tiers,
            dropped=allocation.dropped,
            cut=cut,
            activity=activity,
            warnings=warnings,
        )

    def _stale_of(
        self, picks: Sequence[Pick], candidates: Mapping[int, ContextCandidate], request: ContextRequest
    ) -> frozenset[int]:
        """`request` with its project's root."""
        if self._find_stale is None:
            return frozenset()
        given = (candidates[pick.key] for pick in picks if pick.level is not Level.INDEX)
        return self._find_stale(request.signals.project_path, given, request.signals.at or self._store.clock.now())

    def _fit_exactly(
        self, picks: list[Pick], lines: list[Line], candidates: Mapping[int, ContextCandidate], request: ContextRequest
    ) -> tuple[Rendered, list[int], list[Dropped]]:
        """The text of the lines and what each costs; the least worthy go while all is above what may be sent, and are named."""
        max_chars = request.max_chars or sys.maxsize
        cut: list[Dropped] = []
        while lines:
            rendered = render(lines, secret=self._frame_secret())
            costs = [_cost(candidates[pick.key], pick, line) for pick, line in zip(picks, lines, strict=True)]
            token_count = sum(costs) + sum(map(line_tokens, rendered.around))
            over_tokens, over_chars = token_count - request.budget_tokens, len(rendered.text) - max_chars
            if over_tokens <= 0 and over_chars <= 0:
                return rendered, costs, cut
            why = f"over the {max_chars:,} characters that are taken at once"
            if over_tokens > 0:
                why = f"{over_tokens} token{'s' if over_tokens > 1 else ''} over"
            worst = sorted(range(len(picks)), key=lambda at: (*_priority(candidates[picks[at].key]), -at))
            gone = []
            for at in worst:
                if over_tokens <= 0 and over_chars <= 0:
                    break
                start, end = rendered.spans[at]
                over_tokens -= costs[at]
                over_chars -= end - start + 1
                gone.append(at)
            cut += [Dropped(picks[at].key, picks[at].tier, picks[at].token_count, why) for at in gone]
            for at in sorted(gone, reverse=True):
                del picks[at], lines[at]
        return Rendered("", ()), [], cut

    def _frame_secret(self) -> bytes:
        if not self._secret:
            try:
                self._secret = self._secret_path.read_bytes()
            except FileNotFoundError:
                self._secret = secrets.token_hex(32).encode()
                with suppress(OSError):  # a disk that takes nothing: good for this run, the next one makes another
                    write_private(self._secret_path, self._secret)
        return self._secret


def _in_stable_order(picks: Iterable[Pick]) -> list[Pick]:
    """By tier, memories by their numbers, then what is no memory: an unchanged memory keeps its place."""
    of_tier: dict[Tier, list[Pick]] = {}
    for pick in picks:
        of_tier.setdefault(pick.tier, []).append(pick)
    ordered: list[Pick] = []
    for tier in Tier:
        some = sorted(of_tier.get(tier, ()))  # numbers are unique: nothing else is compared
        start = bisect(some, (0,))  # extras are below zero
        ordered += some[start:]
        ordered += some[:start]
    return ordered


def _priority(candidate: ContextCandidate) -> tuple[bool, float]:
    """What goes last when something must go: what a person pinned or placed, then what scores most."""
    return candidate.is_pinned or candidate.placement is not None, candidate.score


def _mark_tokens(key: int) -> int:
    """What a line costs beside its text: its number, and the newline."""
    return line_tokens(f"- [{key}]")


def _cost(candidate: ContextCandidate, pick: Pick, line: Line) -> int:
    """Tokens of a line as it is rendered, with its newline."""
    _, text, key, is_stale = line
    if is_stale:
        return line_tokens(line_of(line))
    body = candidate.lines.get(pick.level)
    return mark_tokens(key) + (body_tokens(text) if body is None else body)


def _counted(text: str) -> int:
    return sum(line_tokens(line) for line in text.splitlines())


def _line(candidate: ContextCandidate, pick: Pick, *, is_stale: bool = False) -> Line:
    key, tier, level, _ = pick
    return _make_line((tier, candidate.texts[level], max(0, key), is_stale))


def _topics(gathered: CandidateSet, given: set[int]) -> ContextCandidate | None:
    """The topics that have more memories than are given, the largest first: one line to ask by."""
    rest = gathered.topics_besides(given)
    if not rest:
        return None
    most = sorted(rest.items(), key=lambda pair: (-pair[1], pair[0]))[:_MAX_TOPICS]
    text = "Ask about: " + ", ".join(f"{topic} ({count})" for topic, count in most)
    return ContextCandidate(
        key=TOPICS_KEY,
        tier=Tier.INDEX,
        score=0.0,
        texts={Level.INDEX: text},
        tokens={Level.INDEX: count_tokens(text)},
        reason="more is kept about these",
    )
