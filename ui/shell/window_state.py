"""What the window remembers by itself between two starts: its place on the screen, where the person was, the last look.

Read before the first paint, when the engine with its settings is not there yet; a broken file is as good as none.
"""

import base64
import binascii
import contextlib
import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path

FILE_NAME = "window.json"


@dataclass(frozen=True, slots=True)
class WindowState:
    theme: str = "system"
    font_percent: int = 100
    is_motion_reduced: bool = False
    geometry: str = ""  # base64 of what Qt gave
    link: str = ""
    memories_table: bool = False
    memories_columns: str = ""  # names with commas between them; "" = as shipped
    memories_group: str = ""

    @property
    def geometry_bytes(self) -> bytes:
        try:
            return base64.b64decode(self.geometry, validate=True)
        except (binascii.Error, ValueError):
            return b""


def encode_geometry(data: bytes) -> str:
    """Bytes as text for the file."""
    return base64.b64encode(data).decode("ascii")


def load_window_state(state_dir: Path) -> WindowState:
    """What was saved last, or the defaults. Wrong types and unknown names are left out."""
    try:
        loaded = json.loads((state_dir / FILE_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return WindowState()
    if not isinstance(loaded, dict):
        return WindowState()
    default = WindowState()
    known = {
        field.name: loaded[field.name]
        for field in fields(WindowState)
        if type(loaded.get(field.name)) is type(getattr(default, field.name))
    }
    state = WindowState(**known)
    is_sane = state.theme in {"system", "light", "dark"} and 90 <= state.font_percent <= 150
    return state if is_sane else WindowState(geometry=state.geometry)


def save_window_state(state_dir: Path, state: WindowState) -> None:
    """Writes the state; a full or read-only disk loses a window's place, which nobody needs to hear of."""
    from app.places import write_private

    with contextlib.suppress(OSError):
        write_private(state_dir / FILE_NAME, json.dumps(asdict(state), indent=1).encode())
