"""Secrets are taken out, everything else stays: formats, names and values, prose, and what only looks like one."""

import json
import random
from pathlib import Path

import pytest
from detect_secrets.core.scan import scan_line
from detect_secrets.settings import transient_settings
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InvalidError
from app.privacy.redaction import Finding, SecretRules, redact
from app.resources import load_rules
from tests.app.privacy.secret_samples import ALNUM, SHAPES, chars, from_pattern
from tests.shipped_rules import secret_rules
from tests.table import table

RULES = secret_rules()
AROUND = ("{}", "use {} for now", "KEY={}\nDEBUG=1", 'x = call("{}")', "first `{}`, then run it.")


def is_gone(secret: str, text: str) -> bool:
    """No third of the secret is left."""
    piece = max(4, len(secret) // 3)
    return all(secret[at : at + piece] not in text for at in range(len(secret) - piece + 1))


def test_there_are_many_rules():
    assert len(RULES.rules) >= 130


@table("name", SHAPES)
@table("around", AROUND)
def test_published_format_is_taken_out(name, around):
    rng = random.Random(f"{name}/{around}")
    for _ in range(2):
        secret = SHAPES[name](rng)
        result = redact(around.format(secret), RULES)
        assert is_gone(secret.rpartition("/")[2], result.text), result.findings
        assert len(result.findings) == 1


FORMAT_RULES = [rule for rule in RULES.rules if rule.check == "token"]


@table("rule", FORMAT_RULES, ids=lambda rule: rule.id)
def test_each_format_rule_takes_out_two_examples_of_its_own(rule):
    rng = random.Random(rule.id)
    for _ in range(2):
        text, spans = from_pattern(rule.pattern, rng)
        start, end = spans[rule.group]
        findings = redact(f"see {text}", RULES).findings
        covered = {at for finding in findings for at in range(finding.start - 4, finding.end - 4)}
        assert set(range(start, end)) <= covered, (findings, start, end)


def test_findings_name_the_place_in_the_original_and_never_the_secret():
    secret = SHAPES["github classic"](random.Random(1))
    text = f"häßlich 🙂 {secret} – und weiter"
    result = redact(text, RULES)
    assert result.text == "häßlich 🙂 [secret: GitHub token] – und weiter"
    [finding] = result.findings
    assert text[finding.start : finding.end] == secret
    assert finding == Finding("github-token", "GitHub token", 10, 10 + len(secret))
    assert secret not in repr(result)


PASSWORDS = ("hunt" + "er2", "Tr0ub" + "4dor&3", "S3cr" + "3t!", "gold" + "fish", "x9K#" + "mQ2v")
PROSE_PASSWORDS = (
    "the password is {}",
    "my password is {}, please log in",
    "Password: {}",
    "pw: {}",
    'the admin password is "{}".',
    "root password on that box is {}",
    "the password for the staging database is {}",
    "set the password to {}",
    "reset the admin password to {} and restart",
    "use {} as the password",
    "{} is the password for the demo account",
    "log in as admin with password {}",
    "credentials: admin / {}",
    "login: jane@example.org / {}",
    "user is postgres and password is {}",
    "das Passwort ist {}",
    "das Kennwort für den Server lautet {}",
    "setze das Passwort auf {}",
    "Zugangsdaten: admin / {}",
    "le mot de passe est {}",
    "mdp : {}",
    "utilise {} comme mot de passe",
    "la contraseña es {}",
    "usuario admin, contraseña {}",
    "a senha é {}",
    "the password was changed from foo to {}",
    "username/password: bob/{}",
    "I changed the db password to {} yesterday",
    "sign in with jane@example.org and {}",
    "connecte-toi avec admin / {}",
    "melde dich mit admin / {} an",
    "пароль: {}",
)
TOKENS = ("a8f5f167f44f4964" + "e6c998dee827110c", "x7Gh2kLm9Q" + "pR4sTv", "abc123" + "def456")
PROSE_TOKENS = (
    "my API key is {}",
    "use token {} to log in",
    "here's my api key {}",
    "the auth token for staging is {}",
    "client secret: {}",
    "use {} as the api key",
    "the secret key is {}",
    "der API-Schlüssel ist {}",
    "la clé API est {}",
    "la clave de API es {}",
)


@table("wording", PROSE_PASSWORDS)
@table("secret", PASSWORDS)
def test_password_in_prose(wording, secret):
    assert is_gone(secret, redact(wording.format(secret), RULES).text)


@table("wording", PROSE_TOKENS)
@table("secret", TOKENS)
def test_token_in_prose(wording, secret):
    assert is_gone(secret, redact(wording.format(secret), RULES).text)


@table(
    ("text", "kept"),
    [
        ("postgres://app:{}@db.example.org:5432/x", "postgres://app:[secret: URL password]@db.example.org:5432/x"),
        ("redis://:{}@cache:6379", "redis://:[secret: URL password]@cache:6379"),
        ("GET https://example.org/a?x=1&token={}&y=2", "GET https://example.org/a?x=1&token=[secret: URL secret]&y=2"),
        ("DB_PASSWORD={}\nDEBUG=1", "DB_PASSWORD=[secret: password]\nDEBUG=1"),
        ("db:\n  password: {}\n  port: 1", "db:\n  password: [secret: password]\n  port: 1"),
        ('{"password": "{}", "a": 1}', '{"password": "[secret: password]", "a": 1}'),
        ("const apiKey = '{}';", "const apiKey = '[secret: token]';"),
        ("//registry.example.org/:_authToken={}", "//registry.example.org/:_authToken=[secret: npm token]"),
        ("machine example.org login jane password {}", "machine example.org login jane password [secret: password]"),
        ("Authorization: Bearer {}", "Authorization: Bearer [secret: authorization header]"),
        ("curl -u jane:{} https://example.org", "curl -u jane:[secret: password] https://example.org"),
        ("Server=x;User=y;Password={};Timeout=3", "Server=x;User=y;Password=[secret: password];Timeout=3"),
        ("mysql -u root -p{} shop", "mysql -u root -p[secret: password] shop"),
    ],
)
def test_place_in_code_and_configuration(text, kept):
    secret = "q7W" + "e9Rt2" + "Yu4Io"
    assert (
        redact(text.replace("{}", secret, 1) if text[0] != "{" else text.replace('"{}"', f'"{secret}"'), RULES).text
        == kept
    )


@table(
    "text",
    """the password is too short, show an error
add a password field to the sign up form
the token is expired, refresh it before the request
the api key is read from the environment
password is required
the password is wrong
le mot de passe est incorrect
la contraseña es obligatoria
das Passwort ist falsch
password: string;
const password = req.body.password;
const token = process.env.TOKEN
token = secrets.token_urlsafe(32)
max_tokens: 4096
export API_KEY=your-api-key-here
OPENAI_API_KEY=sk-...
Authorization: Bearer <token>
password: ${DB_PASSWORD}
token: ${{ secrets.GITHUB_TOKEN }}
password=xxxxxxxx
https://user:password@example.org/path
commit 3f2a9c1d4e5b6f7a8b9c0d1e2f3a4b5c6d7e8f90
the uuid is 550e8400-e29b-41d4-a716-446655440000
the key is to keep it simple
cache_key = f"{user}:{page}"
"forgot_password": "Forgot your password?"
sign in with email and password
all tests pass: 120/120
credentials: 'same-origin'
test_user_can_log_in_with_valid_credentials
git clone git@github.com:example/app.git""".splitlines(),
)
def test_ordinary_text_stays(text):
    assert redact(text, RULES) == redact("", RULES).__class__(text, ())


def test_passphrase_of_words():
    words = "lamp river crayon seven"
    assert redact(f"the passphrase is {words}.", RULES).text == "the passphrase is [secret: passphrase]."
    assert redact("the passphrase is stored in the key chain.", RULES).findings == ()


def test_marks_of_an_earlier_run_are_left_alone_but_shelter_nothing():
    secret = SHAPES["stripe"](random.Random(2))
    once = redact(f"key {secret} and password: {PASSWORDS[0]}", RULES).text
    assert redact(once, RULES).findings == ()
    assert is_gone(secret, redact(f"[secret: {secret}]", RULES).text)


def test_value_longer_than_the_window_goes_whole():
    secret = chars(random.Random(3), ALNUM, 20_000)
    result = redact(f"api_key = {secret} end", RULES)
    assert result.text == "api_key = [secret: token] end"


FRAGMENTS = [
    *(shape(random.Random(4)) for shape in SHAPES.values()),
    *("password", "token", "is", ":", "=", '"', "'", " ", "\n", "\\", "https://", "@", "?key=", "[secret: token]", "]"),
    *PASSWORDS,
    "the passphrase is",
    "secret: ",
    "é",
    "user admin,",
]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join))
def test_redacting_twice_is_redacting_once(text):
    once = redact(text, RULES)
    assert redact(once.text, RULES).text == once.text
    positions = [(finding.start, finding.end) for finding in once.findings]
    assert positions == sorted(positions)
    assert all(0 <= start < end <= len(text) for start, end in positions)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=300))
def test_any_text_can_be_redacted_without_a_change_outside_of_marks(text):
    result = redact(text, RULES)
    rest, at = [], 0
    for finding in result.findings:
        rest.append(text[at : finding.start])
        at = finding.end
    rest.append(text[at:])
    assert all(part in result.text for part in rest)
    assert bool(result.findings) == (result.text != text)


def test_detect_secrets_finds_nothing_in_what_we_let_through():
    names = ("AWSKeyDetector", "GitHubTokenDetector", "GitLabTokenDetector", "SlackDetector", "StripeDetector")
    names += ("JwtTokenDetector", "PrivateKeyDetector", "SendGridDetector", "NpmDetector", "BasicAuthDetector")
    names += (
        "OpenAIDetector",
        "TwilioKeyDetector",
        "TelegramBotTokenDetector",
        "PypiTokenDetector",
        "SquareOAuthDetector",
    )
    rng = random.Random(5)
    lines = [line for shape in SHAPES.values() for line in f"run with {shape(rng)} now".splitlines()]
    with transient_settings({"plugins_used": [{"name": name} for name in names]}):
        seen = [line for line in lines if any(True for _ in scan_line(line))]
        left = [
            line for line in redact("\n".join(lines), RULES).text.splitlines() if any(True for _ in scan_line(line))
        ]
    assert len(seen) >= 12  # the oracle does see them before
    assert left == []


@table(
    ("broken", "says"),
    [
        ({"id": "x", "title": "x", "keywords": ["x"], "pattern": "("}, "cannot be used"),
        ({"id": "x", "title": "x", "keywords": [], "pattern": "x"}, "keywords"),
        ({"id": "x", "title": "x", "keywords": ["X"], "pattern": "x"}, "lower case"),
        ({"id": "x", "title": "x", "keywords": ["x"], "pattern": "x", "group": 1}, "no group 1"),
        ({"id": "x", "title": 'x"]', "keywords": ["x"], "pattern": "x"}, "title"),
        ({"id": "x", "title": "x", "keywords": ["x"], "pattern": "x", "check": "nope"}, "unknown check"),
        ({"id": "x", "title": "x", "keywords": ["x"]}, "cannot be used"),
        ({"id": "x", "title": "x", "keywords": ["x"], "pattern": r"x\pN"}, r"'x' cannot be used: bad escape \\p"),
        ({"id": "x", "title": "x", "keywords": ["x"], "pattern": r"x\pN", "after": 9}, "'x' cannot be used"),
    ],
)
def test_a_broken_rule_is_named(broken, says):
    with pytest.raises(InvalidError, match=says):
        SecretRules.parse({"rules": [broken]})


@table(
    ("more", "says"),
    [
        ({"checks": {"token": {"refuse": "("}}}, "check 'token'"),
        ({"checks": {"odd": {"follow": "["}}}, "check 'odd'"),
        ({"placeholders": ["(x"]}, "check 'token'"),
    ],
)
def test_a_broken_check_is_named(more, says):
    rule = {"id": "x", "title": "x", "keywords": ["x"], "pattern": "x"}
    with pytest.raises(InvalidError, match=says):
        SecretRules.parse({"rules": [rule], **more})


def test_words_that_may_not_be_near_are_read_before_the_rule_is_used():
    rule = {"id": "x", "title": "x", "keywords": ["x"], "pattern": "x", "after": 9, "unless": "("}
    with pytest.raises(InvalidError, match="'x' cannot be used"):
        SecretRules.parse({"rules": [rule]})


def test_a_rule_of_the_person_is_added(tmp_path: Path):
    own = {"rules": [{"id": "acme", "title": "Acme key", "keywords": ["acme-"], "pattern": "acme-[0-9]{6}"}]}
    (tmp_path / "secrets.yaml").write_text(json.dumps(own), encoding="utf-8")
    rules = SecretRules.parse(load_rules("secrets", tmp_path))
    assert redact("take acme-" + "123456", rules).text == "take [secret: Acme key]"
