"""Prediction on a real history: the first file of a commit is opened, what else of the commit was foreseen? (QUALITY A9).

Run with `python -m tests.benchmarks.bench_prediction REPOSITORY [share] [limit]`; reads `git log` of the given repository, writes nothing.
The first 60 % of the commits are known, the rest are asked one after the other, each known to the next. Counted are files that
existed before; commits of one file or of more than `LARGE` are no task. Beside it: always the files that change most often.
"""

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from app.recall.prediction import predict_files

LARGE = 20
_KNOWN_SHARE = 0.6
_ASKED_MOST = 1_500


def read_commits(repository: Path) -> list[frozenset[str]]:
    """Files of each commit, oldest first, merges left out."""
    command = ["git", "-C", str(repository), "log", "--no-merges", "--reverse", "--name-only", "--pretty=format:%x01"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, errors="replace")
    commits = (frozenset(line for line in part.splitlines() if line) for part in done.stdout.split("\x01"))
    return [commit for commit in commits if commit]


def measure(commits: list[frozenset[str]], limit: int) -> None:
    first = int(len(commits) * _KNOWN_SHARE)
    seen: set[str] = set().union(*commits[:first]) if first else set()
    often = Counter(path for commit in commits[:first] for path in commit)
    ours, usual, spent, asked = 0.0, 0.0, 0.0, 0
    for at in range(first, len(commits)):
        commit = commits[at]
        old = sorted(commit & seen)
        if 2 <= len(old) <= LARGE and asked < _ASKED_MOST:
            for opened in old:
                wanted = set(old) - {opened}
                started = time.perf_counter()
                found = {guess.path for guess in predict_files(opened, commits[max(0, at - 400) : at], limit=limit)}
                spent += time.perf_counter() - started
                ours += len(wanted & found) / len(wanted) / len(old)
                usual += len(wanted & {path for path, _ in often.most_common(limit)}) / len(wanted) / len(old)
            asked += 1
        seen |= commit
        often.update(commit)
    print(f"commits {len(commits)}, asked {asked}, files known {len(seen)}, told {limit}")
    print(
        f"hit rate {ours / max(1, asked):.3f}   most frequent files {usual / max(1, asked):.3f}   {spent * 1000 / max(1, asked):.2f} ms a commit"
    )


if __name__ == "__main__":
    history = read_commits(Path(sys.argv[1]))
    for told in [int(word) for word in sys.argv[2:]] or [10, 20, 40]:
        measure(history, told)
