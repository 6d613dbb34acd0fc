"""The energy of background work: how much is there, what used it, what waits for it. Source: S5 "Energy Consumption"."""

from app.api.clean_arguments import takes_any_text
from app.api.core import Core
from app.values.energy import EnergyPolled, EnergyState


@takes_any_text
class EnergyDoor:
    """Thread-safe."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def state(self) -> EnergyState:
        """The level now, and the last 24 hours."""
        with self._core.store.read() as connection:
            return self._core.energy.state(connection)

    def consumed_since_last_poll(self) -> EnergyPolled:
        """What background work took since this was asked last; the next asking begins anew."""
        return EnergyPolled(round(self._core.energy.consumed_since_last_poll(), 3))
