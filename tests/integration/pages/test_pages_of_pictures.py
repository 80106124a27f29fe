"""Pages whose text stands in pictures are read, matched, and their cases know in which picture a passage stands."""

from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from crawler.capture import PageAsset, pack_assets
from crawler.ports import Arrival
from dashboard.app import create_app
from tests.support.acting import by
from tests.support.drawn import bound, drawn
from tests.support.fonts import NOTO
from tests.support.people import add_token, add_user
from tests.support.samples import capture as sample
from tests.support.seed import healthy
from tests.support.way import capture, opened, store_work, the_case, work_through
from wenhen.cases.passages import draw_passage_frame, find_passage_places
from wenhen.crawls.sink import StoringSink
from wenhen.kit.errors import NotFound
from wenhen.kit.progress import Step, page_id
from wenhen.kit.rights import Role
from wenhen.pages.ocr_and_fonts import count_picture, pictures_left_today
from wenhen.reports.contents import gather_report
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App

pytestmark = pytest.mark.skipif(not NOTO.exists(), reason="no Noto Sans CJK on this machine")
STORY = (
    "渡口的老陈每天清早把船板擦一遍，擦到能照见人影才肯歇手。镇上人笑他，他说船和人一样，脸面是给自己看的。"
    "那年秋天水涨得急，对岸的药铺要断货，没有人敢下水，只有他解了缆。船到江心，竹篙折成两截，他便拿船板当桨，一下一下划了过去。"
    "回来时天已经黑透，药铺掌柜提着灯笼站在石阶上等他，灯光照着他湿透的裤脚。后来有人问他怕不怕，他想了半天，说怕的是船板又要重新擦。"
)
URL = "http://pictures.test/chapter/7"


def page_with(app: App, *pictures: bytes, url: str = URL) -> str:
    """Store a page of pictures alone, with the pictures that were fetched with it; the page's id."""
    fetched = [PageAsset(f"http://pictures.test/{at}.png", one) for at, one in enumerate(pictures)]
    shown = "".join(f"<p><img data-src='/{at}.png' src='/wait.gif'></p>" for at in range(len(pictures)))
    body, archive = f"<title>第七章</title><div class=read>{shown}</div>".encode(), pack_assets(fetched)
    taken = replace(
        sample(fetched_at=app.now(), url=url, body_digest=sha256(body).hexdigest(), body_size=len(body)),
        assets_digest=sha256(archive).hexdigest(),
    )
    StoringSink(app, "by hand", "site").store_captures([Arrival(url, taken, body, assets=archive)])
    return page_id(url)


def test_a_chapter_in_pictures_is_read_where_it_stands_and_its_case_names_the_picture(app: App) -> None:
    store_work(app, "story", STORY)
    half = len(STORY) // 2
    id = page_with(app, drawn(STORY[:half]), drawn(STORY[half:], marked="某某书屋"))
    steps = [step for one, step in work_through(app) if one == id]
    assert steps[:3] == [Step.EXTRACT, Step.READ_PICTURES, Step.EXTRACT]
    case = the_case(app)
    assert case.match.share_of_work > 0.9
    places, pictured = find_passage_places(app, case)
    first = case.match.passages[0]
    assert (places[first].kind, places[first].number, places[first].paragraph) == ("picture", 1, 1)
    assert {picture for pictures in pictured.values() for picture in pictures} == {1, 2}
    _, secret = add_token(app.store, add_user(app.store, "admin", Role.ADMINISTRATOR), days=None)
    token = {"Authorization": f"Bearer {secret}"}
    client = create_app(app, secret_key="x", sign_in=False, health=healthy).test_client()
    screen, picture = (client.get(path, base_url="http://127.0.0.1") for path in ("/cases/1", "/cases/1/pictures/1/1"))
    told = client.get("/api/v1/cases/1", base_url="http://127.0.0.1", headers=token).get_json()["places"]
    place = {"passage": 1, "pictures": [1, 2], "second": None, "zh": "第 1 张图第 1 行", "en": "picture 1, line 1"}
    assert told[0] == place
    assert 'src="/cases/1/pictures/1/1"' in screen.text
    assert "第 1 张图第 1 行" in screen.text
    assert (picture.mimetype, picture.data[:4]) == ("image/png", b"\x89PNG")
    with pytest.raises(NotFound, match="passage 1 does not stand in picture 3"):
        draw_passage_frame(app, case, 1, 3)
    [reported] = gather_report(by(app)).cases[0].passages
    assert reported.place == places[first]
    assert [one.number for one in reported.pictures] == [1, 2]
    assert reported.pictures[0].png == picture.data


def test_each_picture_is_read_once_and_no_more_of_a_host_than_its_budget_of_the_day(
    servers: ServerAddresses, tmp_path: Path
) -> None:
    with opened(servers, tmp_path, worker={"pictures_per_day": 1}) as app:
        first, second = drawn(STORY[:60]), drawn(STORY[60:120])
        page_with(app, first)
        page_with(app, first, second, url=f"{URL}/2")
        work_through(app)
        assert app.store.pages.count_by_step() == {Step.DONE: 2}
        assert len(app.store.picture_texts.read_already([sha256(one).hexdigest() for one in (first, second)])) == 1
        told = [str(problem.reason) for problem in app.store.problems.recent()]
        assert told == ["1 pictures were not read: the site's budget for today is used up (worker.pictures_per_day)"]


def test_the_budget_of_a_host_begins_anew_at_midnight_in_china(app: App) -> None:
    late, after = (datetime(2026, 3, 5, hour, 30, tzinfo=UTC) for hour in (15, 16))
    whole = pictures_left_today(app, "books.test")
    count_picture(replace(app, now=lambda: late), "books.test")
    assert pictures_left_today(replace(app, now=lambda: late), "books.test") == whole - 1
    assert pictures_left_today(replace(app, now=lambda: after), "books.test") == whole


def test_a_scanned_book_is_read_page_by_page(app: App) -> None:
    store_work(app, "story", STORY)
    capture(app, "http://books.test/scan.pdf", bound([drawn(STORY[:90]), drawn(STORY[90:])]))
    work_through(app)
    case = the_case(app)
    assert case.match.share_of_work > 0.9
    places, pictured = find_passage_places(app, case)
    first = case.match.passages[0]
    assert (places[first].kind, places[first].number) == ("page", 1)
    assert draw_passage_frame(app, case, 1, pictured[first][0]).startswith(b"\x89PNG")
