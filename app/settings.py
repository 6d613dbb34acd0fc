"""Every number and switch that steers behaviour: default, unit, range, text and source, once.

The settings page, environment variables, config file, validation and the reference table come from here; where values are
read from and written to is `app.settings_sources`. Source: STYLE "Settings, commands, undo".
"""

from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

# The scale of S5: a note that a model writes (250 to 500 tokens there and back) takes 10 to 15 units, a compaction of full notes 20 to 30.
ENERGY_TOKENS_PER_UNIT = 30
ENERGY_UNITS_PER_CPU_S = 10.0
NOTE_TOKENS_PERCENT = 20  # of the tokens of a day that a model may read along with, so many at most word notes
EMBEDDING_SHARE = 0.5  # of the likeness in meaning, added to a score; see `app/retrieval/README.md`
ASK_BELOW = 0.56  # asks about 3 % of the messages of real sessions; S1's 0.70 would ask about 7 %


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
    ADVANCED = "Advanced"


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
    **bounds: Any,
) -> Any:
    """One option. `says`: what is told when a switch is put on, and off. Internal: the app's own note, told to nobody."""
    extra: dict[str, Any] = {"group": group.value, "unit": unit, "source": source, "restart": restart}
    extra |= {"says": says, "is_internal": is_internal}
    return Field(default=default, title=title, description=text, json_schema_extra=extra, **bounds)


class Settings(BaseModel):
    """One immutable set of settings. Unknown names are refused with the nearest known one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    theme: Literal["system", "light", "dark"] = _option(
        "system", Group.GENERAL, "Theme", "Light, dark, or as the system says.", source="UX 5"
    )
    font_percent: int = _option(
        100,
        Group.GENERAL,
        "Text size",
        "Size of all text in the window.",
        unit="%",
        ge=90,
        le=150,
        source="UX 4.10",
    )
    is_motion_reduced: bool = _option(
        False,
        Group.GENERAL,
        "Reduced motion",
        "No moving or fading parts.",
        source="UX 5",
        says=("Motion is reduced", "Motion is as usual"),
    )
    closing: Literal["ask", "tray", "quit"] = _option(
        "ask",
        Group.GENERAL,
        "Closing the window",
        "Ask once, stay in the tray and keep capturing, or quit. On a desktop without a tray, closing always quits.",
        source="UX 4.11",
    )
    starts_with_computer: bool = _option(
        False,
        Group.GENERAL,
        "Start with the computer",
        "Starts in the tray when you log in. Without a tray, the window starts minimised.",
        source="UX 4.10",
        says=("Remanence starts with the computer", "Remanence does not start with the computer"),
    )
    first_start_done: bool = _option(
        False,
        Group.GENERAL,
        "First start done",
        "The welcome steps have been seen; switch off to see them again.",
        is_internal=True,
    )

    port: int = _option(
        8765,
        Group.CAPTURE,
        "Port",
        "First choice on 127.0.0.1; a free one is taken when it is in use.",
        ge=1024,
        le=65535,
        restart=True,
        source="DESIGN 6",
    )
    max_message_bytes: int = _option(
        10_485_760,
        Group.CAPTURE,
        "Largest message",
        "A larger request is refused.",
        unit="bytes",
        ge=65_536,
        le=104_857_600,
        source="QUALITY R8",
    )
    request_deadline_s: float = _option(
        5.0,
        Group.CAPTURE,
        "Request deadline",
        "A request that is not complete by then is closed.",
        unit="s",
        ge=1,
        le=30,
        source="QUALITY R11",
    )
    tool_deadline_s: float = _option(
        1.5,
        Group.CONTEXT,
        "Longest wait for a memory tool",
        "A tool that an assistant calls answers by then, with a sentence when nothing was found so soon.",
        unit="s",
        ge=0.2,
        le=120,
        source="QUALITY P4",
    )
    understand_wait_s: float = _option(
        1.0,
        Group.CAPTURE,
        "Wait for understanding",
        "How long an answer on the socket waits for boundary and references before it says 'pending'.",
        unit="s",
        ge=0,
        le=300,
    )
    max_attempts: int = _option(
        3,
        Group.CAPTURE,
        "Attempts",
        "So often a failing event is tried before it is shown as failed.",
        ge=1,
        le=20,
    )
    is_redacting: bool = _option(
        True,
        Group.CAPTURE,
        "Remove secrets",
        "Passwords, tokens and keys are replaced before anything is written.",
        source="QUALITY S6",
        says=("Secrets are taken out before anything is written", "Secrets are no longer taken out"),
    )
    is_subagent_kept: bool = _option(
        False,
        Group.CAPTURE,
        "Keep sub-agent prompts",
        "Prompts that one assistant writes for another.",
        says=("Prompts of sub-agents are kept", "Prompts of sub-agents are not kept"),
    )
    is_distilling: bool = _option(
        True,
        Group.CAPTURE,
        "Read what assistants note down",
        "Titles, to-dos, accepted plans, commit messages, summaries, rule files and what they remember by themselves.",
        source="DESIGN 5",
        says=("What assistants note down is read in passing", "What assistants note down is not read"),
    )

    queue_size: int = _option(
        20, Group.QUEUE, "Conversations kept", "Whole conversations in the queue.", ge=3, le=100, source="S1"
    )
    archive: Literal["off", "90d", "1y", "forever"] = _option(
        "off",
        Group.QUEUE,
        "Prompt archive",
        "What happens to your prompts when their conversation leaves the queue. 'off' deletes them; else they are kept for 90 days, a "
        "year or for ever: secrets taken out, without pasted code, searched, and read once more only by a model that reads along.",
        source="DESIGN 2, issue 16",
    )
    is_keeping_pastes: bool = _option(
        True,
        Group.QUEUE,
        "Keep what you paste",
        "Pasted code, diffs and logs stay as long as their conversation is in the queue. Off: they are dropped at capture.",
        source="S1, S2",
        says=("What you paste is kept while its conversation is in the queue", "What you paste is dropped at capture"),
    )
    window_messages: int = _option(
        10,
        Group.QUEUE,
        "Reference window",
        "So many of the last messages references may look at.",
        ge=1,
        le=50,
        source="S2",
    )
    window_age_s: int = _option(
        7_200,
        Group.QUEUE,
        "Age of the reference window",
        "What `remanence window load` shows is not older than this.",
        unit="s",
        ge=60,
        le=86_400,
        source="S2",
    )
    idle_pause_s: int = _option(
        14_400,
        Group.QUEUE,
        "Idle until paused",
        "An active conversation of an earlier session pauses after this long without a message; "
        "only paused and ended ones leave the queue.",
        unit="s",
        ge=600,
        le=2_592_000,
        source="S1, time gap",
    )

    ask_below: float = _option(
        ASK_BELOW,
        Group.UNDERSTANDING,
        "Ask below",
        "A boundary less sure than this is asked about, not guessed. Higher asks more often, 0.5 hardly ever.",
        ge=0.5,
        le=0.95,
        source="S1, clarification",
    )
    is_learning_from_corrections: bool = _option(
        True,
        Group.UNDERSTANDING,
        "Learn from corrections",
        "Your corrections of intents and boundaries change later judgements.",
        source="S1",
        says=("Your corrections change later judgements", "Your corrections no longer change later judgements"),
    )

    is_learning_rules: bool = _option(
        True,
        Group.UNDERSTANDING,
        "Learn rules",
        "What conversations teach about your phrases, files and commands changes later judgements. No text of yours is in a rule.",
        source="S1",
        says=("Rules are learned from conversations", "No rule is learned any more; those that there are still hold"),
    )
    is_using_rules: bool = _option(
        True,
        Group.UNDERSTANDING,
        "Use learned rules",
        "Learned rules that are sure enough change what is understood from then on. Off: they are kept and learned, and change nothing.",
        source="S1",
        says=("Learned rules change later judgements", "Learned rules change no judgement"),
    )
    is_reading_code: bool = _option(
        True,
        Group.UNDERSTANDING,
        "Read changed files for code patterns and imports",
        "In a consolidation the files that your assistants changed are read by their syntax, and files that they import: names of the project's own helpers and shapes of paths are kept, code is not. What the file at hand imports is read when a context is made.",
        source="S4",
        says=("Changed files are read for code patterns", "No file is read for code patterns"),
    )
    code_files_read: int = _option(
        200,
        Group.UNDERSTANDING,
        "Files read for code patterns",
        "The newest so many files that were changed in a project are read in a consolidation.",
        unit="files",
        source="app/deciders/learning",
        ge=1,
        le=2_000,
    )
    rule_idle_runs: int = _option(
        10,
        Group.UNDERSTANDING,
        "Runs before a rule goes",
        "A rule that was seen fewer than three times goes after so many consolidations without being seen again.",
        unit="runs",
        source="DESIGN 2",
        ge=1,
        le=100,
    )

    is_learning_memories: bool = _option(
        True,
        Group.MEMORY,
        "Learn memories",
        "What you say about your project becomes memories. Off: only those that you write are kept.",
        source="S3",
        says=("Memories are learned from what you say", "Nothing more is learned from what you say"),
    )
    promote_at: float = _option(
        0.7,
        Group.MEMORY,
        "Keep without asking",
        "A statement at least this sure becomes a memory by itself; a less sure one waits in the review inbox.",
        ge=0,
        le=1,
        source="S3, fact lifecycle",
    )
    propose_at: float = _option(
        0.5,
        Group.MEMORY,
        "Propose",
        "A statement less sure than this is not even proposed.",
        ge=0,
        le=1,
        source="S3, fact lifecycle",
    )
    decay_half_life_days: int = _option(
        30,
        Group.MEMORY,
        "Half-life",
        "After so many days without use a memory counts half; every use lifts it again.",
        unit="days",
        ge=1,
        le=3_650,
        source="S3, decay function",
    )
    recall_recipe: str = _option(
        "gated",
        Group.MEMORY,
        "Recall recipe",
        "How relevance, age, importance and use are weighed when memories are looked up.",
        source="S3, retrieval weights",
    )
    recall_weights: str = _option(
        "",
        Group.MEMORY,
        "Weights in place of the recipe",
        "Such as 'relevance .3, recency .3, importance .4'. Empty: as the recipe says. A search may bring its own.",
        max_length=200,
        source="S3, recencyWeight, importanceWeight",
    )
    recall_limit: int = _option(
        10,
        Group.MEMORY,
        "Hits of a search",
        "So many at most, where whoever asks does not say how many.",
        unit="hits",
        ge=1,
        le=200,
        source="S3, retrievalTopK",
    )
    recall_threshold: float = _option(
        0.0,
        Group.MEMORY,
        "Least score of a hit",
        "Memories that score less are no hits. 0: a search is silent when nothing holds enough of what was asked, whatever it scores.",
        ge=0,
        le=1,
        source="S3, relevanceThreshold (0.3 there, for another score)",
    )
    embedding_model: str = _option(
        "",
        Group.MEMORY,
        "Search by meaning with",
        "A model for embeddings that runs at the address below, such as nomic-embed-text or all-minilm. Your memories and searches are "
        "sent to it. Empty: search goes by words alone.",
        max_length=200,
        source="S4, embedding",
    )
    embedding_endpoint: str = _option(
        "http://127.0.0.1:11434/v1",
        Group.MEMORY,
        "Address of that model",
        "Ollama, LM Studio, llama.cpp or vLLM on this machine.",
        max_length=500,
        source="issue 18",
    )
    is_embedding_endpoint_remote: bool = _option(
        False,
        Group.MEMORY,
        "Allow an address elsewhere for it",
        "Your memories and searches then leave this machine for that address.",
        source="QUALITY S13",
        says=("The model for meaning may be on another machine", "The model for meaning must be on this machine"),
    )
    embedding_key_variable: str = _option(
        "",
        Group.MEMORY,
        "Environment variable with its key",
        "The key itself is never kept here.",
        max_length=200,
        pattern=r"^[A-Za-z0-9_]*$",
    )
    recent_messages: int = _option(
        20,
        Group.MEMORY,
        "Recent messages",
        "So many messages of a conversation stay as they are; older ones are summed up in chunks.",
        unit="messages",
        ge=5,
        le=200,
        source="S3, chunking strategy",
    )
    chunk_messages: int = _option(
        10,
        Group.MEMORY,
        "Messages in a chunk",
        "So many of the oldest messages become one chunk with a summary and its topics.",
        unit="messages",
        ge=2,
        le=100,
        source="S3, chunking strategy",
    )
    max_chunks: int = _option(
        25,
        Group.MEMORY,
        "Chunks of a conversation",
        "Beyond that the two oldest are merged.",
        ge=2,
        le=500,
        source="S3, chunk compression",
    )

    is_noting: bool = _option(
        True,
        Group.MEMORY,
        "Write notes",
        "When a conversation ends, its app gets a note of two to four sentences. Older conversations make none.",
        source="S5",
        says=("Conversations leave a note", "Conversations leave no note"),
    )
    note_chars: int = _option(
        200,
        Group.MEMORY,
        "Length of a note",
        "Where four sentences do not fit, the length wins.",
        unit="characters",
        ge=60,
        le=1_000,
        source="S5, context size",
    )
    notes_per_app: int = _option(
        10,
        Group.MEMORY,
        "Notes of an app",
        "One more, and two become one or the least important goes.",
        unit="notes",
        ge=1,
        le=100,
        source="S5",
    )

    judge: Literal["off", "same", "claude-code", "codex", "gemini", "endpoint", "command"] = _option(
        "off",
        Group.JUDGE,
        "Who reads along",
        "A model that you already have reads your prompts and the ends of the answers in the background, secrets taken out, and says "
        "what is worth remembering. Each its own ('same'): the assistant that had the conversation.",
        source="JUDGE, adapters",
    )
    is_judge_paused: bool = _option(
        False,
        Group.JUDGE,
        "Pause reading along",
        "Nothing is read automatically until you resume; what you ask for is.",
        source="UX 4.8b",
        says=("Reading along is paused", "Reading along goes on"),
    )
    is_judge_asked: bool = _option(
        False,
        Group.JUDGE,
        "Asked whether somebody may read along",
        "The question was answered; switch off to be asked again.",
        is_internal=True,
        source="UX 4.8b",
    )
    judge_model: str = _option(
        "", Group.JUDGE, "Model", "Empty: the one that the program takes by itself.", max_length=200, source="JUDGE"
    )
    judge_endpoint: str = _option(
        "http://127.0.0.1:11434/v1",
        Group.JUDGE,
        "Address of the model",
        "For 'endpoint': Ollama, LM Studio, llama.cpp or vLLM on this machine.",
        max_length=500,
        source="JUDGE, adapters",
    )
    is_judge_endpoint_remote: bool = _option(
        False,
        Group.JUDGE,
        "Allow an address elsewhere",
        "Your prompts then leave this machine for that address.",
        source="JUDGE, adapters",
        says=("The model may be on another machine", "The model must be on this machine"),
    )
    judge_key_variable: str = _option(
        "",
        Group.JUDGE,
        "Environment variable with the key",
        "For 'endpoint'. The key itself is never kept here.",
        max_length=200,
        pattern=r"^[A-Za-z0-9_]*$",
    )
    judge_command: str = _option(
        "",
        Group.JUDGE,
        "Command",
        "For 'command': a program that reads a request as JSON and prints an answer as JSON. No shell is used.",
        max_length=4_000,
        source="JUDGE, adapters",
    )
    is_judge_handing_keys: bool = _option(
        False,
        Group.JUDGE,
        "Hand on API keys",
        "Keys in the environment make a request bill that account in place of your plan.",
        source="JUDGE",
        says=("API keys of the environment are handed on", "API keys of the environment are not handed on"),
    )
    judge_daily_tokens: int = _option(
        30_000,
        Group.JUDGE,
        "Tokens a day",
        "No request is made that would go beyond. 0: no limit.",
        unit="tokens",
        ge=0,
        le=100_000_000,
        source="JUDGE, what went wrong for others",
    )
    judge_monthly_tokens: int = _option(
        0,
        Group.JUDGE,
        "Tokens a month",
        "The same for 30 days. 0: no limit.",
        unit="tokens",
        ge=0,
        le=1_000_000_000,
        source="JUDGE, what went wrong for others",
    )
    is_judge_noting: bool = _option(
        True,
        Group.JUDGE,
        "Words notes",
        "Who reads along also words the notes of an app, and decides what goes when there are too many; a fifth of the tokens at most.",
        source="S5, memory sub-agent",
        says=("Who reads along words notes too", "Notes are made by rules alone"),
    )
    is_keeping_answer_ends: bool = _option(
        True,
        Group.JUDGE,
        "Keep the ends of answers",
        "The last 400 characters, as long as the conversation is in the queue: for “last time” and who reads along.",
        source="DESIGN 2",
        says=("The ends of answers are kept for a while", "No answer is kept"),
    )

    is_consolidating: bool = _option(
        True,
        Group.CONSOLIDATION,
        "Consolidate by itself",
        "Merges what was said twice, shortens what is old, links, and puts away what nobody uses; every run can be undone.",
        source="S1, S4",
        says=("Remanence consolidates by itself", "Remanence consolidates only when you ask"),
    )
    consolidation_events: int = _option(
        50,
        Group.CONSOLIDATION,
        "After so many events",
        "A run is due then.",
        unit="events",
        ge=1,
        le=100_000,
        source="S1",
    )
    consolidation_hours: int = _option(
        24,
        Group.CONSOLIDATION,
        "After so many hours",
        "A run is due then, if anything changed.",
        unit="h",
        ge=1,
        le=8_760,
        source="S1",
    )
    is_consolidating_at_night: bool = _option(
        True,
        Group.CONSOLIDATION,
        "At night",
        "Between one and five o'clock, when nothing was captured for a quarter of an hour.",
        source="S4",
        says=("It also consolidates at night", "It does not consolidate at night"),
    )
    duplicate_likeness: float = _option(
        0.92,
        Group.CONSOLIDATION,
        "Duplicates",
        "Two memories at least this alike are looked at; they are merged only when they also say the same.",
        ge=0.5,
        le=1,
        source="S4",
    )
    summary_days: int = _option(
        7,
        Group.CONSOLIDATION,
        "Summary after",
        "What nobody used for so long is given as its summary; its full text stays.",
        unit="days",
        ge=1,
        le=3_650,
        source="S4",
    )
    compressed_days: int = _option(
        30,
        Group.CONSOLIDATION,
        "Compressed after",
        "What nobody used for so long is given in its compressed form; its full text stays.",
        unit="days",
        ge=1,
        le=3_650,
        source="S4",
    )
    archive_days: int = _option(
        30,
        Group.CONSOLIDATION,
        "Weak memories after",
        "Older ones are archived when little of their weight is left. Days on which the app did not run do not count.",
        unit="days",
        ge=1,
        le=3_650,
        source="S3",
    )
    archive_below: float = _option(
        0.3,
        Group.CONSOLIDATION,
        "Weak is below",
        "Importance times what age and use have left of it.",
        ge=0,
        le=1,
        source="S3",
    )
    unused_days: int = _option(
        90,
        Group.CONSOLIDATION,
        "Unused memories after",
        "What was never used for so long is archived. Pinned, confirmed, and what you said three times never is.",
        unit="days",
        ge=1,
        le=3_650,
        source="S4",
    )
    memories_kept: int = _option(
        500,
        Group.CONSOLIDATION,
        "Room for a project",
        "Constraints, goals, decisions, preferences, procedures and what was called useful go only where a project holds more.",
        unit="memories",
        ge=10,
        le=1_000_000,
        source="S4, constraints last",
    )
    episodes_kept: int = _option(
        100,
        Group.CONSOLIDATION,
        "Whole episodes a project",
        "Above it the oldest without a key moment are told together; their parts are kept and come back by undo.",
        unit="episodes",
        ge=10,
        le=100_000,
        source="S3, maxEpisodicMemories",
    )
    consolidation_in_place: int = _option(
        2_000,
        Group.CONSOLIDATION,
        "Planned in place",
        "With more memories to compare a process of its own does it, so that the window stays quick.",
        unit="memories",
        ge=0,
        le=10_000_000,
        source="DESIGN 3",
    )
    runs_kept: int = _option(
        50, Group.CONSOLIDATION, "Runs kept", "Older ones are no longer listed.", unit="runs", ge=2, le=1_000
    )

    is_giving_context: bool = _option(
        True,
        Group.CONTEXT,
        "Tell assistants",
        "Off: nothing is handed out; capturing goes on.",
        source="DESIGN 1",
        says=("Assistants are told what is remembered", "Assistants are told nothing more"),
    )
    context_tokens: int = _option(
        8_000,
        Group.CONTEXT,
        "Budget",
        "An assistant that asks gets at most so much.",
        unit="tokens",
        ge=500,
        le=32_000,
        source="S4",
    )
    hook_tokens: int = _option(
        2_000,
        Group.CONTEXT,
        "Budget of a prompt",
        "So much goes along with a prompt at most; the host cuts what is longer than 10,000 characters.",
        unit="tokens",
        ge=100,
        le=2_400,
        source="INTEROP, rule 2",
    )
    start_tokens: int = _option(
        500,
        Group.CONTEXT,
        "Budget of a session start",
        "About fourteen lines: what matters most. The rest comes with the prompts it fits, or when the assistant asks.",
        unit="tokens",
        ge=100,
        le=2_400,
        source="issue 16",
    )
    tier_shares: str = _option(
        "",
        Group.CONTEXT,
        "Shares of the tiers",
        "Critical, relevant, background and index in percent, such as 25/40/25/10; dragging a border on Context sets them. Empty: as what you do needs it.",
        pattern=r"^(|\d{1,3}(\.\d+)?(/\d{1,3}(\.\d+)?){3})$",
        source="UX 4.6",
    )
    is_asking_to_remember: bool = _option(
        True,
        Group.CONTEXT,
        "Ask assistants to remember",
        "The tools' instructions and one line at a session start say when to report what you said, with your exact words.",
        source="JUDGE, the assistant at work",
        says=("Assistants are asked to remember what you say", "Assistants are not asked to remember"),
    )
    is_asking_with_prompts: bool = _option(
        True,
        Group.CONTEXT,
        "Ask with a prompt",
        "When a prompt sounds as if something in it should last, one line asks to remember it; at most with one prompt in four.",
        source="JUDGE, the assistant at work",
        says=(
            "A prompt that sounds lasting comes with a line that asks to remember it",
            "No prompt comes with such a line",
        ),
    )
    window_tokens: int = _option(
        128_000,
        Group.CONTEXT,
        "Whole window",
        "So much a model takes that is given everything at once: system prompt, turn, recent messages, memories.",
        unit="tokens",
        ge=1_000,
        le=2_000_000,
        source="S3, maxContextTokens",
    )
    window_system_tokens: int = _option(
        2_000,
        Group.CONTEXT,
        "Kept for the system prompt",
        "Of the whole window. A longer one takes from the rest.",
        unit="tokens",
        ge=0,
        le=100_000,
        source="S3, systemPromptTokens",
    )
    window_working_tokens: int = _option(
        8_000,
        Group.CONTEXT,
        "Kept for the turn",
        "Of the whole window: the open file, errors, the prompt.",
        unit="tokens",
        ge=0,
        le=200_000,
        source="S3, workingMemoryTokens",
    )
    window_turns: int = _option(
        50,
        Group.CONTEXT,
        "Messages in the whole window",
        "So many of a conversation's last messages stand in it whole at most; summaries tell of those before.",
        unit="messages",
        ge=1,
        le=2_000,
        source="S3, shortTermRetentionTurns",
    )
    notes_given: Literal["asked", "start"] = _option(
        "asked",
        Group.CONTEXT,
        "Give notes",
        "'start': with the first prompt of a session, or of a conversation that rested, within the budget of a session start. 'asked': "
        "only to an assistant that asks, and when a conversation is opened to review.",
        source="S5, context injection points",
    )
    receipt_days: int = _option(
        30,
        Group.CONTEXT,
        "Receipts kept",
        "What was told to whom can be looked up for so long.",
        unit="days",
        ge=1,
        le=365,
        source="DESIGN 4",
    )

    backup_interval_s: int = _option(
        1_800,
        Group.DATA,
        "Backup every",
        "If something changed.",
        unit="s",
        ge=300,
        le=604_800,
        source="QUALITY R5",
    )
    backups_kept: int = _option(
        14, Group.DATA, "Backups kept", "Older ones are thinned: hourly, then daily.", ge=2, le=200
    )
    undo_days: int = _option(
        30,
        Group.DATA,
        "Undo reaches back",
        "After that, what undo needs is let go.",
        unit="days",
        ge=1,
        le=365,
        source="UX 2.3",
    )
    energy_capacity: int = _option(
        1_000,
        Group.ADVANCED,
        "Energy",
        "Background work takes from it: ten units for a second of the processor, one for 30 tokens of a model that reads along.",
        unit="units",
        ge=10,
        le=1_000_000,
        source="S5, energy budget",
    )
    energy_refill_per_hour: int = _option(
        1_000,
        Group.ADVANCED,
        "Energy that comes back",
        "So much in an hour, up to the whole.",
        unit="units",
        ge=1,
        le=1_000_000,
        source="S5, energy budget",
    )
    energy_low_percent: int = _option(
        20,
        Group.ADVANCED,
        "Wait when energy is below",
        "Work that nobody asked for waits then. 0: never.",
        unit="%",
        ge=0,
        le=90,
        source="S5, low priority",
    )
    log_bytes: int = _option(
        2_000_000,
        Group.ADVANCED,
        "Log size",
        "Each of the three log files is at most so large.",
        unit="bytes",
        ge=100_000,
        le=100_000_000,
        restart=True,
    )
    import_batch: int = _option(
        200,
        Group.ADVANCED,
        "Import batch",
        "Messages per transaction while importing.",
        unit="messages",
        ge=10,
        le=5_000,
    )
