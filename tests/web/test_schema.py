"""The OpenAPI description, tried out: whatever fits it or nearly so is answered, and never with a fault of ours."""

from contextlib import suppress
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from web.table_client import lay

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
MODES = list(schemathesis.GenerationMode)
"""Requests that fit the description, and requests that do not."""
ENDLESS = "/events"
"""Paths that go on answering until one has heard enough."""


@pytest.mark.slow
@pytest.mark.parametrize("examples", [1, 10])
def test_every_path_answers_as_described(server: Any, http: httpx.Client, examples: int) -> None:
    lay(http, "othello", None, "random")
    schema = schemathesis.openapi.from_url(f"{server.url}/api/openapi.json")
    tried = 0
    for found in schema.get_all_operations():
        operation = found.ok()
        if operation.path.endswith(ENDLESS):
            continue
        for mode in MODES:
            _try(operation, mode, examples)
            tried += 1
    assert tried > 30
    assert "Traceback" not in server.log


def _try(operation: Any, mode: Any, examples: int) -> None:
    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def every(case: Any) -> None:
        case.call_and_validate(checks=CHECKS, timeout=60)

    with suppress(Unsatisfiable):  # a path that takes nothing cannot be asked wrongly
        every()
