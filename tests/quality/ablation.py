"""What each reader, finder, sign and rule family of the deciders changes: switched off one by one, on labelled data.

    python -m tests.quality.ablation DATA [TASK …] [--only WORDS]

DATA is a folder with the files of `remanence eval` (its `sessions/` the labelled streams); none is shipped. TASK is one of
statements, pairs, references, intents, boundary, titles, entities, proposals, authors, levels, retrieval. A switch is a list of rules left empty, or a
function that the task calls and that now says nothing. Each runs in a child of its own, so that nothing of it stays. Printed is, per
switch and set: items that changed · right ones lost − won · wrong ones gone − made. A statement is right when it says a labelled one.
What changes fewer than three items, pooled over all sets, does not pay. `--thin N` reads every Nth row of the public sets: quicker, and as good
for a first look.
"""

import argparse
import json
import os
import pickle
import re
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

from app import resources
from app.deciders.conversation.authorship import own_words, split_authors, titling_words
from app.deciders.conversation.boundary.boundary import detect_boundary
from app.deciders.conversation.boundary.factors import HISTORY_COUNT
from app.deciders.conversation.boundary.session_starts import hold_session
from app.deciders.conversation.entities.entities import EntityRules, extract_entities
from app.deciders.conversation.entities.gazetteer import Gazetteer
from app.deciders.conversation.references.expansion import expand_text
from app.deciders.conversation.references.resolution import resolve_references
from app.deciders.conversation.title import make_title
from app.deciders.memory.contradictions.compare import compare_statements
from app.deciders.memory.levels.compress import compress
from app.deciders.memory.statements.statements import extract_statements
from app.evaluation.session_scores import content_words, overlap_of
from app.evaluation.tasks import boundary as boundary_eval
from app.evaluation.tasks import references as references_eval
from app.evaluation.tasks import retrieval as retrieval_eval
from app.evaluation.tasks.compression import carrying_words, is_kept
from app.evaluation.tasks.duplicates import as_statement
from app.evaluation.tasks.entities import word_f1
from app.evaluation.tasks.temporary_store import open_pool
from app.language.abbreviations import load_abbreviations
from app.memories.learn import Learner
from app.resources import load_rules
from app.settings import Settings
from app.understanding.message_analyzer import MessageReading, find_entities, read_intents
from app.understanding.rule_sets import _shipped
from app.values import BoundaryInput, PriorMessage, ReferenceState
from app.values.memory import Level, MemoryKind
from tests.quality.ablation_switches import clear_caches, functions, lists, off, patterns

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
PREPARED = {"statements", "references", "intents"}  # are read in what stands before them
Row = dict[str, Any]
Items = dict[tuple[Any, ...], str]  # what was said of each item: "right …", "wrong …", "other …"


class Data:
    """The labelled rows, read once; what one task hands to the other is kept from the run with everything on."""

    def __init__(self, folder: Path, thin: int = 1) -> None:
        self.folder = folder
        self.thin = thin
        self.readings: dict[str, MessageReading] = {}
        self.histories: dict[str, tuple[PriorMessage, ...]] = {}

    @cache  # noqa: B019 (one instance a process)
    def rows(self, name: str) -> list[Row]:
        return [json.loads(line) for line in (self.folder / f"{name}.dev.jsonl").open(encoding="utf-8")]

    def domain(self, name: str) -> list[Row]:
        """Rows that count for nothing, but show what a promise rests on."""
        return [json.loads(line) for line in (self.folder / f"{name}.jsonl").open(encoding="utf-8")]

    def public(self, name: str) -> list[tuple[int, Row]]:
        """The rows of a public set with their numbers, thinned."""
        return list(enumerate(self.rows(name)))[:: self.thin]

    @cache  # noqa: B019
    def messages(self) -> list[tuple[str, str]]:
        """(set and number, text) of every real message that there is."""
        streams = [(name, row["text"]) for name in STREAMS for row in self.rows(f"sessions/{name}")]
        talks = [("specstory", one["text"]) for row in self.rows("specstory-stream") for one in row["messages"]]
        others = [("real", row["text"]) for row in self.rows("real-messages")]
        return [(f"{name} {number}", text) for number, (name, text) in enumerate([*streams, *talks, *others])]

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
    for number, row in data.public("adr-decisions"):
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
    for name in ("adr-pairs", "breaking-nli", "sick", "sts-dup", "dev-domain/pairs"):
        items: Items = {}
        for number, row in data.public(name) if "/" not in name else enumerate(data.domain(name)):
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
        for number, row in data.public(name):
            if row.get("kind") == "ellipsis":
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
        for stream in boundary_eval.read_streams(
            [row for _, row in data.public(name)] if name == "tiage" else data.rows(name)
        ):
            for number, (decision, is_start) in enumerate(zip(analyzer.decide(stream), stream.is_start, strict=True)):
                if number:
                    verdict = "right" if decision.leaning == is_start else "wrong"
                    items[stream.id, number] = f"{verdict} {decision.leaning}"
        found[name] = items
    return found


def titles(data: Data) -> dict[str, Items]:
    """Titles of what starts a topic, against the title that a person gave where one stands; of all others whether it changes."""
    gold = {row["session"]: row["title"] for row in data.rows("sessions/starts")}
    items: Items = {}
    for name in STREAMS:
        seen = set()
        for row in data.stream(name):
            is_first = row["session"] not in seen
            seen.add(row["session"])
            if not is_first and not row.get("starts_topic"):
                continue
            title = make_title(titling_words(row["text"]))
            wanted = gold.get(row["session"], "") if is_first else ""
            verdict = "other" if not wanted else "right" if overlap_of(title, wanted) >= 0.34 else "wrong"
            items[row["id"],] = f"{verdict} {title}"
    others = {(place,): f"other {make_title(titling_words(text))}" for place, text in data.messages()}
    return {"starts": items, "all": others}


def entities(data: Data) -> dict[str, Items]:
    """What is named, against nothing: only whether it changes."""
    items: Items = {}
    for place, text in data.messages():
        for one in find_entities(text, _shipped()):
            items[place, one.start] = f"other {one.kind} {one.text}"
    return {"messages": items}


def proposals(data: Data) -> dict[str, Items]:
    """What would be remembered of every real message read by itself, against nothing: only whether it changes."""
    items: Items = {}
    learner = Learner(_memory_rules, Settings)
    at = datetime(2026, 1, 1, tzinfo=UTC)
    for place, text in data.messages():
        for one in learner.read(text, _read(text, find_entities(text, _shipped()), (), at)):
            items[place, one.start] = f"other {one.type} {one.text}"
    return {"messages": items}


def authors(data: Data) -> dict[str, Items]:
    """Whose words each message is made of, against nothing."""
    return {
        "messages": {
            (place,): f"other {[(one.start, one.end) for one in split_authors(text) if not one.is_own]}"
            for place, text in data.messages()
            if not all(one.is_own for one in split_authors(text))
        }
    }


def levels(data: Data) -> dict[str, Items]:
    """The sizes of memories: right where a size keeps what names, counts, denies and binds."""
    found: dict[str, Items] = {}
    shorter = load_abbreviations()
    stated = [one["statement"] for name in STREAMS for row in data.labelled(name) for one in row["durable"]]
    sets = {"adr": [row["text"] for _, row in data.public("adr-decisions")], "streams": stated}
    for name, texts in sets.items():
        items: Items = {}
        for number, text in enumerate(texts):
            sizes, wanted = compress(text, kind=MemoryKind.FACT), carrying_words(text)
            for level in (Level.SUMMARY, Level.COMPRESSED, Level.INDEX):
                said = sizes.at(level).text
                is_right = level is Level.INDEX or all(is_kept(word, text, said, shorter) for word in wanted)
                items[number, level.value] = f"{'right' if is_right else 'wrong'} {said}"
        found[name] = items
    return found


def retrieval(data: Data) -> dict[str, Items]:
    """Questions of long chats: right where a turn that answers is among the first ten."""
    found: dict[str, Items] = {}
    for number, chat in enumerate(retrieval_eval.read_chats(data.rows("locomo"))):
        items: Items = {}
        with open_pool(chat.statements) as pool:
            for at, question in list(enumerate(chat.questions))[:: data.thin]:
                places = pool.ranked(pool.ask(question.text, limit=10))
                is_right = bool(question.relevant & set(places[:10]))
                items[at,] = f"{'right' if is_right else 'wrong'} {places}"
        found[f"chat {number}"] = items
    return found


TASKS: dict[str, Callable[[Data], dict[str, Items]]] = {
    one.__name__: one
    for one in (
        statements,
        pairs,
        references,
        intents,
        boundary,
        titles,
        entities,
        proposals,
        authors,
        levels,
        retrieval,
    )
}


@cache
def _entity_rules() -> EntityRules:
    return EntityRules.parse(load_rules("entities"), Gazetteer.parse(load_rules("gazetteer")))


def _memory_rules() -> Any:
    from app.deciders.memory import rules

    return rules.load_memory_rules()


# Switches -----------------------------------------------------------------------------------------------------------


def survey(task: Callable[[Data], dict[str, Items]], data: Data) -> tuple[set[tuple[str, str]], set[str]]:
    """(file, qualified name) of every function that the task calls, and the rule files that it reads."""
    called: dict[Any, None] = {}
    read: set[str] = set()
    known = resources.load_rules

    def reading(name: str, *more: Any, **named: Any) -> Any:
        read.add(name)
        return known(name, *more, **named)

    def entered(frame: Any, event: str, _: Any) -> None:
        if event == "call":
            called[frame.f_code] = None

    off("app.resources:load_rules", reading)
    sys.setprofile(entered)
    task(data)
    sys.setprofile(None)
    return {(code.co_filename, code.co_qualname) for code in called}, read


def run_apart(switch: Callable[[], None], task: Callable[[Data], dict[str, Items]], data: Data) -> Any:
    """The task's items in a child in which the switch was made."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            switch()
            clear_caches(only_bounded=True)
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
    """A cell a set that changed, how many items changed in all, and what they were."""
    cells, total, told = [], 0, []
    for name, items in base.items():
        other = now[name]
        keys = [key for key in items.keys() | other.keys() if items.get(key) != other.get(key)]
        if not keys:
            continue
        lost = Counter(items[one].split()[0] for one in keys if one in items)
        won = Counter(other[one].split()[0] for one in keys if one in other)
        total += len(keys)
        cells.append(f"{name} {len(keys)} r{won['right'] - lost['right']:+d} w{won['wrong'] - lost['wrong']:+d}")
        told += [f"    {name} {key}: {items.get(key, '-')}  ->  {other.get(key, '-')}" for key in keys]
    return " | ".join(cells), total, told


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
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", 1)[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("tasks", nargs="*", help="; ".join(TASKS))
    parser.add_argument("--only", default="", help="switches whose name holds this")
    parser.add_argument("--thin", type=int, default=1, help="every Nth row of the public sets")
    parser.add_argument("--tell", action="store_true", help="each item that changed")
    parser.add_argument("--base", action="store_true", help="nothing is switched off: what each task finds")
    given = parser.parse_args()
    data = Data(given.data, given.thin)
    for name in given.tasks or TASKS:
        task = TASKS[name]
        if name in PREPARED and not data.readings:
            prepare(data)
        begun = time.process_time()
        base = task(data)
        print(f"## {name}: {time.process_time() - begun:.1f} s · {summary(base)}", flush=True)
        if given.base:
            continue
        called, read = run_apart(lambda: None, partial(survey, task), data)
        for label, switch in {**functions(called), **patterns(called), **lists(read)}.items():
            if not (re.search(given.only, label)):
                continue
            now = run_apart(switch, task, data)
            if isinstance(now, str):
                print(f"   -  {label}: cannot be switched off: {now.strip().splitlines()[-1][:100]}", flush=True)
                continue
            cells, total, told = compare(base, now)
            print(f"{total:4d}  {label}: {cells}", flush=True)
            if given.tell:
                print("\n".join(told), flush=True)


if __name__ == "__main__":
    from tests.quality import ablation  # under its own name, where the switches look for it

    ablation.main()
