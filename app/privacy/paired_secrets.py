"""Secrets that are beside or before the word for one: "bob / …", "use … as the root password".

Owns the pairs of name and password behind a word for a login, also of plain words where the sentence ties them closely, values before a word, and those that look like one that
was found. What a word is for and what is behind it is weighed in `told`. Source: QUALITY S6.
"""

TYPE_CHECKING = False  # `typing` takes longer to import than all of this may
if TYPE_CHECKING:
    from .line_words import Line

    Span = tuple[int, int]

REACH_TOKENS = 16
RUN_TOKENS = 12
BACK_TOKENS = 6


def paired_values(line: "Line", kinds: "list[tuple[int, str]]", places: "list[Span]") -> "list[Span]":
    """The values beside and before the words of these kinds, and those that look like one of the places."""
    found: list[Span] = []
    for at, kind in kinds:
        if kind in {"password", "key", "number", "place"}:
            found += value_before(line, at, kind) or (value_named_last(line, at) if kind != "place" else [])
        if line.is_in(at, "user"):
            found += for_user(line, at)
        if kind == "login" or (kind == "user" and not line.is_in(at, "user")):
            found += user_and_secret(line, at)
    return found + listed_alike(line, [*places, *found])


def value_before(line: "Line", at: int, kind: str) -> "list[Span]":
    """Values before the word: "use … as the root password", "… <- router password"."""
    if kind in {"number", "place"}:
        given = number_before(line, at)
        if given >= 0 or kind == "place":
            return [(given, given)] if given >= 0 else []
    near = at - 1
    while near > max(0, at - BACK_TOKENS) and not is_backlink(line, near):
        if line.stops(near):
            return []
        near -= 1
    if near < 1 or not is_backlink(line, near):
        return []
    value = given_before(line, near)
    if line.stops(value):
        return []
    begin = introduced_value(line, value)
    if begin < value and line.is_in(near, "as") and line.is_run(begin, value, is_phrase=True):
        return [(begin, value)]
    if line.is_number(value):
        return [(value, value)] if kind == "number" and len(line.words[value]) > 3 else []
    least = 3 if line.is_in(near, "for") else 2
    least -= begin <= value  # introduced
    least = max(least, 2 if kind == "key" else 1) + line.is_code
    return [(value, value)] if line.shape(value) >= least and not line.is_quality(value) else []


def given_before(line: "Line", link: int) -> int:
    """The word before the link that may be the value: "… is now rejected as the password"."""
    value = link - 1
    while value > 0 and (line.is_in(value, "adverb") or line.words[value] == b"in"):
        value -= 1
    return value - (value > 0 and line.words[value].endswith(b"ed") and line.shape(value) < 1)


def number_before(line: "Line", at: int) -> int:
    """The number that the word says the way of: "449201 by sms", "7741 on the keypad"; -1 for none."""
    by = at - 1 - line.is_in(at - 1, "det")
    value = by - 1
    is_one = value >= 0 and line.is_in(by, "by") and line.is_number(value) and 3 < len(line.words[value]) < 9
    return value if is_one and line.words[at] in line.lexicon.lists["way"] else -1


def is_backlink(line: "Line", at: int) -> bool:
    return line.is_in(at, "as") or line.is_in(at, "for") or (line.words[at] == b"-" and b"<" in line.leads[at])


def introduced_value(line: "Line", last: int) -> int:
    """Where the value begins that ends here, if a word like "use" is before it; else behind it."""
    for begin in range(last, max(0, last - RUN_TOKENS), -1):
        if line.is_in(begin - 1, "use"):
            return begin
        if line.trails[begin - 1]:
            break
    return last + 1


def value_named_last(line: "Line", at: int) -> "list[Span]":
    """Values that the end of the sentence calls by the word: "from … to …, the mail password", "… (vpn passwords)"."""
    first = at
    while first > max(0, at - BACK_TOKENS) and not opens_name(line, first):
        first -= 1
    is_last = line.ends(at) or line.is_in(at + 1, "of") or line.is_in(first, "both")
    if not opens_name(line, first) or not is_last or b":" in line.trails[at]:
        return []
    is_bracket = b"(" in line.leads[first] and b")" in line.trails[at]
    if not (is_bracket or line.is_in(first, "det") or line.is_in(first, "both")):
        return []
    found = []
    near = first - 1
    while near >= 0 and near > first - REACH_TOKENS and not (line.stops(near) and near < first - 1):
        least = 2 if is_given(line, near) else 3 if is_bracket else 5
        if line.shape(near) >= least + line.is_code:
            found.append((near, near))
        near -= 1
    return found


def opens_name(line: "Line", at: int) -> bool:
    """Whether what something is called begins here, behind what was said of it."""
    if b"(" in line.leads[at]:
        return at > 0
    if at < 1:
        return False
    is_pointed = line.is_in(at - 1, "pointer") or (line.is_in(at - 1, "as") and line.is_in(at - 2, "pointer"))
    return is_pointed or b"," in line.trails[at - 1] or line.words[at - 1] in {b"-", b"--"}


def is_given(line: "Line", at: int) -> bool:
    """Whether the word before says that something is given here: "use …", "to …", "it was …"."""
    return any(line.is_in(at - 1, name) for name in ("use", "with", "set_to", "teller", "it_is"))


def for_user(line: "Line", at: int) -> "list[Span]":
    """The value before a user: "… for the deploy user"; behind a word for a login the plain word, too."""
    last = at + (not line.ends(at))
    if not line.ends(last) or (last > at and (line.is_in(last, "compound") or line.is_sentence_word(last))):
        return []
    link = next((near for near in range(at - 1, max(0, at - 4), -1) if line.is_in(near, "for")), 0)
    value = link - 1
    if link < 1 or line.trails[value] or not is_given(line, value):
        return []
    if line.shape(value) >= (3 if len(line.words[value]) < 8 else 2) + line.is_code:
        return [(value, value)]
    is_auth = any(line.is_in(near, "pair_strong") for near in range(max(0, value - 4), value - 1))
    return [(value, value)] if is_auth and line.is_run(value, value, is_phrase=False) else []


def user_and_secret(line: "Line", at: int) -> "list[Span]":
    """Passwords behind names: "creds: bob / …", "log in as bob with …"."""
    found = []
    is_strong = line.is_in(at, "pair_strong")
    user = first_user(line, at)
    while 0 <= user < line.count - 1 and user < at + REACH_TOKENS:
        value = behind_name(line, user)
        if not 0 <= value < line.count or line.shape(user) > 3:
            break
        if line.shape(value) < least_shape(line, at, user, value) - is_strong:
            break
        found.append((value, value))
        user = value + 1
        while user < line.count - 1 and line.is_in(user, "list"):
            user += 1
    return found


def first_user(line: "Line", at: int) -> int:
    """Where the first name stands; -1 for none."""
    last = min(line.count - 1, at + REACH_TOKENS)
    is_user = line.is_in(at, "user_name")
    named = [near + 1 for near in range(at, min(at + 6, last)) if line.is_in(near, "like")]
    if named and not is_user:
        return named[0]
    if line.is_in(at, "joins"):
        return -1
    colons = [near for near in range(at, min(at + 6, last)) if line.trails[near] == b":" and not line.is_joined(near)]
    tellers = [near + 1 for near in range(at + 1, min(at + 9, last)) if line.is_in(near, "it_be")]
    user = at if is_user else colons[0] + 1 if colons else tellers[0] if tellers else at + 1
    while user < last and line.is_in(user, "to_user"):
        user += 1
    if user < last and line.is_in(at, "network") and colons:
        if line.value(user).islower():
            return -1
        user += b"," not in line.trails[user] and b"," in line.trails[user + 1]  # a name of two words
    while is_service(line, at) and user < min(at + 6, last) and not line.is_in(user + 1, "between"):
        user += 1
    return user


def is_service(line: "Line", at: int) -> bool:
    return line.is_in(at, "service") and not line.is_in(at, "login")


def least_shape(line: "Line", at: int, user: int, value: int) -> int:
    """How little the value must look like a word, so that it is one of the name before it."""
    is_spaced = line.words[value - 1] in {b"/", b""} and b"/" in line.words[value - 1] + line.trails[value - 1]
    if is_service(line, at):
        is_plain = line.shape(user) < 2 and line.ends(value)
        return (2 if is_spaced else 3) + line.is_code if is_plain else 9
    if user != at:
        return 2 + line.is_code
    if (
        line.trails[at] == b"/"
        and line.is_joined(at)
        and line.words[value] == line.value(value)
        and b"-" in line.value(value)
    ):
        return 9  # a branch of version control
    if line.is_in(at - 1, "service") and value == at + 1:
        return 2 + line.is_code
    is_eased = is_spaced and line.ends(value) and (at == 0 or is_given(line, at)) and len(line.words[value]) > 7
    return 3 - is_eased + line.is_code


def behind_name(line: "Line", user: int) -> int:
    """The token that stands to this one as a password to its user; -1 for none."""
    trail, word = line.trails[user], line.words[user]
    is_mail = b"@" in word
    if not word[:1].isalpha() or (line.is_sentence_word(user) and not line.is_in(user, "user_name")):
        return -1
    value = -1
    if trail in {b"/", b":", b","} or (not trail and b"(" in line.leads[user + 1]):
        value = user + 1 + line.is_in(user + 1, "between")
    elif line.is_in(user + 1, "between") and user + 2 < line.count:
        value = user + 2
    elif is_mail or (user + 2 == line.count and line.is_in(user, "user_name") and line.is_in(user - 1, "service")):
        value = user + 1
    elif user + 2 == line.count and (line.trails[user - 1] == b":" or line.is_in(user - 1, "login_word")):
        value = user + 1  # nothing between, at the end: "preview site: bob …"
    return value + (line.is_in(value, "password") or line.is_in(value, "phrase_head"))


def listed_alike(line: "Line", places: "list[Span]") -> "list[Span]":
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


QUOTES = b"\"'`"
LOGINS = frozenset(("login", "user", "wants"))
LOGIN_REACH_TOKENS = 14


def login_values(line: "Line", kinds: "list[tuple[int, str]]", _places: "list[Span]") -> "list[Span]":
    """The passwords beside names, where words of these kinds speak of a login."""
    found = pair_behind_colon(line) + accepted_login(line)
    logins = [at for at, kind in kinds if kind in LOGINS]
    if logins:
        found += bracketed_pair(line, logins) + joined_pair(line, logins) + mail_login(line, logins)
        found += root_password(line) if line.says("user_name", "between") else []
        found += slashed_pair(line, [at for at, kind in kinds if kind == "login"])
        found += [place for at in logins for place in password_as_user(line, at)]
    return found


def bracketed_pair(line: "Line", logins: "list[int]") -> "list[Span]":
    """A name and its password: "log in (bob / banana!)", "the account (bob@shop.example, banana7)"."""
    found = []
    for user in range(1, line.count - 1):
        if b"(" not in line.leads[user] or not any(0 < user - at <= LOGIN_REACH_TOKENS for at in logins):
            continue
        trail = line.trails[user]
        value = user + 1 + (not line.words[user + 1] or line.is_in(user + 1, "between"))
        is_slash = trail == b"/" or line.words[value - 1] in {b"/", b"//"} or line.trails[value - 1] == b"/"
        if value >= line.count or b")" not in line.trails[value] or not (is_slash or trail in {b",", b":"}):
            continue
        if b"@" not in line.words[user] and line.shape(user) < 0 and not line.is_in(user, "user_name"):
            continue
        is_owned = (is_slash or line.is_in(user - 1, "one_user")) and line.is_strange(value) and line.may_be(value)
        if (is_marked(line, value) or is_owned) and not line.is_in(value, "user_name"):
            found.append((value, value))
    return found


def is_marked(line: "Line", at: int) -> bool:
    """Whether the word is hardly one: with a digit, or with a mark at its end."""
    return line.shape(at) >= 2 or (line.shape(at) >= 0 and line.words[at][-1:] in {b"!", b"?", b"$", b"#"})


def joined_pair(line: "Line", logins: "list[int]") -> "list[Span]":
    """A name and its password in one: "the basic auth is bob:banana", "root:banana works"."""
    found = []
    for user in range(line.count - 1):
        if line.trails[user] not in {b":", b"/"} or not line.is_joined(user) or not line.may_be(user + 1):
            continue
        value = user + 1
        is_told = any(0 < user - at <= LOGIN_REACH_TOKENS for at in logins) and is_pointed(line, user)
        if is_pointed(line, user) and line.is_in(user, "user_name") and line.trails[user] == b"/":
            is_told = is_told or line.shape(value) > 1
        is_root = line.trails[user] == b":" and line.is_in(user, "user_name") and line.is_in(value + 1, "works")
        is_end = line.ends(value) or (line.shape(value) > 1 and line.is_in(user, "user_name"))
        if (is_told and is_end and (line.trails[user] == b":" or line.shape(value) > 1)) or is_root:
            found.append((value, value))
    return found


def root_password(line: "Line") -> "list[Span]":
    """What stands with the name of a user that every system has: "it was root and banana"."""
    found = []
    for user in range(1, line.count - 2):
        value = user + 2
        is_pair = line.is_in(user, "user_name") and line.is_in(user + 1, "between") and not line.trails[user]
        if is_pair and is_pointed(line, user) and line.may_be(value) and line.is_strange(value) and line.closes(value):
            found.append((value, value))
    return found


def is_pointed(line: "Line", at: int) -> bool:
    return any(line.is_in(at - 1, name) for name in ("teller", "use", "gives", "with"))


def password_as_user(line: "Line", at: int) -> "list[Span]":
    """What a name logs in with: "log in as bob with tin-roof-garden"."""
    for user in range(at + 2, min(line.count - 2, at + 6)):
        value = user + 2
        is_link = line.is_in(user - 1, "like") and (line.is_in(user + 1, "with") or line.is_in(user + 1, "list"))
        is_shaped = line.shape(value) > 0 or (line.is_strange(value) and len(line.words[value]) > 4)
        if is_link and not line.trails[user].strip(QUOTES) and is_shaped and line.may_be(value) and line.closes(value):
            is_one = line.shape(value) != 1 or line.words[value].count(b"-") > 1 or line.is_quoted(value)
            return [(value, value)] if is_one else []
    return []


def mail_login(line: "Line", logins: "list[int]") -> "list[Span]":
    """The password of an address: "login is bob@shop.example with banana"."""
    if not any(b"@" in word for word in line.said):
        return []
    found = []
    for user in range(1, line.count - 1):
        if b"@" not in line.words[user] or not any(0 < user - at <= LOGIN_REACH_TOKENS for at in logins):
            continue
        value = user + 1
        is_link = line.trails[user] in {b"/", b":", b","} or line.is_in(value, "between")
        value += line.is_in(value, "between")
        if is_link and value < line.count and line.is_strange(value) and line.may_be(value) and line.closes(value):
            found.append((value, value))
    return found


def slashed_pair(line: "Line", logins: "list[int]") -> "list[Span]":
    """Two words behind a colon: "guest login: bob / banana"."""
    found = []
    for at in range(line.count - 3):
        is_given = line.is_in(at, "use") or line.is_in(at, "gives")
        if not (b":" in line.trails[at] or is_given) or not any(0 <= at - login < 5 for login in logins):
            continue
        user, value = at + 1, at + 3
        is_pair = line.words[at + 2] in {b"/", b"//", b"|", b"-"} and not line.trails[user] and line.ends(value)
        is_name = line.shape(user) >= 0 or line.is_in(user, "user_name") or b"@" in line.words[user]
        is_same = not is_given and line.words[user] == line.words[value]
        is_one = line.shape(value) >= is_given and (line.is_strange(value) or is_same)
        if is_pair and is_name and is_one:
            found.append((value, value))
    return found


def pair_behind_colon(line: "Line") -> "list[Span]":
    """The pair that ends a sentence about an account: "she gave me her account: nina.q, Banana5."."""
    if not (line.says("login_colon") or line.says("login_word")):
        return []
    found = []
    for at in range(line.count - 2):
        value = at + 2
        is_pair = line.trails[at] == b":" and line.trails[at + 1] == b"," and line.words[at + 1][:1].isalpha()
        is_told = line.has(at - LOGIN_REACH_TOKENS, at + 1, "login_colon") or line.has(at - 4, at + 1, "login_word")
        if is_pair and is_told and line.stops(value) and line.shape(value) > 1 and not line.value(value).islower():
            found.append((value, value))
    return found


def accepted_login(line: "Line") -> "list[Span]":
    """What a machine takes from somebody: "the box accepts banana as root"."""
    if not line.says("wants", "user_name"):
        return []
    return [
        (at + 1, at + 1)
        for at in range(line.count - 3)
        if line.is_in(at, "wants")
        and (line.is_in(at + 2, "like") or line.is_in(at + 2, "for"))
        and line.has(at + 3, min(at + 5, line.count), "user_name")
        and line.is_strange(at + 1)
        and line.may_be(at + 1)
    ]
