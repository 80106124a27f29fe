"""Help pages: guides in the reader's language and the documents, as text that runs nothing."""

import re

import pytest
from flask.testing import FlaskClient

from dashboard.help.views import DOCUMENTS, GUIDES, documents_folder, render_markdown
from tests.support.screens import Foreign, token_in


def test_guides_stand_in_the_language_of_the_reader(client: FlaskClient) -> None:
    assert "<h1>开始使用</h1>" in client.get("/help/start").text
    assert "<h1>Getting started</h1>" in client.get("/help/start?lang=en").text
    contents = client.get("/help/?lang=zh").text
    assert all(f'href="/help/{name}"' in contents for name in GUIDES)
    assert all(f'href="/help/documents/{name}"' in contents for name in DOCUMENTS)


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("name", GUIDES)
def test_each_place_that_a_guide_names_is_there(client: FlaskClient, name: str, language: str) -> None:
    page = client.get(f"/help/{name}?lang={language}").text
    main = page[page.index("<main") : page.index("</main>")]
    for address in set(re.findall(r'href="(/[^"]*)"', main)):
        assert client.get(address).status_code == 200, address


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_are_shown_with_one_heading_and_lead_to_each_other(client: FlaskClient, name: str) -> None:
    answer = client.get(f"/help/documents/{name}")
    assert answer.status_code == 200
    assert answer.text.count("<h1") == 1
    assert Foreign(answer.text).found == []
    assert not re.search(r'href="[^"/#]*\.md', answer.text)


def test_what_is_no_help_page_is_not_found(client: FlaskClient) -> None:
    for address in ("/help/nothing", "/help/documents/nothing", "/help/documents/..%2Fpyproject"):
        assert client.get(address).status_code == 404


def test_markup_in_a_document_is_text() -> None:
    page = render_markdown("# 标题\n\n<script>alert(1)</script> [x](javascript:alert(1)) ![图](a.png)\n")
    assert "<script" not in page.html
    assert "href=" not in page.html
    assert page.title == "标题"


def test_every_screen_leads_to_the_help(client: FlaskClient) -> None:
    assert 'href="/help/"' in client.get("/works/").text
    assert (documents_folder() / "cases.md").is_file()


@pytest.mark.parametrize(("language", "title"), [("zh", "提醒"), ("en", "Alerts")])
def test_a_screen_that_names_a_document_links_the_help_in_the_language_of_the_reader(
    client: FlaskClient, language: str, title: str
) -> None:
    for screen, name in (("/alerts/", "alerts"), ("/settings/", "settings")):
        page = client.get(f"{screen}?lang={language}").text
        assert ("docs/" in page, f'href="/help/{name}"' in page) == (False, True), screen
    assert f"<h1>{title}</h1>" in client.get(f"/help/alerts?lang={language}").text
    form = {"csrf_token": token_in(client.get("/alerts/").text), "name": "a", "event": "new", "channel": "nonsense"}
    refused = client.post(f"/alerts/?lang={language}", data=form)
    assert (refused.status_code, "docs/alerts.md" in refused.text) == (400, False)
