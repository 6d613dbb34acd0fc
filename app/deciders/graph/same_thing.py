"""Whether two names mean one thing: spelling, case, plural, initials, a path and its short name, a slip of the hand. Pure.

Rather silent: two nodes that are one cost a look, one node that is two costs the truth. What only shares words is never proposed, nor what
differs in a number. A proposal says its evidence; a person decides. Source: issue 18 "One thing, one node"; S1 "Entity resolution".
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from app.values.graph import SameEvidence, SameThing

IsWord = Callable[[str], bool]  # whether a word in lower case stands in a dictionary
_CAMEL = re.compile(r"([a-z0-9])([A-Z])|([A-Z]+)(?=[A-Z][a-z])")
_NOT_WORD = re.compile(r"[^\w$]+|_+")
_LINES = re.compile(r":\d+(?:-\d+|:\d+)?$")  # lines of a file: a part of it, and of other lines another
_CALL = re.compile(r"(?<=[^/])/\d$|\(\)$")  # an arity, a call
_GLUED = re.compile(r"^[\w:]+@(?=[\w.-]+/)")  # "ref:@docs/a.md", as some editors hand it over
_TELLING = re.compile(r"[a-z][A-Z]|_")  # "self.content" is not all that is called content
_SELF = re.compile(r"^(?:self|this)\.(?=\w)")
_UP = re.compile(r"^(?:\.{1,2}/|/)+")
_ROUTE = re.compile(r"/(?=[\w-]+$)|--?(?=[a-z])")  # where something is asked, and an option
_METHOD = re.compile(r"(?:GET|POST|PUT|PATCH|DELETE|HEAD) /(?=\S)")
_MIXED = re.compile(r"[a-z][A-Z]")
_CAPITALS_FIRST = re.compile(r"[A-Z]{2,}[a-z]{2}")  # "HTTPServer", and no "APIs"
_ENDING = re.compile(r"\.\w{1,5}$")
_MARKUP = re.compile(
    r"\.(?:json|ya?ml|toml|xml|csv|html?|heex|eex|erb|hbs|jinja2?|css|scss|sql)$"
)  # data and templates
_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|ico|bmp)$")
_MODULE = re.compile(r"\.(?:exs?|rb)$")  # languages in which "CartItem" stands in "cart_item"
_CLASS = re.compile(r"\.(?:exs?|rb|kt|java|cs|swift)$")  # a file holds one class or module and is called after it
_DOCUMENT = re.compile(r"\.(?:md|mdx|mdc|rst|txt|adoc)$")
_MEMBER = re.compile(r"^(?:[A-Za-z_]\w*\.)+([A-Za-z_]\w*)$")
_PRIVATE = re.compile(r"(?:^|[./])_\w")
_SLUG_OF_TWO = re.compile(r"^\w+(?:-\w+)+$")
_SLUG = re.compile(r"^\w+(?:-\w+){2,}$")  # "drawing-mode-refactor": a branch, a key
_OWN_PLURALS = frozenset(  # no more than one of it
    {
        "alias",
        "atlas",
        "bias",
        "canvas",
        "contents",
        "details",
        "graphics",
        "lens",
        "metrics",
        "series",
        "settings",
        "statistics",
    }
)
_PAPERS = frozenset(  # last words of a text that is itself the thing: "release checklist", not "partial payment"
    {
        "analysis", "brief", "changelog", "checklist", "conventions", "faq", "glossary", "guide", "guidelines", "instructions", "manual",
        "notes", "overview", "plan", "policy", "proposal", "readme", "report", "roadmap", "rules", "runbook", "spec", "specification",
        "summary", "template", "todo",
    }
)  # fmt: skip
_GENERAL = frozenset(  # of any program: "field name" is said of many fields, `field_name` is one variable; "output" is no folder
    {
        "class", "code", "config", "data", "dir", "directory", "entry", "error", "event", "field", "file", "folder", "function", "handler",
        "input", "item", "key", "list", "message", "method", "model", "module", "name", "number", "object", "option", "output", "param",
        "path", "query", "record", "request", "response", "result", "row", "state", "status", "string", "test", "text", "type", "value",
    }
)  # fmt: skip
_COPIES = re.compile(r"(?:^|/)(?:node_modules|site-packages|dist|build|out|target|venv|priv/static)/")
_EVERYWHERE = frozenset(  # files that most folders have
    {
        "__init__", "__main__", "build", "config", "conftest", "index", "layout", "lib", "main", "mod", "models", "package", "page", "route",
        "styles", "tests", "types", "urls", "views",
    }
)  # fmt: skip
_ACTS = frozenset({"add", "create", "delete", "fetch", "get", "make", "parse", "remove", "save", "send", "validate"})
_PREFIXES = frozenset({"co", "de", "dis", "im", "in", "mis", "non", "pre", "re", "sub", "un"})
_SUFFIXES = re.compile(r"(?:able|al|ed|en|er|es|ic|ing|ion|ive|ly|or|s)$")
_SMALL = frozenset({"a", "an", "and", "for", "in", "of", "on", "or", "the", "to", "with"})
_LEAST_INITIALS, _MOST_INITIALS = 3, 6
_LEAST_SLIP, _LONG_SLIP = 5, 8  # letters of a word in which one slip is seen, and two
_LEAST_WORDS = 2
_BLOCK_MOST = 60  # names that share a key: more say that the key says nothing
_CONFIDENCES = {
    SameEvidence.SPELLING: 0.95, SameEvidence.PATH: 0.9, SameEvidence.PLURAL: 0.9, SameEvidence.INITIALS: 0.85, SameEvidence.SLIP: 0.85,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Named:
    """One entity as it is kept: its name, kind, and how often it was said."""

    id: int
    name: str
    kind: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class _Form:
    """A name taken apart. `path` is empty for what is no path."""

    words: tuple[str, ...]
    singular: tuple[str, ...]
    path: str
    text: str  # as written, without what stands around it
    member: str  # what "layers.drawingLayer" has of "layers"
    lines: str  # of a file, as written
    route: str  # what "/status" and "--provider" begin with: where something is asked, an option
    is_outside: bool  # above the folder that is worked in
    is_absolute: bool
    is_file: bool  # said to be one; "json.load" only looks like it
    is_fixed: bool  # snake_case, a slug, and a person's name: one letter more is another
    is_capitals: bool
    is_known: bool  # a technology: no file is called by it
    is_value: bool  # "PUT" is no initials
    is_call: bool
    style: str  # of a name in code: "pascal", "camel", "snake" or none of them
    is_spaced: bool  # words of a sentence
    is_said: bool  # no name in code, by its kind
    is_talk: bool  # words of a sentence, and no component
    is_dotted: bool


def find_same(names: Sequence[Named], is_word: IsWord) -> list[SameThing]:
    """Pairs that may be one thing, the surest and most said first; `keep_id` is the one that was said more often.

    >>> names = [Named(1, "FAB", "component", 4), Named(2, "floating action button", "component", 1), Named(3, "FAB menu", "component")]
    >>> [(one.keep_id, one.gone_id, one.evidence.value) for one in find_same(names, str.isalpha)]
    [(1, 2, 'initials')]
    """
    forms = {one.id: _form(one) for one in names}
    by_id = {one.id: one for one in names}
    found = []
    for a, b in _candidates(names, forms):
        evidence = _compare(forms[a], forms[b], is_word)
        if evidence is not None:
            keep, gone = sorted((by_id[a], by_id[b]), key=lambda one: (-one.count, one.id))
            found.append(SameThing(keep.id, gone.id, evidence, _CONFIDENCES[evidence]))
    found = _without_twins(found, forms)
    return sorted(found, key=lambda one: (-one.confidence, -by_id[one.gone_id].count, one.keep_id, one.gone_id))


def _form(one: Named) -> _Form:
    text = one.name.strip("`\"' ").replace("\\", "/")
    lines = found[0] if (found := _LINES.search(text)) else ""
    text = _GLUED.sub("", text)
    called = text.removesuffix(lines)
    text = _CALL.sub("", called)
    is_call = text != called
    if _TELLING.search(own := _SELF.sub("", text)):
        text = own
    is_named_path = one.kind in ("file", "path") and not is_call
    is_path = is_named_path or bool(_ENDING.search(text)) or ("/" in text and " " not in text)
    route = found[0] if (found := _METHOD.match(text) or _ROUTE.match(text)) else ""
    is_outside = text.startswith("../")
    bare = _UP.sub("", text.removeprefix("@"))
    is_hidden = bare.startswith(".") and one.kind not in ("symbol", "quoted")
    bare = bare.lstrip(".")
    words = _words(_apart(bare))
    if is_hidden:  # ".env" is no "env"
        words = (".", *words)
    if bare.endswith(("_", "-")):  # the beginning of many names
        words = (*words, "_")
    if _PRIVATE.search(bare):  # "_setup" is not "setup"
        words = ("_", *words)
    path = ("." * is_hidden + bare).rstrip("/").lower() if is_path else ""
    is_file = is_named_path or (one.kind == "quoted" and is_path and not is_call)
    is_fixed = (
        (" " not in bare and ("_" in bare or bool(_MIXED.search(bare))))
        or bool(_SLUG.match(bare))
        or one.kind == "person"
    )
    member = _MEMBER.match(text) if one.kind in ("symbol", "quoted") else None
    return _Form(
        words,
        tuple(map(_singular, words)),
        path,
        text,
        member[1] if member else "",
        lines,
        route,
        is_outside,
        text.startswith("/"),
        is_file,
        is_fixed,
        bare.isupper(),
        one.kind == "technology",
        one.kind in ("command", "value"),
        is_call,
        "" if " " in bare or is_path else _style(bare),
        " " in bare,
        one.kind in ("component", "feature", "thing"),
        " " in bare and one.kind == "thing",
        "." in bare,
    )


def _style(name: str) -> str:
    if "_" in name:
        return "snake"
    if not (_MIXED.search(name) or _CAPITALS_FIRST.match(name)):
        return ""
    return "pascal" if name[0].isupper() else "camel"


def _apart(text: str) -> str:
    """ "undoStack" as "undo Stack"."""
    return _CAMEL.sub(lambda found: f"{found[1]} {found[2]}" if found[1] else f"{found[3]} ", text)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in _NOT_WORD.split(text.lower()) if word)


def _singular(word: str) -> str:
    if len(word) <= 3 or word in _OWN_PLURALS or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    return word.removesuffix("s")


def _candidates(names: Sequence[Named], forms: Mapping[int, _Form]) -> Iterator[tuple[int, int]]:
    """Pairs that share a key, each once."""
    blocks: dict[tuple[str, str], set[int]] = defaultdict(set)
    for one in names:
        for key in _keys(forms[one.id]):
            blocks[key].add(one.id)
    seen: set[tuple[int, int]] = set()
    for block in blocks.values():
        if len(block) > _BLOCK_MOST:
            continue
        for pair in combinations(sorted(block), 2):
            if pair not in seen:
                seen.add(pair)
                yield pair


def _keys(form: _Form) -> Iterator[tuple[str, str]]:
    joined = "".join(form.singular)
    yield "letters", joined
    if form.path:
        name = form.path.rsplit("/", 1)[-1]
        yield "file", name
        yield "letters", "".join(map(_singular, _words(_ENDING.sub("", name))))
        yield "stem", "".join(_words(_ENDING.sub("", name)))
    else:
        yield "stem", "".join(form.words)
    if form.member:
        yield "stem", "".join(_words(form.member))
    for initials in _initials(form.words):
        yield "letters", initials
    for words in {form.words, form.singular}:
        yield from _slips(words)


def _slips(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    for index, word in enumerate(words):
        if len(word) < _LEAST_SLIP:
            continue
        rest = "".join((*words[:index], "*", *words[index + 1 :]))
        for at in range(len(word)):  # what is left of it when one letter goes: a slip shares one of these
            yield "slip", f"{rest}:{word[:at]}{word[at + 1 :]}"
        yield "slip", f"{rest}:{word}"


def _initials(words: Sequence[str]) -> set[str]:
    kept = [word for word in words if word not in _SMALL]
    made = {"".join(word[0] for word in some) for some in (words, kept) if len(some) >= _LEAST_WORDS}
    return {one for one in made if _LEAST_INITIALS <= len(one) <= _MOST_INITIALS and one.isalpha()}


def _compare(a: _Form, b: _Form, is_word: IsWord) -> SameEvidence | None:
    if (
        not a.words
        or not b.words
        or a.route != b.route
        or (a.is_outside != b.is_outside and not (a.path == b.path and "/" in a.path))
        or (a.is_absolute and b.is_outside)
        or (a.is_outside and b.is_absolute)
        or a.lines != b.lines
    ):
        return None
    if a.path and b.path and a.path != b.path and _is_short_for(a.path, b.path):
        is_elsewhere = _is_copy(a.path) != _is_copy(b.path) or _is_of_home(a, b) or _is_of_home(b, a)
        return None if is_elsewhere else SameEvidence.PATH
    if _is_member(a, b) or _is_member(b, a):
        return SameEvidence.PATH
    if _digits(a.words) != _digits(b.words):
        return None
    if _is_named_without_ending(a, b, is_word) or _is_named_without_ending(b, a, is_word):
        return SameEvidence.PATH
    if a.path and b.path and a.path != b.path:  # two paths that differ are two files, however little
        return None
    if "".join(a.words) == "".join(b.words):
        is_other = (
            _is_word_of_its_own(a, b, is_word)
            or _is_other_code(a, b)
            or _is_general_talk(a, b)
            or _is_variable(a, b)
            or _is_variable(b, a)
            or _is_heading(a, b)
            or _is_heading(b, a)
            or _is_file_of_every_folder(a, b)
        )
        return None if is_other else SameEvidence.SPELLING
    if _is_plural(a, b):
        return SameEvidence.PLURAL
    if _stands_for(a, b) or _stands_for(b, a):
        return SameEvidence.INITIALS
    is_slip = _is_slip(a.words, b.words, is_word) or _is_slip_of_many(a, b, is_word)
    return SameEvidence.SLIP if is_slip and a.style == b.style and a.is_spaced == b.is_spaced else None


def _digits(words: Iterable[str]) -> list[str]:
    return re.findall(r"\d+", " ".join(words))


def _is_short_for(a: str, b: str) -> bool:
    """Whether one is the end of the other, from a folder on: "layers.js" of "src/layers.js"."""
    short, long = sorted((a, b), key=len)
    is_named = bool(_ENDING.search(short)) and short.split(".", 1)[0] not in _EVERYWHERE
    return long.endswith(f"/{short}") and is_named


def _is_member(bare: _Form, full: _Form) -> bool:
    """ "drawingLayer" of "layers.drawingLayer"; one plain word is a member of too much."""
    return bare.is_fixed and not bare.member and len(bare.words) >= _LEAST_WORDS and bare.text == full.member


def _is_plural(a: _Form, b: _Form) -> bool:
    if min(len(a.words), len(b.words)) < _LEAST_WORDS:  # "handler" and "handlers": as often two things
        return False
    if a.path or b.path or a.member or b.member or "".join(a.singular) != "".join(b.singular):
        return False
    if a.is_talk and b.is_talk and a.words[-1] == b.words[-1]:  # "event start" and "events start": a verb
        return False
    if not (a.is_fixed or b.is_fixed or _plurals(a) <= _plurals(b) or _plurals(b) <= _plurals(a)):
        return False  # so in "booking ends" and "bookings end"
    if _is_class_in_talk(a, b) or _is_class_in_talk(b, a):
        return False
    if a.is_fixed and b.is_fixed:  # each has an "s" where the other has none: a slip of the hand
        return len(_plurals(a) - _plurals(b)) == 1 == len(_plurals(b) - _plurals(a))
    # "audio_paths" holds many of what is talked of as an audio path; talk of tool ids means the field "tool_id"
    return a.words[-1] == b.words[-1] or not any(
        code.is_fixed and code.words[-1] != code.singular[-1] for code in (a, b)
    )


def _is_class_in_talk(code: _Form, talk: _Form) -> bool:
    """Whether "cart rows" are said, of which `CartRow` is the class; a heading "Cart Rows" is about the class."""
    return code.style == "camel" or (code.style == "pascal" and not talk.text.istitle())


def _plurals(form: _Form) -> set[int]:
    return {place for place, (word, one) in enumerate(zip(form.words, form.singular, strict=True)) if word != one}


def _is_copy(path: str) -> bool:
    """Whether it lies where programs put what they build or install: nobody who says a file's name means that one."""
    return bool(_COPIES.search(path))


def _is_of_home(long: _Form, short: _Form) -> bool:
    """Whether one lies in the home folder: its ".tool/settings.json" is not that of the project."""
    return len(long.path) > len(short.path) and (
        long.path.startswith("~/") or (long.is_absolute and short.path.startswith("."))
    )


def _is_word_of_its_own(a: _Form, b: _Form, is_word: IsWord) -> bool:
    """Whether one is a plain word and the other the same with a capital or a sign: "DRY" and "dry", a class "Paint" and "paint", "@order"."""
    if a.is_file or b.is_file or len(a.words) != 1 or a.is_dotted or b.is_dotted:
        return False
    if a.text.startswith("@") != b.text.startswith("@"):
        return True
    if a.is_call != b.is_call and (a.is_said or b.is_said):  # `format()` and "the format"
        return True
    is_cased = a.is_capitals != b.is_capitals or a.text[:1].isupper() != b.text[:1].isupper()
    return is_cased and not (a.is_known or b.is_known) and is_word(a.words[0])


def _is_other_code(a: _Form, b: _Form) -> bool:
    """Whether both are code and written in two ways: mostly a class or a method and a variable of it."""
    return bool(a.style and b.style) and a.style != b.style


def _is_variable(code: _Form, talk: _Form) -> bool:
    """Whether one is `paintMode`, and the other talk of a paint mode or a slug: a variable has one of it, or is called so after it.

    >>> paint_mode, said = (_form(Named(1, name, "symbol")) for name in ("paintMode", "paint mode"))
    >>> _is_variable(paint_mode, said)
    True
    """
    is_slug = bool(_SLUG_OF_TWO.match(talk.text))
    return code.style == "camel" and not code.is_known and (talk.is_spaced or is_slug)


def _is_file_of_every_folder(a: _Form, b: _Form) -> bool:
    """Whether it is "/index.js" and "index.js": a folder is said with one of them."""
    is_common = bool(a.path and b.path) and a.path.split(".", 1)[0] in _EVERYWHERE
    return is_common and bool(_UP.match(a.text)) != bool(_UP.match(b.text))


def _is_heading(title: _Form, code: _Form) -> bool:
    """Whether "Font Loading" or "create cart" is said, and the other is a branch, a style, a function: one thing as often as two."""
    is_slug = not code.path and not code.style and bool(_SLUG_OF_TWO.match(code.text))
    if not title.is_spaced or not (code.style == "snake" or is_slug) or title.is_known or code.is_known:
        return False
    return title.text.istitle() or title.words[0] in _ACTS


def _is_general_talk(a: _Form, b: _Form) -> bool:
    """Whether one is talk in words of any program and the other one variable or folder: "test config", `test_config`; "output", `output/`."""
    return _writing(a) != _writing(b) and _GENERAL.issuperset(a.singular)


def _writing(form: _Form) -> int:
    """0 for talk, 1 for a slug, 2 for code or a path."""
    return 2 if form.is_fixed or form.path else int(bool(_SLUG_OF_TWO.match(form.text)))


def _is_named_without_ending(bare: _Form, file: _Form, is_word: IsWord) -> bool:
    """ "CHANGELOG" of "CHANGELOG.md", "undo.layers" of "undo.layers.js"; a plain or a short word is no file."""
    if "/" in bare.path or not file.is_file or not _ENDING.search(file.path):
        return False
    name = file.path.rsplit("/", 1)[-1]
    if "".join(bare.words) != "".join(_words(_ENDING.sub("", name))):
        return False
    if len(bare.words) > 1:
        return _is_called_after(bare, file, name)
    if bare.text[:1].isupper() and not bare.is_capitals and _CLASS.search(name) and not bare.is_dotted:
        return True
    is_odd = bare.is_capitals or not is_word(bare.words[0])
    return is_odd and "/" not in file.path and not bare.is_known and len(bare.words[0]) >= _LEAST_SLIP


def _is_called_after(bare: _Form, file: _Form, name: str) -> bool:
    """Of more words: a class is its file, and a picture is called by nothing else; a feature is not the code that makes it, nor the text about it."""
    if _PICTURE.search(name):
        return not bare.is_spaced
    if bare.style == "snake" or bare.is_known:  # a variable, an assignment, and the file that it is read from
        return False
    is_so_written = file.text.rsplit("/", 1)[-1].lower().startswith(f"{bare.text.lower()}.")
    if bare.style == "pascal":
        return bool(_MODULE.search(name)) or is_so_written
    if bool(_DOCUMENT.search(name)) and bare.words[-1] in _PAPERS:
        return True
    return is_so_written and not bare.is_spaced and ("/" not in file.path or bare.is_dotted)


def _stands_for(short: _Form, long: _Form) -> bool:
    return (
        short.is_capitals
        and not (short.is_value or short.is_known)
        and len(short.words) == 1
        and len(long.words) >= _LEAST_WORDS
        and short.words[0] in _initials(long.words)
    )


def _is_slip(a: Sequence[str], b: Sequence[str], is_word: IsWord) -> bool:
    """One word differs by a letter or two, and only one of the two is a word."""
    different = [(one, other) for one, other in zip(a, b, strict=False) if one != other]
    if len(a) != len(b) or len(different) != 1:
        return False
    one, other = different[0]
    if _singular(one) == _singular(other):  # of code, which no plural joins
        return False
    if min(len(one), len(other)) < _LEAST_SLIP or is_word(one) == is_word(other):
        return False
    if _is_other_form(one, other):
        return False
    return _distance(one, other) <= (2 if min(len(one), len(other)) >= _LONG_SLIP else 1)


def _is_other_form(a: str, b: str) -> bool:
    """Whether one has a prefix more or another ending: "unresolved" and "resolved", "serializer" and "serialized" are words of their own."""
    short, long = sorted((a, b), key=len)
    if long.endswith(short) and long.removesuffix(short) in _PREFIXES:
        return True
    return _SUFFIXES.sub("", a) == _SUFFIXES.sub("", b)


def _is_slip_of_many(a: _Form, b: _Form, is_word: IsWord) -> bool:
    """ "circule modes" and "circle mode"."""
    return (
        min(len(a.words), len(b.words)) >= _LEAST_WORDS
        and not (a.is_fixed or b.is_fixed or a.path or b.path)
        and _is_slip(a.singular, b.singular, is_word)
    )


def _distance(a: str, b: str) -> int:
    """Letters to add, take out, change or swap with their neighbour (optimal string alignment)."""
    from rapidfuzz.distance import OSA

    return int(OSA.distance(a, b, score_cutoff=3))


def _without_twins(found: Iterable[SameThing], forms: Mapping[int, _Form]) -> list[SameThing]:
    """A short path that may be several long ones is none of them, nor is a member that several things have."""

    def by_length(number: int) -> tuple[bool, int]:
        return bool(forms[number].path), len(forms[number].path or forms[number].text)

    listed = list(found)
    long_of: dict[int, set[str]] = defaultdict(set)
    for one in listed:
        if one.evidence is SameEvidence.PATH:
            short, long = sorted((one.keep_id, one.gone_id), key=by_length)
            long_of[short].add(forms[long].path or forms[long].text)
    return [
        one
        for one in listed
        if one.evidence is not SameEvidence.PATH or _is_chain(long_of[min((one.keep_id, one.gone_id), key=by_length)])
    ]


def _is_chain(paths: Iterable[str]) -> bool:
    ordered = sorted(paths, key=len)
    return all(long.endswith(short) for short, long in pairwise(ordered))
