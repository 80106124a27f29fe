"""Which cases the queue lists, by its address, and in which order."""

import pytest
from flask.testing import FlaskClient

from matcher.model import Level
from tests.support.screens import numbers
from tests.support.seed import NOW, Seeder


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("q=七秒", [4]),
        ("q=mirror.example", [2]),
        ("band=certain", [4, 3, 2, 1]),
        ("band=uncertain", []),
        ("score_from=0.9&score_to=1", [4, 3, 2, 1]),
        ("share_from=0.5", [4, 3, 2, 1]),
        ("share_to=0.5", []),
        ("since=2026-03-06&until=2026-03-06", [4, 3, 2, 1]),  # 17:30 of the 5th in UTC
        ("until=2026-03-05", []),
        ("site=copies", [4, 1]),
        ("removal=yes", []),
        ("order=likeliest", [4, 3, 2, 1]),
        ("order=deadline", []),
    ],
)
def test_the_address_filters_by_all_that_is_known_of_a_case(
    client: FlaskClient, queue: Seeder, query: str, expected: list[int]
) -> None:
    assert numbers(client, f"/suspects/?{query}") == expected


def test_the_uncertain_band_is_marked(client: FlaskClient, queue: Seeder) -> None:
    queue.case("https://doubt.example/", score=0.5)
    assert numbers(client, "/suspects/?band=uncertain") == [5]
    assert client.get("/suspects/").text.count("badge uncertain") == 1


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("level=verbatim", [2]),
        ("licensed=yes", [3]),
        ("licensed=no&level=light", [1]),
        ("present=no", [4]),
        ("present=yes&host=copies.example", [1]),
        ("order=oldest", [1, 2, 3, 4]),
        ("order=largest&level=light", [3, 1]),
    ],
)
def test_the_address_filters_by_level_licence_and_presence(
    client: FlaskClient, queue: Seeder, query: str, expected: list[int]
) -> None:
    queue.store.cases.mark_absent([queue.store.cases.get("4").id], NOW)
    assert numbers(client, f"/suspects/?{query}") == expected


def test_unless_told_otherwise_what_is_most_worth_a_look_comes_first_and_says_why(
    client: FlaskClient, seed: Seeder
) -> None:
    seed.work()
    for number, share in enumerate((0.7, 0.95, 0.8)):
        seed.case(f"https://copies.example/{number}", share=share)
    assert numbers(client, "/suspects/") == numbers(client, "/suspects/?order=worth") == [2, 3, 1]
    assert numbers(client, "/suspects/?order=newest") == [3, 2, 1]
    page = client.get("/suspects/?lang=zh").text
    assert '<option value="worth" selected>' in page
    assert "占网页 95.0%，独有的相同文字约 240 字" in page
    assert "独有的相同文字" not in client.get("/suspects/?order=newest").text
    assert "值得一看：占网页 95.0%，独有的相同文字约 240 字" in client.get("/cases/2").text


def test_the_order_goes_by_the_share_of_the_page(client: FlaskClient, queue: Seeder) -> None:
    queue.case("https://mirror.example/small", level=Level.LIGHT, share=0.2)
    queue.case("https://mirror.example/large", level=Level.LIGHT, share=0.95)
    assert numbers(client, "/suspects/?host=mirror.example&order=largest") == [6, 2, 5]


def test_what_is_exported_is_what_is_listed(client: FlaskClient, queue: Seeder) -> None:
    exported = client.get("/reports/cases.json?level=light&licensed=no").get_json()
    assert [case["number"] for case in exported["cases"]] == [1]
    assert exported["chosen_by"] == {"level": "light", "licensed": "no"}


@pytest.mark.parametrize("query", ["level=x", "licensed=maybe", "present=1", "order=best"])
def test_a_filter_that_does_not_exist_is_refused_by_name(client: FlaskClient, query: str) -> None:
    answer = client.get(f"/suspects/?{query}")
    assert answer.status_code == 400
    assert f"没有这样的 {query.partition('=')[0]}" in answer.text
