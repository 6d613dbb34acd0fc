"""What a person's yes and no to links teach: which pairs are not proposed again, and how sure a way of finding has to be. Pure."""

from collections.abc import Mapping

from app.values.graph import LinkBasis

_LEAST_COUNT = 4  # verdicts before a way of finding is judged by them
_STEP = 0.25  # how much stricter one becomes of which every link was rejected


def stricter_by(counts: Mapping[tuple[LinkBasis, bool], int], basis: LinkBasis) -> float:
    """What is added to the least strength of links found by `basis`: 0 while most are accepted, up to 0.25. 0..0.25.

    >>> stricter_by({(LinkBasis.SIMILAR, False): 6, (LinkBasis.SIMILAR, True): 2}, LinkBasis.SIMILAR)
    0.125
    >>> stricter_by({(LinkBasis.SIMILAR, False): 3}, LinkBasis.SIMILAR)
    0.0
    """
    yes, no = (counts.get((basis, is_yes), 0) for is_yes in (True, False))
    if yes + no < _LEAST_COUNT:
        return 0.0
    return round(_STEP * max(0.0, no / (yes + no) - 0.5) * 2, 4)
