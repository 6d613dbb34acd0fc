"""The energy of background work over HTTP. Owns addresses only. Source: S5 "Energy Consumption"."""

from starlette.requests import Request
from starlette.responses import Response

from app.server.context import context_of
from app.server.routes.routing import RouteSpec, answer
from app.values import Scope
from app.values.energy import EnergyPolled, EnergyState


async def energy_state(request: Request) -> Response:
    """How much energy there is for background work, what used it in the last day, and what was put off."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.energy.state))


async def poll_energy(request: Request) -> Response:
    """Units that background work took since this was asked last, or since the start."""
    context = context_of(request)
    return answer(await context.offload.run(context.engine.energy.consumed_since_last_poll))


ROUTES = (
    RouteSpec("GET", "/v1/energy", Scope.READ, energy_state, "Energy of background work", EnergyState),
    RouteSpec("POST", "/v1/energy/poll", Scope.ADMIN, poll_energy, "Energy since the last poll", EnergyPolled),
)
