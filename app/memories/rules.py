"""The person's own always/never rules for what is learned: kept, listed, taken away.

Kinds of `RuleRow` are "memory.always" and "memory.never"; the words are in `pattern`, type and slot attribute in `data`, how
often it decided in `learned_from`. Capture asks them (`memories.learn`). Source: UX 4.4 review inbox.
"""

from sqlalchemy import Connection

from app.errors import InvalidError, NotFoundError
from app.store.journal import Record, Write
from app.store.table_queries import rows_with
from app.store.tables.core import RuleRow
from app.understanding.message_rows import AnyRow
from app.values import FactType, MemoryRule

ALWAYS, NEVER = "always", "never"
KIND_OF_VERDICT = {ALWAYS: "memory.always", NEVER: "memory.never"}
_VERDICT_OF_KIND = {kind: verdict for verdict, kind in KIND_OF_VERDICT.items()}
_PHRASE_CHARS = 200


def list_rules(connection: Connection) -> tuple[MemoryRule, ...]:
    """Oldest first."""
    return tuple(rule_of(row) for row in own_rules(connection))


def own_rules(connection: Connection) -> list[AnyRow]:
    """Their rows, for whoever asks them again and again."""
    return list(rows_with(connection, RuleRow, kind=tuple(_VERDICT_OF_KIND)))


def rule_of(row: AnyRow) -> MemoryRule:
    fact_type = row.data.get("type")
    return MemoryRule(
        id=row.id,
        verdict=_VERDICT_OF_KIND[row.kind],
        type=FactType(fact_type) if fact_type else None,
        attribute=row.data.get("attribute", ""),
        phrase=row.pattern,
        created_at=row.created_at,
        hit_count=row.learned_from,
    )


def add_rule(
    write: Write,
    verdict: str,
    *,
    type: FactType | None = None,  # noqa: A002 (the word of DESIGN)
    attribute: str = "",
    phrase: str = "",
) -> int:
    """Keeps a rule; returns its number, the old one's when it is there already."""
    if verdict not in KIND_OF_VERDICT:
        raise InvalidError(f"“{verdict}” is not a verdict.", hint="Use “always” or “never”.")
    words, name = _checked(type, attribute, phrase)
    data = {"type": type.value if type else "", "attribute": name}
    kind = KIND_OF_VERDICT[verdict]
    write.label = f"{verdict.title()} learn: {_described(type, name, words)}"
    same = _find_same(write, kind, words, data)
    if same is not None:
        return same
    return write.insert(
        RuleRow,
        {
            "kind": kind, "pattern": words, "data": data, "confidence": 1.0, "learned_from": 0,
            "created_at": write.at,
        },
    )  # fmt: skip


def take_rule(write: Write, record: Record) -> bool:
    """Adds the row of a rule that a file holds; not when there is one like it. Raises InvalidError for one that cannot be."""
    named, attribute = (str(record["data"].get(part) or "") for part in ("type", "attribute"))
    fact_type = FactType(named) if named in set(FactType) else None
    words, name = _checked(fact_type, attribute, record["pattern"])
    data = {"type": fact_type.value if fact_type else "", "attribute": name}
    if words != record["pattern"] or data != record["data"]:
        raise InvalidError("This is not a rule for what is learned.", hint="Make it again.")
    if _find_same(write, record["kind"], words, data) is not None:
        return False
    write.insert(RuleRow, record)
    return True


def _checked(type: FactType | None, attribute: str, phrase: str) -> tuple[str, str]:  # noqa: A002
    """Words and attribute as they are kept. Raises InvalidError when nothing is said."""
    words, name = " ".join(phrase.split())[:_PHRASE_CHARS], " ".join(attribute.lower().split())
    if not words and not name and type is None:
        raise InvalidError("This rule would match everything.", hint="Give a type, an attribute or words.")
    return words, name


def _find_same(write: Write, kind: str, words: str, data: Record) -> int | None:
    same = rows_with(write.connection, RuleRow, "id", "data", kind=kind, pattern=words)
    return next((int(row.id) for row in same if row.data == data), None)


def remove_rule(write: Write, rule_id: int) -> None:
    rows = rows_with(write.connection, RuleRow, id=rule_id, kind=tuple(_VERDICT_OF_KIND))
    if not rows:
        raise NotFoundError(f"There is no rule number {rule_id}.", hint="remanence memories rules lists them.")
    rule = rule_of(rows[0])
    write.delete(RuleRow, rule_id)
    write.label = f"Removed: {rule.verdict} learn {_described(rule.type, rule.attribute, rule.phrase)}"


def _described(type: FactType | None, attribute: str, phrase: str) -> str:  # noqa: A002
    parts = [type.value if type else "", attribute, f"“{phrase}”" if phrase else ""]
    return ", ".join(part for part in parts if part)
