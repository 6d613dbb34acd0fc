"""What each reader, finder, sign and rule family of the deciders changes: switched off one by one, on labelled data.

    python -m tests.quality.ablation DATA [TASK …] [--only WORDS]

DATA is a folder with the files of `remanence eval` (its `sessions/` the labelled streams); none is shipped. TASK is one of
statements, pairs, references, intents, boundary, titles. Every switch runs in a child of its own, so that nothing of it stays. Printed is, per
switch and set: items that changed · right ones lost − won · wrong ones gone − made. A statement is right when it says a labelled one.
What changes fewer than three items, pooled over all sets, does not pay.
"""

import argparse
import json
import os
import pickle
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from functools import _lru_cache_wrapper, cache
from pathlib import Path
from typing import Any

from app.deciders.conversation.authorship import own_words
from app.deciders.conversation.boundary.boundary import detect_boundary
from app.deciders.conversation.boundary.factors import HISTORY_COUNT
from app.deciders.conversation.boundary.sessions import hold_session
from app.deciders.conversation.entities.entities import EntityRules, extract_entities
from app.deciders.conversation.entities.gazetteer import Gazetteer
from app.deciders.conversation.references.expansion import expand_text
from app.deciders.conversation.references.resolution import resolve_references
from app.deciders.conversation.title import make_title
from app.deciders.memory.contradictions.compare import compare_statements
from app.deciders.memory.statements.statements import extract_statements
from app.evaluation.session_scores import content_words, overlap_of
from app.evaluation.tasks import boundary as boundary_eval
from app.evaluation.tasks import references as references_eval
from app.evaluation.tasks.duplicates import as_statement
from app.evaluation.tasks.entities import word_f1
from app.memories.learn import Learner
from app.resources import load_rules
from app.settings import Settings
from app.understanding.message_analyzer import MessageReading, find_entities, read_intents
from app.understanding.rule_sets import _shipped
from app.values import BoundaryInput, PriorMessage, ReferenceState

STREAMS = ("cozy", "calibrate", "polychrome")
_ACTS = {
    "order": {"EXECUTE", "TEST", "DOCUMENT", "REVIEW", "DEBUG", "PLAN"},
    "question": {"QUESTION", "REVIEW"},
    "report": {"DEBUG", "INFORM"},
    "answer": {"INFORM", "EXECUTE"},
    "correction": {"CORRECT"},
    "rule": {"INFORM", "EXECUTE", "CORRECT"},
    "decision": {"PLAN", "INFORM", "EXECUTE"},
    "information": {"INFORM"},
    "paste": {"DEBUG", "INFORM"},
    "control": {"EXECUTE", "INFORM"},
}
Row = dict[str, Any]
Items = dict[tuple[Any, ...], str]  # what was said of each item: "right …", "wrong …", "other …"


class Data:
    """The labelled rows, read once; what one task hands to the other is kept from the run with everything on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.readings: dict[str, MessageReading] = {}
        self.histories: dict[str, tuple[PriorMessage, ...]] = {}

    @cache  # noqa: B019 (one instance a process)
    def rows(self, name: str) -> list[Row]:
        return [json.loads(line) for line in (self.folder / f"{name}.dev.jsonl").open(encoding="utf-8")]

    @cache  # noqa: B019
    def stream(self, name: str) -> list[Row]:
        rows = self.rows(f"sessions/{name}")
        return rows[: max(number for number, row in enumerate(rows) if "act" in row) + 1]

    def labelled(self, name: str) -> list[Row]:
        return [row for row in self.stream(name) if "act" in row and not row.get("repeat")]


def play(data: Data, name: str) -> Iterator[tuple[Row, MessageReading, tuple[PriorMessage, ...], bool]]:
    """Each message of a stream with its reading, the window that it was read in, and whether it starts a conversation."""
    rules, settings = _shipped(), Settings()
    talk: list[PriorMessage] = []
    session = ""
    for number, row in enumerate(data.stream(name), 1):
        text, at = row["text"], datetime.fromisoformat(row["when"])
        entities = find_entities(text, rules)
        reading = _read(text, entities, talk[-settings.window_messages :], at)
        is_first = row["session"] != session
        session = row["session"]
        is_new = not talk
        if talk:
            given = BoundaryInput(
                text, at, entities=entities, references=reading.references, history=tuple(talk[-HISTORY_COUNT:]),
                intents=tuple(one.intent for one in reading.intents), is_first_of_session=is_first,
            )  # fmt: skip
            decision = hold_session(given, detect_boundary(given, rules.boundary, ()), rules.sessions)
            is_new = decision.leaning if decision.is_new is None else decision.is_new
        if is_new and talk:
            talk = []
            reading = _read(text, entities, (), at)
        window = tuple(talk[-settings.window_messages :])
        yield row, reading, window, is_new
        intents = tuple(one.intent for one in reading.intents)
        talk.append(PriorMessage(number, at, text, entities=entities, intents=intents, references=reading.references))


def _read(text: str, entities: Any, history: Any, at: datetime) -> MessageReading:
    rules = _shipped()
    references = resolve_references(own_words(text), entities, tuple(history), rules.references, now=at)
    expanded = expand_text(text, references)
    return MessageReading(entities, references, expanded, read_intents(text, expanded, tuple(history), rules))


def prepare(data: Data) -> None:
    """Reads the streams with everything on: statements are measured on these readings."""
    for name in STREAMS:
        for row, reading, history, _ in play(data, name):
            data.readings[row["id"]] = reading
            data.histories[row["id"]] = history


def statements(data: Data) -> dict[str, Items]:
    found: dict[str, Items] = {}
    learner = Learner(_memory_rules, Settings)
    settings = Settings()
    for name in STREAMS:
        items: Items = {}
        for row in data.labelled(name):
            for one in learner.read(row["text"], data.readings[row["id"]]):
                verdict, key = _judge_statement(row, one)
                state = "active" if one.confidence >= settings.promote_at and not one.is_quoted else "proposed"
                state = "held" if one.is_instruction_like else state
                items[row["id"], key] = f"{verdict} {state} {one.text}"
        found[name] = items
    items = {}
    entities = _entity_rules()
    for number, row in enumerate(data.rows("adr-decisions")):
        text = row["text"]
        named = extract_entities(text, entities)
        for one in extract_statements(
            text, expanded=text, references=(), entities=named, intents=(), rules=_memory_rules()
        ):
            items[number, one.start] = ("right " if row["label"] == "decision" else "wrong ") + one.text
    found["adr"] = items
    return found


def _judge_statement(row: Row, one: Any) -> tuple[str, Any]:
    hits = []
    for number, durable in enumerate(row["durable"]):
        said = row["text"][durable["start"] : durable["end"]]
        gold = f"{said} {durable['statement']}"
        crosses = durable["end"] > durable["start"] and one.start < durable["end"] and one.end > durable["start"]
        is_brief = len(content_words(one.text)) <= 2 * len(content_words(gold))
        if is_brief and overlap_of(one.text, gold) >= (0.34 if crosses else 0.5):
            hits.append((durable["worth"], number))
    worth = max((one for one, _ in hits), default=0)
    verdict = "right" if worth >= 2 else "other" if worth else "wrong"
    return verdict, hits[0][1] if hits else ("none", one.start)


def pairs(data: Data) -> dict[str, Items]:
    found: dict[str, Items] = {}
    for name in ("adr-pairs", "breaking-nli", "sick", "sts-dup"):
        items: Items = {}
        for number, row in enumerate(data.rows(name)):
            one, other = (row["a"], row["b"]) if "a" in row else (_adr(row["old"]), _adr(row["new"]))
            relation = compare_statements(
                as_statement(one, _memory_rules()), as_statement(other, _memory_rules()), _memory_rules()
            ).relation
            if relation == "compatible":
                continue
            is_contradiction = relation in {"contradict", "replace"}
            label = str(row.get("label", "duplicate" if float(row.get("similarity", 0)) >= 4.5 else ""))
            is_right = label.startswith("contradict") if is_contradiction else label == "duplicate"
            if label == "entailment" and not is_contradiction:
                items[number,] = f"other {relation}"
                continue
            items[number,] = f"{'right' if is_right else 'wrong'} {relation}"
        found[name] = items
    return found


def _adr(side: Any) -> str:
    return str(side["text"]) if isinstance(side, dict) else str(side)


def references(data: Data) -> dict[str, Items]:
    found: dict[str, Items] = {}
    for name in STREAMS:
        items: Items = {}
        for row in data.labelled(name):
            text = row["text"]
            at = datetime.fromisoformat(row["when"])
            entities = find_entities(text, _shipped())
            history = data.histories[row["id"]]
            read = resolve_references(own_words(text), entities, history, _shipped().references, now=at)
            for one in read:
                if one.state is not ReferenceState.RESOLVED:
                    continue
                gold = next((g for g in row["refs"] if one.start < g["end"] and one.end > g["start"]), None)
                if gold is None:
                    verdict = "other"
                else:
                    is_right = gold["where"] not in {"none", "screen"}
                    is_right = is_right and overlap_of(one.antecedent or "", gold["antecedent"]) >= 0.5
                    verdict = "right" if is_right else "wrong"
                items[row["id"], one.start] = f"{verdict} {one.mention} = {one.antecedent}"
        found[name] = items
    analyzer = references_eval._Analyzer()
    for name in ("mudoco-refs", "gecor-rewrite"):
        items = {}
        for number, row in enumerate(data.rows(name)):
            if row.get("kind") == "ellipsis" or (name.startswith("gecor") and number % 2):
                continue
            one = references_eval.find_reference(row, analyzer.references(row))
            if one is None or one.state is not ReferenceState.RESOLVED:
                continue
            gold = [str(name) for name in row["gold"]]
            is_right = any(word_f1(one.antecedent or "", name) >= references_eval.LOOSE_F1 for name in gold)
            items[number,] = f"{'right' if is_right else 'wrong'} {one.antecedent}"
        found[name] = items
    return found


def intents(data: Data) -> dict[str, Items]:
    found: dict[str, Items] = {}
    for name in STREAMS:
        items: Items = {}
        for row in data.labelled(name):
            read = read_intents(row["text"], row["text"], data.histories[row["id"]], _shipped())
            is_right = read[0].intent.value in _ACTS[row["act"]]
            items[row["id"],] = f"{'right' if is_right else 'wrong'} {read[0].intent.value}"
        found[name] = items
    return found


def boundary(data: Data) -> dict[str, Items]:
    found: dict[str, Items] = {}
    for name in STREAMS:
        found[name] = {
            (row["id"],): f"{'right' if is_new == row['starts_topic'] else 'wrong'} {is_new}"
            for row, _, _, is_new in play(data, name)
            if "act" in row
        }
    analyzer = boundary_eval._Analyzer.load()
    for name in ("specstory-stream", "tiage"):
        items = {}
        for stream in boundary_eval.read_streams(data.rows(name)[:120]):
            for number, (decision, is_start) in enumerate(zip(analyzer.decide(stream), stream.is_start, strict=True)):
                if number:
                    verdict = "right" if decision.leaning == is_start else "wrong"
                    items[stream.id, number] = f"{verdict} {decision.leaning}"
        found[name] = items
    return found


def titles(data: Data) -> dict[str, Items]:
    """Titles of what starts a topic, against the title that a person gave where one stands; else only whether it changes."""
    gold = {row["session"]: row["title"] for row in data.rows("sessions/starts")}
    items: Items = {}
    for name in STREAMS:
        seen = set()
        for row in data.stream(name):
            is_first = row["session"] not in seen
            seen.add(row["session"])
            if not is_first and not row.get("starts_topic"):
                continue
            title = make_title(row["text"])
            wanted = gold.get(row["session"], "") if is_first else ""
            verdict = "other" if not wanted else "right" if overlap_of(title, wanted) >= 0.34 else "wrong"
            items[row["id"],] = f"{verdict} {title}"
    return {"streams": items}


TASKS: dict[str, Callable[[Data], dict[str, Items]]] = {
    one.__name__: one for one in (statements, pairs, references, intents, boundary, titles)
}


@cache
def _entity_rules() -> EntityRules:
    return EntityRules.parse(load_rules("entities"), Gazetteer.parse(load_rules("gazetteer")))


def _memory_rules() -> Any:
    from app.deciders.memory import rules

    return rules.load_memory_rules()


# Switches -----------------------------------------------------------------------------------------------------------


def off(place: str, value: Any) -> None:
    """Puts `value` for `module:name` wherever that was imported to."""
    module, name = place.split(":")
    original = getattr(sys.modules[module], name)
    for loaded in [one for key, one in sys.modules.items() if key.startswith(("app.", "tests.quality"))]:
        for key, known in list(vars(loaded).items()):
            if known is original:
                setattr(loaded, key, value)


def returning(place: str, value: Any) -> Callable[[], None]:
    def answer(*_: Any, **__: Any) -> Any:
        return value() if value in {list, dict, tuple} else value

    return lambda: off(place, answer)


def without(field: str, value: Any = ()) -> Callable[[], None]:
    """A part of the memory rules left empty; `a.b` reaches inside."""

    def change() -> None:
        rules = _memory_rules()
        head, _, tail = field.partition(".")
        new = replace(getattr(rules, head), **{tail: value}) if tail else value
        changed = replace(rules, **{head: new})
        off("app.deciders.memory.rules:load_memory_rules", lambda *_: changed)

    return change


def settle_caches() -> None:
    for module in [one for key, one in sys.modules.items() if key.startswith("app.")]:
        for known in list(vars(module).values()):
            is_bounded = isinstance(known, _lru_cache_wrapper) and known.cache_parameters()["maxsize"] is not None
            if is_bounded and known.__name__ != "compiled":
                known.cache_clear()


def run_apart(switch: Callable[[], None], task: Callable[[Data], dict[str, Items]], data: Data) -> Any:
    """The task's items in a child in which the switch was made."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            switch()
            settle_caches()
            answer: Any = task(data)
        except BaseException:
            answer = traceback.format_exc()
        with os.fdopen(write, "wb") as pipe:
            pickle.dump(answer, pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        answer = pickle.load(pipe)
    os.waitpid(child, 0)
    return answer


def compare(base: dict[str, Items], now: dict[str, Items]) -> tuple[str, int, list[str]]:
    """A cell a set, how many items changed in all, and what they were."""
    cells, total, told = [], 0, []
    for name, items in base.items():
        other = now[name]
        keys = [key for key in items.keys() | other.keys() if items.get(key) != other.get(key)]
        lost, won = (
            Counter(items[k].split()[0] for k in keys if k in items),
            Counter(other[k].split()[0] for k in keys if k in other),
        )
        real = [key for key in keys if _kind(items.get(key)) != _kind(other.get(key))]
        total += len(real)
        right, wrong = won["right"] - lost["right"], won["wrong"] - lost["wrong"]
        cells.append(f"{name} {len(real)}/{len(keys)} r{right:+d} w{wrong:+d}")
        told += [f"    {name} {key}: {items.get(key, '-')}  ->  {other.get(key, '-')}" for key in keys]
    return " | ".join(cells), total, told


def _kind(said: str | None) -> str:
    return (
        " ".join((said or "").split()[:2])
        if said and said.split()[1:2] and said.split()[1] in {"active", "proposed", "held"}
        else (said or "").split(" ")[0]
    )


def summary(items: dict[str, Items]) -> str:
    cells = []
    for name, found in items.items():
        counted = Counter(said.split()[0] for said in found.values())
        cells.append(f"{name} {counted['right']}r {counted['wrong']}w {counted['other']}o")
        active = Counter(said.split()[0] for said in found.values() if said.split()[1:2] == ["active"])
        if active:
            cells[-1] += f" (active {active['right']}r {active['wrong']}w)"
    return " | ".join(cells)


def main() -> None:
    from tests.quality.ablation_switches import switches

    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("tasks", nargs="*")
    parser.add_argument("--only", default="")
    parser.add_argument("--tell", action="store_true")
    parser.add_argument("--base", action="store_true")
    given = parser.parse_args()
    data = Data(given.data)
    begun = time.monotonic()
    prepare(data)
    print(f"read in {time.monotonic() - begun:.0f} s", flush=True)
    for name in given.tasks or TASKS:
        begun = time.monotonic()
        base = TASKS[name](data)
        print(f"## {name}: {time.monotonic() - begun:.1f} s · {summary(base)}", flush=True)
        if given.base:
            continue
        for label, switch in switches(name).items():
            if given.only and given.only not in label:
                continue
            now = run_apart(switch, TASKS[name], data)
            if isinstance(now, str):
                print(f"{label}: FAILED {now.strip().splitlines()[-1][:200]}", flush=True)
                continue
            cells, total, told = compare(base, now)
            print(f"{total:4d}  {label}: {cells}", flush=True)
            if given.tell:
                print("\n".join(told), flush=True)


if __name__ == "__main__":
    from tests.quality import ablation  # under its own name, where the switches look for it

    ablation.main()
