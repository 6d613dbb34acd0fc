"""The two families of errors a person can meet; everything else is a bug.

UserError: the request cannot be done as asked. EnvironmentProblem: the machine stands in the way.
Every message says the cause and the next step (QUALITY E7). `code` is stable, for the socket.
"""


class RemanenceError(Exception):
    """Base. `str(error)` is a whole sentence for people; `hint` says what to do next."""

    code = "error"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UserError(RemanenceError):
    code = "invalid"


class NotFoundError(UserError):
    code = "not_found"


class InvalidError(UserError):
    code = "invalid"


class StaleError(UserError):
    """Something changed since it was shown."""

    code = "stale"


class AmbiguousError(UserError):
    """More than one thing fits; `candidates` names them."""

    code = "ambiguous"

    def __init__(self, message: str, candidates: tuple[str, ...], *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.candidates = candidates


class ForbiddenError(UserError):
    code = "forbidden"


class EnvironmentProblem(RemanenceError):
    code = "environment"


class StoreLockedError(EnvironmentProblem):
    code = "locked"


class StoreNewerError(EnvironmentProblem):
    code = "newer_store"


class StoreCorruptError(EnvironmentProblem):
    code = "corrupt"


class StoreForeignError(EnvironmentProblem):
    """The file is a database of another program."""

    code = "foreign_store"


class StoreMissingError(EnvironmentProblem):
    """There was a store, and it is not there or empty."""

    code = "missing_store"


class StoreBehindError(EnvironmentProblem):
    """The store lacks what was confirmed."""

    code = "store_behind"


class DiskProblem(EnvironmentProblem):
    """Full, read-only or failing disk."""

    code = "disk"


class PortTakenError(EnvironmentProblem):
    code = "port_taken"
