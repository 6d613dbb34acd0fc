"""From the signals of a moment to the bytes that an assistant gets: candidates → tiers → levels → text → receipt.

Loads, calls the deciders of `app.recall`, keeps the receipt. The same state and the same signals give the same bytes. Source:
S4 "Context Assembly Algorithm", DESIGN section 5 "assemble".
"""

import secrets
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path, PurePosixPath

from sqlalchemy import Connection

from app.memory.tokens import count_tokens
from app.places import write_private
from app.recall.activity import detect_activity
from app.recall.allocation import Allocation, Pick, allocate, default_shares
from app.recall.render import Line, Rendered, frame_cost, heading_cost, line_of, render
from app.services import context_sources as sources
from app.services.recall import Recall
from app.services.receipts import Receipts
from app.services.rows import AnyRow
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
    MemoryFilter,
    RecallHit,
    RecallQuery,
    Tier,
)

_HITS, _SHARED_HITS, _FILE_HITS, _ERROR_HITS = 60, 20, 15, 10
_ERRORS_LOOKED_UP = 3
_LINKED_FROM = 10  # the best hits whose links are followed
_LINK_SHARE, _FILE_SCORE, _CONVENTION_SCORE, _REST_SCORE = 0.5, 0.8, 0.25, 0.1
_LINE_TOKENS = 6  # "- [1234] " and the newline
_LEFT_OUT_KEPT = 60
_TOPICS_TOLD = 12
_TOPICS_KEY = -3_000_000_000
_ONLY_WHEN_ASKED = "hook:prompt"  # nothing is sent along with a prompt unless something fits it
_KEY_FILE = "frame.key"


@lru_cache(maxsize=50_000)
def _line_tokens(line: str) -> int:
    return count_tokens(line + "\n")


@dataclass(slots=True)
class _Gathered:
    """The candidates of one moment."""

    candidates: dict[int, ContextCandidate] = field(default_factory=dict)
    titles: dict[int, str] = field(default_factory=dict)
    revisions: dict[int, int] = field(default_factory=dict)
    fitting: set[int] = field(default_factory=set)  # keys that fit the task, not merely the project
    already: dict[int, str] = field(default_factory=dict)  # told in this session

    def add(self, row: AnyRow, candidate: ContextCandidate, *, is_fitting: bool) -> None:
        key = candidate.key
        known = self.candidates.get(key)
        if known is None or candidate.score > known.score:
            self.candidates[key] = candidate
        self.titles[key], self.revisions[key] = row.title, int(row.revision)
        if is_fitting or candidate.is_pinned:
            self.fitting.add(key)


class Assembler:
    """`assemble` is thread-safe; nothing is kept between two calls but counts of tokens."""

    def __init__(
        self, store: Store, recall: Recall, receipts: Receipts, settings: Callable[[], Settings], state_dir: Path
    ) -> None:
        self._store = store
        self._recall = recall
        self._receipts = receipts
        self._settings = settings
        self._secret_path = state_dir / _KEY_FILE
        self._secret = b""

    def assemble(self, request: ContextRequest) -> Context:
        """The context of this moment; empty when nothing fits. Keeps a receipt unless it is a preview."""
        started = self._store.clock.monotonic_s()
        now = request.signals.at or self._store.clock.now()
        signals = replace(request.signals, project_path=find_project_root(request.signals.project_path))
        activity, why = detect_activity(signals)
        gathered = self._gather(signals, request, now)
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
        receipt_id = self._receipts.keep(replace(request, signals=signals), context, gathered.revisions)
        return replace(context, receipt_id=receipt_id)

    def rehearse(self) -> None:
        """Assembles for nobody: token ranks, word lists and statements are loaded after it."""
        signals = ContextSignals(prompt="why does the build fail?", current_file="src/app.py", branch="fix/build")
        self.assemble(ContextRequest(signals, delivery="rehearsal", is_kept=False))
        self._frame_secret()

    # candidates --------------------------------------------------------------------------------------

    def _gather(self, signals: ContextSignals, request: ContextRequest, now: datetime) -> _Gathered:
        gathered = _Gathered()
        hits = self._look_up(signals)
        half_life = self._settings().decay_half_life_days
        with self._store.read() as connection:
            project_id = sources.find_project(connection, signals.project_path)
            rows = sources.load_told(connection, [hit.card.id for hit, _ in hits], project_id, now)
            for hit, why in hits:
                row = rows.get(hit.card.id)
                if row is not None:
                    reason = f"{why}: {sources.reason_of_hit(hit)}" if why else sources.reason_of_hit(hit)
                    is_named = bool(hit.matched)  # else it only stands beside one that fits
                    tier = sources.tier_of_hit(row) if is_named else Tier.RELEVANT
                    made = sources.candidate_of(row, tier, hit.score, reason, now, half_life, hit.signals)
                    gathered.add(row, made, is_fitting=is_named)
            self._add_related(connection, gathered, signals, project_id, now)
            self._add_background(connection, gathered, project_id, now)
            self._add_extras(connection, gathered, project_id, now)
            if request.signals.session and not request.is_repeating:
                sent = self._receipts.told_in_session(connection, request.signals.app, request.signals.session)
                for key, revision in sent.items():
                    if gathered.candidates.get(key) and gathered.revisions.get(key, 0) == revision:
                        gathered.already[key] = gathered.titles.get(key, "")
                        del gathered.candidates[key]
                        gathered.fitting.discard(key)
        return gathered

    def _look_up(self, signals: ContextSignals) -> list[tuple[RecallHit, str]]:
        """Hits for the prompt, the file and the errors, each with why it was looked for."""
        own = MemoryFilter(projects=(signals.project_path,)) if signals.project_path else MemoryFilter()
        asked: list[tuple[str, MemoryFilter, int, str]] = []
        if signals.prompt.strip():
            asked.append((signals.prompt, own, _HITS, ""))
            if signals.project_path:
                asked.append((signals.prompt, MemoryFilter(), _SHARED_HITS, ""))
        place = " ".join(part for part in (_file_words(signals.current_file), signals.branch) if part)
        if place:
            asked.append((place, own, _FILE_HITS, "named by the file or branch"))
        asked.extend(
            (error.split("\n", 1)[0][:400], own, _ERROR_HITS, "like an error just seen")
            for error in signals.recent_errors[:_ERRORS_LOOKED_UP]
        )
        found: list[tuple[RecallHit, str]] = []
        for text, filters, limit, why in asked:
            query = RecallQuery(text=text, filters=filters, limit=limit, is_counted=False)
            found.extend((hit, why) for hit in self._recall.search(query).hits)
        return found

    def _add_related(
        self,
        connection: Connection,
        gathered: _Gathered,
        signals: ContextSignals,
        project_id: int | None,
        now: datetime,
    ) -> None:
        half_life = self._settings().decay_half_life_days
        scores = dict.fromkeys(sources.find_about_files(connection, _file_forms(signals)), _FILE_SCORE)
        best = sorted(gathered.candidates.values(), key=lambda one: (-one.score, one.key))[:_LINKED_FROM]
        by_key = {one.key: one.score for one in best}
        for key, strength in sources.find_linked(connection, list(by_key)).items():
            scores.setdefault(key, _LINK_SHARE * strength)
        rows = sources.load_told(connection, [key for key in scores if key not in gathered.candidates], project_id, now)
        for key, row in rows.items():
            is_of_file = scores[key] == _FILE_SCORE
            reason = f"about {signals.current_file}" if is_of_file else "linked with what fits"
            made = sources.candidate_of(row, sources.tier_of_hit(row), scores[key], reason, now, half_life)
            gathered.add(row, made, is_fitting=is_of_file)

    def _add_background(
        self, connection: Connection, gathered: _Gathered, project_id: int | None, now: datetime
    ) -> None:
        half_life = self._settings().decay_half_life_days
        for key, row in sources.load_background(connection, project_id, now).items():
            if key in gathered.candidates:
                continue
            is_told = sources.is_convention(row) or row.is_pinned
            tier, score = (Tier.BACKGROUND, _CONVENTION_SCORE) if is_told else (Tier.INDEX, _REST_SCORE)
            reason = "pinned" if row.is_pinned else "holds in the whole project" if is_told else "can be asked for"
            gathered.add(row, sources.candidate_of(row, tier, score, reason, now, half_life), is_fitting=False)

    @staticmethod
    def _add_extras(connection: Connection, gathered: _Gathered, project_id: int | None, now: datetime) -> None:
        extras = [
            one
            for one in sources.load_open_contradictions(connection, project_id)
            if any(key in gathered.candidates for key in one.hides)
        ]
        for extra in [*extras, *sources.load_failures(connection, project_id, now)]:
            if any(key in gathered.fitting for key in extra.hides):
                gathered.fitting.add(extra.key)
            for key in extra.hides:  # told as the question that they are, not as two facts
                gathered.candidates.pop(key, None)
                gathered.fitting.discard(key)
            gathered.candidates[extra.key] = sources.extra_candidate(extra, count_tokens(extra.text))
            gathered.titles[extra.key] = extra.text

    # text --------------------------------------------------------------------------------------------

    def _build(
        self,
        candidates: Mapping[int, ContextCandidate],
        gathered: _Gathered,
        request: ContextRequest,
        activity: Activity,
    ) -> Context:
        shares = dict(request.shares) or default_shares(activity)
        room = request.budget_tokens - frame_cost(_counted)
        allocation = allocate(
            list(candidates.values()),
            budget_tokens=max(0, room),
            shares=shares,
            line_tokens=_LINE_TOKENS,
            tier_tokens=heading_cost(_counted),
        )
        picks = sorted(allocation.picks, key=lambda pick: (list(Tier).index(pick.tier), pick.key < 0, pick.key))
        lines = [_line(candidates[pick.key], pick) for pick in picks]
        topics = _topics(candidates, {pick.key for pick in picks})
        if topics is not None:
            candidates = {**candidates, topics.key: topics}
            picks.append(Pick(topics.key, Tier.INDEX, Level.INDEX, topics.tokens[Level.INDEX]))
            lines.append(_line(topics, picks[-1]))
        rendered, token_count = self._fit(picks, lines, candidates, request)
        items = tuple(
            _item(candidates[pick.key], pick, line, span, gathered)
            for pick, line, span in zip(picks, lines, rendered.spans, strict=False)
        )
        return Context(
            text=rendered.text,
            token_count=token_count,
            budget_tokens=request.budget_tokens,
            tiers=allocation.tiers,
            items=items,
            left_out=_left_out(allocation, candidates, gathered),
            activity=activity,
        )

    def _fit(
        self, picks: list[Pick], lines: list[Line], candidates: Mapping[int, ContextCandidate], request: ContextRequest
    ) -> tuple[Rendered, int]:
        """The text of the lines; the least worthy go while the exact size is above what may be sent."""
        max_chars = request.max_chars or sys.maxsize
        while True:
            rendered = render(lines, secret=self._frame_secret())
            token_count = sum(map(_line_tokens, rendered.text.splitlines())) if lines else 0
            over = max(token_count / request.budget_tokens, len(rendered.text) / max_chars)
            if over <= 1 or not lines:
                return rendered, token_count
            excess = max(1, int(len(lines) * (1 - 1 / over)))
            worst = sorted(range(len(picks)), key=lambda at: (candidates[picks[at].key].score, -at))[:excess]
            for at in sorted(worst, reverse=True):
                del picks[at], lines[at]

    def _frame_secret(self) -> bytes:
        if not self._secret:
            try:
                self._secret = self._secret_path.read_bytes()
            except FileNotFoundError:
                self._secret = secrets.token_hex(32).encode()
                write_private(self._secret_path, self._secret)
        return self._secret


def _counted(text: str) -> int:
    return sum(_line_tokens(line) for line in text.splitlines())


def _line(candidate: ContextCandidate, pick: Pick) -> Line:
    return Line(pick.tier, candidate.texts[pick.level], max(0, pick.key))


def _item(
    candidate: ContextCandidate, pick: Pick, line: Line, span: tuple[int, int], gathered: _Gathered
) -> ContextItem:
    shown = line_of(line)
    return ContextItem(
        memory_id=pick.key if pick.key > 0 else None,
        tier=pick.tier,
        level=pick.level,
        text=shown,
        token_count=_line_tokens(shown),
        score=candidate.score,
        reason=candidate.reason,
        signals=candidate.signals,
        title=gathered.titles.get(pick.key, ""),
        is_pinned=candidate.is_pinned,
        start=span[0],
        end=span[1],
    )


def _left_out(
    allocation: Allocation, candidates: Mapping[int, ContextCandidate], gathered: _Gathered
) -> tuple[LeftOut, ...]:
    told = [
        LeftOut(key, title, Tier.RELEVANT, 0.0, 0, 0, "told in this session already")
        for key, title in gathered.already.items()
    ]
    by_score = sorted(allocation.dropped, key=lambda one: (-candidates[one.key].score, one.key))
    dropped = [
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
    return tuple([*told, *dropped][:_LEFT_OUT_KEPT])


def _file_words(path: str) -> str:
    if not path:
        return ""
    place = PurePosixPath(path.replace("\\", "/"))
    return f"{place.name} {place.parent.name}"


def _file_forms(signals: ContextSignals) -> Sequence[str]:
    """The file as it may be written down: whole, inside the project, its name."""
    path = signals.current_file.replace("\\", "/")
    if not path:
        return ()
    inside = path.removeprefix(signals.project_path.rstrip("/") + "/") if signals.project_path else path
    return tuple(dict.fromkeys((path, inside, PurePosixPath(path).name)))


def _topics(candidates: Mapping[int, ContextCandidate], told: set[int]) -> ContextCandidate | None:
    """What there is more of than was told, most first: one line to ask by."""
    rest = Counter(one.topic for key, one in candidates.items() if key > 0 and key not in told and one.topic)
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
