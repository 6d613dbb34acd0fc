"""The description is complete, and requests made from it never meet a server error (schemathesis)."""

import itertools
import os
import time
from collections import Counter
from pathlib import Path

import httpx
import jsonschema_rs
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance

from app.api import Scope
from app.server.application import ROUTES
from tests.app.server.conftest import Running
from tests.patience import PATIENCE_S

LEAST_ROUNDS = 2
STREAMING = "/v1/changes"
TOUCHES_FILES = {"/v1/import", "/v1/export", "/v1/backups", "/v1/backups/restore"}
TOUCHES_FILES |= {"/v1/memories/erase", "/v1/erase", "/v1/secrets/scan"}  # with the backups
FUZZED = [spec for spec in ROUTES if spec.path not in {STREAMING, *TOUCHES_FILES} and "assistants" not in spec.path]


@pytest.fixture(scope="module")
def description(shared: Running) -> dict[str, object]:
    headers = {"Authorization": f"Bearer {shared.admin_token}"}
    found: dict[str, object] = httpx.get(
        f"{shared.url}/openapi.json", headers=headers, trust_env=False, timeout=PATIENCE_S
    ).json()
    return found


def test_every_route_is_described_with_its_scope_and_refusals(
    description: dict[str, dict[str, dict[str, dict]]],
) -> None:  # type: ignore[type-arg]
    for spec in ROUTES:
        found = description["paths"][spec.path][spec.method.lower()]
        assert found["x-scope"] == (spec.scope.value if spec.scope else "public")
        assert found["summary"] == spec.summary
        assert found["description"]
        assert {"400", "413", "421", "422"} <= set(found["responses"])
        assert ("401" in found["responses"]) == (spec.scope is not None)
    assert sum(len(methods) for methods in description["paths"].values()) == len(ROUTES)


def test_every_reference_inside_the_description_leads_somewhere(description: dict[str, object]) -> None:
    known = description["components"]["schemas"]  # type: ignore[index]
    wanted = set()

    def walk(node: object) -> None:
        if isinstance(node, dict):
            if isinstance(node.get("$ref"), str):
                wanted.add(node["$ref"].rpartition("/")[2])
            for part in node.values():
                walk(part)
        elif isinstance(node, list):
            for part in node:
                walk(part)

    walk(description)
    assert wanted
    assert wanted - set(known) == set()


@pytest.fixture(scope="module")
def schema(description: dict[str, object]) -> schemathesis.BaseSchema:
    """Read once: reading it takes longer than the requests of a route."""
    return schemathesis.openapi.from_dict(description)


@pytest.mark.parametrize("spec", FUZZED, ids=lambda spec: f"{spec.method} {spec.path}")
def test_no_request_makes_a_server_error(shared: Running, schema: schemathesis.BaseSchema, spec: object) -> None:
    operation = schema[spec.path][spec.method]  # type: ignore[attr-defined]
    headers = {"Authorization": f"Bearer {shared.admin_token}"}

    @settings(
        max_examples=5,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def check(case: schemathesis.Case) -> None:
        case.call_and_validate(
            base_url=shared.url,
            headers=headers,
            checks=[not_a_server_error, content_type_conformance],
        )

    check()


@pytest.mark.slow
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("scope", [*Scope, None], ids=str)
def test_no_token_makes_a_server_error_for_as_long_as_one_likes(
    running: Running, scope: Scope | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A minute a scope, or REMANENCE_FUZZ_S seconds; `None` is a token that may nothing. Each round sends other requests.

    All routes but the stream, twice at least, however busy the machine is; a path in a body leads into the test's own folder.
    """
    routes = [spec for spec in ROUTES if spec.path != STREAMING]
    folder = tmp_path / "files"
    folder.mkdir()
    token = running.admin_token if scope is Scope.ADMIN else running.token(*([scope] if scope else []))
    with running.client(running.admin_token) as admin:
        schema = schemathesis.openapi.from_dict(admin.get("/openapi.json").json())
    seen: Counter[int] = Counter()
    broken: list[str] = []
    slowest: list[tuple[float, str]] = []
    end_s = time.monotonic() + float(os.environ.get("REMANENCE_FUZZ_S", "60"))

    def send(spec: object, number: int) -> None:
        @seed(number)
        @settings(
            max_examples=4,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=schema[spec.path][spec.method].as_strategy())  # type: ignore[attr-defined]
        def check(case: schemathesis.Case) -> None:
            if isinstance(case.body, dict) and isinstance(case.body.get("path"), str):
                case.body["path"] = f"{folder}/{case.body['path']}"
            began_s = time.monotonic()
            found = case.call(base_url=running.url, headers={"Authorization": f"Bearer {token}"})
            slowest.append((time.monotonic() - began_s, f"{spec.method} {spec.path}"))  # type: ignore[attr-defined]
            slowest[:] = sorted(slowest, reverse=True)[:3]
            seen[found.status_code] += 1
            if found.status_code >= 500:
                broken.append(
                    f"{found.status_code} {spec.method} {spec.path}: {case.body!r:.300} {case.query} {case.path_parameters}"
                )  # type: ignore[attr-defined]

        check()

    for number in itertools.count():
        for spec in routes:
            if number < LEAST_ROUNDS or time.monotonic() < end_s:
                send(spec, number)
        if number + 1 >= LEAST_ROUNDS and time.monotonic() >= end_s:
            break
    with capsys.disabled():
        print(
            f"\n{scope}: {sum(seen.values())} requests over {len(routes)} routes, {number + 1} rounds, {dict(sorted(seen.items()))}"
            f"; slowest: {', '.join(f'{route} {seconds:.1f} s' for seconds, route in slowest)}"
        )
    assert not broken, "\n".join(broken[:20])


@pytest.mark.parametrize(
    "path",
    [
        "/healthz",
        "/v1/events",
        "/v1/conversations",
        "/v1/conversations/search?q=purple",
        "/v1/conversations/1",
        "/v1/clarifications",
        "/v1/messages/2",
        "/v1/window",
        "/v1/journal",
        "/v1/journal/1",
        "/v1/stats",
        "/v1/health",
        "/v1/apps",
        "/v1/assistants",
        "/v1/settings",
        "/v1/import",
        "/v1/backups",
    ],
)
def test_answers_are_as_described(running: Running, description: dict[str, dict[str, object]], path: str) -> None:
    for text in ("add a FAB button to the home screen", "make it purple and test it"):
        running.engine.window.log(text, session="one")
    with running.client(running.admin_token) as admin:
        answer = admin.get(path)
    assert answer.status_code == 200
    names = {"conversations/1": "conversations/{conversation_id}", "messages/2": "messages/{message_id}"}
    route = path.partition("?")[0].replace("journal/1", "journal/{operation_id}")
    for short, full in names.items():
        route = route.replace(short, full)
    content = description["paths"][route]["get"]["responses"]["200"]["content"]  # type: ignore[index]
    schema = {**content["application/json"]["schema"], "components": description["components"]}
    jsonschema_rs.Draft202012Validator(schema).validate(answer.json())


def test_the_hook_route_names_its_parameters(admin: httpx.Client) -> None:
    described = admin.get("/openapi.json").json()["paths"]["/v1/hook/{app}/{event}"]["post"]["parameters"]
    assert [(one["name"], one["in"], one["required"]) for one in described][:3] == [
        ("app", "path", True),
        ("event", "path", True),
        ("key", "query", False),
    ]
