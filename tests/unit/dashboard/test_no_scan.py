"""No list of the dashboard makes MongoDB read a whole collection."""

import pymongo
import pytest
from flask.testing import FlaskClient

from store.mongo.codec import Document
from store.records import CaseStatus
from tests.unit.dashboard.seed import NOW, Seeder

LISTS = (
    "/",
    "/suspects/",
    "/suspects/?status=lead&fold=none&order=oldest",
    "/suspects/?fold=site&order=largest&status=confirmed",
    "/suspects/?fold=work&order=likeliest&band=uncertain",
    "/suspects/?order=deadline",
    "/suspects/?host=copies.example&level=light&present=yes",
    "/suspects/?site=copies&licensed=no",
    "/suspects/?licence=l1&credited=no",
    "/suspects/?assignee=none&share_from=0.2&share_to=0.9",
    "/suspects/?assignee=me&since=2026-01-01&until=2026-12-31",
    "/suspects/?removal=yes",
    "/suspects/?present=no&licensed=yes",
    "/suspects/?q=七秒",
    "/suspects/?work=dock&order=largest",
    "/suspects/?cluster=c1",
    "/cases/1",
    "/works/",
    "/works/?q=七秒",
    "/works/one?id=dock",
    "/sites/",
    "/licences/",
    "/health/",
    "/audit/",
    "/users/",
)


@pytest.mark.parametrize("address", LISTS)
def test_every_question_of_a_list_has_an_index(
    client: FlaskClient, seed: Seeder, mongo_url_and_db: tuple[str, str], address: str
) -> None:
    seed.library()
    seed.store.cases.decide("1", CaseStatus.CONFIRMED, by="a", reason=None, at=NOW)
    url, database = mongo_url_and_db
    with pymongo.MongoClient[Document](url) as server:
        server[database].command("profile", 2)
        assert client.get(address).status_code == 200
        server[database].command("profile", 0)
        asked = list(server[database]["system.profile"].find({"planSummary": {"$exists": True}}))
    assert asked, "the profiler saw the questions"
    assert [(one["ns"], one["command"]) for one in asked if "COLLSCAN" in one["planSummary"]] == []
