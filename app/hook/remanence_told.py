"""Secrets told in sentences: which words of a line are the value that a word for a secret speaks of.

Owns the weighing: how plainly the sentence leads from the word for a secret to the value (`TOLD`, `BARE`, …) against how
little the value looks like a word (its shape). No list of sentences: wordings are endless. `remanence_line` cuts the
lines; who calls looks for the words first. Source: QUALITY S6.
"""

TYPE_CHECKING = False  # `typing` takes longer to import than all of this may
if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.hook.remanence_line import Line

    Span = tuple[int, int]

DIGITS = frozenset(b"0123456789")
STOPS = frozenset(b".;?!")
REACH_TOKENS = 16
RUN_TOKENS = 12
SEED_TOKENS = 11
BACK_TOKENS = 6
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
    "place": (9, 9, 9, 9, 9, 9),
    "answer": (1, 2, 2, 1, 9, 9),
}
TAKES_WITH = frozenset(("unlock", "login", "wants"))
SECRET_NAMES = (b"password", b"passwd", b"passphrase", b"_pass", b"_pw", b"_pwd", b"-password", b"-pass")
KEY_NAMES = (b"_key", b"_secret", b"_token", b"-key", b"-secret", b"-token", b"apikey")


def find_told(lines: "Iterable[Line]") -> "list[Span]":
    """Where in the lines values are told, sorted; in time linear in their length."""
    found: set[Span] = set()
    for line in lines:
        kinds = [(at, kind) for at in range(line.count) if (kind := kind_at(line, at))]
        if not kinds:
            continue
        places: list[Span] = []
        for at, kind in kinds:
            places += Walk(line, at, kind).run()
            if kind in {"password", "key", "number"}:
                places += backward(line, at, kind)
            if kind == "login":
                places += pairs(line, at)
        places += alike(line, places)
        found.update((line.spans[first][0], line.spans[last][1]) for first, last in places)
    return sorted(found)


def kind_at(line: "Line", at: int) -> str:
    """What kind of secret the token is a word for; empty for most."""
    word = line.words[at]
    word = word[:-2] if word.endswith(b"'s") else word
    kind = line.lexicon.kinds.get(word, "")
    if kind == "key" and any(line.is_in(near, "network") for near in range(max(0, at - 6), at)):
        return "password"
    if kind == "key" and not (word in line.lexicon.lists["key_alone"] or line.is_in(at - 1, "key_before")):
        return ""
    if not kind:
        kind = headed(line, at, word) or named(word)
    if kind in {"password", "key", "number"} and line.is_in(at + 1, "compound") and not line.trails[at]:
        return ""  # "password field" is no password
    return kind


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
    if word in lists["login_head"]:
        return "login" if line.is_in(at + 1, "login_behind") else ""
    if word in lists["login_colon"] and line.trails[at] == b":":
        return "login"
    if word in lists["answer"]:
        return "answer" if any(line.is_in(near, "answer_beside") for near in range(line.count)) else ""
    return "password" if word[:1] >= b"\xc0" and word.startswith(line.lexicon.stems) else ""


def named(word: bytes) -> str:
    """The kind of a name in a program: DB_PASSWORD, api-token."""
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
        """Whether the token may stand between "is" and the value: "still", "simply the word"."""
        line = self.line
        return line.is_in(at, "adverb") or (line.words[at] in {b"the", b"das"} and line.is_in(at + 1, "adverb"))

    def is_teller(self, at: int) -> bool:
        line = self.line
        if self.kind in TAKES_WITH:
            return line.is_in(at, "with")
        if line.words[at] == b"to" and not line.words[self.at].isascii():
            return True  # Polish: it is
        if line.words[at] == b"so" and b"," in line.trails[at - 1] and line.ends(at + 1):
            self.is_plain = False
            return True
        if line.is_in(at, "set_to") and any(line.is_in(near, "set") for near in range(max(0, self.at - 4), at)):
            return True
        if self.link == NEXT:
            return line.is_in(at, "it_is")
        return line.is_in(at, "teller") or line.is_in(at, "it_is")

    def tell(self, at: int) -> None:
        if self.link == NEXT or (at - self.at > 8 and not self.is_resumed(at)):
            self.is_plain = False
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
        if at == self.at + 1 and not any(line.is_in(at, name) for name in ("of", "adverb", "set")):
            self.is_plain = False
        if self.link == LISTED:
            goes_on = line.is_in(at, "list") or line.is_in(at - 1, "list") or line.is_in(at + 1, "teller")
            self.link = LISTED if goes_on else FAR
            return
        self.link = NEXT if self.link == NEXT else FAR

    def pass_marks(self, at: int) -> None:
        """What the marks behind the token say of the next one."""
        trail = self.line.trails[at]
        if any(mark in b":=" for mark in trail) or trail == b">":
            if self.kind not in TAKES_WITH:
                self.link = BESIDE if self.link == NEXT else TOLD
                self.is_said = False
        elif any(mark in STOPS for mark in trail):
            self.link = BESIDE if at == self.at else NEXT
        elif self.link in {BARE, FAR} and (b"," in trail or self.opens(at + 1)):
            self.link = BESIDE if at - self.at < 4 else self.link

    def opens(self, at: int) -> bool:
        return at < self.line.count and b"(" in self.line.leads[at]

    def take(self, at: int) -> int:
        """The last token of the value that begins here; -1 where none does."""
        line = self.line
        if line.is_number(at):
            return self.take_number(at)
        if self.kind == "number":
            is_code = DIGITS.intersection(line.words[at]) and line.value(at).isupper() and len(line.words[at]) > 3
            is_code = is_code and line.shape(at) > 0 and self.link in {TOLD, BARE, BESIDE, LISTED}
            return at if is_code else -1
        least = LEAST[self.kind][self.link] + line.is_code
        if self.kind == "name" and b"_" in line.words[at]:
            least = max(least, 2)
        if self.kind == "password" and self.link == FAR and self.is_of(at):
            least = LEAST[self.kind][BESIDE] + line.is_code
        if self.kind in {"login", "wants"} and (not line.ends(at) or len(line.words[at]) < 8):
            least += 1
        if line.shape(at) >= max(least, 1):
            is_word = line.shape(at) == 1
            return -1 if is_word and (not self.is_plain or not self.may_be_name(at)) else at
        if self.link == BARE and line.is_in(self.at, "phrase") and not line.is_code:
            return self.take_run(at, words_min=3)
        if self.link == TOLD and self.is_plain and not line.is_code and self.may_be_words(at):
            return self.take_run(at)
        return -1

    def is_of(self, at: int) -> bool:
        """Whether only what the secret is for stands between, and the clause ends: "password for the shop …"."""
        return at - self.at < 5 and self.line.is_in(self.at + 1, "of") and self.line.ends(at)

    def may_be_name(self, at: int) -> bool:
        """Whether joined words may be the secret: behind a mark they are the name of a type or of another value."""
        line = self.line
        is_camel = line.value(at).isalnum()
        return not line.is_quality(at) and (self.is_said or (self.kind == "password" and not is_camel))

    def may_be_words(self, at: int) -> bool:
        """Whether plain words may be the secret: said with a verb, or behind the colon of a passphrase."""
        line = self.line
        if self.kind == "key" and line.is_in(self.at - 1, "key_before"):
            value = line.words[at].replace(b"_", b"-")
            is_joined = value.count(b"-") > 1 and not any(
                part in line.lexicon.lists["compound"] for part in value.split(b"-")
            )
            return (self.is_said and is_joined) or line.is_in(self.at - 1, "key_of_words")
        return self.kind == "answer" or (self.kind == "password" and (self.is_said or line.is_in(self.at, "phrase")))

    def take_number(self, at: int) -> int:
        line = self.line
        if self.link not in {TOLD, BARE, BESIDE, LISTED} or self.kind in {"name", "login"}:
            return -1
        last = at
        while (
            line.is_number(last + 1 if last + 1 < line.count else at)
            and last + 1 < line.count
            and not line.trails[last]
        ):
            last += 1
        if self.kind == "unlock" and (at - self.at > 4 or not line.is_in(self.at + 1, "unlocked")):
            return -1
        if self.kind == "place" and (self.link not in {TOLD, BARE} or at - self.at > 3):
            return -1
        digits = sum(len(line.words[near]) for near in range(at, last + 1))
        is_end = line.ends(last) or line.is_in(last + 1, "follow")
        if digits < (3 if self.kind == "number" else 4) or line.is_in(last + 1, "unit"):
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
        is_phrase = self.kind == "answer" or line.is_in(self.at, "phrase")
        while last + 1 < line.count and last - at < RUN_TOKENS and not line.ends(last):
            if line.is_in(last + 1, "polite") or (not is_phrase and line.is_in(last + 1, "follow")):
                break
            last += 1
        while not line.words[last] and last > at:
            last -= 1
        count = last - at + 1
        if words_min > 1 and any(line.is_talk(near) for near in range(at, last + 1)):
            return -1
        if (last - at >= RUN_TOKENS and count < SEED_TOKENS) or count < words_min:
            return -1
        return last if line.is_run(at, last, is_phrase=is_phrase) else -1


def backward(line: "Line", at: int, kind: str) -> "list[Span]":
    """Values before the word: "use … as the root password", "… <- router password"."""
    if kind == "number" and (given := number_before(line, at)) >= 0:
        return [(given, given)]
    near = at - 1
    while near > max(0, at - BACK_TOKENS) and not is_backlink(line, near):
        if line.stops(near):
            return []
        near -= 1
    if near < 1 or not is_backlink(line, near):
        return []
    value = near - 1
    while value > 0 and (line.is_in(value, "adverb") or line.words[value] == b"in"):
        value -= 1
    if line.stops(value):
        return []
    begin = introduced(line, value)
    if begin < value and line.is_in(near, "as") and line.is_run(begin, value, is_phrase=True):
        return [(begin, value)]
    if line.is_number(value):
        return [(value, value)] if kind == "number" and len(line.words[value]) > 3 else []
    least = 3 if line.is_in(near, "for") else 2
    least -= begin <= value  # introduced
    least = max(least, 2 if kind == "key" else 1) + line.is_code
    return [(value, value)] if line.shape(value) >= least and not line.is_quality(value) else []


def number_before(line: "Line", at: int) -> int:
    """The number that the word says the way of: "449201 by sms", "7741 on the keypad"; -1 for none."""
    by = at - 1 - line.is_in(at - 1, "det")
    value = by - 1
    is_one = value >= 0 and line.is_in(by, "by") and line.is_number(value) and 3 < len(line.words[value]) < 9
    return value if is_one and line.words[at] in line.lexicon.lists["way"] else -1


def is_backlink(line: "Line", at: int) -> bool:
    return line.is_in(at, "as") or line.is_in(at, "for") or (line.words[at] == b"-" and b"<" in line.leads[at])


def introduced(line: "Line", last: int) -> int:
    """Where the value begins that ends here, if a word like "use" stands before it; else behind it."""
    for begin in range(last, max(0, last - RUN_TOKENS), -1):
        if line.is_in(begin - 1, "use"):
            return begin
        if line.trails[begin - 1]:
            break
    return last + 1


def pairs(line: "Line", at: int) -> "list[Span]":
    """Passwords behind names: "creds: bob / …", "log in as bob with …"."""
    found = []
    user = at if line.is_in(at, "user") else at + 1
    colons = [near for near in range(at, min(at + 6, line.count - 1)) if line.trails[near] == b":"]
    user = colons[0] + 1 if colons and not line.is_in(at, "user") else user
    while user < line.count - 1 and user < at + REACH_TOKENS and line.is_in(user, "to_user"):
        user += 1
    while user < line.count - 1 and user < at + REACH_TOKENS:
        value = behind_name(line, user)
        if not 0 <= value < line.count or line.shape(value) < 2 + line.is_code + (user == at) or line.shape(user) > 3:
            break
        found.append((value, value))
        user = value + 1
        while user < line.count - 1 and line.is_in(user, "list"):
            user += 1
    return found


def behind_name(line: "Line", user: int) -> int:
    """The token that stands to this one as a password to its user; -1 for none."""
    trail, word = line.trails[user], line.words[user]
    is_mail = b"@" in word
    if not word[:1].isalpha() or (line.is_talk(user) and not line.is_in(user, "user")):
        return -1
    if trail in {b"/", b":", b","} or (not trail and b"(" in line.leads[user + 1]):
        return user + 1 + line.is_in(user + 1, "between")
    if line.is_in(user + 1, "between") and user + 2 < line.count:
        return user + 2
    return user + 1 if is_mail else -1


def alike(line: "Line", places: "list[Span]") -> "list[Span]":
    """Values of the same look beside those found: "it's … not …", "… for dev and … for prod"."""
    found = []
    taken = {at for first, last in places for at in range(first, last + 1)}
    for first, last in places:
        if first != last or line.shape(first) < 2:
            continue
        for near in (*range(max(0, first - 4), first), *range(first + 1, min(line.count, first + 5))):
            if near not in taken and line.shape(near) >= 2 and is_beside(line, first, near):
                found.append((near, near))
                taken.add(near)
    return found


def is_beside(line: "Line", value: int, near: int) -> bool:
    """Whether the two stand against each other, or in a list and look alike."""
    between = range(min(value, near), max(value, near))
    if any(line.is_in(at, "against") for at in between):
        return True
    is_list = any(line.is_in(at, "list") or b"," in line.trails[at] or b"/" in line.trails[at] for at in between)
    return is_list and line.shape(value) == line.shape(near) and abs(len(line.words[value]) - len(line.words[near])) < 3
