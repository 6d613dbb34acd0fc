"""The capture socket: HTTP on loopback over Engine.

Owns listening, who may do what, and the shapes of requests and answers. Knows the engine by `app.api`
only; all behaviour of memory lives behind that door. Source: DESIGN section 6, QUALITY S1–S5, R8–R12.
"""

from app.server.in_process import InProcess
from app.server.lifecycle import ADMIN_FILE_NAME, ServerHandle, start_server

__all__ = ["ADMIN_FILE_NAME", "InProcess", "ServerHandle", "start_server"]
