"""What was crawled is text, wherever it is shown."""

import re

import pytest
from flask.testing import FlaskClient

from tests.support.screens import MARKUP, Foreign
from tests.support.seed import Seeder, watched
from wenhen.kit.errors import plain_message
from wenhen.licences.model import Licence

SCREENS = [
    "/",
    "/suspects/",
    "/works/",
    "/works/one?id=dock",
    "/works/import/",
    "/check/",
    "/sites/",
    "/licences/",
    "/health/",
    "/cases/1",
]


@pytest.fixture
def hostile(seed: Seeder) -> None:
    """Markup in every field that a stranger can fill."""
    seed.work(title=MARKUP, author=MARKUP, series=MARKUP, url="javascript:alert(3)", origin=MARKUP, kind=MARKUP)
    seed.case(f"http://evil.example/{MARKUP}", page_title=MARKUP, page_host=MARKUP, text=MARKUP * 3, passages=())
    seed.store.licences.put(Licence(id=MARKUP, licensee=MARKUP, url_prefix=f"evil.example/{MARKUP}", work_id="dock"))
    seed.store.sites.put(watched(MARKUP))
    seed.store.problems.put("import", MARKUP, plain_message(MARKUP), seed.store.cases.get("1").opened_at)


@pytest.mark.parametrize("address", SCREENS)
@pytest.mark.usefixtures("hostile")
def test_markup_from_the_web_stays_text(client: FlaskClient, address: str) -> None:
    page = client.get(address).text
    assert Foreign(page).found == []
    assert ("{{ 7*7 }}" in page) is (address not in {"/works/import/", "/check/"})


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "data:text/html,<b>", " javascript:alert(1)", "//evil.example"]
)
def test_only_web_addresses_become_links(client: FlaskClient, seed: Seeder, address: str) -> None:
    seed.work(url=address)
    page = client.get("/works/one?id=dock").text
    assert '<code class="address">' in page
    assert not re.search(r'class="address" href', page)


def test_a_link_to_a_crawled_page_gives_it_nothing(client: FlaskClient, seed: Seeder) -> None:
    seed.work()
    seed.case()
    page = client.get("/cases/1").text
    links = re.findall(r'<a class="address"[^>]*>', page)
    assert links
    assert all('rel="noopener noreferrer nofollow"' in link for link in links)


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize(
    "address", ["/suspects/?host=%22%3E%3Cscript%3E", "/works/?q=%22%3E%3Cscript%3E", "/%3Cscript%3E"]
)
def test_what_the_address_says_stays_text(client: FlaskClient, address: str) -> None:
    assert "<script>" not in client.get(address).text


@pytest.mark.parametrize(
    "address",
    [
        "/suspects/?status=unheard",
        "/suspects/?page=-3",
        "/suspects/?page=99999999999999999999999",
        "/cases/99999999999999999999999999",
        "/cases/0",
        "/works/one?id=" + "x" * 5_000,
        "/works/one",
        "/works/?q=%00%ff(",
        "/reports/cases.exe",
        "/reports/cases.json?status=unheard",
        "/suspects/?host=%00",
        "/suspects/?until=9999-12-31",
        "/audit/?since=0001-01-01&until=9999-12-31",
        "/analysis/?since=0001-01-01",
        "/sign-in/?next=//[",
        "/sign-in/?next=http://[",
        "/cases/" + "9" * 5_000,
        "/cases/" + "9" * 30,
        "/suspects/?page=" + "9" * 5_000,
    ],
)
def test_a_strange_address_is_refused_or_answered_but_never_breaks(client: FlaskClient, address: str) -> None:
    assert client.get(address).status_code in {200, 303, 400, 404}
