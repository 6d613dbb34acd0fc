"""Which part of a message with its references put in belongs to which part of the original.

Between references both texts are the same; that is all this uses. Knows nothing of how references were put in.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from app.values import Reference, ReferenceState

_PUT_IN = frozenset({ReferenceState.RESOLVED, ReferenceState.CORRECTED})
_MAX_LOOK_AHEAD_CHARS = 400


@dataclass(frozen=True, slots=True)
class Alignment:
    """Places of the original and the place of the expanded text that each of them begins at."""

    expanded: str
    steps: tuple[tuple[int, int, int], ...]  # original start, original end, shift of all that follows

    def part(self, start: int, end: int) -> str:
        """The expanded text of the original's [start, end)."""
        return self.expanded[self._move(start, is_end=False) : self._move(end, is_end=True)].strip()

    def _move(self, place: int, *, is_end: bool) -> int:
        shift = 0
        for begin, stop, moved in self.steps:
            if place < stop or (place == stop == begin and not is_end):
                break
            shift = moved
        return place + shift


def align(text: str, expanded: str, references: Sequence[Reference]) -> Alignment | None:
    """The alignment of the two texts; None when they do not fit each other.

    >>> from app.values import ReferenceKind
    >>> it = Reference("it", 5, 7, ReferenceKind.PRONOUN, ReferenceState.RESOLVED, "FAB button", 0.9, "")
    >>> align("Make it red. Use tabs.", "Make the FAB button red. Use tabs.", [it]).part(13, 22)
    'Use tabs.'
    """
    put_in = sorted((one for one in references if one.state in _PUT_IN and one.antecedent), key=lambda one: one.start)
    if text == expanded or not put_in:
        return Alignment(text, ())
    steps: list[tuple[int, int, int]] = []
    shift = position = 0
    for index, reference in enumerate(put_in):
        if reference.start < position:
            continue
        following = put_in[index + 1].start if index + 1 < len(put_in) else len(text)
        literal = text[reference.end : max(following, reference.end)][:_MAX_LOOK_AHEAD_CHARS]
        found = _find_after(expanded, reference, reference.start + shift, literal)
        if found < 0:
            return None
        shift = found - reference.end
        steps.append((reference.start, reference.end, shift))
        position = reference.end
    return Alignment(expanded, tuple(steps))


def _find_after(expanded: str, reference: Reference, place: int, literal: str) -> int:
    """Where the words after the reference go on in the expanded text."""
    antecedent = reference.antecedent or ""
    if expanded.startswith(reference.mention + literal, place):
        is_replaced = antecedent[:4].lower() in expanded[place : place + len(antecedent) + 8].lower()
        if not is_replaced or antecedent.lower() == reference.mention.lower():
            return place + len(reference.mention)
    inside = expanded.lower().find(antecedent.lower(), place, place + len(antecedent) + len(reference.mention) + 24)
    begin = inside + len(antecedent) if inside >= 0 else place
    if not literal:
        return len(expanded)
    return expanded.find(literal, begin)
