"""Which stretches of a prompt are not the person's own wording; the one place where the judge asks whose words these are.

Pure; what shows it is `deciders.conversation.authorship`'. Source: JUDGE "Verified or dropped".
"""

from app.deciders.conversation.authorship import split_authors


def find_foreign(text: str) -> list[tuple[int, int]]:
    """Half-open spans, in code points.

    >>> text = "look:\\n> we use Mongo\\nwe do not"
    >>> [text[start:end].strip() for start, end in find_foreign(text)]
    ['> we use Mongo']
    """
    return [(one.start, one.end) for one in split_authors(text) if not one.is_own]
