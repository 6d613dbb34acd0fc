"""How well a typed text fits a name: for the palette and the search in settings. Pure."""

import unicodedata


def fold(text: str) -> str:
    """`text` without case and accents.

    >>> fold("Café")
    'cafe'
    """
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def match_score(query: str, text: str) -> float:
    """0 for no fit, up to 1. Every word of the query must be in the text; starts of words count more.

    >>> match_score("und", "Undo") > match_score("und", "Sounds")
    True
    >>> match_score("theme dark", "Theme: dark") > 0
    True
    >>> match_score("xyz", "Undo")
    0.0
    """
    words = fold(query).split()
    folded = fold(text)
    if not words:
        return 0.0
    total = 0.0
    for word in words:
        at = folded.find(word)
        if at < 0:
            return _initials_score(fold(query).replace(" ", ""), folded)
        is_start = at == 0 or not folded[at - 1].isalnum()
        total += (1.0 if at == 0 else 0.85 if is_start else 0.5) * (0.7 + 0.3 * len(word) / len(folded))
    return total / len(words)


def _initials_score(query: str, folded: str) -> float:
    parts = "".join(char if char.isalnum() else " " for char in folded).split()
    initials = "".join(part[0] for part in parts)
    return 0.4 if len(query) > 1 and initials.startswith(query) else 0.0
