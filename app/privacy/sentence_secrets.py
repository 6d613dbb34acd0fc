"""Secrets told in sentences: which words of a line are the value that a word for a secret speaks of.

Owns the weighing: how plainly the sentence leads from the word for a secret to the value (`TOLD`, `BARE`, …) against how
little the value looks like a word (its shape). No list of sentences: wordings are endless. `lines` cuts the
lines; `pairs` looks beside and before the words. Source: QUALITY S6.
"""

TYPE_CHECKING = False  # `typing` takes longer to import than all of this may
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .detector import Work
    from .line_words import Line

    Span = tuple[int, int]
    Around = Callable[[Line, list[tuple[int, str]], list[Span]], list[Span]]

DIGITS = frozenset(b"0123456789")
STOPS = frozenset(b".;?!")
REACH_TOKENS = 16
RUN_TOKENS = 12
SEED_TOKENS = 11
CUE_UNITS, CUE_TOKENS = 60, 8  # of work: what a word for a secret costs, and in how many tokens it costs one unit more
# How the sentence leads to the value, and by the kind of word the least shape that it takes there (9: none will do).
TOLD, BARE, BESIDE, LISTED, FAR, NEXT = range(6)
LEAST = {
    "password": (1, 2, 2, 2, 4, 4),
    "name": (1, 3, 3, 2, 9, 9),
    "key": (2, 2, 3, 2, 4, 9),
    "number": (2, 2, 3, 2, 9, 9),
    "unlock": (2, 9, 9, 9, 9, 9),
    "login": (2, 9, 9, 9, 9, 9),
    "wants": (3, 3, 9, 9, 9, 9),
    "asks": (1, 2, 9, 9, 9, 9),
    "place": (9, 9, 9, 9, 9, 9),
    "answer": (1, 2, 2, 1, 9, 9),
}
TAKES_WITH = frozenset(("unlock", "login", "wants"))
SECRET_NAMES = (b"password", b"passwd", b"passphrase", b"_pass", b"_pw", b"_pwd", b"-password", b"-pass")
JOINED_WORDS = (b"passwort", b"kennwort", b"wachtwoord")
KEY_NAMES = (b"_key", b"_secret", b"_token", b"-key", b"-secret", b"-token", b"apikey")


def find_stated_secrets(lines: "Iterable[Line]", work: "Work", *around: "Around") -> "list[Span]":
    """Spans of the values that the lines state, sorted; a line for which no work is left is not weighed.

    `around` are the finders of the files beside this one; each is told what those before it found.
    """
    found: set[Span] = set()
    for line in lines:
        kinds = [(at, kind) for at in range(line.count) if (kind := kind_at(line, at))]
        if not kinds and not line.says("login_colon"):
            continue
        work.pay(len(kinds) * (CUE_UNITS + line.count / CUE_TOKENS))
        if work.is_over:
            break
        places: list[Span] = []
        for at, kind in kinds:
            if kind in LEAST:
                places += Walk(line, at, kind).run()
        for finder in around:
            places += finder(line, kinds, places)
        found.update((line.spans[first][0], line.spans[last][1]) for first, last in places)
    return sorted(found)


def kind_at(line: "Line", at: int) -> str:
    """What kind of secret the token is a word for; empty for most."""
    word = line.words[at]
    word = (word[:-2] if word.endswith(b"'s") else word).lstrip(b"-")
    kind = line.lexicon.kinds.get(word, "")
    if kind == "key" and line.has(at - 10, at, "network"):
        return "password"
    if word == b"clave" and not line.is_in(at + 1, "key_never"):
        return "password"
    if (
        kind == "key"
        and line.is_in(at + 1, "for")
        and any(line.is_in(near, "closed") for near in range(at + 2, at + 5))
    ):
        return "key"
    if kind == "key" and not (word in line.lexicon.lists["key_alone"] or line.is_in(at - 1, "key_before")):
        return ""
    if kind == "asks":
        return kind if near_any(line, at, "asks_beside") else ""
    if not kind:
        kind = headed(line, at, word) or named(word)
    if kind in {"password", "key", "number"} and line.is_in(at + 1, "compound") and not line.trails[at]:
        return ""  # "password field" is no password
    if line.trails[at] == b"/" and kind != "login" and line.is_joined(at):
        return ""  # a path
    return kind


def near_any(line: "Line", at: int, name: str) -> bool:
    """Whether a word of the list is within a few words."""
    return any(line.is_in(near, name) for near in range(max(0, at - 5), min(line.count, at + 6)))


def headed(line: "Line", at: int, word: bytes) -> str:
    """The kind of a word that is for a secret only together with those beside it: "door code", "seed phrase"."""
    lists = line.lexicon.lists
    if word in lists["phrase_head"]:
        is_one = line.is_in(at - 1, "phrase_before") or line.is_in(at + 1, "phrase_behind")
        return "password" if is_one else "name" if word == b"pass" else ""
    if word in lists["code_head"]:
        if line.is_in(at - 1, "code_never"):
            return ""
        beside = [*range(max(0, at - 3), at), *range(at + 1, min(line.count, at + 6))]
        if any(line.is_in(near, "network") for near in beside):
            return "password"
        return "number" if any(line.is_in(near, "code_beside") for near in beside) else ""
    if word in lists["auth"]:
        return "login" if line.is_in(at - 1, "auth_before") else ""
    if word in lists["user"] or word in lists["service"] or word in lists["joins"]:
        return "user"
    if word in lists["login_head"]:
        return "login" if line.is_in(at + 1, "login_behind") else ""
    if word in lists["login_colon"] and line.trails[at] == b":":
        return "login"
    if word in lists["answer"]:
        return "answer" if line.says("answer_beside") else ""
    return "password" if word[:1] >= b"\xc0" and word.startswith(line.lexicon.stems) else ""


def named(word: bytes) -> str:
    """The kind of a name in a program: DB_PASSWORD, api-token; and of joined words of German."""
    if word.endswith(JOINED_WORDS):
        return "password"
    if word.endswith(SECRET_NAMES):
        return "name"
    return "name" if word.endswith(KEY_NAMES) else ""


class Walk:
    """From a word for a secret to the values behind it."""

    def __init__(self, line: "Line", at: int, kind: str) -> None:
        self.line, self.at, self.kind = line, at, kind
        self.link = BARE
        self.is_plain = True  # nothing yet between word and value that makes it talk about the word
        self.is_said = False  # with a verb, not by a mark
        self.found: list[Span] = []

    def run(self) -> "list[Span]":
        self.pass_marks(self.at)
        at = self.at + 1
        while at < min(self.line.count, self.at + REACH_TOKENS):
            at = self.step(at)
        return self.found

    def step(self, at: int) -> int:
        """Takes the token or passes it; where to go on."""
        if self.is_teller(at):
            self.tell(at)
        elif not (self.link == TOLD and self.is_filler(at)):
            last = self.take(at)
            if last >= at:
                self.found.append((at, last))
                self.link = LISTED
                at = last
            else:
                self.pass_word(at)
        self.pass_marks(at)
        return at + 1

    def is_filler(self, at: int) -> bool:
        """Whether the token may be between "is" and the value: "still", "simply the word"."""
        line = self.line
        if line.is_in(at, "spelled"):  # "one word, all small, …"
            return any(
                b"," in line.trails[near] or b":" in line.trails[near] for near in range(at, min(at + 3, line.count))
            )
        if line.is_in(at, "old_new") or line.is_in(at, "usual"):
            return at + 1 < line.count and (line.is_strange(at + 1) or line.is_number(at + 1))
        is_det = line.words[at] in {b"the", b"das", b"die", b"le", b"la", b"el"}
        return line.is_in(at, "adverb") or (is_det and (line.is_in(at + 1, "adverb") or line.is_in(at + 1, "usual")))

    def is_teller(self, at: int) -> bool:
        line = self.line
        if self.kind == "asks":
            return line.is_in(at, "reply") or (line.words[at] == b"it" and line.is_in(at - 1, "reply"))
        if self.kind in TAKES_WITH:
            is_so = self.kind == "unlock" and line.is_in(at, "it_is") and b"," in line.trails[at - 1]
            return line.is_in(at, "with") or is_so
        if line.words[at] == b"to" and not line.words[self.at].isascii():
            return True  # Polish: it is
        if line.words[at] == b"so" and b"," in line.trails[at - 1] and line.ends(at + 1):
            self.is_plain = False
            return True
        if line.is_in(at, "set_to") and any(line.is_in(near, "set") for near in range(max(0, self.at - 4), at)):
            return True
        if line.words[at] == b"be" and line.words[at - 2 : at] == [b"used", b"to"]:
            self.is_plain = self.is_plain or at - self.at < 8
            return True
        if line.words[at] in {b"auf", b"zu", b"op"} and at - self.at < 4 and line.is_in(at + 2, "given"):
            self.is_plain = True  # German has its verb at the end
            return True
        if self.link == NEXT:
            return line.is_in(at, "it_is")
        if line.words[at] == b"value":
            return any(line.is_in(near, "with") for near in (at - 1, at - 2))
        is_owner = line.words[at] == b"its" and not line.trails[at - 1] and line.is_in(at - 1, "of")  # "in its subject"
        return line.is_in(at, "teller") or (line.is_in(at, "it_is") and not is_owner)

    def tell(self, at: int) -> None:
        if self.link == NEXT or (at - self.at > 8 and not self.is_resumed(at)):
            self.is_plain = False
        elif self.line.words[at] == b"in":
            self.is_plain = False  # where it is kept
        elif self.is_resumed(at) and (self.line.trails[self.at] or self.opens(self.at + 1)):
            self.is_plain = True
        self.link = TOLD
        self.is_said = self.line.words[at][:1].isalpha() or self.line.words[at][:1] >= b"\xc0"

    def is_resumed(self, at: int) -> bool:
        """Whether the sentence comes back to the word here: "the password, as you know, is"."""
        return b"," in self.line.trails[at - 1] or b")" in self.line.trails[at - 1]

    def pass_word(self, at: int) -> None:
        line = self.line
        if line.is_in(at, "modal") or line.is_in(at, "not"):
            self.is_plain = False
        if at == self.at + 1 and not any(line.is_in(at, name) for name in ("of", "adverb", "set", "user_name")):
            self.is_plain = False
        if self.link == LISTED:
            goes_on = line.is_in(at, "list") or line.is_in(at - 1, "list") or line.is_in(at + 1, "teller")
            self.link = LISTED if goes_on else FAR
            return
        self.link = NEXT if self.link == NEXT else FAR

    def pass_marks(self, at: int) -> None:
        """What the marks behind the token say of the next one."""
        trail = self.line.trails[at]
        if trail == b"=" and at != self.at and self.line.is_joined(at):
            self.link = max(self.link, FAR)  # the name of something else
        elif b"?" in trail and at == self.at and self.is_asked():
            self.link, self.is_said = TOLD, True
        elif any(mark in b":=" for mark in trail) or trail == b">":
            if b")" in trail and self.opens(self.at + 1):
                self.is_plain = True
            if self.kind not in TAKES_WITH:
                self.link = BESIDE if self.link == NEXT else TOLD
                self.is_said = False
        elif any(mark in STOPS for mark in trail):
            self.link = BESIDE if at == self.at else NEXT
        elif self.link in {BARE, FAR} and (b"," in trail or self.opens(at + 1)):
            self.link = BESIDE if at - self.at < 4 else self.link

    def is_asked(self) -> bool:
        """Whether the word alone is the question: "the gpg passphrase? …"."""
        line, first = self.line, max(0, self.at - 4)
        talk = ("teller", "modal", "not", "asks")
        begin = max((near + 1 for near in range(first, self.at) if line.stops(near)), default=first)
        is_short = line.is_whole and (begin > first or first == 0)
        is_end = all(not line.stops(near) for near in range(self.at + 1, min(line.count, self.at + RUN_TOKENS) - 1))
        return (
            is_short and is_end and not any(line.is_in(near, name) for near in range(begin, self.at) for name in talk)
        )

    def opens(self, at: int) -> bool:
        return at < self.line.count and b"(" in self.line.leads[at]

    def take(self, at: int) -> int:
        """The last token of the value that begins here; -1 where none does."""
        line = self.line
        if line.words[self.at] == b"clave" and line.shape(at) < 1 and not line.closes(at):
            return -1  # Spanish: the point is to …
        if line.is_number(at):
            return self.take_number(at)
        if self.kind == "number":
            return self.take_code(at)
        least = self.least(at)
        if line.shape(at) >= max(least, 1):
            is_word = line.shape(at) == 1
            return -1 if is_word and (not self.is_plain or not self.may_be_name(at)) else at
        if self.link == BARE and line.is_in(self.at, "phrase") and not line.is_code:
            return self.take_run(at, words_min=3)
        if self.link == TOLD and not line.is_code:
            if self.is_plain and self.may_be_words(at):
                return self.take_run(at)
            if line.is_in(self.at, "phrase") and line.trails[at - 1] == b":":
                return self.take_run(at, words_min=3)
        return -1

    def least(self, at: int) -> int:
        """The least shape that the word must have to be the value."""
        line = self.line
        if self.kind == "unlock" and line.is_in(at - 1, "it_is"):
            return 9  # only a number
        least = LEAST[self.kind][self.link] + line.is_code - self.is_eased(at)
        if self.kind == "name" and b"_" in line.words[at]:
            least = max(least, 2)
        if self.kind == "password" and self.link == FAR and self.is_of(at):
            least = LEAST[self.kind][BESIDE] + line.is_code
        return least + (self.kind in {"login", "wants"} and (not line.ends(at) or len(line.words[at]) < 8))

    def is_eased(self, at: int) -> bool:
        """Whether what is before leaves no doubt: "the admin page wants …", "user bob, pw …"."""
        line = self.line
        if self.kind == "wants":
            return any(line.is_in(near, "login") for near in range(max(0, self.at - 3), self.at))
        is_second = self.kind == "password" and self.link == BARE and b"," in line.trails[self.at - 1] and line.ends(at)
        return is_second and self.at > 1 and any(line.is_in(near, "user_word") for near in (self.at - 2, self.at - 3))

    def is_of(self, at: int) -> bool:
        """Whether only what the secret is for is between, and the clause ends: "password for the shop …"."""
        reach = 8 if self.line.is_number(at) else 5
        return at - self.at < reach and self.line.is_in(self.at + 1, "of") and self.line.ends(at)

    def may_be_name(self, at: int) -> bool:
        """Whether joined words may be the secret: behind a mark they are the name of a type or of another value."""
        line = self.line
        is_camel = line.value(at).isalnum()
        is_eased = self.kind in {"password", "asks"} and (not is_camel or self.is_eased(at))
        return not line.is_quality(at) and (self.is_said or is_eased or line.is_quoted(at))

    def may_be_words(self, at: int) -> bool:
        """Whether plain words may be the secret: said with a verb, or behind the colon of a passphrase."""
        line = self.line
        if self.kind in {"password", "key", "name"} and self.may_be_strange(at):
            return True
        if self.kind == "key" and line.is_in(self.at - 1, "key_before"):
            parts = line.words[at].replace(b"_", b"-").split(b"-")
            is_joined = len(parts) > 2 and line.lexicon.lists["compound"].isdisjoint(parts)
            is_joined = is_joined and line.lexicon.kinds.keys().isdisjoint(parts)
            is_joined = is_joined and self.is_said and line.is_in(self.at - 1, "key_of_joined")
            return is_joined or line.is_in(self.at - 1, "key_of_words")
        return self.kind in {"answer", "asks"} or (
            self.kind == "password" and (self.is_said or line.is_in(self.at, "phrase"))
        )

    def may_be_strange(self, at: int) -> bool:
        """Whether the word is one that nobody uses otherwise, and all that is said."""
        line = self.line
        is_end = line.ends(at) or line.is_in(at + 1, "follow") or line.is_in(at + 1, "user_word")
        is_end = is_end or (line.trails[at - 1] == b"=" and line.is_joined(at - 1)) or line.value(self.at).isupper()
        is_one = is_end and line.is_strange(at) and len(line.words[at]) > 4
        return is_one and not (line.is_derived(at) or line.value(at).isupper())  # derived: SECRET_KEY=production

    def take_code(self, at: int) -> int:
        """The same for a number of digits and letters: "2764B"."""
        line, value = self.line, self.line.value(at)
        if self.link == FAR and self.is_of(at):
            self.link = BESIDE
        is_one = value.isupper() and len(value) > 3 and not DIGITS.isdisjoint(value)
        is_one = is_one and (line.shape(at) > 0 or is_of_a_door(value))
        return at if is_one and self.link in {TOLD, BARE, BESIDE, LISTED} else -1

    def take_number(self, at: int) -> int:
        line = self.line
        if self.kind == "number" and self.link == FAR and self.is_of(at):
            self.link = BESIDE
        if self.link not in {TOLD, BARE, BESIDE, LISTED} or self.kind in {"name", "login"}:
            return -1
        last = at
        while (
            line.is_number(last + 1 if last + 1 < line.count else at)
            and last + 1 < line.count
            and not line.trails[last]
        ):
            last += 1
        if self.kind == "unlock" and (at - self.at > 6 or not line.is_in(self.at + 1, "unlocked")):
            return -1
        if self.kind == "place" and (self.link not in {TOLD, BARE} or at - self.at > 3):
            return -1
        digits = sum(len(line.words[near]) for near in range(at, last + 1))
        is_end = line.ends(last) or line.is_in(last + 1, "follow") or line.is_in(last + 1, "it_be")
        is_counted = line.is_in(last + 1, "unit") and not (self.kind == "number" and digits > 5)
        if digits < (3 if self.kind == "number" else 4) or is_counted:
            return -1
        if self.kind == "key":
            return last if line.words[at].count(b"-") > 2 else -1
        if self.kind == "place" and digits < 4:
            return -1
        is_long = self.link == BARE and digits > 7
        return last if is_end and (self.link == TOLD or is_long or self.kind in {"number", "place"}) else -1

    def take_run(self, at: int, *, words_min: int = 1) -> int:
        """The end of a plain word or of several that begin here, if they can be the secret."""
        line = self.line
        last = at
        is_phrase = self.kind == "answer" or line.is_in(self.at, "phrase") or (self.kind == "asks" and self.is_said)
        while last + 1 < line.count and last - at < RUN_TOKENS and not line.ends(last):
            if line.is_in(last + 1, "polite") or (not is_phrase and line.is_in(last + 1, "follow")):
                break
            if self.kind == "answer" and line.is_in(last + 1, "for"):
                break
            last += 1
        while not line.words[last] and last > at:
            last -= 1
        count = last - at + 1
        if words_min > 1 and any(line.is_sentence_word(near) for near in range(at, last + 1)):
            return -1
        if (last - at >= RUN_TOKENS and count < SEED_TOKENS) or count < words_min:
            return -1
        if self.kind in {"asks", "password"} and b"?" in line.trails[self.at] and not line.ends(last):
            return -1
        if self.kind == "asks" and not self.is_said and count > 1:
            return -1
        if self.kind == "answer" and any(line.is_in(near, "answer_beside") for near in range(at, last + 1)):
            return -1
        return last if line.is_run(at, last, is_phrase=is_phrase) else -1


def is_of_a_door(value: bytes) -> bool:
    """Digits and a letter, as keypads have them; with most letters it would be a size."""
    return value[-1:] in b"ABCDEF" and value[:-1].isdigit() and 3 < len(value) < 7
