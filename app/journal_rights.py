"""Who may see an operation of the journal, and who may take it back: one table of kinds, one decision for every door.

An operation is taken back by whoever may do it: the person always, a program only what it did itself and has the scope for.
What concerns tokens, settings and exclusions is the person's alone. Pure; knows neither HTTP nor the store. Source: QUALITY S1.
"""

from dataclasses import dataclass
from enum import StrEnum

from app.actor import Actor
from app.errors import ForbiddenError


class Need(StrEnum):
    """What doing an act takes, and so taking it back. `PERSON`: the window or the command line, no token whatever."""

    WRITE = "write"
    ADMIN = "admin"
    PERSON = "person"


_KINDS: dict[Need, str] = {
    Need.WRITE: (
        "create_memory remember edit_memory tag_memory link_memory rename end reopen set_outcome split merge move clarify "
        "correct_intents correct_reference dismiss_reference expand clear_window retry discard draw_link"
    ),
    Need.ADMIN: (
        "find_contradictions resolve_contradiction reopen_contradiction accept_memory reject_memory pin_memory move_memory merge_memory restore_version unlink_memory cut_link judge_link merge_names unmerge_name rebuild_graph tell_apart pin_node unpin_node attach_memory "
        "detach_memory place_memory dismiss_line capture pause judge note import evaluation save_search rename_search remove_search consolidate"
    ),
    Need.PERSON: (
        "create_app renew_token revoke_app pause_app resume_app keeps_answers bind_app connect disconnect new_assistant "
        "setting exclude edit_rule switch_rule purge_rules take_rules edit_note promote_note note_expiry memory_rule erase purge_secrets archive_memory unarchive_memory archive archive_expired"
    ),
}
NEEDS: dict[str, Need] = {kind: need for need, kinds in _KINDS.items() for kind in kinds.split()}


def need_of(kind: str) -> Need:
    """The right that an act of this kind needs; kinds not listed here are the person's alone.

    >>> need_of("rename"), need_of("setting"), need_of("something new")
    (<Need.WRITE: 'write'>, <Need.PERSON: 'person'>, <Need.PERSON: 'person'>)
    """
    return NEEDS.get(kind, Need.PERSON)


@dataclass(frozen=True, slots=True)
class Act:
    """One operation as far as rights go. `need` of an undo is that of what it undid."""

    app: str  # that did it; "" for the person and the engine
    need: Need
    is_of_program: bool  # done through the API by a program, for itself


def may_see(who: Actor | None, act: Act) -> bool:
    """Whether the entry is shown: its label and images hold words that only the person may see."""
    return who is None or act.need is not Need.PERSON or (act.is_of_program and act.app == who.app)


def check_revert(who: Actor | None, act: Act) -> None:
    """Raises ForbiddenError when `who` may not take this back, or do it again.

    >>> check_revert(None, Act("", Need.PERSON, False))
    >>> check_revert(Actor("codex", may_write=True), Act("codex", Need.WRITE, True))
    >>> check_revert(Actor("codex", may_write=True), Act("", Need.WRITE, False))
    Traceback (most recent call last):
    app.errors.ForbiddenError: This was not done by codex.
    """
    if who is None:
        return
    if act.need is Need.PERSON:
        raise ForbiddenError(
            "Only the person can undo or redo this.",
            hint="In the window under Activity, or with: remanence undo.",
        )
    if who.is_admin:
        return
    if not (act.is_of_program and act.app == who.app):
        raise ForbiddenError(
            f"This was not done by {who.app}.",
            hint="A program can undo only what it did itself; the person can undo the rest in Activity.",
        )
    if act.need is Need.ADMIN or not who.may_write:
        raise ForbiddenError(
            f"{who.app} may not do this, so it may not undo it either.",
            hint=f"It needs the scope “{act.need.value}”.",
        )
