"""Whether somebody asks in so many words that something be kept. Pure. Source: JUDGE "Who judges", no. 4."""

import re

_ASKED_FOR = re.compile(r"\bremember\b|\bfrom now on\b|\bnever\b.{0,80}\bagain\b", re.IGNORECASE)


def is_asked_for(text: str) -> bool:
    """Not what merely sounds lasting: rules keep this, whatever others make of it.

    >>> is_asked_for("From now on, tabs."), is_asked_for("Always use tabs.")
    (True, False)
    """
    return _ASKED_FOR.search(text) is not None
