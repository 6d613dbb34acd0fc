"""Takes secrets out of JSON: it is parsed, each text in it is redacted for itself, and it is written again.

Owns the walk; `detector` redacts a text. Raw JSON is never redacted: a mark in it may take a quote or a brace along. Parsed
by the C half of `json`, since the other half is slow to import. Numbers and repeated keys stay as they were.
Shared with the hook. Source: issue 15 "redact values after parsing", QUALITY S6, R13.
"""

from _json import encode_basestring, encode_basestring_ascii, make_scanner

TYPE_CHECKING = False  # `typing` takes longer to import than the hook may
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from .detector import Detector

BOM = b"\xef\xbb\xbf"
OWN_WORDS = frozenset(("hook_event_name", "tool_name", "permission_mode"))  # what the assistant calls things
PLAIN_BYTES_MAX = 3  # no secret is so short
NUMBER_DIGITS_MIN = 4
NAME_CHARS_MAX = 24  # of a key that is read as a name, not as a text
PASSWORD_NAMES = (
    *(
        "password",
        "passwd",
        "passphrase",
        "passcode",
        "pwd",
        "passwort",
        "kennwort",
        "wachtwoord",
        "contraseña",
        "senha",
    ),
    *("mot_de_passe", "_pass", "-pass", "pin", "otp"),
)
KEY_NAMES = ("secret", "token", "apikey", "_key", "-key", "credential", "credentials", "cookie", "authorization")
PASSWORD_MARK, TOKEN_MARK = "[secret: password]", "[secret: token]"
PASSWORD_CHECK, KEY_CHECK = "literal", "opaque"


class Bare(str):
    """What is in JSON without quotes: a number, as it was written."""

    __slots__ = ()


class Pairs(list):  # type: ignore[type-arg]  # its parts are what the parser gives
    """An object as its keys and values, in order, also where a key is there twice."""

    __slots__ = ()


class Reading:
    """How the parser is to read; it asks for these names."""

    strict = False  # a raw line break inside a text is no reason to lose it
    object_hook = None
    object_pairs_hook = Pairs
    parse_float = parse_int = parse_constant = Bare
    memo: "dict[str, str]" = {}  # noqa: RUF012 (the parser's own)


def parse(raw: bytes) -> "Any":
    """The value; raises ValueError where it is no JSON, RecursionError where it is too deep."""
    text = raw.removeprefix(BOM).decode("utf-8").strip(" \t\r\n")
    try:
        value, end = make_scanner(Reading)(text, 0)  # type: ignore[arg-type]  # it asks for names alone
    except StopIteration:
        raise ValueError from None
    if end != len(text):
        raise ValueError
    return value


def without_secrets(raw: bytes, detector: "Detector") -> bytes:
    """The JSON with a mark for each secret in its texts; as it came where there is none.

    Raises ValueError or RecursionError for what is no JSON.
    """
    value = parse(raw)
    detector.narrow("\n".join(texts_in(value)).encode("utf-8", "surrogatepass"))
    writer = Writer(detector)
    written = writer.written(value, "")
    return written.encode("utf-8") if writer.is_changed else raw


def texts_in(value: "Any") -> "Iterator[str]":
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):  # an object is a list, too: of its pairs
        for one in value:
            yield from texts_in(one)
    elif isinstance(value, tuple):
        yield value[0]
        yield from texts_in(value[1])


class Writer:
    """Writes a value again, its texts without secrets."""

    def __init__(self, detector: "Detector") -> None:
        self.detector = detector
        self.seen: dict[str, str] = {}
        self.is_changed = False

    def written(self, value: "Any", key: str) -> str:
        if isinstance(value, Bare):
            if not is_secret_number(key, value):
                return str(value)
            self.is_changed = True
            return quoted(PASSWORD_MARK)
        if isinstance(value, str):
            return quoted(self.text(key, value))
        if isinstance(value, Pairs):
            return "{" + ",".join([f"{quoted(self.name(name))}:{self.written(one, name)}" for name, one in value]) + "}"
        if isinstance(value, list):
            return "[" + ",".join([self.written(one, key) for one in value]) + "]"
        return "null" if value is None else "true" if value else "false"

    def name(self, name: str) -> str:
        return name if is_name(name) else self.text("", name)

    def text(self, key: str, text: str) -> str:
        """The text as it may be kept, known where it is: what a key calls a password is one."""
        if is_plain(key, text):
            return self.of_key(key, text)
        if text not in self.seen:
            data = text.encode("utf-8", "surrogatepass")
            kept, found = self.detector.redact(data)
            self.seen[text] = kept.decode("utf-8", "surrogatepass") if found else text
            self.is_changed = self.is_changed or bool(found)
        kept_text = self.seen[text]
        return kept_text if kept_text != text or not key else self.of_key(key, text)

    def of_key(self, key: str, text: str) -> str:
        kept = of_key(key, text, self.detector)
        self.is_changed = self.is_changed or kept is not text
        return kept


def of_key(key: str, text: str, detector: "Detector") -> str:
    """The text, or a mark where the name says that it is a secret and it can be one."""
    name = key.lower()
    is_password = name.endswith(PASSWORD_NAMES) or name == "pass"
    if not (is_password or name.endswith(KEY_NAMES)):
        return text
    data = text.encode("utf-8", "surrogatepass")
    check = PASSWORD_CHECK if is_password else KEY_CHECK
    try:
        if not detector.get_judge().is_secret(check, data, 0, len(data)):
            return text
    except KeyError:
        pass  # rules without such a check: what the name says holds
    return PASSWORD_MARK if is_password else TOKEN_MARK


def is_name(name: str) -> bool:
    return len(name) <= NAME_CHARS_MAX and name.isidentifier()


def is_plain(key: str, text: str) -> bool:
    return len(text) <= PLAIN_BYTES_MAX or (key in OWN_WORDS and text.isalpha())


def is_secret_number(key: str, number: str) -> bool:
    return key.lower().endswith(PASSWORD_NAMES) and len(number) >= NUMBER_DIGITS_MIN and number.isdigit()


def redact_value(value: "Any", redacted: "Callable[[str], str]", detector: "Detector", key: str = "") -> "Any":
    """A parsed value (of the engine's own `json`) with its texts as `without_secrets` would leave them."""
    if isinstance(value, str):
        kept = value if is_plain(key, value) else redacted(value)
        return kept if kept != value or not key else of_key(key, value, detector)
    if isinstance(value, dict):
        return {
            name if is_name(name) else redacted(name): redact_value(one, redacted, detector, name)
            for name, one in value.items()
        }
    if isinstance(value, list):
        return [redact_value(one, redacted, detector, key) for one in value]
    return PASSWORD_MARK if type(value) is int and is_secret_number(key, str(value)) else value


def quoted(text: str) -> str:
    """The text as JSON has it; half a character of UTF-16 stays an escape."""
    if text.isascii():
        return encode_basestring(text)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return encode_basestring_ascii(text)
    return encode_basestring(text)
