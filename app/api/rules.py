"""Rules: what conversations taught, what is never captured, and the shipped word lists.

Owns that each act on a learned rule is one operation that can be undone, and the file of the knowledge graph. Knows neither HTTP nor
Qt. Source: DESIGN section 6 `rules`, S1 Tier 2.
"""

from collections.abc import Sequence

from app.api.clean_arguments import cleans_arguments
from app.api.core import Core
from app.capture.exclusion import add_exclusion, remove_exclusion
from app.deciders.learning.conversation_rules import is_phrase
from app.errors import InvalidError
from app.interop.knowledge_graph import read_knowledge, write_knowledge
from app.memories.placements import withhold
from app.privacy.redaction import redact
from app.store.rows.rule import load_rules_learned
from app.understanding.rule_edits import (
    RuleEdit,
    edit_rule,
    get_practice,
    list_practices,
    plan_edit,
    purge_rules,
    switch_rules,
    take_rules,
)
from app.understanding.rule_examples import find_example
from app.values import ExclusionKind, ExclusionRule, Intent, MemoryKind, Origin
from app.values.rules import LearnedRule, Practice, PracticePart, RuleExample, RuleKind


@cleans_arguments
class RulesApi:
    def __init__(self, core: Core) -> None:
        self._core = core

    def would_be_stored(self, text: str) -> str:
        """The text as capture would keep it."""
        return redact(text, self._core.rule_sets.secrets).text if self._core.current.is_redacting else text

    def exclusions(self) -> tuple[ExclusionRule, ...]:
        """What is never captured, oldest first, with how much each rule kept out."""
        return self._core.excluded.list()

    def exclude(self, kind: ExclusionKind, text: str) -> int:
        """From now on nothing from this folder, or with these words, is captured; what is stored stays. Returns the rule's id."""
        core = self._core
        if core.inbox.without_secrets(text, core.current) != text:
            raise InvalidError("This looks like a secret.", hint="Secrets are taken out of everything anyway.")
        with core.store.write(origin=Origin.PERSON, kind="exclude", label="") as write:
            return add_exclusion(write, kind, text)

    def remove_exclusion(self, rule_id: int) -> None:
        """What the rule kept out is captured again. Raises NotFoundError."""
        self._core.act("exclude", remove_exclusion, rule_id)

    def is_excluded(self, text: str, *, folder: str = "") -> bool:
        """Whether a message with this text, typed in this folder, would be kept out. Counts nothing."""
        return self._core.excluded.excludes([folder], [text])

    # learned ------------------------------------------------------------------------------------

    def learned(self, kind: RuleKind | None = None) -> tuple[LearnedRule, ...]:
        """Learned rules, the surest first, without what older versions kept as a phrase and is none."""
        rules = self._core.read(load_rules_learned)
        return tuple(one for one in rules if (kind is None or one.kind is kind) and _reads_well(one))

    def example(self, rule_id: int) -> RuleExample | None:
        """A message of the queue in which the rule was used, else seen, or None. Raises NotFoundError."""
        return self._core.read(find_example, rule_id)

    def edit(
        self,
        rule_id: int,
        *,
        pattern: str | None = None,
        intents: Sequence[Intent] | None = None,
        confidence: float | None = None,
        lookback: int | None = None,
    ) -> None:
        """Changes a rule by hand; it is yours then, and no run lets it go. Raises NotFoundError, InvalidError."""
        clean = None if pattern is None else self._core.inbox.without_secrets(pattern, self._core.current)
        edit = RuleEdit(clean, None if intents is None else tuple(intents), confidence, lookback)
        self._core.act("edit_rule", edit_rule, rule_id, edit)

    def switch(self, rule_ids: Sequence[int], *, is_on: bool) -> None:
        """These rules hold from now on, or do not."""
        self._core.act("switch_rule", switch_rules, rule_ids, is_on=is_on)

    def purge(self, rule_ids: Sequence[int] | None = None, *, kind: RuleKind | None = None) -> int:
        """Takes out these rules, those of a kind, or all; returns how many. Undo brings them back."""
        return self._core.act("purge_rules", purge_rules, rule_ids, kind)

    # workflows and code patterns ------------------------------------------------------------------

    def practices(self, kind: MemoryKind) -> tuple[Practice, ...]:
        """Workflows or code patterns, the most often seen first, also such as are off."""
        return self._core.read(list_practices, kind)

    def practice(self, practice_id: int) -> Practice:
        """One workflow or code pattern. Raises NotFoundError."""
        return self._core.read(get_practice, practice_id)

    def edit_practice(
        self,
        practice_id: int,
        *,
        title: str | None = None,
        trigger: str | None = None,
        parts: Sequence[PracticePart] | None = None,
    ) -> None:
        """Changes one by hand; no run changes its steps then. Raises NotFoundError, InvalidError."""
        core = self._core
        own = (
            None if parts is None else [PracticePart(self._clean(one.name), self._clean(one.content)) for one in parts]
        )
        name, start = (None if one is None else self._clean(one) for one in (title, trigger))
        with core.store.write(origin=Origin.PERSON, kind="edit_memory", label="") as write:
            edit = plan_edit(write.connection, practice_id, title=name, trigger=start, parts=own)
            core.memory_curator.edit(write, practice_id, edit)

    def switch_practices(self, practice_ids: Sequence[int], *, is_on: bool) -> None:
        """These are given to assistants from now on, or never."""
        with self._core.store.write(origin=Origin.PERSON, kind="place_memory", label="") as write:
            for one in practice_ids:
                get_practice(write.connection, one)
            withhold(write, practice_ids, is_withheld=not is_on)

    def purge_practices(self, practice_ids: Sequence[int]) -> int:
        """Archives these; they are not learned again. Undo brings them back. Returns how many."""
        with self._core.store.write(origin=Origin.PERSON, kind="archive_memory", label="") as write:
            for one in practice_ids:
                get_practice(write.connection, one)
            self._core.memory_curator.archive(write, practice_ids)
        return len(practice_ids)

    def _clean(self, text: str) -> str:
        return self._core.inbox.without_secrets(text, self._core.current)

    def knowledge_graph(self) -> bytes:
        """`knowledge-graph.yaml`, at most 200 KB."""
        rules = self._core.read(load_rules_learned)
        return write_knowledge(sorted(rules, key=lambda one: one.id))

    def take_knowledge_graph(self, raw: bytes) -> tuple[int, int]:
        """Reads such a file in; how many rules are new, and how many were known and changed. Raises InvalidError."""
        rules = read_knowledge(raw, self._core.clock.now())
        clean = [one for one in rules if self._is_clean(one)]
        return self._core.act("take_rules", take_rules, clean)

    def _is_clean(self, rule: LearnedRule) -> bool:
        """Whether no secret is in its words: such a rule is left out."""
        said = f"{rule.pattern}\n{dict(rule.details)}"
        return self._core.inbox.without_secrets(said, self._core.current) == said


def _reads_well(rule: LearnedRule) -> bool:
    return rule.kind is not RuleKind.PHRASE or rule.is_edited or is_phrase(rule.pattern)
