"""Texts made to cost as much as they can: of the words that rules ask for, and of what looks like a secret.

Shared by the benchmark that searches for the worst one and by the tests that count work. Source: issue 15.
"""

import random
import string
from functools import cache

from app.resources import load_rules

SEPARATORS = (" ", ": ", "=", " = ", "\n", ", ", " / ", "? ", "->", '"', "'", "(", ")", ";", "\\", "|", "://", "@", "")
SHAPES = (
    *(
        "abc1!",
        "xY7!kd9",
        "hunter2",
        "tin-roof-garden",
        "Foo-12!",
        "4711",
        "a1b2c3d4e5f60718",
        "Banana",
        "root",
        "x",
        "1",
    ),
    *(
        "AKIA0000000000000000",
        "-----BEGIN RSA PRIVATE KEY-----",
        "eyJhbGciOi.eyJzdWIi.c2ln",
        "https://bob:pw1@h/",
        "é",
        "密码",
    ),
    *("[secret: password]", "password", "is", "the", "with", "user", "for", "login", "not", "and"),
)
WORST = (
    "password: abc1! key = foo2 ",
    "password: xY7!kd9Qz ",
    "2026-11-23 10:11:12 INFO token=abc user=bob key = value id=12 req 9f8a7b6c\n",
    "pw\n",
    "password=x",
    "-----BEGIN RSA PRIVATE KEY-----\n",
    "-----BEGIN RSA PRIVATE KEY-----a-",
    "PuTTY-User-Key-File-3: xxxxxxx ",
    "password: token, login / pin ",
    "Failed password for invalid user admin from 10.2.3.4 port 4422 ssh2\n",
    "login bob password q7 ",
    "://a:b",
    "pass ",
    '\\"',
    "[secret: password]",
    "[secret: ",
    "the answer name secret question is ",
    "(bob / banana!) login ",
    "accountkey=rolekey(the=is,",  # found by the search: long values, judged again and again
    'is\\W/P"passwordis\\',
    "th/IhGD-gTMLm0ip%@Foo-12!: passwörter\\.Y ",
)


@cache
def words() -> tuple[str, ...]:
    """Every keyword of every rule, and every word of the lists for what sentences tell."""
    rules = load_rules("secrets")
    found = {str(word) for rule in rules["rules"] for word in rule["keywords"]}
    for name, listed in rules["told"].items():
        if name not in ("common", "plain"):
            found.update(map(str, listed.split() if isinstance(listed, str) else listed))
    return tuple(sorted(found))


def made_unit(rng: random.Random) -> str:
    """A fragment to be repeated."""
    parts = []
    for _ in range(rng.randint(1, 7)):
        parts.append(rng.choice(words()) if rng.random() < 0.55 else shape(rng))
        parts.append(rng.choice(SEPARATORS))
    return "".join(parts) or "x"


def shape(rng: random.Random) -> str:
    if rng.random() < 0.7:
        return rng.choice(SHAPES)
    return "".join(rng.choices(string.ascii_letters + string.digits + "!#$%-_+/.", k=rng.randint(1, 24)))


def made_text(rng: random.Random, byte_count: int) -> str:
    """A text of ever new fragments."""
    parts: list[str] = []
    size = 0
    while size < byte_count:
        unit = made_unit(rng) * rng.choice((1, 1, 1, 3, 20))
        parts.append(unit)
        size += len(unit.encode())
    return "".join(parts)
