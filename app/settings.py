"""Every number and switch that steers behaviour: default, unit, range, text and source, once.

The settings page, environment variables, config file, validation and the reference table come from here; where values are
read from and written to is `app.settings_sources`. Source: STYLE "Settings, commands, undo".
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

# The scale of S5: a note that a model writes (250 to 500 tokens there and back) takes 10 to 15 units, a compaction of full notes 20 to 30.
ENERGY_TOKENS_PER_UNIT = 30
ENERGY_UNITS_PER_CPU_S = 10.0
NOTE_TOKENS_PERCENT = 20  # of the tokens of a day that a model may read along with, so many at most word notes
EMBEDDING_SHARE = 0.5  # of the likeness in meaning, added to a score; see `app/retrieval/README.md`
ASK_BELOW = 0.56  # asks about 3 % of the messages of real sessions; S1's 0.70 would ask about 7 %

ARCHIVE_WORDS = {"off": "Deleted", "90d": "Kept for 90 days", "1y": "Kept for a year", "forever": "Kept forever"}
_READERS = {
    "off": "Nobody",
    "same": "Each its own",
    "claude-code": "Claude Code",
    "gemini": "Gemini CLI",
    "endpoint": "A model at an address",
    "command": "A command",
}


class Group(StrEnum):
    GENERAL = "General"
    CAPTURE = "Capture"
    QUEUE = "Queue"
    UNDERSTANDING = "Understanding"
    MEMORY = "Memory"
    JUDGE = "Reading along"
    CONSOLIDATION = "Consolidation"
    CONTEXT = "Context"
    DATA = "Data"
    WORK = "Background work"


def _option(
    default: Any,
    group: Group,
    title: str,
    text: str,
    *,
    unit: str = "",
    source: str = "",
    restart: bool = False,
    says: tuple[str, str] = ("", ""),
    is_internal: bool = False,
    is_everyday: bool = False,
    words: Mapping[str, str] | None = None,
    **bounds: Any,
) -> Any:
    """One option. `unit`: as stored, "ratio" for a share of 0..1; `app.values.amounts` shows it as people write it. `says`: the notice when
    a switch is put on, and off. Internal: the app's own note, shown to nobody. Everyday: one of the ten that the settings page begins with.
    `words`: choices that are called otherwise than they are written.
    """
    extra: dict[str, Any] = {"group": group.value, "unit": unit, "source": source, "restart": restart}
    extra |= {"says": says, "is_internal": is_internal, "is_everyday": is_everyday, "words": dict(words or {})}
    return Field(default=default, title=title, description=text, json_schema_extra=extra, **bounds)


class Settings(BaseModel):
    """One immutable set of settings. Unknown names are refused with the nearest known one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    # A table: its columns are those of `_option`.
    # fmt: off
    theme: Literal["system", "light", "dark"] = _option("system", Group.GENERAL, "Theme",
        "Light, dark, or the same as your system.", source="UX 5", is_everyday=True)
    font_percent: int = _option(100, Group.GENERAL, "Text size", "Size of all text in the window.", unit="%", ge=90,
        le=150, source="UX 4.10", is_everyday=True)
    is_motion_reduced: bool = _option(False, Group.GENERAL, "Reduced motion", "No moving or fading parts.",
        source="UX 5", says=("Motion is reduced", "Motion is as usual"))
    closing: Literal["ask", "tray", "quit"] = _option("ask", Group.GENERAL, "Closing the window",
        "Keep capturing in the tray, or quit. On a desktop without a tray, closing always quits.", source="UX 4.11",
        is_everyday=True, words={"ask": "Ask me", "tray": "Keep capturing"})
    starts_with_computer: bool = _option(False, Group.GENERAL, "Start with the computer",
        "Remanence starts in the tray when you log in. Without a tray, the window starts minimised.",
        source="UX 4.10", says=("Remanence starts with the computer", "Remanence does not start with the computer"),
        is_everyday=True)
    is_notifying: bool = _option(True, Group.GENERAL, "Notifications",
        "While the window is closed, Remanence tells you when capturing stops and when a contradiction needs you; each at most once an hour.",
        source="UX 4.11", says=("Remanence notifies you while the window is closed", "Remanence does not notify you"))
    first_start_done: bool = _option(False, Group.GENERAL, "First start done",
        "The welcome steps have been seen; switch off to see them again.", is_internal=True)

    port: int = _option(8765, Group.CAPTURE, "Port",
        "Your assistants reach Remanence on this port of 127.0.0.1. If it is in use, a free one is taken.", ge=1024,
        le=65535, restart=True, source="DESIGN 6")
    max_message_bytes: int = _option(10_000_000, Group.CAPTURE, "Largest message", "A message larger than this is refused.",
        unit="bytes", ge=64_000, le=100_000_000, source="QUALITY R8")
    request_deadline_s: float = _option(5.0, Group.CAPTURE, "Longest time for a message to arrive",
        "A message that is not complete by then is not captured; the assistant sends it again.", unit="s", ge=1, le=30, source="QUALITY R11")
    tool_deadline_s: float = _option(1.5, Group.CONTEXT, "Longest wait for a memory tool",
        "A memory tool answers your assistant within this time, even if it found nothing so quickly.", unit="s",
        ge=0.2, le=120, source="QUALITY P4")
    understand_wait_s: float = _option(1.0, Group.CAPTURE, "How long a prompt waits",
        "Your prompt waits at most this long to be understood, so that what fits it can be given. What takes longer is understood afterwards.",
        unit="s", ge=0, le=300)
    max_attempts: int = _option(3, Group.CAPTURE, "Retries before giving up",
        "A message that cannot be understood is tried this often, then shown under Activity, Failed.", ge=1, le=20)
    is_redacting: bool = _option(True, Group.CAPTURE, "Remove secrets",
        "Passwords, tokens and keys are replaced before anything is written.", source="QUALITY S6",
        says=("Secrets are removed before anything is written", "Secrets are no longer removed"))
    is_subagent_kept: bool = _option(False, Group.CAPTURE, "Keep sub-agent prompts",
        "Prompts that one assistant writes for another.",
        says=("Prompts of sub-agents are kept", "Prompts of sub-agents are not kept"))
    is_distilling: bool = _option(True, Group.CAPTURE, "Read what assistants write down",
        "Titles, to-dos, accepted plans, commit messages, summaries, rule files and what assistants note for themselves.",
        source="DESIGN 5", says=("What assistants write down is read", "What assistants write down is not read"))

    queue_size: int = _option(20, Group.QUEUE, "Conversations kept",
        "Whole conversations in the queue. When a new one begins, the oldest leaves.", ge=3, le=100, source="S1")
    archive: Literal["off", "90d", "1y", "forever"] = _option("off", Group.QUEUE, "Prompt archive",
        "What happens to your prompts when their conversation leaves the queue. Kept prompts can be searched; they hold no secrets and no pasted code, and only a model that you let read along reads them again.",
        source="DESIGN 2, issue 16", is_everyday=True, words=ARCHIVE_WORDS)
    is_keeping_pastes: bool = _option(True, Group.QUEUE, "Keep what you paste",
        "Pasted code, diffs and logs stay while their conversation is in the queue. Off: they are never stored.",
        source="S1, S2",
        says=("What you paste is kept while its conversation is in the queue", "What you paste is not stored"))
    window_messages: int = _option(10, Group.QUEUE, "Messages searched for what “it” means",
        "“It” and “that” may point back to this many messages of the same session.", ge=1, le=50, source="S2")
    window_age_s: int = _option(7_200, Group.QUEUE, "Age of recent messages",
        "`remanence window load` shows no message older than this.", unit="s", ge=60, le=86_400, source="S2")
    idle_pause_s: int = _option(14_400, Group.QUEUE, "Pause a conversation after",
        "A conversation of an earlier session pauses after this long without a message. Only paused and ended conversations leave the queue.",
        unit="s", ge=600, le=2_592_000, source="S1, time gap")

    ask_below: float = _option(ASK_BELOW, Group.UNDERSTANDING, "Ask when less sure than",
        "When Remanence is less sure whether a message starts a new conversation, it asks you. Higher asks more often, 50 % hardly ever.",
        unit="ratio", ge=0.5, le=0.95, source="S1, clarification")
    is_learning_from_corrections: bool = _option(True, Group.UNDERSTANDING, "Learn from corrections",
        "When you correct what a message wants or where a conversation starts, later messages are judged by it.",
        source="S1",
        says=("Remanence learns from your corrections", "Remanence no longer learns from your corrections"))

    is_learning_rules: bool = _option(True, Group.UNDERSTANDING, "Learn rules",
        "Your phrases, files and commands become rules that help to understand later messages. No rule contains your text.",
        source="S1",
        says=("Rules are learned from conversations", "No new rules are learned; the ones you have stay in use"))
    is_using_rules: bool = _option(True, Group.UNDERSTANDING, "Use learned rules",
        "Rules that are sure enough help to understand later messages. Off: rules are still learned, but not used.",
        source="S1", says=("Learned rules are used", "Learned rules are not used"))
    is_reading_code: bool = _option(True, Group.UNDERSTANDING, "Read changed files for code patterns and imports",
        "Consolidation reads the files that your assistants changed, and those that they import. It keeps the names of helpers and the form of paths, never the code. When your assistant is given a context, the imports of the open file are read too.",
        source="S4", says=("Changed files are read for code patterns", "No file is read for code patterns"))
    code_files_read: int = _option(200, Group.UNDERSTANDING, "Files read for code patterns",
        "The newest changed files of a project that one consolidation reads, at most.", unit="files",
        source="app/deciders/learning", ge=1, le=2_000)
    rule_idle_runs: int = _option(10, Group.UNDERSTANDING, "Drop a rule after",
        "A rule seen fewer than three times is dropped after this many consolidations without it.", unit="runs",
        source="DESIGN 2", ge=1, le=100)

    is_learning_memories: bool = _option(True, Group.MEMORY, "Learn memories",
        "What you say about your projects becomes memories. Off: only memories that you write yourself are kept.",
        source="S3", says=("Memories are learned from what you say", "Nothing is learned from what you say any more"),
        is_everyday=True)
    promote_at: float = _option(0.7, Group.MEMORY, "Keep without asking",
        "A statement at least this sure becomes a memory right away; a less sure one waits for you in Review.",
        unit="ratio", ge=0, le=1, source="S3, fact lifecycle")
    propose_at: float = _option(0.5, Group.MEMORY, "Ignore below",
        "A statement less sure than this is not even shown in Review.", unit="ratio", ge=0, le=1,
        source="S3, fact lifecycle")
    decay_half_life_days: int = _option(30, Group.MEMORY, "Unused memories lose half their weight after",
        "Weight decides what is given first and what is archived. Every use brings it back.", unit="days", ge=1, le=3_650, source="S3, decay function")
    recall_recipe: str = _option("gated", Group.MEMORY, "Search weights",
        "A named set of weights (a recipe) for relevance, age, importance and use in a search: gated, seed_weights or seed_config.",
        source="S3, retrieval weights")
    recall_weights: str = _option("", Group.MEMORY, "Own search weights",
        "Instead of the recipe, such as “relevance .3, recency .3, importance .4”. Empty: the recipe counts. A search can set its own.",
        max_length=200, source="S3, recencyWeight, importanceWeight")
    recall_limit: int = _option(10, Group.MEMORY, "Results of a search",
        "A search shows at most this many, unless it asks for another number.", unit="results", ge=1, le=200, source="S3, retrievalTopK")
    recall_threshold: float = _option(0.0, Group.MEMORY, "Least score of a result",
        "Memories that score less are left out. At 0 %, a search still finds nothing when no memory contains enough of what was asked.",
        unit="ratio", ge=0, le=1, source="S3, relevanceThreshold (0.3 there, for another score)")
    embedding_model: str = _option("", Group.MEMORY, "Search by meaning with",
        "A model for embeddings at the address below, such as nomic-embed-text or all-minilm. Your memories and searches are sent to it. Empty: search uses words only.",
        max_length=200, source="S4, embedding")
    embedding_endpoint: str = _option("http://127.0.0.1:11434/v1", Group.MEMORY, "Address of that model",
        "Ollama, LM Studio, llama.cpp or vLLM on this computer.", max_length=500, source="issue 18")
    is_embedding_endpoint_remote: bool = _option(False, Group.MEMORY, "Allow an address elsewhere for it",
        "Your memories and searches then leave this computer for that address.", source="QUALITY S13",
        says=("The model for meaning may be on another computer", "The model for meaning must be on this computer"))
    embedding_key_variable: str = _option("", Group.MEMORY, "Environment variable with its key",
        "The key itself is never stored here.", max_length=200, pattern=r"^[A-Za-z0-9_]*$")
    recent_messages: int = _option(20, Group.MEMORY, "Recent messages",
        "This many messages of a conversation stay as they are; older ones are summed up.", unit="messages", ge=5,
        le=200, source="S3, chunking strategy")
    chunk_messages: int = _option(10, Group.MEMORY, "Messages per summary",
        "This many of the oldest messages become one summary with its topics.", unit="messages", ge=2, le=100,
        source="S3, chunking strategy")
    max_chunks: int = _option(25, Group.MEMORY, "Summaries of a conversation",
        "Beyond this the two oldest are merged.", ge=2, le=500, source="S3, chunk compression")

    is_noting: bool = _option(True, Group.MEMORY, "Write notes",
        "When a conversation ends, its assistant gets a note of two to four sentences. Older conversations get none.",
        source="S5", says=("Conversations leave a note", "Conversations leave no note"))
    note_chars: int = _option(200, Group.MEMORY, "Length of a note",
        "Four sentences at most, and never longer than this.", unit="characters", ge=60, le=1_000,
        source="S5, context size")
    notes_per_app: int = _option(10, Group.MEMORY, "Notes per assistant",
        "With one more, two are merged or the least important one is dropped.", unit="notes", ge=1, le=100,
        source="S5")

    judge: Literal["off", "same", "claude-code", "codex", "gemini", "endpoint", "command"] = _option("off",
        Group.JUDGE, "Who reads along",
        "A model that you already have reads your prompts and the ends of answers in the background, secrets removed, and says what is worth remembering. “Each its own”: every conversation is read by the assistant that you had it with.",
        source="JUDGE, adapters", is_everyday=True, words=_READERS)
    is_judge_paused: bool = _option(False, Group.JUDGE, "Pause reading along",
        "Nothing is read automatically until you resume; what you ask for still is.", source="UX 4.8b",
        says=("Reading along is paused", "Reading along is on again"))
    is_judge_asked: bool = _option(False, Group.JUDGE, "Asked whether somebody may read along",
        "The question was answered; switch off to be asked again.", is_internal=True, source="UX 4.8b")
    judge_model: str = _option("", Group.JUDGE, "Model", "Empty: the program's own choice.", max_length=200,
        source="JUDGE")
    judge_endpoint: str = _option("http://127.0.0.1:11434/v1", Group.JUDGE, "Address of the model",
        "For “A model at an address”: Ollama, LM Studio, llama.cpp or vLLM on this computer.", max_length=500,
        source="JUDGE, adapters")
    is_judge_endpoint_remote: bool = _option(False, Group.JUDGE, "Allow an address elsewhere",
        "Your prompts then leave this computer for that address.", source="JUDGE, adapters",
        says=("The model may be on another computer", "The model must be on this computer"))
    judge_key_variable: str = _option("", Group.JUDGE, "Environment variable with the key",
        "For “A model at an address”. The key itself is never stored here.", max_length=200,
        pattern=r"^[A-Za-z0-9_]*$")
    judge_command: str = _option("", Group.JUDGE, "Command",
        "For “A command”: a program that reads a request as JSON and prints an answer as JSON. No shell is used.",
        max_length=4_000, source="JUDGE, adapters")
    is_judge_handing_keys: bool = _option(False, Group.JUDGE, "Pass on API keys",
        "Keys in the environment make a request bill that account instead of your plan.", source="JUDGE",
        says=("API keys of the environment are passed on", "API keys of the environment are not passed on"))
    judge_daily_tokens: int = _option(30_000, Group.JUDGE, "Tokens a day",
        "No request is made that would go over it. 0: no limit.", unit="tokens", ge=0, le=100_000_000,
        source="JUDGE, what went wrong for others")
    judge_monthly_tokens: int = _option(0, Group.JUDGE, "Tokens a month", "The same limit over 30 days. 0: no limit.",
        unit="tokens", ge=0, le=1_000_000_000, source="JUDGE, what went wrong for others")
    is_judge_noting: bool = _option(True, Group.JUDGE, "Let the model write notes",
        "The model that reads along also writes the notes, and decides which to drop when there are too many; a fifth of the tokens at most.",
        source="S5, memory sub-agent", says=("The model writes notes too", "Notes are written without the model"))
    is_keeping_answer_ends: bool = _option(True, Group.JUDGE, "Keep the ends of answers",
        "The last 400 characters, while their conversation is in the queue: for “last time” and for the model that reads along.",
        source="DESIGN 2", says=("The ends of answers are kept for a while", "No part of an answer is kept"))

    is_consolidating: bool = _option(True, Group.CONSOLIDATION, "Consolidate automatically",
        "Merges duplicates, shortens old memories, links them and archives what nobody uses. You can undo every run.",
        source="S1, S4", says=("Remanence consolidates automatically", "Remanence consolidates only when you ask"),
        is_everyday=True)
    consolidation_events: int = _option(50, Group.CONSOLIDATION, "Consolidate after",
        "After this many events: a prompt, an answer or a tool call is one.", unit="events", ge=1, le=100_000, source="S1")
    consolidation_hours: int = _option(24, Group.CONSOLIDATION, "Consolidate at least every", "Only if something changed.",
        unit="h", ge=1, le=8_760, source="S1")
    is_consolidating_at_night: bool = _option(True, Group.CONSOLIDATION, "Consolidate at night",
        "Between one and five o'clock, when nothing was captured for a quarter of an hour.", source="S4",
        says=("It also consolidates at night", "It does not consolidate at night"))
    duplicate_likeness: float = _option(0.92, Group.CONSOLIDATION, "Compare duplicates from",
        "Two memories at least this alike are compared; they are merged only when they also say the same.",
        unit="ratio", ge=0.5, le=1, source="S4")
    summary_days: int = _option(7, Group.CONSOLIDATION, "Shorten to a summary after",
        "A memory unused for this long is given as its summary; its full text stays.", unit="days", ge=1, le=3_650,
        source="S4")
    compressed_days: int = _option(30, Group.CONSOLIDATION, "Shorten further after",
        "A memory unused for this long is given in its compressed form; its full text stays.", unit="days", ge=1,
        le=3_650, source="S4")
    archive_days: int = _option(30, Group.CONSOLIDATION, "Archive weak memories after",
        "Older memories are archived when they are weak, as below. Days on which Remanence did not run do not count.",
        unit="days", ge=1, le=3_650, source="S3")
    archive_below: float = _option(0.3, Group.CONSOLIDATION, "Weak means below",
        "An old memory with less weight than this is weak. Weight begins with its importance; age lowers it, use raises it.", unit="ratio", ge=0, le=1, source="S3")
    unused_days: int = _option(90, Group.CONSOLIDATION, "Archive unused memories after",
        "A memory never used for this long is archived, unless you pinned or confirmed it or said it three times.",
        unit="days", ge=1, le=3_650, source="S4")
    memories_kept: int = _option(500, Group.CONSOLIDATION, "Memories kept for a project",
        "Constraints, decisions, preferences, what was called useful, and facts of yours that no model has rated are archived only beyond this.",
        unit="memories", ge=10, le=1_000_000, source="S4, constraints last")
    episodes_kept: int = _option(100, Group.CONSOLIDATION, "Episodes kept for a project",
        "Beyond this, the oldest without a key moment are merged into one; undo brings the parts back.",
        unit="episodes", ge=10, le=100_000, source="S3, maxEpisodicMemories")
    consolidation_in_place: int = _option(10_000, Group.CONSOLIDATION, "Compare in the window's process up to",
        "With more memories, a separate process compares them, so that the window stays quick.", unit="memories",
        ge=0, le=10_000_000, source="DESIGN 3")
    runs_kept: int = _option(50, Group.CONSOLIDATION, "Runs listed", "Older runs are no longer listed.", unit="runs",
        ge=2, le=1_000)

    is_giving_context: bool = _option(True, Group.CONTEXT, "Give memories to assistants",
        "Your assistants are given what fits your prompt. Off: they are given nothing; capturing continues.",
        source="DESIGN 1", says=("Your assistants are given memories", "Your assistants are given no memories"),
        is_everyday=True)
    context_tokens: int = _option(8_000, Group.CONTEXT, "Limit per request",
        "When your assistant asks for memories, it is given at most this much.", unit="tokens", ge=500, le=32_000,
        source="S4")
    hook_tokens: int = _option(2_000, Group.CONTEXT, "Limit per prompt",
        "At most this much is given with a prompt. Assistants cut what is longer than 10,000 characters.",
        unit="tokens", ge=100, le=2_400, source="INTEROP, rule 2")
    start_tokens: int = _option(500, Group.CONTEXT, "Limit at a session start",
        "About ten lines: what matters most. The rest is given with the prompts that it fits, or when your assistant asks.",
        unit="tokens", ge=100, le=2_400, source="issue 16")
    tier_shares: str = _option("", Group.CONTEXT, "Shares of a context",
        "How a context is divided into its four tiers (critical, relevant, background, index), in percent, such as 25/40/25/10. Dragging a border on Context sets this. Empty: as your work needs it.",
        pattern=r"^(|\d{1,3}(\.\d+)?(/\d{1,3}(\.\d+)?){3})$", source="UX 4.6")
    is_asking_to_remember: bool = _option(True, Group.CONTEXT, "Ask assistants to remember",
        "The memory tools, and one line at a session start, ask your assistant to report what you said, in your exact words.",
        source="JUDGE, the assistant at work",
        says=("Assistants are asked to remember what you say", "Assistants are not asked to remember"))
    is_asking_with_prompts: bool = _option(True, Group.CONTEXT, "Ask with a prompt",
        "When a prompt sounds as if something in it should last, one line asks your assistant to remember it; at most with one prompt in four.",
        source="JUDGE, the assistant at work",
        says=("A prompt that sounds lasting comes with a line that asks to remember it", "No prompt comes with such a line"))
    window_tokens: int = _option(128_000, Group.CONTEXT, "Whole context window",
        "For a model that is given everything at once: system prompt, turn, recent messages, memories.",
        unit="tokens", ge=1_000, le=2_000_000, source="S3, maxContextTokens")
    window_system_tokens: int = _option(2_000, Group.CONTEXT, "Kept for the system prompt",
        "Part of the whole context window. A longer one takes from the rest.", unit="tokens", ge=0, le=100_000,
        source="S3, systemPromptTokens")
    window_working_tokens: int = _option(8_000, Group.CONTEXT, "Kept for the turn",
        "Part of the whole context window: the open file, errors, the prompt.", unit="tokens", ge=0, le=200_000,
        source="S3, workingMemoryTokens")
    window_turns: int = _option(50, Group.CONTEXT, "Messages in the whole context window",
        "At most this many of the last messages are in it in full; earlier ones are summed up.", unit="messages",
        ge=1, le=2_000, source="S3, shortTermRetentionTurns")
    notes_given: Literal["asked", "start"] = _option("asked", Group.CONTEXT, "Give notes",
        "At the start: with the first prompt of a session, or of a conversation that rested. When asked: only to an assistant that asks, and when you open a conversation to review it.",
        source="S5, context injection points", words={"asked": "When asked", "start": "At the start"})
    receipt_days: int = _option(30, Group.CONTEXT, "Receipts kept",
        "How long you can look up what was given to which assistant. A receipt lists every item and why it was chosen.",
        unit="days", ge=1, le=365, source="DESIGN 4")

    backup_interval_s: int = _option(1_800, Group.DATA, "Back up every", "Only if something changed.", unit="s", ge=300,
        le=604_800, source="QUALITY R5")
    backups_kept: int = _option(14, Group.DATA, "Backups kept",
        "Older ones are thinned out: one an hour, then one a day.", ge=2, le=200)
    undo_days: int = _option(30, Group.DATA, "Undo reaches back", "Undo history older than this is deleted.",
        unit="days", ge=1, le=365, source="UX 2.3", is_everyday=True)
    energy_capacity: int = _option(1_000, Group.WORK, "Energy",
        "What background work may use: ten units for a second of your processor, one for 30 tokens of a model that reads along.",
        unit="units", ge=10, le=1_000_000, source="S5, energy budget")
    energy_refill_per_hour: int = _option(1_000, Group.WORK, "Energy per hour",
        "How much comes back in an hour, until it is full.", unit="units", ge=1, le=1_000_000,
        source="S5, energy budget")
    energy_low_percent: int = _option(20, Group.WORK, "Wait when energy is below",
        "Automatic work then waits; what you ask for still runs. 0 %: it never waits.", unit="%", ge=0, le=90,
        source="S5, low priority")
    log_bytes: int = _option(2_000_000, Group.WORK, "Log size", "Each of the three log files is at most this large.",
        unit="bytes", ge=100_000, le=100_000_000, restart=True)
    import_batch: int = _option(200, Group.WORK, "Import batch", "Messages per transaction while importing.",
        unit="messages", ge=10, le=5_000)
    # fmt: on
