"""Reads the lists of words that a rules file holds. Knows no rule."""


def words_of(value: object) -> tuple[str, ...]:
    """The entries of a list in lower case; none where the file has no such list.

    >>> words_of(["Tab", 404]), words_of(None)
    (('tab', '404'), ())
    """
    return tuple(str(entry).lower() for entry in value) if isinstance(value, list) else ()
