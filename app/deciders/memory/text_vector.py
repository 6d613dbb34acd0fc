"""A text as a vector of fixed length, for files that other programs read: hashed stems, weighted by how often they stand there.

Derived from the text alone, so that it is never kept. Nothing of ours searches with it: recall has the words themselves. Source: S3
`ItemMetadata.embedding`; feature hashing with signs (Weinberger 2009).
"""

import hashlib
import math
from collections import Counter

from app.language.likeness import plain_words
from app.language.stems import stem

SIZE = 64


def hashed_vector(text: str, size: int = SIZE) -> tuple[float, ...]:
    """`size` numbers, of length 1 together, rounded to four decimals; none for a text without words.

    >>> one, other, far = (hashed_vector(said) for said in ("We use PostgreSQL", "we use postgresql!", "Blue buttons"))
    >>> one == other, abs(sum(a * b for a, b in zip(one, far))) < 0.5, hashed_vector("")
    (True, True, ())
    """
    counts = Counter(stem(word.lower()) for word in plain_words(text))
    values = [0.0] * size
    for word, count in counts.items():
        digest = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
        values[digest % size] += math.sqrt(count) * (1 if digest >> 63 else -1)
    length = math.sqrt(sum(value * value for value in values))
    return tuple(round(value / length, 4) for value in values) if length else ()
