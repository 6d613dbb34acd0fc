"""All nouns of an engine that taking an event in does without, together: `Engine` hands them out one by one. Not for clients.

Loading them loads `Parts` too: whoever asks for one is about to use it. Source: DESIGN section 6, QUALITY P5.
"""

from app.api.apps import Apps
from app.api.archive import Archive
from app.api.consolidation import Consolidation
from app.api.context import AnswersApi, ContextApi
from app.api.contradictions import Contradictions
from app.api.conversations import Conversations, Episodes, Messages, Window
from app.api.core import Core
from app.api.events import Events
from app.api.graph import GraphApi
from app.api.judge import Judge
from app.api.maintenance import BackupsApi, EnergyApi, Journal, StatsApi
from app.api.memories import Memories
from app.api.notes import Notes
from app.api.rules import RulesApi
from app.api.search import SavedSearches, Search
from app.api.transfer import Transfer


class Nouns:
    """One of each."""

    def __init__(self, core: Core, events: Events) -> None:
        self.conversations = Conversations(core)
        self.messages = Messages(core)
        self.window = Window(core, events)
        self.apps = Apps(core)
        self.journal = Journal(core)
        self.stats = StatsApi(core)
        self.transfer = Transfer(core, events)
        self.backups = BackupsApi(core)
        self.rules = RulesApi(core)
        self.memories = Memories(core)
        self.search = Search(core)
        self.saved_searches = SavedSearches(core)
        self.context = ContextApi(core)
        self.answers = AnswersApi(core)
        self.judge = Judge(core)
        self.archive = Archive(core)
        self.energy = EnergyApi(core)
        self.contradictions = Contradictions(core)
        self.graph = GraphApi(core)
        self.episodes = Episodes(core)
        self.consolidation = Consolidation(core)
        self.notes = Notes(core)
