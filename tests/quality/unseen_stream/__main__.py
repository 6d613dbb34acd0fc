"""python -m tests.quality.unseen_stream STREAM.jsonl FOLDER: joins the labels with the stream's own text, which is not ours to keep.

STREAM is caldate.dev.jsonl of the evaluation data. Rows 20 to 169 were labelled on 28 November 2026 by a reader who had not seen
the code, after the data's README; the judge's answers are a second reader's, who saw the requests alone (of the first hundred
messages it had also seen how another reader answered). FOLDER then holds stream.jsonl, starts.jsonl, questions.jsonl and
judge.jsonl, as score_sessions.py and replay_judge.py read them. Whoever fits a rule on this stream takes this note away with it.
"""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

_OWN = Path(__file__).parent


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _key(text: str) -> str:
    return hashlib.sha256("".join(text.split()).encode()).hexdigest()[:12]


def main() -> None:
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    rows = _read(source)
    for label in _read(_OWN / "labels.jsonl"):
        row = rows[label.pop("row")]
        if label.pop("sha") != _key(row["text"]):
            sys.exit(f"{source} is not the stream that was labelled: {row['id']} has another text.")
        row |= label
    texts = {_key(row["text"]): row["text"] for row in reversed(rows)}
    answers = _read(_OWN / "judge.jsonl")
    for answer in answers:
        if "start" in answer:
            answer["quote"] = texts[answer["sha"]][answer.pop("start") : answer.pop("end")]
    target.mkdir(parents=True, exist_ok=True)
    named = {"stream": rows, "judge": answers} | {
        name: _read(_OWN / f"{name}.jsonl") for name in ("starts", "questions")
    }
    for name, lines in named.items():
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (target / f"{name}.jsonl").write_text(text, encoding="utf-8")


main()
