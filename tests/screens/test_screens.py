"""Every screen answers with what the store holds."""

import pytest
from flask.testing import FlaskClient

from tests.support.seed import Seeder

SCREENS = [
    "/",
    "/suspects/",
    "/works/",
    "/works/one?id=dock",
    "/works/import/",
    "/check/",
    "/analysis/",
    "/reports/",
    "/sites/",
    "/licences/",
    "/health/",
    "/users/",
    "/audit/",
    "/webhooks/",
    "/suspects/rules/",
    "/search/?q=老人",
    "/cases/1",
]


@pytest.mark.parametrize("address", SCREENS)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_screen_shows_a_filled_store(client: FlaskClient, seed: Seeder, address: str, language: str) -> None:
    seed.library()
    answer = client.get(address, query_string={"lang": language} if "?" not in address else None)
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(
    "address",
    ["/", "/suspects/", "/works/", "/works/import/", "/check/", "/reports/", "/sites/", "/licences/", "/health/"],
)
def test_every_list_shows_an_empty_store(client: FlaskClient, address: str) -> None:
    assert client.get(address).status_code == 200
