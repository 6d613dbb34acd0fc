"""A memory speaks to the person it belongs to: "The person prefers tabs" is kept as "You prefer tabs". Pure.

Source: issue 16 item 4.
"""

import re

_VERBS = {
    "has": "have", "is": "are", "does": "do", "was": "were", "tries": "try", "relies": "rely", "wishes": "wish", "teaches": "teach",
    **{f"{verb}s": verb for verb in (
        "want", "prefer", "like", "dislike", "lean", "need", "expect", "ask", "use", "work", "plan", "avoid", "favour", "favor", "insist",
        "intend", "keep", "know", "love", "hate", "write", "run", "own", "live", "speak",
    )},
}  # fmt: skip


_KEEP = ("would", "wanted", "asked", "decided", "will", "cannot", "can", "must", "should", "chose", "agreed")


_ACTS = re.compile(
    rf"\b(the person) ((?:also |always |never |usually |strongly )*)({'|'.join((*_VERBS, *_KEEP))})\b", re.IGNORECASE
)


_OWNS = re.compile(r"\bthe person's (?=own\b)", re.IGNORECASE)


def address_person(statement: str) -> str:
    """The statement, said to the person.

    >>> address_person("The person leans towards Ramda because the person would like to use it more.")
    'You lean towards Ramda because you would like to use it more.'
    >>> address_person("The app serves the person's own cottage."), address_person("The person table has no index.")
    ('The app serves your own cottage.', 'The person table has no index.')
    """

    def act(found: re.Match[str]) -> str:
        verb = found[3].lower()
        return f"{'You' if found[1][0] == 'T' else 'you'} {found[2]}{_VERBS.get(verb, found[3])}"

    addressed = _ACTS.sub(act, statement)
    return _OWNS.sub(lambda found: "Your " if found[0][0] == "T" else "your ", addressed)
