"""Writes the small files that a running engine leaves for the hook: endpoint, token. The rules: `app.privacy.hook_rules`.

Owns their format; `app/hook/remanence_hook.py` reads them. All are private (0600 in a folder 0700) and replaced in one
step. Knows nothing of who calls. Source: QUALITY S4, S5.
"""

import hmac
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from app.places import make_private_dir, write_private

ENDPOINT_NAME = "endpoint"


def write_endpoint(state_dir: Path, *, socket: Path | None, port: int | None, secret: str, pid: int) -> None:
    """Says where the engine listens. Removed by `remove_endpoint` at stop."""
    lines = [f"secret {secret}", f"pid {pid}"]
    if socket is not None:
        lines.append(f"socket {socket}")
    if port is not None:
        lines.append(f"port {port}")
    make_private_dir(state_dir)
    write_private(state_dir / ENDPOINT_NAME, ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape"))


def remove_endpoint(state_dir: Path) -> None:
    (state_dir / ENDPOINT_NAME).unlink(missing_ok=True)


def write_hook_conf(state_dir: Path, app: str, values: Mapping[str, str]) -> None:
    """Writes `hook/<app>.conf`: one `key value` line per entry; the hook reads `token`."""
    lines = "".join(f"{key} {value}\n" for key, value in values.items())
    make_private_dir(state_dir / "hook")
    write_private(state_dir / "hook" / f"{app}.conf", lines.encode("utf-8"))


def hello_proof(secret: str, nonce: str) -> str:
    """What `GET /v1/hello?nonce=` answers behind `proof `: HMAC-SHA256 over the nonce's characters, in hex.

    >>> hello_proof("00" * 32, "ab")[:8]
    'd6b79ceb'
    """
    return hmac.new(bytes.fromhex(secret), nonce.encode("ascii"), sha256).hexdigest()
