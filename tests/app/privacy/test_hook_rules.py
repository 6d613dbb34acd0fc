"""The rules that the engine leaves for the hook: complete, replaced in one step, and they find what the engine finds."""

import json
import marshal
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.privacy import json_text
from app.privacy.detector import Detector
from app.privacy.hook_rules import as_in_re2, python_tag, write_hook_rules
from app.privacy.redaction import SecretRules, redact
from app.privacy.stored_rules import HEAD_BYTES, WIDE_RULES, read_detector
from tests.quality.told_samples import load_talk, load_tellings
from tests.shipped_rules import secret_rules
from tests.table import table

pytestmark = pytest.mark.timeout(900)  # on a machine that is busy, hundreds of examples last

RULES = secret_rules()
LINES = [*(text for text, _ in load_tellings()), *load_talk()]
PIECES = (
    *(
        '"',
        "'",
        "`",
        "{",
        "}",
        "[",
        "]",
        "\\",
        "\\n",
        "\n",
        "\t",
        ":",
        ",",
        "=",
        " ",
        "\u2028",
        "\x00",
        "\ud83d",
        "\ude00",
        "é",
        "😀",
    ),
    *(
        "password",
        "password: ",
        "pw=",
        "the passphrase is ",
        "login bob password ",
        "token",
        "api_key = ",
        "is",
        "und",
        "use ",
    ),
    *(
        "hunter" + "2!",
        "xY7!kd" + "9Qz",
        "correct horse battery staple",
        "ghp_" + "a1B2" * 9,
        "AKIA" + "Z7ZNI4UXLZT64G3R",
    ),
    *(
        "-----BEGIN RSA " + "PRIVATE KEY-----",
        "-----END RSA " + "PRIVATE KEY-----",
        "MIIEpAIBAAKCAQEA" * 4,
        "[secret: password]",
    ),
    *(
        "https://bob:" + "s3cr3t!" + "@example.org/",
        "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
        "user",
        "root",
        "the",
    ),
)
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=14).map("".join)
KEYS = st.sampled_from(
    ("password", "api_key", "DB_PASS", "token", "prompt", "content", "x y", "clé", "hook_event_name", "pin")
)
VALUES = st.recursive(
    st.one_of(TEXTS, st.integers(), st.booleans(), st.none(), st.floats(allow_nan=False, allow_infinity=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.one_of(KEYS, TEXTS), inner, max_size=3)),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("hook") / "rules.marshal"
    write_hook_rules(path, RULES)
    return path.read_bytes()


@pytest.fixture(scope="module")
def detector(stored: bytes) -> Detector:
    """The rules as the hook has them."""
    return read_detector(lambda start, end: stored[start:end])


def texts_of(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from texts_of(one)
    elif isinstance(value, dict):
        for name, one in value.items():
            yield name
            yield from texts_of(one)


@settings(max_examples=150, deadline=None)
@given(TEXTS)
@example("login bob password " + '"hunter' + '2!"}')
@example("-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA" * 4)
def test_hook_and_engine_leave_the_same_bytes_of_any_text(detector: Detector, text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    assert detector.redact(data)[0].decode("utf-8", "surrogatepass") == redact(text, RULES).text


def test_hook_and_engine_mark_the_same_in_what_people_write(detector: Detector) -> None:
    for at in range(0, len(LINES), 5):
        text = "\n".join(LINES[at : at + 5])
        assert detector.redact(text.encode())[0].decode() == redact(text, RULES).text


@settings(max_examples=150, deadline=None)
@given(VALUES, st.booleans())
@example([{"password": None, "api_key": ['10}""']}, {"password": '10}""'}], False)  # the same text twice, a secret once
def test_what_the_hook_keeps_of_json_is_the_same_json_with_each_text_redacted(
    detector: Detector, value: object, is_ascii: bool
) -> None:
    raw = json.dumps({"prompt": value}, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass")
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return  # no JSON in UTF-8: one text, see below
    detector.narrow(b"")  # what an earlier body left
    kept = json.loads(json_text.without_secrets(raw, detector))
    expected = json_text.redact_value(json.loads(raw), lambda text: redact(text, RULES).text, RULES)
    assert kept == expected


@table(
    "text", ["-----BEGIN RSA " + "PRIVATE KEY-----", "login bob password tea-" + "Pot7", '{"password": "a\\"b', "\\"]
)
def test_no_secret_takes_the_rest_of_the_json_along(detector: Detector, text: str) -> None:
    raw = json.dumps({"prompt": text, "after": [1.50, {"b": True}], "end": "kept"}).encode()
    kept = json.loads(json_text.without_secrets(raw, detector))
    assert kept == {"prompt": redact(text, RULES).text, "after": [1.50, {"b": True}], "end": "kept"}


def test_what_a_key_calls_a_password_is_one(detector: Detector) -> None:
    raw = b'{"tool_input":{"password":"quiet-%s","Pin":4711,"pages":4711,"token":"%s","passwords":"see the wiki"}}'
    raw %= (b"Otter", b"b7Tq2LmX" * 3)
    kept = json.loads(json_text.without_secrets(raw, detector))["tool_input"]
    expected = {
        "password": "[secret: password]",
        "Pin": "[secret: password]",
        "pages": 4711,
        "token": "[secret: token]",
    }
    assert kept == {**expected, "passwords": "see the wiki"}


def test_numbers_repeated_keys_and_bom_stay_as_they_were(detector: Detector) -> None:
    raw = b'\xef\xbb\xbf {"a": 1.50, "a": 1e400, "b": [null, true, -0]} '
    assert json_text.without_secrets(raw, detector) == raw
    kept = json_text.without_secrets(raw.replace(b"null", b'{"pin": 471100}'), detector)
    assert kept == b'{"a":1.50,"a":1e400,"b":[{"pin":"[secret: password]"},true,-0]}'


@table("raw", [b"", b"{", b'{"a":}', b"[1] x", b"\xff", b'"' + b"[" * 10, b"[" * 100_000])
def test_what_is_no_json_is_said_to_be_none(detector: Detector, raw: bytes) -> None:
    with pytest.raises((ValueError, RecursionError)):
        json_text.without_secrets(raw, detector)


def test_the_file_holds_every_rule_and_every_pattern_compiles_in_python(stored: bytes) -> None:
    tag, _, rules, checks, words, *_ = marshal.loads(stored[HEAD_BYTES:])
    patterns = HEAD_BYTES + int.from_bytes(stored[:HEAD_BYTES], "little")
    assert tag == python_tag()
    for (_, (first, end, _), group, *_), rule in zip(rules, RULES.rules, strict=True):
        pattern = stored[patterns + first : patterns + end]
        assert re.compile(pattern).groups >= group
        assert pattern in (rule.pattern.encode(), as_in_re2(rule.pattern))
    assert set(checks) == set(RULES.checks)
    assert b"wrong" in words


def test_the_same_rules_are_not_written_again_but_others_and_a_damaged_file_are(tmp_path: Path) -> None:
    path = tmp_path / "hook" / "rules.marshal"
    write_hook_rules(path, RULES)
    first = path.stat().st_ino
    write_hook_rules(path, RULES)
    assert path.stat().st_ino == first
    other = SecretRules(RULES.rules[:5], RULES.checks, RULES.judge.plain_words)
    for _ in range(2):
        write_hook_rules(path, other)
        assert len(marshal.loads(path.read_bytes()[HEAD_BYTES:])[2]) == 5
        path.write_bytes(b"torn")


def test_a_rule_that_only_changes_how_it_is_used_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "rules.marshal"
    rule = {"id": "x", "title": "x", "keywords": ["x"], "pattern": "x[0-9]"}
    told = []
    for is_told in (False, True):
        write_hook_rules(path, SecretRules.parse({"rules": [{**rule, "is_told": is_told}]}))
        ((*_, last),) = marshal.loads(path.read_bytes()[HEAD_BYTES:])[2]
        told.append(last)
    assert told == [False, True]


def test_without_a_file_a_few_wide_rules_stand_in() -> None:
    for take in (None, lambda _start, _end: b"", lambda start, end: b"x" * (end - start)):
        kept, _ = read_detector(take).redact(b"password: xY7kd" + b"9Qz and no more")
        assert kept == b"password: [secret: password] and no more"


def test_the_hooks_own_marks_are_known_to_the_engine() -> None:
    assert {b"[secret: %s]" % rule[3] for rule in WIDE_RULES} <= RULES.index.marks
