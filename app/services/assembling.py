"""From the signals of a moment to the bytes that an assistant gets: candidates → tiers → levels → text → receipt.

Loads, calls the deciders of `app.recall`, keeps the receipt. The same state and the same signals give the same bytes. Source:
S4 "Context Assembly Algorithm", DESIGN section 5 "assemble".
"""

import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from app.errors import StaleError
from app.memory.tokens import count_tokens
from app.places import write_private
from app.recall.activity import detect_activity, load_activity_rules
from app.recall.allocation import Dropped, Pick, allocate, default_shares
from app.recall.render import Line, Rendered, frame_cost, heading_costs, render
from app.services.gathering import Gathered, Gatherer
from app.services.predicting import Predict
from app.services.recall import Recall
from app.services.receipts import Receipts
from app.services.streams import find_project_root
from app.settings import Settings
from app.store.store import Store
from app.values import (
    Activity,
    Context,
    ContextCandidate,
    ContextItem,
    ContextRequest,
    ContextSignals,
    LeftOut,
    Level,
    Tier,
    TierUse,
)

_LEFT_OUT_KEPT = 60
_EXPLAINED = 40  # the best are explained in full
_PLACES = {tier: place for place, tier in enumerate(Tier)}
_TOPICS_TOLD = 12
_TOPICS_KEY = -3_000_000_000
_ONLY_WHEN_ASKED = "hook:prompt"  # nothing is sent along with a prompt unless something fits it
_KEY_FILE = "frame.key"
FindStale = Callable[[str, Mapping[int, ContextCandidate], datetime], frozenset[int]]


@lru_cache(maxsize=50_000)
def _line_tokens(line: str) -> int:
    return count_tokens(line + "\n")


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
    ) -> None:
        self._store = store
        self._gatherer = Gatherer(store, recall, settings, predict)
        self._receipts = receipts
        self._find_stale = find_stale
        self._secret_path = state_dir / _KEY_FILE
        self._secret = b""

    def assemble(self, request: ContextRequest) -> Context:
        """The context of this moment; empty when nothing fits. Keeps a receipt unless it is a preview."""
        started = self._store.clock.monotonic_s()
        now = request.signals.at or self._store.clock.now()
        signals = replace(request.signals, project_path=find_project_root(request.signals.project_path))
        activity, why = detect_activity(signals)
        gathered = self._gatherer.gather(signals, request, now)
        is_silent = request.delivery == _ONLY_WHEN_ASKED and not gathered.fitting
        context = self._build({} if is_silent else gathered.candidates, gathered, request, activity)
        context = replace(
            context,
            warnings=(*context.warnings, *(() if activity is Activity.GENERAL else (f"{activity.value}: {why}",))),
            took_ms=round((self._store.clock.monotonic_s() - started) * 1000, 3),
        )
        if request.within_ms is not None and context.took_ms > request.within_ms:
            return replace(context, text="", token_count=0, items=())
        if not request.is_kept or context.is_empty:
            return context
        try:
            receipt_id = self._receipts.keep(replace(request, signals=signals), context, gathered.revisions)
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
        gathered: Gathered,
        request: ContextRequest,
        activity: Activity,
    ) -> Context:
        shares = dict(request.shares) or default_shares(activity)
        room = request.budget_tokens - frame_cost(_counted)
        allocation = allocate(
            list(candidates.values()),
            budget_tokens=max(0, room),
            shares=shares,
            line_tokens=_mark_tokens(max(candidates, default=0)),
            tier_tokens=heading_costs(_counted),
        )
        picks = sorted(allocation.picks, key=lambda pick: (_PLACES[pick.tier], pick.key < 0, pick.key))
        stale = self._stale_of(picks, candidates, request)
        lines = [_line(candidates[pick.key], pick, is_stale=pick.key in stale) for pick in picks]
        topics = _topics(gathered, {pick.key for pick in picks}) if picks else None
        if topics is not None and f"- {topics.texts[Level.INDEX]}" not in gathered.lines_had:
            candidates = {**candidates, topics.key: topics}
            picks.append(Pick(topics.key, Tier.INDEX, Level.INDEX, topics.tokens[Level.INDEX]))
            lines.append(_line(topics, picks[-1]))
        rendered, token_count, cut = self._fit(picks, lines, candidates, request)
        explained = sorted((candidates[pick.key].score for pick in picks), reverse=True)[:_EXPLAINED]
        least = explained[-1] if explained else 0.0
        items = tuple(
            _item(
                candidates[pick.key],
                pick,
                rendered.text[start:end],
                start,
                gathered,
                is_short=candidates[pick.key].score < least,
                is_stale=pick.key in stale,
            )
            for pick, (start, end) in zip(picks, rendered.spans, strict=True)
        )
        return Context(
            text=rendered.text,
            token_count=token_count,
            budget_tokens=request.budget_tokens,
            tiers=_tiers_told(allocation.tiers, cut),
            items=items,
            left_out=_left_out([*allocation.dropped, *cut], candidates, gathered),
            activity=activity,
            prediction=gathered.prediction,
        )

    def _stale_of(
        self, picks: Sequence[Pick], candidates: Mapping[int, ContextCandidate], request: ContextRequest
    ) -> frozenset[int]:
        if self._find_stale is None:
            return frozenset()
        told = {pick.key: candidates[pick.key] for pick in picks if pick.level is not Level.INDEX}
        root = find_project_root(request.signals.project_path)
        return self._find_stale(root, told, request.signals.at or self._store.clock.now())

    def _fit(
        self, picks: list[Pick], lines: list[Line], candidates: Mapping[int, ContextCandidate], request: ContextRequest
    ) -> tuple[Rendered, int, list[Dropped]]:
        """The text of the lines; the least worthy go while the exact size is above what may be sent, and are named."""
        max_chars = request.max_chars or sys.maxsize
        cut: list[Dropped] = []
        while lines:
            rendered = render(lines, secret=self._frame_secret())
            token_count = sum(map(_line_tokens, rendered.text.splitlines()))
            over_tokens, over_chars = token_count - request.budget_tokens, len(rendered.text) - max_chars
            if over_tokens <= 0 and over_chars <= 0:
                return rendered, token_count, cut
            why = f"over the {max_chars:,} characters that are taken at once"
            if over_tokens > 0:
                why = f"{over_tokens} token{'s' if over_tokens > 1 else ''} over"
            worst = sorted(range(len(picks)), key=lambda at: (*_standing(candidates[picks[at].key]), -at))
            gone = []
            for at in worst:
                if over_tokens <= 0 and over_chars <= 0:
                    break
                start, end = rendered.spans[at]
                over_tokens -= _line_tokens(rendered.text[start:end])
                over_chars -= end - start + 1
                gone.append(at)
            cut += [Dropped(picks[at].key, picks[at].tier, picks[at].token_count, why) for at in gone]
            for at in sorted(gone, reverse=True):
                del picks[at], lines[at]
        return Rendered("", ()), 0, cut

    def _frame_secret(self) -> bytes:
        if not self._secret:
            try:
                self._secret = self._secret_path.read_bytes()
            except FileNotFoundError:
                self._secret = secrets.token_hex(32).encode()
                write_private(self._secret_path, self._secret)
        return self._secret


def _standing(candidate: ContextCandidate) -> tuple[bool, float]:
    """What goes last when something must go: what a person pinned or placed, then what scores most."""
    return candidate.is_pinned or candidate.placement is not None, candidate.score


def _tiers_told(uses: Sequence[TierUse], cut: Sequence[Dropped]) -> tuple[TierUse, ...]:
    """The tiers without what the exact size cut off again; the line of topics was in none of them."""
    told = []
    for use in uses:
        gone = [one.token_count for one in cut if one.tier is use.tier and one.key != _TOPICS_KEY]
        told.append(replace(use, used_tokens=use.used_tokens - sum(gone), item_count=use.item_count - len(gone)))
    return tuple(told)


def _mark_tokens(key: int) -> int:
    """What a line costs beside its text: its number, and the newline."""
    return _line_tokens(f"- [{key}]")


def _counted(text: str) -> int:
    return sum(_line_tokens(line) for line in text.splitlines())


def _line(candidate: ContextCandidate, pick: Pick, *, is_stale: bool = False) -> Line:
    return Line(pick.tier, candidate.texts[pick.level], max(0, pick.key), is_stale)


def _item(
    candidate: ContextCandidate,
    pick: Pick,
    shown: str,
    start: int,
    gathered: Gathered,
    *,
    is_short: bool,
    is_stale: bool,
) -> ContextItem:
    signals, reason = gathered.explain(pick.key, is_short=is_short)
    return ContextItem(
        memory_id=pick.key if pick.key > 0 else None,
        tier=pick.tier,
        level=pick.level,
        text=shown,
        token_count=_line_tokens(shown),
        score=candidate.score,
        reason=reason,
        signals=signals,
        title=gathered.titles.get(pick.key, ""),
        is_pinned=candidate.is_pinned,
        is_stale=is_stale,
        start=start,
        end=start + len(shown),
    )


def _left_out(
    dropped: Sequence[Dropped], candidates: Mapping[int, ContextCandidate], gathered: Gathered
) -> tuple[LeftOut, ...]:
    told = [LeftOut(key, title, Tier.RELEVANT, 0.0, 0, 0, reason) for key, (title, reason) in gathered.out.items()]
    by_score = sorted(dropped, key=lambda one: (-candidates[one.key].score, one.key))
    ranked = [
        LeftOut(
            one.key,
            gathered.titles.get(one.key, ""),
            one.tier,
            candidates[one.key].score,
            one.token_count,
            rank,
            one.reason,
        )
        for rank, one in enumerate((one for one in by_score if one.key > 0), start=1)
    ]
    return tuple([*told, *ranked][:_LEFT_OUT_KEPT])


def _topics(gathered: Gathered, told: set[int]) -> ContextCandidate | None:
    """What there is more of than was told, most first: one line to ask by."""
    rest = gathered.topics_besides(told)
    if not rest:
        return None
    most = sorted(rest.items(), key=lambda pair: (-pair[1], pair[0]))[:_TOPICS_TOLD]
    text = "Ask about: " + ", ".join(f"{topic} ({count})" for topic, count in most)
    return ContextCandidate(
        key=_TOPICS_KEY,
        tier=Tier.INDEX,
        score=0.0,
        texts={Level.INDEX: text},
        tokens={Level.INDEX: count_tokens(text)},
        reason="more is kept about these",
    )
