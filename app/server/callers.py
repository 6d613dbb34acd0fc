"""Who is asking: bearer tokens of apps with their scopes, and the token of this machine's own command line.

Owns the comparison and the refusal texts. Knows nothing of routes or bodies. Source: QUALITY S1.
"""

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass

from app.actor import Actor
from app.server.problems import Refusal
from app.values import AppCard, Scope

_REALM = 'Bearer realm="remanence"'
MAX_TOKEN_BYTES = 512
MAX_KNOWN_COUNT = 64
_MAY = {
    Scope.CAPTURE: "capture",
    Scope.READ: "read",
    Scope.WRITE: "change anything",
    Scope.ADMIN: "do what only the person does",
}
OWN_APP = "api"  # the name under which the command line itself logs


@dataclass(frozen=True, slots=True)
class Caller:
    """One authenticated client. `is_admin_client` may capture for any app: it already reads the private folder."""

    app: str
    scopes: frozenset[Scope]
    is_admin_client: bool = False
    projects: tuple[str, ...] = ()  # that its token is bound to; none: all

    @property
    def actor(self) -> Actor | None:
        """As whom it acts: the command line acts as the person, who is nobody's program."""
        if self.is_admin_client:
            return None
        return Actor(self.app, self.may(Scope.ADMIN), self.may(Scope.WRITE), self.projects)

    def may(self, scope: Scope) -> bool:
        return scope in self.scopes or Scope.ADMIN in self.scopes

    def need(self, scope: Scope) -> None:
        """Raises Refusal (403) when `scope` was not granted."""
        if not self.may(scope):
            raise Refusal(
                403,
                "scope",
                f"This token may not {_MAY[scope]}.",
                hint=f"It needs the scope “{scope.value}”: make an app with it, or use the token of one that has it.",
                headers={"WWW-Authenticate": f'{_REALM}, error="insufficient_scope", scope="{scope.value}"'},
            )

    def app_for(self, wanted: str) -> str:
        """The app under which this caller captures. Raises Refusal (403) for somebody else's name."""
        if self.is_admin_client:
            return wanted or OWN_APP
        if wanted and wanted != self.app:
            raise Refusal(
                403,
                "other_app",
                f"This token belongs to {self.app} and may capture for no other app.",
                hint=f"Leave the app out, or use the token of {wanted[:64]}.",
            )
        return self.app


class Callers:
    """Finds the caller behind an Authorization header.

    Callers once found are remembered by the digest of their token, because asking the store costs a third of a
    capture; `forget` is called inside the very commit that changes an app, so that a revoked token ends with it.
    """

    def __init__(self, check_token: Callable[[str], AppCard | None], admin_token: str) -> None:
        self._check_token = check_token
        self._admin_digest = hashlib.sha256(admin_token.encode()).digest()
        self._known: dict[bytes, Caller] = {}
        self._age = 0

    def recall(self, header: bytes | None) -> Caller | None:
        """The caller if this token was found valid before; costs no look into the store."""
        token = _bearer(header)
        return self._known.get(hashlib.sha256(token.encode()).digest()) if token else None

    def forget(self) -> None:
        self._age += 1
        self._known = {}

    def identify(self, header: bytes | None) -> Caller:
        """The caller. Raises Refusal (401): the same words for a missing, unknown and revoked token."""
        token = _bearer(header)
        if token:
            digest = hashlib.sha256(token.encode()).digest()
            if hmac.compare_digest(digest, self._admin_digest):
                return Caller(OWN_APP, frozenset(Scope), is_admin_client=True)
            age = self._age
            card = self._check_token(token)
            if card is not None and not card.is_revoked:
                caller = Caller(card.name, card.scopes, projects=card.projects)
                if age == self._age and len(self._known) < MAX_KNOWN_COUNT:
                    self._known[digest] = caller
                return caller
        raise Refusal(
            401,
            "token",
            "A valid token is needed.",
            hint="remanence connect gives one to an assistant; remanence apps token makes a new one.",
            headers={"WWW-Authenticate": _REALM},
        )


def _bearer(header: bytes | None) -> str:
    if header is None or len(header) > MAX_TOKEN_BYTES or header[:7].lower() != b"bearer ":
        return ""
    token = header[7:].strip()
    return token.decode("ascii") if token.isascii() else ""
