"""Secrets that a sentence tells, weighed by how it leads to the value and what that looks like; talk stays."""

import random

from app.privacy.redaction import redact
from app.resources import load_rules
from tests.shipped_rules import secret_rules
from tests.table import table

RULES = secret_rules()

JOINED = "lantern" + "-and-gravel"
PHRASE = "seven " + "wooden kettles hum"
TOLD = (
    ("our keyring passphrase, as you know, is {}", PHRASE),
    ("use {} as the passphrase of the backup", PHRASE),
    ("the password for the wiki is still {}", JOINED),
    ("it's {}, not " + "Birch" + "71, the db password", "Larch" + "72"),
    ("creds: mira/{}", "larch" + "72x"),
    ("log in with mira and {}, then open billing", "larch" + "72x"),
    ("the passwords are " + "Larch" + "71 for dev and {} for prod", "Birch" + "72"),
    ("set OPS_PASSWORD to {} first", JOINED),
    ("the code for the front door is {}", "4417"),
    ("unlock the tablet with {}", "441790"),
    ("my security question is the first car, the answer is {}", "Wartburg"),
    ("Password:\n{}", "larch" + "72ravine"),
    ("what is the wifi password?\n> {}\nthanks", "larch" + "72ravine"),
    ("$ sudo ls\n[sudo] password for mira:\n{}\ntotal 4", "larch" + "72ravine"),
    ("пароль от базы {}", "Larch" + "72x"),
)
TALK = """the passphrase is asked for twice
the password is stored in the keychain of the user
password for user and admin must differ
the code for the gate component is in gate.ts
unlock the door in level 3 of the game
set OPS_PASSWORD to something else first
log in with a test account and open billing
the security question is shown, the answer is hashed
the token type is reset-token-v2
encrypted with AES-256 and opened with node20
the mnemonic module needs 3 more tests
la contraseña es obligatoria
users: one is an editor, two are viewers
SECRET_KEY=production
JWT_SECRET=localhost
API_KEY=application"""
BELOW = (
    "required",
    "- min 8 chars",
    "type: string",
    "user_password",
    "passwordField2",
    "step 2 fails",
)


@table(("told", "secret"), TOLD)
def test_what_a_sentence_tells_is_taken_out(told: str, secret: str) -> None:
    assert secret not in redact(told.format(secret), RULES).text


@table("text", [*TALK.splitlines(), *(f"Password:\n{below}" for below in BELOW)])
def test_talk_stays(text: str) -> None:
    assert redact(text, RULES).findings == ()


def test_a_line_of_many_words_for_secrets_is_read_once() -> None:
    text = "password: token, login / pin " * 4000
    assert redact(text, RULES).text.count("password: token, login / pin ") > 3990


def test_any_order_of_words_can_be_read() -> None:
    """Each finder looks beside the words that it knows; at the ends of a line there is nothing."""
    lists = load_rules("secrets")["told"]
    words = [str(word) for name, each in lists.items() if name != "common" for word in each]
    marks = ("", "", "", "", ",", ":", ".", "?", "=", ")", '"', " /", " ->", "!")
    rng = random.Random(7)
    for _ in range(700):
        some = [
            *rng.choices(words, k=rng.randrange(1, 5)),
            *rng.choices(["larch", "tin-roof", "Larch71", "4417#"], k=2),
        ]
        rng.shuffle(some)
        text = " ".join(rng.choice(("", "", "", "(", '"', "`", "--")) + word + rng.choice(marks) for word in some)
        kept = redact(text, RULES).text
        assert redact(kept, RULES).text == kept
