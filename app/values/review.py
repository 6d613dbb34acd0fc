"""What is asked of the person: one card of the review, with those that say nearly the same. Values only. Source: UX 4.4."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReviewCard:
    """One decision about one memory, or about several that are as good as one."""

    memory_id: int  # the one that is shown
    alike_ids: tuple[int, ...] = ()  # the others; whatever is answered is about all
    times_said: int = 1  # places where any of them was said
    is_held: bool = False  # it reads like an order to an assistant

    @property
    def ids(self) -> tuple[int, ...]:
        """All of them, the shown one first."""
        return (self.memory_id, *self.alike_ids)
