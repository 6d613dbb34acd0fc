"""The small files by which a hook finds and trusts the running app, handed to the socket.

Owns nothing: the format belongs to `app.capture.hook_files`. Source: QUALITY S4, S5.
"""

from app.capture.hook_files import hello_proof, remove_endpoint, write_endpoint

__all__ = ["hello_proof", "remove_endpoint", "write_endpoint"]
