"""The line that asks an assistant to report what the person says: at a session start, and with a prompt that sounds lasting.

Owns when: only for assistants that have our tools, at most with one prompt in four of an app, and not where the person
asks in so many words, since the rules keep that by themselves. The words are `app.assistant_instructions`'s. Source: JUDGE "Who judges", no. 2.
"""

import re
import threading
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from pathlib import Path

from app.assistant_instructions import LINE_TITLE, PROMPT_LINE, START_LINE
from app.context.session_start import DELIVERY as START
from app.deciders.conversation.authorship import own_words
from app.deciders.memory.statements.durability import is_asked_for
from app.memories.draft_guess import danger_in
from app.memories.learn import Learner
from app.settings import Settings
from app.store.rows.work_history import count_prompts_since, line_given_at
from app.store.store import Store
from app.values import ContextRequest, FactCandidate

PROMPT = "hook:prompt"
ONE_IN = 4  # prompts
_LOOKED_AT_CHARS = 1_500  # a longer prompt is a document
_READ_CHARS = 500  # reading a longer one takes longer than it finds: 8 ms at the 95th of a hundred, else 20
# Words of what shall last. With them .52 of the labelled prompts that hold something are found, .44 without; .68 of those found do.
_LASTS = re.compile(
    r"\b(?:always|never|from now on|going forward|in (?:the )?future|every time|whenever|must|only|prefer|by default|convention|"
    r"no longer|anymore|rather than|instead of|should not|shouldn['’]?t|don['’]?t (?:ever|use))\b",
    re.IGNORECASE,
)


class Nudge:
    """Thread-safe. Of each app it is remembered how many prompts came without the line since the last one that had it."""

    def __init__(
        self, store: Store, settings: Callable[[], Settings], learner: Learner, apps_with_tools: AbstractSet[str]
    ) -> None:
        self._store = store
        self._settings = settings
        self._learner = learner
        self._apps_with_tools = apps_with_tools
        self._lock = threading.Lock()
        self._quiet: dict[str, int] = {}

    def line(self, request: ContextRequest) -> str:
        """What this context says beside what is remembered; "" for nothing. Counts the prompts."""
        app, settings = request.signals.app, self._settings()
        place = Path(request.signals.project_path or "/")
        # The tools count these as no project, so no quote would be found there.
        is_nowhere = place in {Path.home(), Path(place.anchor)}
        has_ear = request.is_kept and app in self._apps_with_tools and not is_nowhere
        if not has_ear or not settings.is_learning_memories:
            return ""
        if request.delivery == START:
            return START_LINE if settings.is_asking_to_remember else ""
        if request.delivery != PROMPT or not settings.is_asking_with_prompts:
            return ""
        with self._lock:
            quiet = self._quiet.get(app)
            if quiet is None:
                quiet = self._load_quiet(app)
            is_due = quiet >= ONE_IN - 1
            is_asked = is_due and self._sounds_lasting(request.signals.prompt)
            self._quiet[app] = 0 if is_asked else min(quiet + 1, ONE_IN)
        return PROMPT_LINE if is_asked else ""

    def _sounds_lasting(self, prompt: str) -> bool:
        is_looked_at = len(prompt) <= _LOOKED_AT_CHARS
        return is_looked_at and is_worth_asking(prompt, self._read)

    def _read(self, prompt: str) -> Iterable[FactCandidate]:
        return self._learner.read_alone(prompt) if len(prompt) <= _READ_CHARS else ()

    def _load_quiet(self, app: str) -> int:
        """Since the last time that a receipt tells of: an app that starts anew does not ask more often."""
        with self._store.read() as connection:
            last = line_given_at(connection, LINE_TITLE, app, PROMPT)
            return ONE_IN if last is None else count_prompts_since(connection, app, last, ONE_IN)


def is_worth_asking(prompt: str, read: Callable[[str], Iterable[FactCandidate]]) -> bool:
    """Whether something of the prompt may last, and nobody asks in so many words to keep it. `read`: what rules find in it.

    >>> nothing = lambda prompt: ()
    >>> is_worth_asking("the door must stay shut", nothing), is_worth_asking("open the door", nothing)
    (True, False)
    """
    if is_asked_for(prompt):
        return False
    if _LASTS.search(own_words(prompt)) is not None:
        return not danger_in(prompt)
    found = tuple(read(prompt))
    return any(not one.is_quoted for one in found) and not any(one.is_instruction_like for one in found)
