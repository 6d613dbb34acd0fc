"""How much of a memory's weight is left by its age and use. Pure arithmetic; no clock.

Source: S3, "Decay Function": half-life 30 days since the last access, a boost for every access, at most 1.
"""

import math
from datetime import datetime

HALF_LIFE_DAYS = 30.0
BOOST_PER_ACCESS = 0.1
MAX_BOOST = 0.5
_DAY_S = 86_400.0


def decay(last_access_at: datetime, access_count: int, now: datetime, half_life_days: float = HALF_LIFE_DAYS) -> float:
    """The share 0..1 of its weight that a memory still has. An access in the future counts as one just now.

    >>> from datetime import UTC, datetime, timedelta
    >>> now = datetime(2026, 3, 2, tzinfo=UTC)
    >>> decay(now - timedelta(days=30), 0, now), decay(now - timedelta(days=60), 2, now)
    (0.5, 0.45)
    """
    if half_life_days <= 0:
        raise ValueError("a half-life is longer than nothing")
    idle_days = max(0.0, (now - last_access_at).total_seconds() / _DAY_S)
    boost = min(max(0, access_count) * BOOST_PER_ACCESS, MAX_BOOST)
    return min(1.0, math.exp2(-idle_days / half_life_days) + boost)
