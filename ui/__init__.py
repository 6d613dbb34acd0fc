"""The window: Qt only here. Reaches the engine through app.api.

PySide reads the source of every module that is imported after it, in case it asks for PySide's other names (`snake_case`), and
`linecache` keeps what was read: 30 MB, and a tenth of the processor time of a start. None of our modules asks, so it need not look.
"""

import sys

import PySide6.QtCore  # noqa: F401 (what looks is loaded with it)

_looking = sys.modules.get("shibokensupport.feature")
if _looking is not None and hasattr(_looking, "_mod_uses_pyside"):
    vars(_looking)["_mod_uses_pyside"] = lambda _module: False
