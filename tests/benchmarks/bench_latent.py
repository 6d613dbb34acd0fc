"""What latent semantics would add to recall: scikit-learn's TF-IDF and truncated SVD, fitted on each pool, beside our ranking.

Run with `python -m tests.benchmarks.bench_latent FILE.jsonl [dimensions]` on labelled chats (eval/README, "retrieval"); prints
recall @1, @5, @10, @20 when a candidate's score is ours plus a share of the cosine, its own or with its neighbours'. The
decision in the README rests on it. Source: issue 3 "Recall", STACK 1.5.
"""

import json
import sys
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from app.deciders.recall.ranking.rank import NEIGHBOUR_SHARES
from app.evaluation.tasks.retrieval import Chat, Question, read_chats
from app.evaluation.tasks.temporary_store import open_pool
from app.language.search_words import split_stems

_SHARES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8)
_DEPTHS = (1, 5, 10, 20)
_ASKED, _TOP = 100, 50
_DIMENSIONS = 128


def main() -> None:
    rows = [json.loads(line) for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()]
    dimensions = int(sys.argv[2]) if len(sys.argv) > 2 else _DIMENSIONS
    found: dict[tuple[str, float], list[list[float]]] = defaultdict(list)
    fit_s = sum(_try(chat, dimensions, found) for chat in read_chats(rows))
    print(f"{dimensions} dimensions, fitted in {fit_s:.1f} s; recall @1 @5 @10 @20 by the cosine's share")
    for (whose, share), recalls in found.items():
        means = " ".join(f"{value:.3f}" for value in np.mean(recalls, axis=0))
        print(f"{whose:>15} {share:4.2f}  {means}  of {len(recalls)} questions")


def _try(chat: Chat, dimensions: int, found: dict[tuple[str, float], list[list[float]]]) -> float:
    vectorizer = TfidfVectorizer(tokenizer=split_stems, token_pattern=None, sublinear_tf=True, lowercase=False)
    started = time.perf_counter()
    weights = vectorizer.fit_transform([one.text for one in chat.statements])
    latent = TruncatedSVD(dimensions, random_state=0)
    places = _unit(latent.fit_transform(weights))
    spent_s = time.perf_counter() - started
    with open_pool(chat.statements) as pool:
        for question in chat.questions:
            if not question.relevant:
                continue
            answer = pool.ask(question.text, limit=_ASKED)
            ranked = pool.ranked(answer)
            scores = {place: hit.score for place, hit in zip(ranked, answer.hits or answer.nearest, strict=True)}
            cosines = places @ _unit(latent.transform(vectorizer.transform([question.text])))[0]
            for whose, values in (("own", cosines), ("with neighbours", _shared(cosines))):
                top = {*np.argsort(-values)[:_TOP].tolist(), *ranked}
                for share in _SHARES:
                    order = sorted(top, key=lambda at: -(scores.get(at, 0.0) + share * values[at]))
                    found[whose, share].append(_recall(question, order))
    return spent_s


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9)


def _shared(values: np.ndarray) -> np.ndarray:
    """Each with what its neighbours have, as our own scores are shared; halved, to stay within 0..1."""
    shared = values.copy()
    for distance, share in enumerate(NEIGHBOUR_SHARES[1:], 1):
        shared[:-distance] += share * values[distance:]
        shared[distance:] += share * values[:-distance]
    return shared / 2


def _recall(question: Question, order: list[int]) -> list[float]:
    return [len(question.relevant.intersection(order[:depth])) / len(question.relevant) for depth in _DEPTHS]


if __name__ == "__main__":
    main()
