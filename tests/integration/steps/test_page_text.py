"""What many unrelated pages share opens no case, on real servers: in the steps and in a scan."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.way import capture, made_page, made_text, opened, pairs, store_work, work_through
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App
from wenhen.texts.source_lookup import find_copied_works

PHRASE = made_text("phrase", 54).replace("\n", "")
WORK = f"{made_text('before')}\n{PHRASE}\n{made_text('behind')}"
LATE = "http://late.test/1"


def page_text(name: str) -> str:
    return f"{made_text(f'{name} before', 300)}\n{PHRASE}\n{made_text(f'{name} behind', 300)}"


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path) -> Iterator[App]:
    with opened(servers, tmp_path) as product:
        yield product


def store_pages(app: App, host: str) -> None:
    for number in range(16):
        name = host.format(number)
        capture(app, f"http://{name}/{number}", made_page(f"第{number}页", page_text(f"{number}")), name)
    work_through(app)


@pytest.mark.parametrize(("host", "accused"), [("h{}.test", False), ("one.test", True)])
def test_a_phrase_of_many_hosts_opens_no_case_and_of_one_host_it_does(app: App, host: str, accused: bool) -> None:
    store_pages(app, host)
    store_work(app, "work", WORK)
    work_through(app)
    capture(app, LATE, made_page("来页", page_text("late")), "late.test")
    work_through(app)
    assert ((LATE, "work") in pairs(app)) is accused
    assert bool(find_copied_works(app, page_text("scanned"))) is accused


def test_a_copy_on_many_hosts_opens_a_case_on_each(app: App) -> None:
    store_work(app, "work", WORK)
    urls = [f"http://h{number}.test/1" for number in range(14)]
    for url in urls:
        capture(app, url, made_page("转载", WORK), url)
    work_through(app)
    assert {url for url, _ in pairs(app)} == set(urls)
