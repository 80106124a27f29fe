"""Books that copy a series and go on under its name: as one matter, in command, screen and API."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dashboard.app import create_app
from tests.support.people import add_token, add_user
from tests.support.seed import healthy
from tests.support.way import capture, made_page, made_text, opened, store_work, work_through
from wenhen.cli.main import main
from wenhen.discovery.continuations import Continuation, find_continuations
from wenhen.kit.rights import Role
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.settings_sources import settings_environment
from wenhen.runtime.wiring import App

pytestmark = pytest.mark.usefixtures("nursery")

SERIES, AUTHOR = "潮汐簿", "岸上客"
HERE = "http://127.0.0.1"
BOOK = "https://pirate.test/book/12/"


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path) -> Iterator[App]:
    """A library with five chapters of a series."""
    with opened(servers, tmp_path) as product:
        for number in range(1, 6):
            names = {"series": SERIES, "chapter": number, "author": AUTHOR}
            store_work(product, f"c{number}", made_text(f"chapter {number}"), **names)
        yield product


def publish(app: App, address: str, chapters: dict[int, str], *, name: str = SERIES) -> None:
    """Store pages of a book: texts by number."""
    for number, text in chapters.items():
        capture(app, f"{address}{number}.html", made_page(f"第{number}章 {name}", made_text(text)))


def copied(*numbers: int) -> dict[int, str]:
    """Copies of the series' chapters."""
    return {number: f"chapter {number}" for number in numbers}


def written(*numbers: int) -> dict[int, str]:
    """Chapters by somebody else."""
    return {number: f"another {number}" for number in numbers}


def find(app: App) -> list[Continuation]:
    work_through(app)
    return find_continuations(app, SERIES)


def test_a_book_that_goes_on_is_one_matter_with_its_chapters(app: App) -> None:
    publish(app, BOOK, copied(1, 2, 3) | written(4, 5, 6, 7))
    [book] = find(app)
    assert (book.address, book.series, book.author, book.named) == (BOOK, SERIES, AUTHOR, True)
    assert (book.copied, book.copied_from, book.copied_to, book.continued_from) == (3, 1, 3, 4)
    assert [chapter.number for chapter in book.chapters] == [4, 5, 6, 7]
    assert (book.registered_to, book.differing) == (5, 2), "chapters 4 and 5 are in the library, with another text"


def test_a_book_that_copies_to_its_end_goes_on_nowhere(app: App) -> None:
    publish(app, BOOK, copied(1, 2, 3, 4, 5))
    assert find(app) == []


def test_chapters_that_wait_for_their_comparison_are_neither(app: App) -> None:
    publish(app, BOOK, copied(1, 2, 3))
    work_through(app)
    publish(app, BOOK, written(4, 5, 6))
    assert find_continuations(app, SERIES) == []


def test_other_books_of_the_same_directory_are_no_continuation(app: App) -> None:
    publish(app, "https://pirate.test/read/1", copied(1, 2, 3), name="")
    publish(app, "https://pirate.test/read/2", written(1, 2, 3, 4, 5, 6), name="")
    assert find(app) == []


def test_of_a_directory_with_names_only_pages_with_the_name_count(app: App) -> None:
    publish(app, "https://pirate.test/read/1", copied(1, 2, 3) | written(4, 5))
    publish(app, "https://pirate.test/read/2", {number: f"third {number}" for number in range(1, 9)}, name="灯下集")
    [book] = find(app)
    assert [chapter.number for chapter in book.chapters] == [4, 5]


def test_numbers_of_the_book_may_begin_elsewhere(app: App) -> None:
    publish(app, BOOK, {number + 100: text for number, text in copied(1, 2, 3).items()} | written(104, 105, 106))
    [book] = find(app)
    assert (book.continued_from, book.registered_to, book.differing) == (104, 105, 2)


def test_command_screen_and_api_show_it(app: App) -> None:
    publish(app, BOOK, copied(1, 2, 3) | written(4, 5))
    work_through(app)
    shown = run_command(app, "continued", SERIES)
    assert "第4章" in shown.stdout
    [by_command] = json.loads(run_command(app, "continued", SERIES, "--json").stdout)
    _, secret = add_token(app.store, add_user(app.store, "admin", Role.ADMINISTRATOR), days=None)
    client = create_app(app, secret_key="x", sign_in=False, health=healthy).test_client()
    token = {"Authorization": f"Bearer {secret}"}
    query = {"series": SERIES}
    answer = client.get("/api/v1/discoveries/continuations", query_string=query, headers=token, base_url=HERE)
    assert answer.get_json() == [by_command]
    assert [chapter["number"] for chapter in by_command["chapters"]] == [4, 5]
    screen = client.get("/works/continuations", query_string=query, base_url=HERE).text
    assert "自第 4 章起续写" in screen
    assert f"{BOOK}5.html" in screen
    assert "/works/continuations" in client.get("/works/one?id=c1", base_url=HERE).text


def test_a_series_that_is_not_there_is_said_to_be_unknown(app: App) -> None:
    refused = run_command(app, "continued", "无此书")
    assert refused.exit_code != 0
    assert "无此书" in refused.output


def run_command(app: App, *arguments: str) -> Result:
    return CliRunner(env=settings_environment(app.settings)).invoke(main, arguments)
