"""Chooses which words of a query the index is asked for: the rarest few, none that stands nearly everywhere.

A long prompt holds a hundred words; asking for all costs a hundred lists and finds nothing more. Source: STACK 1.1 "planned".
"""

from collections.abc import Sequence

MOST_TERMS = 12
MOST_SHARE = 0.10
_FEW_DOCUMENTS = 2_000  # below, every list is short


def choose_terms(stems: Sequence[str], counts: Sequence[int], total: int, *, most: int = MOST_TERMS) -> tuple[str, ...]:
    """The stems to ask for, rarest first. `counts`: in how many of `total` documents each stands.

    Words of more than a tenth of a large store are left out unless all are such; those nowhere found stay out.

    >>> choose_terms(["deploi", "server", "zebra"], [40, 90_000, 0], 100_000)
    ('deploi',)
    """
    known = sorted((count, at) for at, count in enumerate(counts) if count)
    allowed = [pair for pair in known if total < _FEW_DOCUMENTS or pair[0] <= total * MOST_SHARE]
    return tuple(stems[at] for _, at in (allowed or known[:2])[:most])
