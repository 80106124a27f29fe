"""A bulk job opens the cases that the queues open, byte for byte, however it is cut up, and goes on where it was."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from pipeline.bulk.lines import case_line
from pipeline.context import utc_now
from pipeline.pages.host_templates import apply_new_templates
from pipeline.run_step import run_steps
from store.records import CaseStatus, Holder, Licence, OwnerKind, Step
from tests.support.archives import Sent, put_pages, sent, write_warc
from tests.support.way import made_page, made_text, opened, store_work, work_through
from wenhen.bulk.engine import ThisProcess
from wenhen.bulk.job import CASES, BulkJob
from wenhen.bulk.near_library import freeze_to
from wenhen.embedded import Addresses
from wenhen.tasks import TOGETHER
from wenhen.wiring import App

WORKS = {name: made_text(name, 900) for name in ("river", "boat", "tree", "wood")}
CREDIT = "转载自河岸文艺"


def part(name: str, begin: int = 100, length: int = 300) -> str:
    return WORKS[name][begin : begin + length]


def pages() -> list[Sent]:
    """Hosts with copies and without, a template that is learned late, a text over two pages, and an address twice."""
    everywhere = part("wood", 200, 120).replace("\n", "")  # stands on all pages of a host
    template = [
        (f"http://menu.test/{number}", f"{made_text(f'own {number}', 300)}\n{everywhere}") for number in range(8)
    ]
    single = [
        ("http://plain.test/a", f"{made_text('a', 200)}\n{part('river')}"),
        ("http://plain.test/b", part("boat", 0, 900)),
        ("http://plain.test/none", made_text("none")),
        ("http://plain.test/again", part("tree")),
        ("http://home.test/river", WORKS["river"]),
        ("http://leave.test/boat", f"{part('boat')}\n{made_text('leave', 100)}"),
        ("http://plain.test/again", f"{made_text('again', 100)}\n{part('boat')}"),
    ]
    made = [(url, made_page(f"页面{url[-1]}", text)) for url, text in [*template[:4], *single, *template[4:]]]
    leaving = [(url, body.replace("本站声明".encode(), CREDIT.encode())) for url, body in made]
    return sent([two if "leave" in two[0] else one for one, two in zip(made, leaving, strict=True)] + list(chapter()))


def chapter() -> Iterator[tuple[str, bytes]]:
    """A chapter over two pages, with the copied passage over their border."""
    text = made_text("chapter", 300) + "\n" + part("tree", 0, 600)
    links = ("<a href='/7/5_2.html'>下一页</a>", "<a href='/7/5.html'>上一页</a>")
    for name, some, link in zip(("5.html", "5_2.html"), (text[:600], text[600:]), links, strict=True):
        body = made_page("第5章 渡口", some).decode().replace("</article>", f"</article><p>{link}</p>")
        yield f"http://novel.test/7/{name}", body.encode()


@pytest.fixture
def app(servers: Addresses, tmp_path: Path) -> Iterator[App]:
    """A library with a holder, and a licence that asks for a credit."""
    with opened(servers, tmp_path / "data") as app:
        for name, text in WORKS.items():
            store_work(app, name, text, owner="河岸" if name == "river" else None)
        work_through(app)
        app.store.holders.put(Holder(id="河岸", sites=("home.test",)))
        app.store.licences.put(
            Licence(id="one", licensee="某站", url_prefix="leave.test", work_id=None, attribution=CREDIT)
        )
        yield app


def queued(app: App, ids: list[str]) -> str:
    """The lines of the cases that the queues open, once the templates of all hosts rest."""
    for begin in range(0, len(ids), 5):
        run_steps(app, OwnerKind.PAGE, ids[begin : begin + 5], Step.EXTRACT, TOGETHER[OwnerKind.PAGE])
    later = replace(app, now=lambda: utc_now() + timedelta(minutes=3))
    work_through(later)
    apply_new_templates(later)
    work_through(later)
    cases = sorted((case for case in app.store.cases.each() if case.present), key=lambda c: (c.page_url, c.work_id))
    return "".join(f"{case_line(case)}\n" for case in cases)


def test_the_cases_are_those_of_the_queues(app: App, tmp_path: Path) -> None:
    everything = pages()
    places = write_warc(tmp_path / "a.warc.gz", everything[:9]) | write_warc(tmp_path / "b.warc.gz", everything[9:])
    freeze_to(app, str(tmp_path / "library"))
    expected = queued(app, put_pages(app, everything, places))
    found = []
    for name, shards, piece in (("one", 1, 1 << 20), ("many", 7, 3_000)):
        job = BulkJob(ThisProcess(), str(tmp_path / "library"), str(tmp_path / name))
        outcome = job.pages([str(tmp_path / "*.warc.gz")], shards=shards, piece=piece)
        assert (outcome.looked_at, outcome.found) == (len(everything), expected.count("\n"))
        found.append((tmp_path / name / CASES).read_text())
    assert found == [expected, expected]
    told = [(case.page_url, case.work_id) for case in app.store.cases.each() if case.present]
    assert sorted(told) == [
        ("http://leave.test/boat", "boat"),
        ("http://novel.test/7/5.html", "tree"),
        ("http://plain.test/a", "river"),
        ("http://plain.test/again", "boat"),
        ("http://plain.test/b", "boat"),
    ]
    gone = [case for case in app.store.cases.each() if not case.present]
    assert {case.page_host for case in gone} >= {"menu.test"}
    assert {case.status for case in gone} == {CaseStatus.LEAD}
    assert [case.credited for case in app.store.cases.each() if case.licence_id] == [True]
