"""What git and a shell print and people paste in front of what they want: status, lists of files, diffs, output.

Only shapes of lines; knows no phrases and nothing of titles. Source: the output of `git status`, `log` and `diff`.
"""

import re

_LABEL = r"\s*(?:[-*]\s+)?(?:[A-Z][\w ]{0,40}:\s*)?"
_STATUS = re.compile(
    rf"{_LABEL}(?:On branch\s+(?P<branch>\S{{1,120}})\s*\Z|HEAD detached (?:at|from)\s|Your branch (?:is|and)\s"
    r"|Changes (?:not staged for commit|to be committed):|Untracked files:|Unmerged paths:|no changes added to commit"
    r"|nothing (?:added )?to commit|\(use \"git |(?:modified|new file|deleted|renamed|both modified|typechange):\s{2,}"
    r"|[ MADRCU?]{2}\s\S+\s*\Z|[0-9a-f]{7,40}\s\S)"
)
_CURRENT_BRANCH = re.compile(r"\s*(?:[-*]\s+)?Current branch:\s*\S+\s*\Z", re.IGNORECASE)
_PROMPT = re.compile(
    r"^(?:\[[^\]\n]{0,80}(?:~|(?<=[\s:\[])/)[^\]\n]{0,160}\](?!\()|[\w.-]{1,40}@[\w.-]{1,60}:[~/]\S{0,120}[$#%]|[$❯➜](?=\s)|PS [A-Z]:\\[^>\n]{0,120}>)",
    re.MULTILINE,
)
_OWN_WORDS = re.compile(r"[^\W\d_]|[\"'`@(]|[-*•]\s|\d{1,2}[.)]\s")  # how a person continues
_DIFF = re.compile(rf"{_LABEL}diff --(?:git|cc|combined)\s")
_DIFF_GOES_ON = re.compile(
    r"[+\-@ ]|(?:index|new file mode|deleted file mode|similarity index|rename (?:from|to)|Binary files|diff --)\s|\\ No"
)


def drop_status(text: str) -> str:
    """`text` without what git printed; what is before and after it stays.

    >>> drop_status("- Git status: On branch main\\n  (use \\"git add\\")\\n\\tmodified:   a.py\\n\\nCommit this")
    'Commit this'
    """
    kept: list[str] = []
    is_status = is_diff = False
    for line in text.split("\n"):
        is_diff = _DIFF.match(line) is not None or (is_diff and _DIFF_GOES_ON.match(line) is not None)
        is_own = is_diff or _STATUS.match(line) is not None or _CURRENT_BRANCH.match(line) is not None
        is_status = is_own or (is_status and (not line.strip() or line[:1] in "\t "))
        if not is_status:
            kept.append(line)
    return "\n".join(kept)


def find_terminal(text: str) -> list[tuple[int, int]]:
    """The places of prompts of a shell and of what came out below them; the commands behind the prompts stay out.

    >>> text = "look:\\n[09:02 ~/src] npm test\\n  3 failed\\n\\nwhy?"
    >>> [text[start:end] for start, end in find_terminal(text)]
    ['[09:02 ~/src]', '  3 failed']
    """
    if _PROMPT.search(text) is None:
        return []
    found: list[tuple[int, int]] = []
    place, is_output, is_torn = 0, False, False
    for line in text.split("\n"):
        prompt = _PROMPT.match(line)
        if prompt is not None:
            found.append((place, place + prompt.end()))
            is_output, is_torn = True, False
        elif not line.strip():
            is_torn = True
        elif is_output and (not is_torn or _OWN_WORDS.match(line) is None):
            found.append((place, place + len(line)))
        place += len(line) + 1
    return found


def find_branch(text: str, frame: str) -> str:
    """`frame` with the branch that a pasted status names in place of {}; "" when none does."""
    for line in text.split("\n"):
        found = _STATUS.match(line)
        if found is not None and found["branch"]:
            return frame.format(found["branch"])
    return ""
