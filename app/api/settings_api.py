"""Settings, as the window, the socket and the command line read and change them.

Owns that a change is one undoable operation, and none where environment or flag hold the option. What options there are is
`app.settings`'. Source: STYLE "Settings, commands, undo".
"""

from collections.abc import Mapping

from app.api.clean_arguments import cleans_arguments
from app.api.core import Core
from app.errors import InvalidError
from app.settings import Settings
from app.settings_sources import SettingCard, check_setting, describe_change, describe_settings
from app.store.journal import Write
from app.store.operations import save_value
from app.values import Origin


@cleans_arguments
class SettingsApi:
    def __init__(self, core: Core) -> None:
        self._core = core

    @property
    def current(self) -> Settings:
        return self._core.current

    def list(self) -> tuple[SettingCard, ...]:
        return describe_settings(self._core.loaded)

    def set(self, name: str, value: object, *, is_confirmed: bool = False) -> None:
        """Changes one option at once; undoable, but for the app's own notes. Raises InvalidError, also when environment or flag hold it,
        and for a choice of the archive that deletes prompts, unless `is_confirmed`: `Archive.choose` asks and deletes.
        """
        core = self._core
        checked = check_setting(name, value, core.current)
        self._check_free(name)
        wanted = getattr(checked, name)
        if name == "archive" and not is_confirmed:
            core.archive.check_choice(wanted)
        self._write(name, wanted, describe_change(name, wanted))

    def set_together(self, values: Mapping[str, object], label: str) -> None:
        """Changes several options in one operation, one undo. Raises InvalidError, also when environment or flag hold one."""
        core = self._core
        for name, value in values.items():
            check_setting(name, value, core.current)
            self._check_free(name)
        with core.store.write(origin=Origin.PERSON, kind="setting", label=label) as write:
            for name, value in values.items():
                self._keep(write, name, value)

    def is_free(self, name: str) -> bool:
        """Whether it can be changed here: neither environment nor flag hold it."""
        return self._core.loaded.set_by.get(name) not in {"environment", "flag"}

    def set_by(self, name: str) -> str:
        """default, file, environment or flag."""
        return self._core.loaded.set_by.get(name, "default")

    def reset(self, name: str) -> None:
        """Back to the default."""
        default = Settings.model_fields[name].default if name in Settings.model_fields else None
        check_setting(name, default, self.current)
        if name == "archive":
            self._core.archive.check_choice(str(default))
        said = describe_change(name, default)
        self._write(name, None, f"{said}, the default" if said else "")

    def _write(self, name: str, value: object, label: str) -> None:
        core = self._core
        origin = (
            Origin.PERSON if label else Origin.ENGINE
        )  # the app's own note is no act of the person: nothing to undo
        with core.store.write(origin=origin, kind="setting", label=label) as write:
            self._keep(write, name, value)

    def _check_free(self, name: str) -> None:
        source = self._core.loaded.set_by.get(name, "default")
        if source in {"environment", "flag"}:
            where = f"REMANENCE_{name.upper()}" if source == "environment" else "an option on the command line"
            raise InvalidError(f"This setting is set by {where}.", hint="Remove that to change it here.")

    def _keep(self, write: Write, name: str, value: object) -> None:
        core = self._core
        in_file = getattr(core.current, name) if core.loaded.set_by.get(name) == "file" else None
        save_value(write, name, value, in_file)
