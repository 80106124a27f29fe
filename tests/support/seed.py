"""Records of our own for the screens, put into a store as the pipeline would."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import redis
from pydantic import SecretStr

from crawler.capture import Capture
from matcher.index.redis_index import RedisIndex
from matcher.model import Change, Level, Match, Passage
from matcher.phrases.phrase_index import SqlitePhraseIndex
from wenhen.cases.model import Case, CaseDecision, CaseStatus
from wenhen.context.store_and_queue import Store
from wenhen.crawls.model import RunKind
from wenhen.fingerprints.letter_file import LetterFile, name_library
from wenhen.kit.errors import Message, plain_message
from wenhen.kit.progress import Step, Subject, page_id
from wenhen.licences.model import Licence
from wenhen.operations.health import ServerState
from wenhen.runtime.settings_sources import Settings
from wenhen.runtime.wiring import App, build_app
from wenhen.settings.dashboard_and_sign_in import DashboardSettings
from wenhen.settings.servers_and_logs import RedisSettings
from wenhen.sites.model import Site
from wenhen.works.model import WorkDraft

KEY = "only for tests"  # that secrets are sealed under
NOW = datetime(2026, 3, 5, 17, 30, tzinfo=UTC)  # 01:30 of the 6th in Beijing

OPENING = "河堤上的槐树开花的时候，修船的老人就把木凳搬到门外。"
MIDDLE = "他说，船底的缝要用桐油和麻丝一点一点填，填得急了，水就会从别的地方进来。"
CLOSING = "孩子们听不懂，只记得那股油味，和傍晚时河面上慢慢散开的光。"
WORK_TEXT = OPENING + "\n" + MIDDLE + "\n" + CLOSING
PAGE_TEXT = "本站精选\n" + OPENING + "\n（广告）\n" + MIDDLE.replace("一点一点", "一点点") + "\n完"


def passage(page_text: str, page_part: str, work_text: str, work_part: str, change: Change) -> Passage:
    """The passage that these parts of the two texts make."""
    page, work = page_text.index(page_part), work_text.index(work_part)
    similarity = 1.0 if page_part == work_part else 0.96
    return Passage(
        page_start=page,
        page_end=page + len(page_part),
        work_start=work,
        work_end=work + len(work_part),
        similarity=similarity,
        change=change,
    )


PASSAGES = (
    passage(PAGE_TEXT, OPENING, WORK_TEXT, OPENING, Change.VERBATIM),
    passage(PAGE_TEXT, MIDDLE.replace("一点一点", "一点点"), WORK_TEXT, MIDDLE, Change.LIGHT),
)


def move_case(store: Store, id: str, status: CaseStatus, *, by: str, reason: str | None = None, at: datetime) -> Case:
    """Let a case stand there, wherever it stood."""
    number = store.cases.get(id).number
    store.cases.decide_many(
        [number],
        CaseDecision(status=status, by=by, reason=reason, at=at),
        only_from=tuple(CaseStatus),
        batch=uuid4().hex,
    )
    return store.cases.get(id)


class Seeder:
    """Puts works, pages and cases into a store as the pipeline would."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def work(self, id: str = "dock", text: str = WORK_TEXT, **details: object) -> None:
        """A work with this text."""
        values = {
            "title": "修船的老人",
            "author": "沈之遥",
            "owner": "河岸文艺社",
            "kind": "essay",
            "published_at": datetime(2025, 11, 2, 4, tzinfo=UTC),
            **details,
        }
        self.store.works.put_all(
            [WorkDraft(id=id, text=text, **values)],  # type: ignore[arg-type]  # the test names fields of the draft
            note=None,
            step=Step.FINGERPRINT,
        )

    def case(self, url: str = "https://copies.example/a/1.html", **changed: object) -> Case:
        """A case of this page against a work that was put before; `text` is the page's, `beside` HTML below it."""
        text = str(changed.pop("text", PAGE_TEXT))
        passages = changed.pop("passages", PASSAGES)
        work = self.store.works.get(str(changed.pop("work_id", "dock")))
        level = changed.pop("level", Level.LIGHT)
        share = changed.pop("share", 0.832)
        score = changed.pop("score", 0.9994)
        further: Any = changed.pop("match", {})  # fields of the match
        capture = Capture(
            fetched_at=NOW - timedelta(hours=3),
            url=url,
            status=200,
            headers=(("Server", "nginx"), ("Content-Type", "text/html; charset=gbk")),
            body_digest=self.store.blobs.put(_body(text, str(changed.pop("beside", "")))),
            body_size=len(text),
            server_address="198.51.100.7",
        )
        page = self.store.pages.put_capture(url, capture, site_id=None)
        id = f"{page.id}:{work.id}"
        match = Match(
            id=id,
            page_id=page.id,
            page_version=1,
            work_id=work.id,
            work_version=work.version,
            page_fingerprints=(),
            work_fingerprints=(),
            hits=41,
            similarity=0.973,
            score=score,  # type: ignore[arg-type]  # the test names a score
            weight=240.0,
            share_of_page=share,  # type: ignore[arg-type]  # the test names a share
            share_of_work=0.685,
            longest_run=len(OPENING),
            level=level,  # type: ignore[arg-type]  # the test names a level
            reasons=("share_of_page:0.832", "longest_run:26"),
            passages=passages,  # type: ignore[arg-type]  # the test names passages
            matched_at=NOW,
            **further,
        )
        case = Case(
            id=id,
            number=0,
            page_id=page.id,
            work_id=work.id,
            status=CaseStatus.LEAD,
            opened_at=NOW,
            updated_at=NOW,
            match=match,
            capture=capture,
            page_url=url,
            page_host=url.split("/")[2] if "//" in url else "",
            page_title="老船匠的故事",
            page_text_digest=self.store.blobs.put_text(text),
            work_title=work.title,
            work_text_digest=work.text_digest,
        )
        assert page.id == page_id(url)
        return self.store.cases.open_or_update(replace(case, **changed))[0]  # type: ignore[arg-type]  # as above

    def library(self) -> None:
        """Enough for every screen to have something to show."""
        store = self.store
        self.work()
        text = "雾里的灯塔每隔七秒亮一次，守塔人数着它，像数自己的心跳。" * 30
        self.work("lamp", text, title="七秒", series="海岸线", chapter=3)
        store.licences.put(Licence(id="l1", licensee="晨读网", url_prefix="morning.example", work_id="dock"))
        self.case()
        self.case("https://mirror.example/read?id=7", level=Level.VERBATIM)
        self.case("http://morning.example/essay/2", licence_id="l1", page_title=None)
        self.case("https://copies.example/old", work_id="lamp", level=Level.REWRITTEN, passages=(), text="灯塔")
        store.sites.put(watched("抄书网"))
        run = store.runs.start(RunKind.CRAWL, Subject.read("copies"), NOW - timedelta(minutes=4))
        store.runs.end(
            run.id, NOW, {"fetched": 61, "refused": 2, "failed": 1, "refused_robots": 2, "failed_http_404": 1}
        )
        store.problems.put("import", "断章.epub", plain_message("the archive is broken: no mimetype entry"), NOW)


def _body(text: str, beside: str) -> bytes:
    """A page with this text, and with this HTML below it."""
    lines = "".join(f"<p>{escape(line)}</p>" for line in text.split("\n"))
    return f"<html><body><article>{lines}</article>{beside}</body></html>".encode("gb18030", "replace")


def watched(name: str) -> Site:
    """A site with this name."""
    return Site(
        id="copies",
        name=name,
        start_urls=("https://copies.example/",),
        hosts=("copies.example",),
        interval_hours=24,
        max_pages=500,
        max_depth=4,
        added_at=NOW,
        due=NOW + timedelta(hours=5),
    )


def healthy() -> Mapping[str, ServerState]:
    """Servers as the composition root reports them."""
    return {
        "MongoDB": ServerState(True, (plain_message("6.0.5"),)),
        "works index": ServerState(False, (Message("index.index_unpublished"),)),
    }


def long_case(seeder: Seeder, passages: int = 40) -> Case:
    """A chapter of about 100,000 characters, and a page that copies stretches of it."""
    day = "第{}日，潮水退到第{}块石头，他把网补了{}处，又把昨日的话想了一遍。\n"
    lines = [day.format(n, n * 7 % 97, n % 13) for n in range(2_900)]
    chapter = "".join(lines)
    page, found = "转载文章\n", []
    for n in range(passages):
        part = "".join(lines[n * 70 : n * 70 + 20 + n % 15])
        start = chapter.index(part)
        page += f"（本站第{n}次提示：请收藏）\n"
        change = list(Change)[n % 3]
        found.append(
            Passage(
                page_start=len(page),
                page_end=len(page) + len(part),
                work_start=start,
                work_end=start + len(part),
                similarity=1.0 - n % 3 * 0.06,
                change=change,
            )
        )
        page += part
    seeder.work("tide", chapter, title="潮汐簿 第十二章", kind="novel", series="潮汐簿", chapter=12)
    return seeder.case("https://long.example/book/12.html", work_id="tide", text=page, passages=tuple(found))


def _settings(redis_url: str) -> Settings:
    return Settings(redis=RedisSettings(url=redis_url), dashboard=DashboardSettings(secret_key=SecretStr(KEY)))


@contextmanager
def product_over(store: Store, redis_url: str) -> Iterator[App]:
    """The product over this store, its queue and its empty indexes in this Redis, and in a folder of its own."""
    with redis.Redis.from_url(redis_url) as client, TemporaryDirectory() as folder:
        indexes = [RedisIndex(client, name) for name in ("works", "pages")]
        for index in indexes:
            index.create(postings=10_000)
            index.publish()
        yield replace(
            build_app(_settings(redis_url), store, lambda: client),
            phrases=SqlitePhraseIndex(Path(folder) / "phrases.sqlite"),
            work_letters=LetterFile(Path(folder), partial(name_library, store.marks)),
        )
