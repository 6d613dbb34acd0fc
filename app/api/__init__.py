"""The door: `Engine` and one class per noun. ui, server and cli know nothing else of app.

Owns which names are public: the engine, the values that leave it, the errors that it raises. What is not found here may
change without notice. Source: DESIGN section 6.
"""

from typing import TYPE_CHECKING

from app import values as _values
from app.api.engine import Engine as Engine
from app.assistants.registry import NAMES, TITLES
from app.capture.hook_files import hello_proof as hello_proof
from app.capture.hook_files import remove_endpoint as remove_endpoint
from app.capture.hook_files import write_endpoint as write_endpoint
from app.clock import *
from app.deciders.memory.contradictions.resolutions import add_scope as add_scope
from app.errors import *
from app.places import Places as Places
from app.settings import Settings as Settings
from app.settings_sources import SettingCard as SettingCard
from app.transfer.export_file import write_export as write_export

ASSISTANT_NAMES, APP_TITLES = NAMES, TITLES

if TYPE_CHECKING:
    from app.values import *
else:

    def __getattr__(name: str) -> object:  # values are read when they are asked for, see `app.values`
        value = globals()[name] = getattr(_values, name)
        return value
