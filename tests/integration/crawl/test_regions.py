"""A page captured through real proxies on loopback, which show it in one region only."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.support.acting import by
from tests.support.crawls.forward_proxy import ForwardProxy, proxying
from tests.support.crawls.serving import Handler, serving
from tests.support.local_site import served
from tests.support.servers.certificates import make_certificates
from tests.support.way import made_page, made_text, opened, store_work, work_through
from wenhen.archive.integrity import verify_archive
from wenhen.archive.retention import drop_old_captures
from wenhen.cli.main import main
from wenhen.crawls.address_fetches import fetch_addresses
from wenhen.crawls.model import RegionalCapture, RegionalState
from wenhen.crawls.regions import (
    captures_of_page,
    request_regional_captures,
    rounds_of_page,
    run_next_regional_capture,
)
from wenhen.kit.errors import BadInput, Conflict, NotFound
from wenhen.kit.progress import page_id
from wenhen.pipeline.crawl_runner import run_crawl
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.settings_sources import settings_environment
from wenhen.runtime.wiring import App, fetch_region_in_child

pytestmark = pytest.mark.usefixtures("nursery")

RIVER, SNOW = made_text("river"), made_text("snow")
URL = "http://pirate.test/copy"
ID = page_id(URL)
HTML = "text/html; charset=utf-8"
GONE = ("451 Unavailable For Legal Reasons", "<html><title>不可用</title><p>此内容在你所在的地区不提供。</p></html>")
OTHER = ("200 OK", made_page("自己写的", SNOW).decode())


@contextmanager
def library(
    servers: ServerAddresses,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    regions: Mapping[str, str],
    *,
    url: str = URL,
    work: str | None = RIVER,
    **crawler: object,
) -> Iterator[App]:
    """A library with the river, and the page that copies it, crawled once."""
    with served({"/copy": (HTML, made_page("转载", RIVER))}) as site:
        host_map = {"pirate.test": site.removeprefix("http://")}
        rules: dict[str, object] = {"host_map": host_map, "internal_delay": 0, "retries": 0, "regions": dict(regions)}
        with opened(servers, folder, crawler=rules | crawler) as product:
            if work is not None:
                store_work(product, "river", work, url="http://holder.test/river")
            work_through(product)
            for name, value in settings_environment(product.settings).items():  # for processes of their own
                monkeypatch.setenv(name, value)
            [run] = fetch_addresses(by(product), [url])
            run_crawl(product, run.id)
            work_through(product)
            yield product


def capture(app: App, *regions: str, id: str = ID) -> dict[str | None, RegionalCapture]:
    """Ask for captures, run them as a worker does, and return them by region."""
    request_regional_captures(by(app), id, regions, queued=False)
    while run_next_regional_capture(app, lambda asked: fetch_region_in_child(app.settings, asked)):
        pass
    return {one.region: one for one in rounds_of_page(app, id)[0].captures}


def answering(body: bytes, status: int = 200) -> type[Handler]:
    """A site with an empty robots.txt that answers everything else with this page."""

    class Site(Handler):
        def page(self) -> None:
            if self.path == "/robots.txt":
                self.reply("")
            else:
                self.reply(body, status=status)

    return Site


def test_a_page_that_one_region_refuses_and_another_changes_stands_side_by_side(
    servers: ServerAddresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    targets: dict[str, str] = {}
    home, refusing = ForwardProxy(targets, login="spider:s3cret"), ForwardProxy(targets, answer=GONE)
    changing = ForwardProxy(targets, answer=OTHER)
    with proxying(home, refusing, changing):
        regions = {"jp": f"http://spider:s3cret@{home.address}", "de": refusing.address, "美国": changing.address}
        with library(servers, tmp_path, monkeypatch, regions) as app:
            targets["pirate.test"] = app.settings.crawler.host_map["pirate.test"]
            before = app.store.pages.get(ID)
            found = capture(app)
            assert list(found) == [None, "jp", "de", "美国"], "as crawls fetch it, then in the order of the setting"
            assert app.store.pages.get(ID) == before, "the page, its next step and its schedule are as they were"
            assert len(app.store.pages.captures(ID)) == 1

            assert {one.state for one in found.values()} == {RegionalState.DONE}, [
                str(one.reason) for one in found.values()
            ]
            assert [one.status for one in found.values()] == [200, 200, 451, 200]
            assert found[None].text_digest == found["jp"].text_digest == before.text_digest
            assert [found[name].share_of_page for name in (None, "jp")] == [1.0, 1.0]
            [copy] = found["jp"].copies
            assert (copy.work_id, copy.case_number) == ("river", 1)
            assert copy.share_of_work > 0.9
            assert not found["de"].copies
            assert not found["美国"].copies
            assert found["de"].title == "不可用"
            assert str(found["de"].reason).endswith("451")
            assert found["美国"].share_of_page is not None
            assert found["美国"].share_of_page < 0.1
            assert rounds_of_page(app, ID)[0].is_copy_regional

            refused = found["de"].capture
            assert refused is not None
            assert app.store.blobs.get(refused.body_digest) == GONE[1].encode(), "the refusal itself is kept"
            verified = verify_archive(app)
            assert (verified.captures, verified.failed, verified.elsewhere) == (5, 0, 0), "with those from regions"
            assert [entry.new for entry in app.store.audit.find(action="page.regions")] == ["jp de 美国 -"]


def test_a_page_of_https_is_captured_through_the_tunnel_of_each_region(
    servers: ServerAddresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, certificate = make_certificates(tmp_path)
    home, abroad = answering(made_page("转载", RIVER)), answering(GONE[1].encode(), 451)
    with serving(home, certificate=certificate) as here, serving(abroad, certificate=certificate) as there:
        jp = ForwardProxy({"pirate.test": here}, login="spider:s3cret")
        de, refusing = ForwardProxy({"pirate.test": there}), ForwardProxy({}, answer=("403 Forbidden", "no tunnels"))
        plain = ForwardProxy({"pirate.test": "127.0.0.1:9"})
        with proxying(jp, de, refusing, plain):
            regions = {
                "jp": f"http://spider:s3cret@{jp.address}",
                "de": de.address,
                "password": jp.address,
                "refusing": refusing.address,
                "lost": plain.address,
            }
            url, at = "https://pirate.test/copy", {"pirate.test": here}
            with library(servers, tmp_path, monkeypatch, regions, url=url, host_map=at) as app:
                found = capture(app, id=page_id(url))
                assert [one.status for one in found.values()] == [200, 200, 451, None, None, None], [
                    str(one.reason) for one in found.values()
                ]
                assert [[copy.work_id for copy in one.copies] for one in found.values()][:3] == [["river"]] * 2 + [[]]
                assert found["jp"].share_of_page == 1.0
                refused = found["de"].capture
                assert refused is not None
                assert app.store.blobs.get(refused.body_digest) == GONE[1].encode()
                assert "407" in str(found["password"].reason)
                assert "403" in str(found["refusing"].reason)
                assert "502" in str(found["lost"].reason)
                assert {line.partition(" HTTP")[0] for one in (jp, de) for line in one.carried} == {
                    "CONNECT pirate.test:443"
                }
                assert home.tls_names == abroad.tls_names == {"pirate.test"}
                assert verify_archive(app).failed == 0


def test_what_is_wrong_with_a_proxy_is_said_by_its_region_and_nothing_goes_out_directly(
    servers: ServerAddresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed, mute = ForwardProxy({}, login="spider:right"), ForwardProxy({}, delay=60)
    with proxying(closed, mute):
        regions = {
            "password": f"http://spider:s3cret@{closed.address}",
            "dead": "127.0.0.1:9",
            "mute": mute.address,
            "lost": closed.address.replace("127.0.0.1", "spider:right@127.0.0.1"),
        }
        with library(servers, tmp_path, monkeypatch, regions, timeout=3) as app:
            found = capture(app)
            assert found.pop(None).status == 200
            assert {one.state for one in found.values()} == {RegionalState.FAILED}
            assert {one.capture for one in found.values()} == {None}
            said = {str(name): str(one.reason) for name, one in found.items()}
            assert "407" in said["password"]
            assert "s3cret" not in said["password"]
            assert "cannot be reached" in said["dead"]
            assert "did not answer within 3 seconds" in said["mute"]
            assert "502" in said["lost"]


def test_regions_that_cannot_be_asked_are_refused_before_anything_is_fetched(
    servers: ServerAddresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    regions = {"jp": "127.0.0.1:9", "bad": "ftp://user:s3cret@proxy.test"}
    with library(servers, tmp_path, monkeypatch, regions) as app:
        with pytest.raises(BadInput, match=r"no region 'mars'; those that are set: jp, bad"):
            request_regional_captures(by(app), ID, ["mars"])
        with pytest.raises(BadInput, match=r"the proxy of the region bad cannot be used") as refused:
            request_regional_captures(by(app), ID)
        assert "s3cret" not in str(refused.value)
        assert not captures_of_page(app, ID)
        request_regional_captures(by(app), ID, ["jp"])
        with pytest.raises(Conflict, match="are going on"):
            request_regional_captures(by(app), ID, ["jp"])


def test_a_capture_whose_worker_died_is_said_to_be_lost(
    servers: ServerAddresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with library(servers, tmp_path, monkeypatch, {"jp": "127.0.0.1:9"}) as app:
        request_regional_captures(by(app), ID)
        now = app.now()
        assert app.store.regional_captures.claim(now, now - timedelta(hours=1)) is not None
        later = replace(app, now=lambda: now + timedelta(minutes=16))
        assert sorted(one.state for one in captures_of_page(later, ID)) == [RegionalState.FAILED, RegionalState.WAITING]
        much_later = replace(app, now=lambda: now + timedelta(hours=2))
        lost = captures_of_page(much_later, ID)
        assert {one.state for one in lost} == {RegionalState.FAILED}
        assert {str(one.reason) for one in lost} == {"its worker died, or no worker took it up: try again"}
        assert not run_next_regional_capture(much_later, lambda _: None), "and nobody fetches it by then"
        request_regional_captures(by(much_later), ID)


def test_a_child_that_breaks_leaves_its_reason(
    servers: ServerAddresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with library(servers, tmp_path, monkeypatch, {"jp": "127.0.0.1:9"}) as app:
        request_regional_captures(by(app), ID, queued=False)
        monkeypatch.setenv("WENHEN_MONGO_DATABASE", "no such name")
        broken = app.settings.model_copy(update={"mongo": app.settings.mongo.model_copy(update={"database": "a b"})})
        while run_next_regional_capture(app, lambda asked: fetch_region_in_child(broken, asked)):
            pass
        for one in captures_of_page(app, ID):
            assert one.state is RegionalState.FAILED
            assert "could not be fetched" in str(one.reason)


def in_days(app: App, days: int) -> App:
    """The same library after these days, where captures are kept for one."""
    keep = app.settings.model_copy(update={"keep": app.settings.keep.model_copy(update={"days": 1})})
    return replace(app, settings=keep, now=lambda: app.now() + timedelta(days=days))


def test_retention_keeps_every_capture_from_a_region_of_a_page_with_a_case(
    servers: ServerAddresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with library(servers, tmp_path, monkeypatch, {"jp": "127.0.0.1:9"}) as app:
        shown = capture(app)[None].capture
        assert shown is not None
        capture(in_days(app, 10))
        assert drop_old_captures(in_days(app, 400)).files == 0, "the file of the page's capture, and those of regions"
        assert len(captures_of_page(app, ID)) == 4
        assert app.store.blobs.get(shown.body_digest)
        assert verify_archive(app).failed == 0


def test_retention_drops_superseded_captures_from_regions_of_a_page_without_a_case(
    servers: ServerAddresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    targets: dict[str, str] = {}
    changing = ForwardProxy(targets, answer=OTHER)
    with proxying(changing), library(servers, tmp_path, monkeypatch, {"us": changing.address}, work=None) as app:
        targets["pirate.test"] = app.settings.crawler.host_map["pirate.test"]
        first = capture(app)["us"].capture
        assert first is not None
        assert drop_old_captures(in_days(app, 400)).bodies == 0, "they are the newest ones"
        changing.answer = GONE
        [_, second] = capture(in_days(app, 10)).values()
        assert second.capture is not None
        in_between = in_days(app, 11)
        assert [drop_old_captures(in_between).bodies, len(captures_of_page(app, ID))] == [1, 2]
        with pytest.raises(NotFound):
            app.store.blobs.get(first.body_digest)
        assert app.store.blobs.get(second.capture.body_digest) == GONE[1].encode()
        assert {one.asked_at for one in captures_of_page(app, ID)} == {second.asked_at}
        assert verify_archive(app).failed == 0


def test_the_command_captures_the_page_of_a_case_and_shows_the_regions(
    servers: ServerAddresses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    targets: dict[str, str] = {}
    refusing = ForwardProxy(targets, answer=GONE)
    with proxying(refusing), library(servers, tmp_path, monkeypatch, {"de": refusing.address, "jp": "x:1"}) as app:
        targets["pirate.test"] = app.settings.crawler.host_map["pirate.test"]
        done = CliRunner().invoke(main, ["capture", "regions", "1", "--region", "de", "--json"])
        assert done.exit_code == 0, done.output
        direct, german = json.loads(done.stdout)
        assert (direct["region"], direct["status"], direct["copies"][0]["case_number"]) == (None, 200, 1)
        assert (german["region"], german["status"], german["copies"]) == ("de", 451, [])
        shown = CliRunner().invoke(main, ["capture", "regions", URL, "--show"])
        assert "451" in shown.output
        assert "#1" in shown.output
        assert len(captures_of_page(app, ID)) == 2, "showing fetches nothing"
        unknown = CliRunner().invoke(main, ["capture", "regions", URL, "--region", "mars"])
        assert unknown.exit_code != 0
        assert "those that are set: de, jp" in str(unknown.output) + str(unknown.exception)
