"""Made-up developer memories and questions for the benchmarks, the same for every run. Knows nothing of the engine."""

import random
from collections.abc import Iterator

_SUBJECTS = ("billing", "checkout", "search", "auth", "import", "export", "sync", "upload", "report", "mail", "queue",
             "cache", "gateway", "profile", "session", "ledger", "webhook", "scheduler", "metrics", "editor")  # fmt: skip
_VERBS = (
    "load",
    "store",
    "parse",
    "render",
    "merge",
    "fetch",
    "send",
    "check",
    "drop",
    "retry",
    "split",
    "rank",
    "lock",
)
_NOUNS = ("user", "order", "token", "file", "batch", "page", "row", "event", "label", "chunk", "graph", "field", "link")
_TOOLS = ("Postgres", "Redis", "Kafka", "Terraform", "Playwright", "Vitest", "Prisma", "Grafana", "Celery", "Nginx")
_REASONS = ("because the old one was slow", "until the release is out", "since the outage in spring", "as the team agreed",
            "so that retries stay cheap", "for every tenant", "only on staging", "after the review")  # fmt: skip
_FORMS = (
    "The {subject} service must {verb} each {noun} with {tool} {reason}.",
    "We use {tool} in {subject} to {verb} {noun}s; {name} is where it happens.",
    "{name} in src/{subject}/{verb}_{noun}.py fails when the {noun} is empty, {reason}.",
    "Never {verb} a {noun} in {subject} without a timeout of {number} ms.",
    "{tool} listens on port {number} for {subject}, {reason}.",
    "To {verb} a {noun}: open {subject}, run {name}, then look at {tool}.",
)


def _fill(draw: random.Random, number: int) -> dict[str, object]:
    verb, noun = draw.choice(_VERBS), draw.choice(_NOUNS)
    return {
        "subject": draw.choice(_SUBJECTS), "verb": verb, "noun": noun, "tool": draw.choice(_TOOLS),
        "reason": draw.choice(_REASONS), "number": draw.randint(10, 65_000),
        "name": f"{verb}{noun.title()}{draw.choice('ABCDEFGH')}{number % 50_000}",
    }  # fmt: skip


def make_texts(count: int) -> Iterator[str]:
    """`count` memories of about 90 characters; identifiers make rare words, the rest are common ones."""
    draw = random.Random(7)
    for number in range(count):
        yield draw.choice(_FORMS).format(**_fill(draw, number))


def make_questions(texts: list[str], count: int) -> list[str]:
    """A third names an identifier, a third asks in a sentence, a third is a few words of one text."""
    draw = random.Random(11)
    asked = []
    for number in range(count):
        text = texts[draw.randrange(len(texts))]
        words = [word.strip(".,;:") for word in text.split()]
        if number % 3 == 0:
            asked.append(max(words, key=len) + " " + words[1])
        elif number % 3 == 1:
            asked.append(
                f"how do we {draw.choice(_VERBS)} the {draw.choice(_NOUNS)} in {draw.choice(_SUBJECTS)} with {draw.choice(_TOOLS)}?"
            )
        else:
            asked.append(" ".join(draw.sample(words, min(5, len(words)))))
    return asked
