"""Generate the works and pages of a chaos or soak run from a seed."""

import io
import random
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256

from crawler.capture import Capture, PageAsset, pack_assets
from crawler.extraction.model import PictureText
from crawler.extraction.parsing import parse_page
from crawler.extraction.pictures import find_text_pictures
from crawler.ports import Arrival
from wenhen.context.use_cases import Acting
from wenhen.crawls.model import Run
from wenhen.crawls.service import start_crawl
from wenhen.crawls.sink import StoringSink
from wenhen.demo.website import BLOG as HOST
from wenhen.demo.website import DemoPage, DemoServer
from wenhen.kit.errors import Message
from wenhen.kit.progress import OwnerKind, Step, Subject
from wenhen.kit.rights import Right
from wenhen.pages.ocr_and_fonts import capture_assets
from wenhen.runtime.wiring import App
from wenhen.sites.model import Site
from wenhen.works.model import WorkDraft
from wenhen.works.service import put_work, remove_work

CONTENT_TYPE = "text/html; charset=utf-8"
TEXT_CHARACTERS = 400
PICTURE_PAGES = (
    2  # pages with one, the first of them a copy; they say less than a page whose pictures are not looked at
)
LINES_BESIDE_PICTURE = 15
REMOVED_PREFIX = "removed-"  # begins the ids of works that are added and removed
# The 3,755 most common characters: the first plane of GB 2312.
COMMON_CHARACTERS = [bytes((row, cell)).decode("gb2312") for row in range(0xB0, 0xD7) for cell in range(0xA1, 0xFF)]


@dataclass(frozen=True, slots=True)
class Workload:
    """Works, and as many pages of one site."""

    seed: int
    size: int

    def works(self) -> list[WorkDraft]:
        """Return the works."""
        return [WorkDraft(id=f"w{n}", title=f"作品{n}", text=self._text(f"work {n}")) for n in range(self.size)]

    def pages(self) -> list[DemoPage]:
        """Return the pages, the front page with links to all others first."""
        links = "".join(f"<li><a href='/{n}.html'>第{n}页</a></li>" for n in range(self.size))
        front = _build_page("/", "目录", f"<ul>{links}</ul>")
        return [front, *(_build_page(f"/{n}.html", f"第{n}页", self._article(n)) for n in range(self.size))]

    def bring(self, app: App) -> None:
        """Import the works."""
        for draft in self.works():
            put_work(chaos_actor(app), draft)

    def capture(self, app: App) -> None:
        """Store the pages as a crawl does."""
        sink = StoringSink(app, "undisturbed", HOST)
        for page in self.pages():
            url = f"http://{page.host}{page.path}"
            assets = _pack_assets(url, page)
            capture = Capture(
                fetched_at=app.now(),
                url=url,
                status=200,
                headers=(("Content-Type", page.content_type),),
                body_digest=sha256(page.body).hexdigest(),
                body_size=len(page.body),
                assets_digest=sha256(assets).hexdigest() if assets else None,
                server_address="127.0.0.1",
            )
            sink.store_captures([Arrival(url, capture, page.body, assets=assets)])

    def watch(self, app: App) -> None:
        """Add the site to the watched sites."""
        now = app.now()
        app.store.sites.put(
            Site(
                id=HOST,
                name=HOST,
                start_urls=(f"http://{HOST}/",),
                hosts=(HOST,),
                interval_hours=24,
                max_pages=2 * self.size + 2,
                max_depth=3,
                added_at=now,
                due=now + timedelta(days=1),
            )
        )

    @contextmanager
    def site(self) -> Iterator[DemoServer]:
        """Serve the pages during the block."""
        with DemoServer(self.pages()) as server:
            yield server

    def _article(self, number: int) -> str:
        lines = self._text(f"{'work' if number % 2 == 0 else 'page'} {number}").split("\n")
        if number >= PICTURE_PAGES:
            return _paragraphs_html(lines)
        return _paragraphs_html(lines[:LINES_BESIDE_PICTURE]) + _picture_html(f"SEED {self.seed} PAGE {number}")

    def _text(self, name: str) -> str:
        chance = random.Random(f"{self.seed} {name}")
        lines = ["".join(chance.choices(COMMON_CHARACTERS, k=20)) + "。" for _ in range(TEXT_CHARACTERS // 20)]
        return "\n".join(lines)


def chaos_actor(app: App) -> Acting:
    """Return an actor with all rights."""
    return Acting(app, "chaos", frozenset(Right))


def start_site_crawl(app: App) -> Run:
    """Start a crawl of the site."""
    return start_crawl(app, Subject.read(HOST))


def restart_records(app: App, kind: OwnerKind, most: int, chance: random.Random, *, alone: bool) -> None:
    """Process some finished works or pages again, with the same outcome."""
    records, step = (app.store.works, Step.FINGERPRINT) if kind is OwnerKind.WORK else (app.store.pages, Step.EXTRACT)
    ids = [id for id in records.ids() if not id.startswith(REMOVED_PREFIX)]
    chance.shuffle(ids)
    sent: list[str] = []
    for id in ids:
        if len(sent) < most and records.restart(id, step, only_from={Step.DONE}):
            sent.append(id)
    if alone:
        for id in sent:
            app.enqueue_alone(kind, id, step)
    elif sent:
        app.enqueue(kind, sent, step)


def restart_picture_pages(app: App) -> None:
    """Process the pages with pictures again, and read their pictures anew."""
    for page in app.store.pages.many(list(app.store.pages.ids())).values():
        pictures = [asset for asset in capture_assets(app, page.capture) if asset.is_picture]
        if pictures and app.store.pages.restart(page.id, Step.EXTRACT, only_from={Step.DONE}):
            for picture in pictures:
                app.store.picture_texts.put(PictureText(id=picture.digest, problem=Message("documents.no_reader")))
            app.enqueue(OwnerKind.PAGE, [page.id], Step.EXTRACT)


def add_and_remove_work(app: App, number: int) -> None:
    """Add a work, and remove it at once."""
    id = f"{REMOVED_PREFIX}{number}"
    put_work(
        chaos_actor(app), WorkDraft(id=id, title=id, text="".join(COMMON_CHARACTERS[number : number + TEXT_CHARACTERS]))
    )
    remove_work(chaos_actor(app), id)


def _build_page(path: str, title: str, article: str) -> DemoPage:
    body = (
        f"<!DOCTYPE html><html><head><meta charset='utf-8'><title>{title}</title></head><body>"
        f"<nav><a href='/'>首页</a></nav><article><h1>{title}</h1>{article}</article></body></html>"
    )
    return DemoPage(host=HOST, path=path, title=title, body=body.encode(), content_type=CONTENT_TYPE, charset="utf-8")


def _paragraphs_html(lines: Sequence[str]) -> str:
    return "".join(f"<p>{line}</p>" for line in lines)


def _picture_html(says: str) -> str:
    """Return a picture inside the page itself, so that no crawl has to fetch it."""
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.new("L", (480, 96), 255)
    ImageDraw.Draw(picture).text((24, 24), says, fill=0, font=ImageFont.load_default(36))
    picture.save(file := io.BytesIO(), "PNG", compress_level=0)
    return f"<img src='data:image/png;base64,{b64encode(file.getvalue()).decode()}'>"


def _pack_assets(url: str, page: DemoPage) -> bytes | None:
    """Return the archive of assets that a crawl makes of the page."""
    pictures = find_text_pictures(parse_page(url, page.body, page.content_type))
    assets = [PageAsset(picture.address, picture.content) for picture in pictures if picture.content is not None]
    return pack_assets(assets) if assets else None
