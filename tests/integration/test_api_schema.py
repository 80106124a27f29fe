"""schemathesis asks the API everything that its description allows, and much that it does not."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.core.result import Ok
from schemathesis.schemas import APIOperation, BaseSchema
from schemathesis.specs.openapi.checks import positive_data_acceptance

from dashboard.app import create_app
from tests.support.people import add_token, add_user
from tests.support.seed import NOW, Seeder, healthy, product_over
from wenhen.context.store_and_queue import Store
from wenhen.kit.rights import Role

NAME = {"type": "string", "minLength": 1}
EXAMPLES = 4  # random ones of each operation, beside those that cover its description systematically


@pytest.fixture
def api(store: Store, redis_url: str) -> Iterator[BaseSchema]:
    """The description, with a token that may do everything, over a filled store."""
    Seeder(store).library()
    user = add_user(store, "admin", Role.ADMINISTRATOR)
    _, token = add_token(store, user, days=None)
    with product_over(store, redis_url) as product:
        app = create_app(
            replace(product, now=lambda: NOW),
            secret_key="only for tests",
            sign_in=True,
            api_per_minute=1_000_000,
            health=healthy,
        )
        schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", app)
        schema.config.update(
            headers={"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"}  # it decodes none
        )
        yield schema


def nothing_can_be_wrong(operation: APIOperation[Any, Any, Any, Any]) -> bool:
    """Whether a request carries nothing but names, any of which is a name: schemathesis would look for long."""
    carried = [one.definition["schema"] for one in operation.iter_parameters() if one.location != "header"]
    return not operation.body and all(schema == NAME for schema in carried)


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_the_api_keeps_to_its_description(api: BaseSchema, mode: GenerationMode) -> None:
    """Every operation, asked with what its description allows, or with what it does not."""
    asked = 0
    for found in api.get_all_operations():
        assert isinstance(found, Ok)
        operation = found.ok()
        if mode is GenerationMode.NEGATIVE and nothing_can_be_wrong(operation):
            continue

        @given(case=operation.as_strategy(generation_mode=mode))
        @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), derandomize=True)
        def ask(case: schemathesis.Case[Any]) -> None:
            # What a schema cannot say, such as an address that has a host, is refused with 400.
            case.call_and_validate(excluded_checks=[positive_data_acceptance])

        ask()
        asked += 1
    assert asked > 20
