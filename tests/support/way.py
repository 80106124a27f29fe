"""What the tests of the whole chain share: texts, pages, an opened product, and its steps done in this process."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

import redis

from crawler.capture import Capture
from crawler.ports import Arrival
from tests.support.acting import by
from tests.support.servers.databases import lent_database, store_on
from wenhen.cases.model import Case
from wenhen.crawls.sink import StoringSink
from wenhen.kit.progress import OwnerKind, Step, page_id
from wenhen.pages.model import Page
from wenhen.pipeline.tasks import SINGLE_STEPS
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.settings_sources import load_settings
from wenhen.runtime.wiring import App, build_app, open_index_client
from wenhen.steps.fair_queue import TEXT_QUEUE
from wenhen.steps.problems import Problem
from wenhen.steps.runner import run_step, step_records
from wenhen.works.model import Work, WorkDraft
from wenhen.works.service import put_work

QUEUES, INDEX = 10, 11  # Redis databases of these tests

# The 3,755 commonest characters, as the first plane of GB 2312 has them.
CHARACTERS = [bytes((row, cell)).decode("gb2312") for row in range(0xB0, 0xD7) for cell in range(0xA1, 0xFF)]


def made_text(name: str, letters: int = 600) -> str:
    """A text that says nothing and shares no passage with any other; the same for the same name."""
    chance = random.Random(name)
    lines = []
    while letters > 0:
        length = min(letters, chance.randint(9, 24))
        lines.append("".join(chance.choices(CHARACTERS, k=length)) + chance.choice("，，。"))
        letters -= length
    return "\n".join("".join(lines[at : at + 6]) for at in range(0, len(lines), 6))


def problems_of(app: App) -> list[Problem]:
    """What went wrong; that texts made at random read as those do whose font shows other characters is no wonder."""
    return [problem for problem in app.store.problems.recent(limit=1_000) if problem.reason.code != "fonts.nonsense"]


def made_page(title: str, text: str) -> bytes:
    """A page in UTF-8 that shows the text as an article between a site's navigation and its footer."""
    paragraphs = "".join(f"<p>{escape(line)}</p>" for line in text.split("\n"))
    return (
        f"<!DOCTYPE html><html><head><meta charset='utf-8'><title>{escape(title)}</title></head><body>"
        "<nav><a href='/'>首页</a> <a href='/about'>关于</a></nav>"
        f"<article><h1>{escape(title)}</h1>{paragraphs}</article><footer>本站声明</footer></body></html>"
    ).encode()


@contextmanager
def opened(servers: ServerAddresses, data: Path, **sections: dict[str, Any]) -> Iterator[App]:
    """The product on these servers, with a database and indexes of its own, all empty."""
    urls = {number: f"{servers.redis_url}?db={number}" for number in (QUEUES, INDEX)}
    for url in urls.values():
        with redis.Redis.from_url(url) as client:
            client.flushdb()
    with lent_database(servers.mongo_url) as database:
        settings = load_settings(
            data=data,
            mongo={"url": servers.mongo_url, "database": database},
            redis={"url": urls[QUEUES]},
            **{**sections, "index": {"url": urls[INDEX], **sections.get("index", {})}},
        )
        # Not by `open_app`: the database is prepared, and to look whether it is takes most of the opening.
        app = build_app(settings, store_on(servers.mongo_url, database), partial(open_index_client, settings))
        for kind in OwnerKind:
            app.index(kind).create(postings=100_000)
            app.index(kind).publish()
        with closing(app.store):
            yield app


def store_work(app: App, id: str, text: str, **values: Any) -> str:
    """Import one work, as a file would be; "new", "changed" or "unchanged"."""
    return put_work(by(app), WorkDraft(**{"id": id, "title": f"作品{id}", "text": text, **values}))[1]


def capture(app: App, url: str, body: bytes, site: str = "site") -> str:
    """Store a capture of a page, as the crawler does; the page's id."""
    taken = Capture(
        fetched_at=app.now(),
        url=url,
        status=200,
        headers=(("Content-Type", "text/html; charset=utf-8"),),
        body_digest=sha256(body).hexdigest(),
        body_size=len(body),
        server_address="127.0.0.1",
    )
    StoringSink(app, "by hand", site).store_captures([Arrival(url, taken, body)])
    return page_id(url)


def messages(app: App, queue: str = TEXT_QUEUE) -> int:
    """How many say that something waits in a queue."""
    assert app.settings.redis.url
    with redis.Redis.from_url(app.settings.redis.url) as client:
        return int(client.llen(queue))


def do_step(app: App, kind: OwnerKind, id: str, step: Step) -> None:
    """One step of one record, as its task does it."""
    run_step(app, kind, id, step, SINGLE_STEPS[kind][step])


def work_through(app: App) -> list[tuple[str, Step]]:
    """Do every step that is due until none is; what was done, in order."""
    done = []
    while due := [(kind, *one) for kind in OwnerKind for one in step_records(app, kind).due(app.now(), 100)]:
        for kind, id, step in due:
            do_step(app, kind, id, step)
            done.append((id, step))
    return done


def pairs(app: App, *, present: bool | None = None) -> set[tuple[str, str]]:
    """The cases as (address of the page, id of the work); only those that are present, or gone, if told."""
    return {
        (case.page_url, case.work_id) for case in app.store.cases.each() if present is None or case.present == present
    }


def the_case(app: App) -> Case:
    """The only case there is."""
    [case] = app.store.cases.each()
    return case


def every_record(app: App) -> list[Work | Page]:
    """All works and pages."""
    works, pages = app.store.works, app.store.pages
    return [*works.many(list(works.ids())).values(), *pages.many(list(pages.ids())).values()]


def wait_for(condition: Callable[[], object], what: str, seconds: float = 600) -> None:
    """Return when the condition holds; fails when it does not come to hold."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"in vain: {what}"
        time.sleep(0.1)
