"""Secrets that are plain words, where the sentence leaves no doubt: "has the password banana", "typed banana", "(bob / banana)".

Owns the wordings that tie a word for a secret to a value so closely that the value need not look like one. What stands
behind such a word is weighed in `told`, pairs and values before it in `pairs`. Source: QUALITY S6.
"""

TYPE_CHECKING = False  # `typing` takes longer to import than all of this may
if TYPE_CHECKING:
    from .line_words import Line

    Span = tuple[int, int]

PASSWORDS = frozenset(("password", "name"))
ASKED = frozenset(("password", "name", "key", "number"))
TYPED_AT = frozenset((*ASKED, "asks", "unlock", "login"))
DOORS = frozenset(("number", "place", "unlock"))
BACK_TOKENS = 4  # from the word for a secret to the verb that gives it: "has for now the local password …"
REACH_TOKENS = 14
QUOTED_TOKENS = 8
FINITE = (b"t", b"en", b"rn")
ACCENTED = ("é".encode(), "ée".encode())
FILLS = frozenset((b"one", b"is", b"was", b"ist", b"war"))


def plain_word_values(line: "Line", kinds: "list[tuple[int, str]]", places: "list[Span]") -> "list[Span]":
    """The values that words of these kinds are tied to without looking like a secret."""
    found: list[Span] = []
    cues = [at for at, kind in kinds if kind in PASSWORDS or line.is_in(at - 1, "key_of_words")]
    for at in cues:
        found += (
            value_behind(line, at)
            or value_set_as(line, at)
            or quoted_phrase(line, at)
            or value_before_is(line, at)
            or value_alone(line, at)
        )
        found += in_brackets_behind(line, at) + between_commas(line, at)
    if cues:
        found += corrected_value(line) + second_of_two(line, [*places, *found]) + new_value(line)
    typed_at = [at for at, kind in kinds if kind in TYPED_AT]
    if typed_at:
        found += typed_value(line, typed_at) + entered_value(line)
    found += [place for at, kind in kinds if kind == "key" for place in key_behind(line, at)]
    found += [
        place for at, kind in kinds if kind in ASKED for place in requested_value(line, at) + value_used_as(line, at)
    ]
    found += [place for at, kind in kinds if kind == "unlock" for place in quoted_phrase(line, at)]
    found += value_that_opens(line) if line.says("opened", "with") else []
    return found + (dialled_number(line) if any(kind in DOORS for _, kind in kinds) else [])


def value_behind(line: "Line", at: int) -> "list[Span]":
    """The word behind it: "has the password banana", "user bob, pw banana"."""
    is_new = line.is_in(at + 1, "adverb") and not line.trails[at]
    value = at + 1 + is_new
    if line.words[at] == b"pass" and value < line.count and is_of_a_program(line.value(value)):
        return []  # "pass appWidgetManager to it"
    if line.trails[at] and not (line.trails[at] == b":" and line.words[at] == b"pass" and line.ends(value)):
        return []
    if line.words[at][:1] == b"-" and line.may_be(value) and line.is_strange(value):
        return [(value, value)]  # of a command line
    if line.is_code or not line.may_be(value) or is_plural(line, value):
        return []
    if not line.closes(value) and not (line.is_strange(value) and line.is_quality(value + 1)):  # "banana hashed with …"
        return []
    is_one = is_given(line, at) or is_entry(line, at) or (line.is_strange(value) and (is_new or line.is_quoted(value)))
    return [(value, value)] if is_one and not is_participle(line, at, value) else []


def is_of_a_program(value: bytes) -> bool:
    """Whether the name is one of a variable: camelCase without a digit."""
    return value.isalpha() and value[:1].islower() and not value.islower()


def key_behind(line: "Line", at: int) -> "list[Span]":
    """A word behind "use token …" that nobody uses otherwise."""
    value = at + 1
    is_one = line.is_in(at - 1, "use") and not line.trails[at] and line.is_strange(value) and line.may_be(value)
    is_one = is_one and line.closes(value) and not is_plural(line, value) and not line.is_code
    return [(value, value)] if is_one and len(line.words[value]) > 5 else []


def between_commas(line: "Line", at: int) -> "list[Span]":
    """The word that is put in: "the password of the shop, banana, is …", or given: "as pass they gave banana"."""
    for value in range(at + 2, min(line.count - 1, at + 7)):
        is_put_in = b"," in line.trails[value - 1] and line.trails[value] == b"," and line.is_in(value + 1, "it_be")
        is_put_in = is_put_in or (value < at + 5 and line.is_in(value - 1, "gives") and line.closes(value))
        if is_put_in and line.is_strange(value) and line.may_be(value):
            return [(value, value)]
        if line.stops(value):
            break
    return []


def is_participle(line: "Line", at: int, value: int) -> bool:
    """Whether a verb follows, as it ends clauses in other languages: "hat das Kennwort vergessen"."""
    is_german = line.words[at].endswith(b"wort") and line.value(value)[:1].islower() and line.shape(value) < 1
    return line.words[value].endswith(FINITE if is_german else ACCENTED)


def is_plural(line: "Line", at: int) -> bool:
    """Whether the word speaks of several things, as a password does not: "password files"."""
    word = line.words[at]
    return (
        line.shape(at) < 2 and word[-1:] == b"s" and word[-2:] not in {b"ss", b"us", b"is"} and not line.is_quoted(at)
    )


def is_given(line: "Line", at: int) -> bool:
    """Whether a verb before the word gives what is behind: "use the", "hat das", or the verb is at the end."""
    if line.is_in(at + 2, "given"):
        return True
    for near in range(at - 1, max(-1, at - BACK_TOKENS), -1):
        if line.stops(near):
            return False
        if any(line.is_in(near, name) for name in ("gives", "use", "with")):
            return True
    return False


def is_entry(line: "Line", at: int) -> bool:
    """Whether the word is a field of its own: "pwd banana", "user bob, pw banana"."""
    if line.is_in(at - 1, "key_of_words"):
        return line.shape(at + 1) > 0 and (at == 1 or b"," in line.trails[at - 2])
    first = next((near + 1 for near in range(at - 1, max(-1, at - 4), -1) if line.stops(near)), 0)
    if at - first < 3 and line.ends(at + 1) and line.is_strange(at + 1):  # "wifi password banana, channel 6"
        talk = (line.is_sentence_word(near) and not line.is_in(near, "old_new") for near in range(first, at))
        is_field = not any(talk) and not any(line.trails[first:at])
        return is_field and (not line.stops(at + 1) or ends_as_field_value(line, at + 1))
    is_short = line.is_in(at, "short")
    return is_short and (at == 0 or b"," in line.trails[at - 1] or line.has(at - 3, at, "user_word"))


def ends_as_field_value(line: "Line", at: int) -> bool:
    """Whether a plain word ends the text as the value of a field would: "vnc password banana"."""
    word = line.words[at]
    is_plain = line.shape(at) == 0 and word.isalpha() and len(word) > 6 and not line.is_quality(at)
    return is_plain and at + 1 == line.count and b"?" not in line.trails[at] and not word.endswith((b"er", b"or", b"s"))


def value_set_as(line: "Line", at: int) -> "list[Span]":
    """What was entered for it: "set the keystore pass as banana", "changed my pass to banana"."""
    if line.trails[at] or not (line.is_in(at + 1, "like") or line.is_in(at + 1, "set_to")):
        return []
    if line.words[at + 1] in {b"in", b"from", b"von", b"with"}:  # where it is kept
        return []
    verbs = ("set", "use", "gives") if line.is_in(at + 1, "like") else ("set",)
    is_set = any(line.has(at - BACK_TOKENS - 1, at, name) for name in verbs)
    value = at + 2
    is_set = is_set and (line.words[at] != b"pass" or (value < line.count and line.is_strange(value)))
    return [(value, value)] if is_set and line.may_be(value) and line.closes(value) else []


def quoted_phrase(line: "Line", at: int) -> "list[Span]":
    """Several words in quotes: "unlock it with the passphrase 'three small words'"."""
    first = at + 1
    while first < min(line.count, at + 4) and line.leads[first][-1:] not in {b'"', b"'", b"`"}:
        first += 1
    if first >= min(line.count, at + 4) or line.is_quoted(first):
        return []
    if first > at + 1 and not any(line.is_in(first - 1, name) for name in ("with", "teller", "use", "like")):
        return []
    mark = line.leads[first][-1:]
    last = first
    while last + 1 < line.count and last - first < QUOTED_TOKENS and mark not in line.trails[last]:
        last += 1
    words = line.words[first : last + 1]
    if mark not in line.trails[last] or any(word in line.lexicon.kinds or not word.isalnum() for word in words):
        return []
    is_low = line.text[line.spans[first][0] : line.spans[last][1]].islower()
    return [(first, last)] if is_low and line.is_run(first, last, is_phrase=True) else []


def value_before_is(line: "Line", at: int) -> "list[Span]":
    """The word that begins the sentence: "banana is the password you want"."""
    det = at - 1
    while det > max(0, at - 2 * BACK_TOKENS) and not (at - det < BACK_TOKENS and line.is_in(det, "det")):
        if line.words[det] == b"what":
            break
        det -= 1
    if line.says("typed") and not line.is_in(det, "det") and line.words[det] != b"what":
        det = next((near for near in range(at + 1, min(line.count, at + 8)) if line.words[near] == b"what"), det)
    verb = det - 1
    value = verb - 1
    is_start = value == 0 or (
        value > 0 and (line.stops(value - 1) or line.words[value - 1] in {b"but", b"and", b"aber"})
    )
    is_det = line.is_in(det, "det") or line.words[det] == b"what"
    if not (is_start and is_det and line.words[verb] in {b"is", b"was", b"ist", b"est", b"es"}):
        return []
    if line.words[det] == b"what":
        return [(value, value)] if line.is_strange(value) or line.is_quoted(value) else []
    is_end = line.ends(at) or line.is_in(at + 1, "of")
    return [(value, value)] if is_end and line.may_be(value) else []


def value_used_as(line: "Line", at: int) -> "list[Span]":
    """The word before it that is used as one: "everybody takes banana as the local password"."""
    link = at - 1
    while link > max(1, at - BACK_TOKENS - 1) and not line.is_in(link, "like"):
        if line.trails[link]:
            return []
        if line.is_in(link, "instead_of") and line.is_strange(link - 2) and line.may_be(link - 2):
            is_used = line.is_in(link - 3, "with") or line.is_in(link - 3, "use")
            return [(link - 2, link - 2)] if is_used and line.words[link - 1] in {b"instead", b"rather"} else []
        link -= 1
    value = link - 1
    refused = value
    while refused > max(0, link - 7) and (line.is_sentence_word(refused) or line.is_quality(refused)):
        refused -= 1
    if line.is_in(value, "worked"):
        value -= 1 + line.is_in(value - 1, "it_be")
        is_used = line.is_strange(value) if value >= 0 else False
    elif refused < value - 1 and line.has(refused + 1, link, "refused"):
        value = refused
        is_used = line.is_strange(value) if value >= 0 else False
    else:
        is_used = any(line.is_in(value - 1, name) for name in ("use", "gives", "typed", "set", "on_it"))
    is_one = value >= 0 and line.is_in(link, "like") and is_used and line.may_be(value)
    is_one = is_one and (line.is_quoted(value) or not line.trails[value])
    is_one = is_one and (line.shape(value) > 0 or line.lexicon.kinds.get(line.words[at]) != "key")
    return [(value, value)] if is_one else []


def in_brackets_behind(line: "Line", at: int) -> "list[Span]":
    """One word in brackets: "the old password (banana) still works", "same as always (tin_roof)"."""
    for value in range(at + 1, min(line.count, at + 9)):
        if b"(" in line.leads[value]:
            if value == at + 1 and line.is_in(at, "phrase") and b")" not in line.trails[value]:
                return phrase_in(line, value)
            is_one = b")" in line.trails[value] and line.may_be(value) and not line.is_code
            is_beside = all(line.is_in(near, "follow") or line.is_in(near, "adverb") for near in range(at + 1, value))
            is_near = line.is_strange(value) if is_beside else line.shape(value) > (value > at + 5)
            return [(value, value)] if is_one and is_near else []
        if line.trails[value - 1]:
            return []
    return []


def phrase_in(line: "Line", first: int) -> "list[Span]":
    """A passphrase of several words in brackets."""
    last = first
    while last + 1 < line.count and last - first < QUOTED_TOKENS and b")" not in line.trails[last]:
        last += 1
    each = range(first, last + 1)
    is_one = all(line.shape(at) >= 0 for at in each) and sum(map(line.is_strange, each)) * 2 >= len(each)
    return [(first, last)] if is_one and line.value(first).islower() else []


def new_value(line: "Line") -> "list[Span]":
    """The word that "it" was changed to, where the line speaks of a password."""
    if not line.says("reset_it", "set_to"):
        return []
    return [
        (at + 3, at + 3)
        for at in range(line.count - 3)
        if line.is_in(at, "reset_it")
        and line.words[at + 1] in {b"it", b"es", b"them"}
        and line.is_in(at + 2, "set_to")
        and line.is_strange(at + 3)
        and line.may_be(at + 3)
        and line.closes(at + 3)
    ]


def value_that_opens(line: "Line") -> "list[Span]":
    """The word that opens something: "unzip with banana"."""
    found = []
    for at in range(line.count - 2):
        link = next((near for near in range(at + 1, min(line.count - 1, at + 5)) if line.is_in(near, "with")), 0)
        if not link or not line.is_in(at, "opened") or any(line.trails[near] for near in range(at, link + 1)):
            continue
        value = link + 1
        is_name = line.value(value).isalpha() and not line.value(value)[1:].islower()  # of a product: FaceID
        is_one = line.is_strange(value) and line.may_be(value) and line.closes(value) and not is_plural(line, value)
        if is_one and not is_name:
            found.append((value, value))
    return found


def entered_value(line: "Line") -> "list[Span]":
    """What goes into a field: "use banana7 for the password prompt"."""
    if not line.says("fills", "use", "compound"):
        return []
    found = []
    for at in range(3, line.count):
        if not (line.is_in(at, "compound") and line.lexicon.kinds.get(line.words[at - 1], "") in PASSWORDS):
            continue
        link = at - 2
        while link > max(1, at - BACK_TOKENS - 1) and not line.is_in(link, "fills"):
            link -= 1
        value = link - 1
        if line.is_in(link, "fills") and line.is_in(value - 1, "use") and line.shape(value) > 0:
            found.append((value, value))
    return found


def requested_value(line: "Line", at: int) -> "list[Span]":
    """The answer to a short question: "and the code of the garage? 9083"."""
    end = at
    while end < min(line.count, at + 6) and b"?" not in line.trails[end]:
        if line.trails[end] or any(line.is_in(end, name) for name in ("teller", "modal", "not", "asks")):
            return []
        end += 1
    value = end + 1
    if value >= line.count or b"?" not in line.trails[end] or not line.ends(value):
        return []
    if line.has(at - 6, at, "modal") or line.has(at - 6, at, "teller"):
        return []
    is_code = line.is_number(value) and 3 < len(line.words[value]) < 9
    return [(value, value)] if is_code or line.shape(value) > 1 else []


def second_of_two(line: "Line", places: "list[Span]") -> "list[Span]":
    """The other one of an old and a new value: "new password: tin-roof; the old one, red-door, …"."""
    found = []
    for first, last in places:
        shape = line.shape(first)
        if first != last or shape < 1:
            continue
        for at in range(first + 1, min(first + 5, line.count - 1)):
            value = at + 1
            while value < min(at + 3, line.count - 1) and (line.is_in(value, "it_is") or line.words[value] in FILLS):
                value += 1
            if line.is_in(at, "old_new") and line.shape(value) == shape and line.ends(value):
                found.append((value, value))
    return found


def value_alone(line: "Line", at: int) -> "list[Span]":
    """The next sentence where it is nothing but the value: "pw changed again. Banana-7."."""
    end = at
    while end < min(line.count, at + REACH_TOKENS) and not line.stops(end):
        end += 1
    if end == at + REACH_TOKENS:
        return []
    value = end + 1
    while value < min(line.count, end + 4) and (line.is_in(value, "offers") or line.is_in(value, "adverb")):
        value += 1
    if not 0 < value < line.count or not line.ends(value) or b"?" in line.trails[value]:
        return []
    if line.shape(value) == 0 and line.is_strange(value) and len(line.words[value]) > 4:
        is_new = any(line.has(max(0, at - BACK_TOKENS), end + 1, name) for name in ("set", "old_new"))
        return [(value, value)] if is_new and line.may_be(value) else []
    return [(value, value)] if line.shape(value) >= (1 if value > end + 1 else 2) else []


def typed_value(line: "Line", cues: "list[int]") -> "list[Span]":
    """What was typed where a secret is asked for: "I keep typing banana and it says wrong password"."""
    if not any(line.says(name) for name in ("typed", "reply", "answers")):
        return []
    told = (at for at in range(line.count - 1) if is_typing(line, at))
    return [(at + 1, at + 1) for at in told if any(abs(cue - at) <= REACH_TOKENS for cue in cues)] + recited_value(
        line, cues
    )


def recited_value(line: "Line", cues: "list[int]") -> "list[Span]":
    """Several words that are typed where a passphrase is asked for, up to the end of the clause."""
    for cue in cues:
        if not line.is_in(cue, "phrase"):
            continue
        for at in range(cue + 1, min(cue + 5, line.count - 2)):
            last = at + 1
            while not line.ends(last) and last - at < QUOTED_TOKENS:
                last += 1
            if line.is_in(at, "reply") and last > at + 2 and line.is_run(at + 1, last, is_phrase=True):
                return [(at + 1, last)]
    return []


def is_typing(line: "Line", at: int) -> bool:
    """Whether the next word is what is typed."""
    value = at + 1
    if line.is_in(at, "typed"):
        is_so = line.ends(value) or line.is_in(value + 1, "list")
    elif line.is_in(at, "with"):
        is_so = line.ends(value) and line.has(at - REACH_TOKENS, at, "answers")
    else:
        is_last = line.ends(value) and line.has(0, at, "typed_when")
        is_so = line.is_in(at, "reply") and line.is_strange(value) and (is_last or line.is_in(at + 2, "typed_when"))
    return is_so and line.may_be(value)


def corrected_value(line: "Line") -> "list[Span]":
    """Both of "it's banana, not Banana", which differ by their case alone."""
    if not line.says("against"):
        return []
    for at in range(1, line.count - 2):
        is_same = line.words[at] == line.words[at + 2] and line.value(at) != line.value(at + 2)
        if is_same and line.is_in(at + 1, "against") and line.may_be(at):
            return [(at, at), (at + 2, at + 2)]
    return []


def dialled_number(line: "Line") -> "list[Span]":
    """A number as keypads have it: "dial 4417#"."""
    return [
        (at, at)
        for at in range(line.count)
        if line.is_number(at) and line.words[at][-1:] in {b"#", b"*"} and len(line.words[at]) > 4
    ]
