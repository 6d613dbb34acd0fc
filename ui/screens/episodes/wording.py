"""Words for episodes: types, how it went, months, what was made. Pure. Source: S3 "Episode Types", UX section 2."""

from collections.abc import Sequence
from datetime import datetime

from app.values import Artifact, ArtifactKind, Episode, EpisodeType, Moment, Outcome
from ui.wording.figures import app_title, counted

TYPE_WORDS = {
    EpisodeType.DECISION_MADE: "Decision made",
    EpisodeType.PROBLEM_SOLVED: "Problem solved",
    EpisodeType.BREAKTHROUGH: "Breakthrough",
    EpisodeType.ISSUE_IDENTIFIED: "Issue found",
    EpisodeType.TASK_COMPLETED: "Task completed",
    EpisodeType.PIVOT: "Change of course",
}
CHIP_WORDS = {  # shorter: all of them are in one row of the smallest window
    EpisodeType.DECISION_MADE: "Decisions",
    EpisodeType.PROBLEM_SOLVED: "Solved",
    EpisodeType.BREAKTHROUGH: "Breakthroughs",
    EpisodeType.ISSUE_IDENTIFIED: "Issues",
    EpisodeType.TASK_COMPLETED: "Tasks",
    EpisodeType.PIVOT: "Changes of course",
}
TYPE_LOOKS = {  # icon, colour token
    EpisodeType.DECISION_MADE: ("decision", "accent"),
    EpisodeType.PROBLEM_SOLVED: ("check", "good"),
    EpisodeType.BREAKTHROUGH: ("flag", "good"),
    EpisodeType.ISSUE_IDENTIFIED: ("warning", "warn"),
    EpisodeType.TASK_COMPLETED: ("check", "good"),
    EpisodeType.PIVOT: ("split", "accent"),
}
NO_LOOK = ("episode", "sub")
_MADE = {
    ArtifactKind.COMMIT: ("commit", "commits"),
    ArtifactKind.PR: ("pull request", "pull requests"),
    ArtifactKind.ADR: ("decision record", "decision records"),
    ArtifactKind.FILE: ("file", "files"),
}
_WELL, _BADLY = 0.25, -0.25
_ENDED_WELL = frozenset({Outcome.IMPLEMENTED, Outcome.TESTED, Outcome.COMPLETED})


def month_title(at: datetime) -> str:
    """
    >>> month_title(datetime(2026, 3, 2))
    'March 2026'
    """
    return f"{at:%B %Y}"


def valence_words(valence: float | None, outcome: Outcome | None = None) -> str:
    """How it went for the person; "" where nothing shows it. What was brought to an end did not go badly as a whole.

    >>> valence_words(0.5), valence_words(0.0), valence_words(-0.67), valence_words(None)
    ('went well', 'had ups and downs', 'went badly', '')
    >>> valence_words(-0.67, Outcome.IMPLEMENTED)
    'had ups and downs'
    """
    if valence is None:
        return ""
    if valence >= _WELL:
        return "went well"
    return "went badly" if valence <= _BADLY and outcome not in _ENDED_WELL else "had ups and downs"


def dates(episode: Episode) -> str:
    """When it was, in local time."""
    began, ended = episode.began_at.astimezone(), episode.ended_at.astimezone()
    first = f"{began.day} {began:%b %Y}, {began:%H:%M}"
    if began.date() == ended.date():
        return f"{first}–{ended:%H:%M}" if f"{began:%H:%M}" != f"{ended:%H:%M}" else first
    return f"{first} – {ended.day} {ended:%b}, {ended:%H:%M}"


def meta_line(episode: Episode) -> str:
    """When, where, with whom and what came of it."""
    turns = sum(one.turn_range.end - one.turn_range.start + 1 for one in episode.conversations if one.turn_range)
    parts = [
        dates(episode),
        episode.project,
        app_title(episode.app) if episode.app else "",
        counted(turns, "message") if turns else "",
        episode.outcome.value if episode.outcome else "",
        valence_words(episode.valence, episode.outcome),
    ]
    return " · ".join(filter(None, parts))


def chip_texts(episode: Episode) -> list[str]:
    """What hangs on it, for its row."""
    key = sum(one.significance >= 0.7 for one in episode.moments)
    found = [
        counted(key, "key moment") if key else "",
        f"{counted(episode.memory_count, 'memory', 'memories')} learned" if episode.memory_count else "",
        made_words(episode.artifacts),
    ]
    return [one for one in found if one]


def made_words(artifacts: Sequence[Artifact]) -> str:
    """What was made, counted by kind: "2 commits, 3 files"."""
    kinds = [one.kind for one in artifacts]
    counts = [(kind, kinds.count(kind)) for kind in _MADE]
    return ", ".join(counted(count, *_MADE[kind]) for kind, count in counts if count)


def artifact_words(one: Artifact) -> str:
    """What was made, in a few words: of a file its name.

    >>> artifact_words(Artifact(1, ArtifactKind.PR, "#45")), artifact_words(Artifact(1, ArtifactKind.FILE, "src/a/b.py"))
    ('Pull request #45', 'b.py')
    """
    if one.kind is ArtifactKind.FILE:
        return one.reference.rpartition("/")[2] or one.reference
    return f"{_MADE[one.kind][0].capitalize()} {one.reference}"


def moment_line(one: Moment) -> str:
    return f"{TYPE_WORDS[one.type]}: {one.text}"


def story_of(episode: Episode, narrative: str) -> str:
    """The story without the sentence that only repeats the title."""
    return narrative.removeprefix(f"You worked on “{episode.title}”.").strip() or narrative


def accessible_text(episode: Episode) -> str:
    """The row in words."""
    kind = TYPE_WORDS[episode.type] if episode.type is not None else ""
    began = episode.began_at.astimezone()
    return ", ".join(
        filter(None, (f"{began.day} {began:%B %Y}", episode.title, kind, episode.project, episode.summary))
    )
