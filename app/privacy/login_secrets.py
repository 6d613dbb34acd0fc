"""Plain words told as the password of somebody: "(bob / banana!)", "the basic auth is bob:banana", "guest: bob / banana".

Owns the pairs of name and password that the sentence ties so closely that neither need look like a secret; what looks
like one is paired in `pairs`. Source: QUALITY S6.
"""

TYPE_CHECKING = False  # `typing` takes longer to import than all of this may
if TYPE_CHECKING:
    from .line_words import Line

    Span = tuple[int, int]

QUOTES = b"\"'`"
LOGINS = frozenset(("login", "user", "wants"))
REACH_TOKENS = 14


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
        if b"(" not in line.leads[user] or not any(0 < user - at <= REACH_TOKENS for at in logins):
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
        is_told = any(0 < user - at <= REACH_TOKENS for at in logins) and is_pointed(line, user)
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
        if b"@" not in line.words[user] or not any(0 < user - at <= REACH_TOKENS for at in logins):
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
        is_told = line.has(at - REACH_TOKENS, at + 1, "login_colon") or line.has(at - 4, at + 1, "login_word")
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
