"""Whether one text for two memories may be shown as a proposal: it says no word that neither side says, and is neither of them."""

from app.deciders.memory.rules import MemoryRules
from app.language.likeness import content_words, text_key


def may_propose(text: str, a: str, b: str, rules: MemoryRules) -> bool:
    """Whether every word of the text that carries something is a word of one side, each side has a part in it, and it is new.

    >>> from app.deciders.memory.rules import load_memory_rules
    >>> a, b, rules = "Exports are CSV.", "Exports are XML for the bank.", load_memory_rules()
    >>> may_propose("Exports are CSV, XML for the bank.", a, b, rules), may_propose("Exports are JSON.", a, b, rules)
    (True, False)
    """
    if not text.strip() or text_key(text) in {text_key(a), text_key(b)}:
        return False
    ours, theirs, words = (set(content_words(one, rules.likeness)) for one in (a, b, text))
    return words <= ours | theirs and bool(words & (ours - theirs)) and bool(words & (theirs - ours))
