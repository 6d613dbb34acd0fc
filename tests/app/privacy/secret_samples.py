"""Makes made-up secrets from parts, so that no file of ours holds anything that looks like a real one."""

import random
import re
import string
from collections.abc import Callable
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]

ALNUM = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + string.digits
LOWER = string.ascii_lowercase + string.digits
HEX = "0123456789abcdef"
B64 = ALNUM + "+/"
URLSAFE = ALNUM + "-_"


def chars(rng: random.Random, alphabet: str, count: int) -> str:
    return "".join(rng.choice(alphabet) for _ in range(count))


def uuid(rng: random.Random) -> str:
    return "-".join(chars(rng, HEX, n) for n in (8, 4, 4, 4, 12))


# What the vendors document: prefix, then so many characters of an alphabet.
SHAPES: dict[str, Callable[[random.Random], str]] = {
    "github classic": lambda r: "gh" + "p_" + chars(r, ALNUM, 36),
    "github oauth": lambda r: "gh" + "o_" + chars(r, ALNUM, 36),
    "github fine-grained": lambda r: "github" + "_pat_" + chars(r, ALNUM, 22) + "_" + chars(r, ALNUM, 59),
    "gitlab personal": lambda r: "gl" + "pat-" + chars(r, URLSAFE, 20),
    "gitlab runner": lambda r: "gl" + "rt-" + chars(r, URLSAFE, 20),
    "bitbucket": lambda r: "AT" + "BB" + chars(r, ALNUM, 32),
    "atlassian": lambda r: "AT" + "ATT3" + chars(r, URLSAFE, 180) + "=" + chars(r, UPPER, 8),
    "aws key id": lambda r: "AK" + "IA" + chars(r, string.ascii_uppercase + "234567", 16),
    "aws temporary key id": lambda r: "AS" + "IA" + chars(r, string.ascii_uppercase + "234567", 16),
    "google api": lambda r: "AI" + "za" + chars(r, URLSAFE, 35),
    "google oauth secret": lambda r: "GOC" + "SPX-" + chars(r, URLSAFE, 28),
    "google access": lambda r: "ya" + "29." + chars(r, URLSAFE, 120),
    "azure client secret": lambda r: chars(r, ALNUM, 3) + "8Q" + "~" + chars(r, ALNUM, 34),
    "digitalocean": lambda r: "dop" + "_v1_" + chars(r, HEX, 64),
    "alibaba": lambda r: "LT" + "AI" + chars(r, ALNUM, 20),
    "fly": lambda r: "fo" + "1_" + chars(r, URLSAFE, 43),
    "tailscale": lambda r: "ts" + "key-auth-" + chars(r, ALNUM, 16) + "-" + chars(r, ALNUM, 32),
    "vault": lambda r: "hv" + "s." + chars(r, URLSAFE, 90),
    "terraform": lambda r: chars(r, ALNUM, 14) + ".atlas" + "v1." + chars(r, ALNUM, 67),
    "pulumi": lambda r: "pu" + "l-" + chars(r, HEX, 40),
    "doppler": lambda r: "dp" + ".pt." + chars(r, ALNUM, 43),
    "docker": lambda r: "dckr" + "_pat_" + chars(r, URLSAFE, 27),
    "databricks": lambda r: "da" + "pi" + chars(r, HEX, 32),
    "anthropic": lambda r: "sk-" + "ant-api03-" + chars(r, URLSAFE, 93) + "AA",
    "openai project": lambda r: "sk-" + "proj-" + chars(r, URLSAFE, 120),
    "openai": lambda r: "sk" + "-" + chars(r, ALNUM, 48),
    "openrouter": lambda r: "sk-" + "or-v1-" + chars(r, HEX, 64),
    "hugging face": lambda r: "hf" + "_" + chars(r, string.ascii_letters, 34),
    "groq": lambda r: "gs" + "k_" + chars(r, ALNUM, 52),
    "replicate": lambda r: "r8" + "_" + chars(r, ALNUM, 37),
    "perplexity": lambda r: "pp" + "lx-" + chars(r, ALNUM, 48),
    "xai": lambda r: "xa" + "i-" + chars(r, ALNUM, 80),
    "nvidia": lambda r: "nv" + "api-" + chars(r, URLSAFE, 64),
    "langsmith": lambda r: "lsv2" + "_pt_" + chars(r, HEX, 32) + "_" + chars(r, HEX, 10),
    "pinecone": lambda r: "pc" + "sk_" + chars(r, ALNUM, 6) + "_" + chars(r, ALNUM, 60),
    "stripe": lambda r: "sk" + "_live_" + chars(r, ALNUM, 24),
    "stripe restricted": lambda r: "rk" + "_test_" + chars(r, ALNUM, 99),
    "stripe webhook": lambda r: "wh" + "sec_" + chars(r, ALNUM, 32),
    "square": lambda r: "sq0" + "csp-" + chars(r, URLSAFE, 43),
    "razorpay": lambda r: "rz" + "p_live_" + chars(r, ALNUM, 14),
    "shopify": lambda r: "sh" + "pat_" + chars(r, HEX, 32),
    "plaid": lambda r: "access-" + "production-" + uuid(r),
    "slack bot": lambda r: "xo" + "xb-" + chars(r, string.digits, 12) + "-" + chars(r, ALNUM, 24),
    "slack app": lambda r: (
        "xa" + "pp-1-A" + chars(r, UPPER, 10) + "-" + chars(r, string.digits, 13) + "-" + chars(r, HEX, 64)
    ),
    "slack webhook": lambda r: (
        "https://hooks.slack"
        ".com/services/T" + chars(r, UPPER, 9) + "/B" + chars(r, UPPER, 9) + "/" + chars(r, ALNUM, 24)
    ),
    "discord": lambda r: "MT" + chars(r, ALNUM, 24) + ".G" + chars(r, ALNUM, 5) + "." + chars(r, URLSAFE, 38),
    "telegram": lambda r: chars(r, "123456789", 10) + ":" + "AA" + chars(r, URLSAFE, 33),
    "twilio": lambda r: "S" + "K" + chars(r, HEX, 32),
    "sendgrid": lambda r: "S" + "G." + chars(r, URLSAFE, 22) + "." + chars(r, URLSAFE, 43),
    "mailchimp": lambda r: chars(r, HEX, 32) + "-us" + "12",
    "brevo": lambda r: "xkey" + "sib-" + chars(r, HEX, 64) + "-" + chars(r, ALNUM, 16),
    "npm": lambda r: "np" + "m_" + chars(r, ALNUM, 36),
    "pypi": lambda r: "pypi" + "-AgEIcHlwaS5vcmc" + chars(r, URLSAFE, 150),
    "rubygems": lambda r: "ruby" + "gems_" + chars(r, HEX, 48),
    "new relic": lambda r: "NR" + "AK-" + chars(r, UPPER, 27),
    "grafana": lambda r: "gl" + "sa_" + chars(r, ALNUM, 32) + "_" + chars(r, HEX, 8),
    "dynatrace": lambda r: "dt0" + "c01." + chars(r, UPPER, 24) + "." + chars(r, UPPER, 64),
    "notion": lambda r: "nt" + "n_" + chars(r, ALNUM, 46),
    "linear": lambda r: "lin" + "_api_" + chars(r, ALNUM, 40),
    "figma": lambda r: "fig" + "d_" + chars(r, URLSAFE, 40),
    "hubspot": lambda r: "pat-" + "na1-" + uuid(r),
    "postman": lambda r: "PM" + "AK-" + chars(r, HEX, 24) + "-" + chars(r, HEX, 34),
    "airtable": lambda r: "pa" + "t" + chars(r, ALNUM, 14) + "." + chars(r, HEX, 64),
    "supabase": lambda r: "sb" + "p_" + chars(r, HEX, 40),
    "jwt": lambda r: (
        "ey" + "J" + chars(r, URLSAFE, 33) + ".ey" + "J" + chars(r, URLSAFE, 70) + "." + chars(r, URLSAFE, 43)
    ),
    "age": lambda r: "AGE-SECRET" + "-KEY-1" + chars(r, UPPER, 58),
    "pem": lambda r: (
        "-----BEGIN RSA "
        "PRIVATE KEY-----\n" + "\n".join(chars(r, B64, 64) for _ in range(6)) + "\n-----END RSA PRIVATE KEY-----"
    ),
    "pem, torn": lambda r: "-----BEGIN " + "PRIVATE KEY-----\n" + "\n".join(chars(r, B64, 64) for _ in range(3)),
    "pgp": lambda r: (
        "-----BEGIN PGP "
        "PRIVATE KEY BLOCK-----\nVersion: 2\n\n" + chars(r, B64, 64) + "\n=ab12\n-----END PGP PRIVATE KEY BLOCK-----"
    ),
}


def from_pattern(pattern: str, rng: random.Random) -> tuple[str, list[tuple[int, int]]]:
    """A text that the pattern matches, and the spans of its groups (0 first): the pattern walked at random."""
    groups: dict[int, tuple[int, int]] = {}
    text = _walk(parser.parse(pattern).data, rng, groups, 0)
    return text, [(0, len(text)), *(groups.get(number, (-1, -1)) for number in range(1, max(groups, default=0) + 1))]


def _walk(nodes: list[tuple[object, object]], rng: random.Random, groups: dict[int, tuple[int, int]], at: int) -> str:
    text = ""
    for kind, value in nodes:
        text += _one(kind, value, rng, groups, at + len(text))
    return text


def _one(kind: object, value: object, rng: random.Random, groups: dict[int, tuple[int, int]], at: int) -> str:
    if kind is op.LITERAL:
        return chr(value)
    if kind is op.AT:
        return ""
    if kind in {op.IN, op.NOT_LITERAL, op.ANY}:
        return rng.choice(_members(kind, value))
    if kind is op.BRANCH:
        return _walk(rng.choice(value[1]), rng, groups, at)
    if kind is op.SUBPATTERN:
        number, _, _, inner = value
        text = _walk(inner, rng, groups, at)
        if number:
            groups[number] = (at, at + len(text))
        return text
    low, high, inner = value  # MAX_REPEAT, MIN_REPEAT
    count = low if high == low else rng.randint(low, min(int(high), low + 6))
    text = ""
    for _ in range(count):
        text += _walk(inner, rng, groups, at + len(text))
    return text


def _members(kind: object, value: object) -> list[str]:
    if kind is op.ANY:
        return list(ALNUM)
    if kind is op.NOT_LITERAL:
        return [c for c in ALNUM if ord(c) != value]
    flags = "" if value[0][0] is op.NEGATE else "x"
    allowed = [c for c in string.printable[:95] if _is_member(value, c)]
    plain = [c for c in allowed if c in ALNUM]
    return plain if plain and not flags else allowed or ["\n"]


def _is_member(parts: list[tuple[object, object]], character: str) -> bool:
    is_in = any(_fits(kind, value, character) for kind, value in parts if kind is not op.NEGATE)
    return is_in != (parts[0][0] is op.NEGATE)


def _fits(kind: object, value: object, character: str) -> bool:
    if kind is op.LITERAL:
        return ord(character) == value
    if kind is op.RANGE:
        return value[0] <= ord(character) <= value[1]
    classes = {op.CATEGORY_DIGIT: r"\d", op.CATEGORY_SPACE: r"\s", op.CATEGORY_WORD: r"\w"}
    classes |= {op.CATEGORY_NOT_SPACE: r"\S", op.CATEGORY_NOT_WORD: r"\W", op.CATEGORY_NOT_DIGIT: r"\D"}
    return re.fullmatch(classes[value], character) is not None
