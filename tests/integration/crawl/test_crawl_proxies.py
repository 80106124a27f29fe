"""Crawls through real forward proxies on loopback, some of them dead, slow or closed."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from tests.support.crawls.crawling import missed, run
from tests.support.crawls.forward_proxy import ForwardProxy, proxying
from tests.support.crawls.serving import Handler, serving
from tests.support.servers.certificates import make_certificates

HOST = "http://pages.wenhen-test.test"
STORY = "渡口的石阶被水磨得发亮，等船的人坐在自己的担子上，谁也不催谁，雾从对岸慢慢走过来。"


class Pages(Handler):
    names: ClassVar[set[str]] = set()  # that were asked for

    def page(self) -> None:
        self.names.add(self.headers["Host"])
        number = int(self.path.strip("/") or 0) if self.path != "/robots.txt" else 0
        links = "".join(f"<a href=/{n}>{n}</a>" for n in range(1, 13)) if self.path == "/" else ""
        self.reply(f"<p>{STORY}{number}</p>{links}" if self.path != "/robots.txt" else "")


@pytest.fixture
def targets() -> Iterator[dict[str, str]]:
    with serving(Pages) as address:
        yield {"pages.wenhen-test.test": address}


def test_proxies_take_turns_and_those_that_are_dead_or_too_slow_are_left_out(
    targets: dict[str, str], tmp_path: Path
) -> None:
    first, second = ForwardProxy(targets), ForwardProxy(targets, login="spider:s3cret word")
    slow, closed = ForwardProxy(targets, delay=30), ForwardProxy(targets, login="other:x")
    with proxying(first, second, slow, closed):
        proxies = [
            "127.0.0.1:9",  # nothing listens there
            first.address,
            f"http://spider:s3cret%20word@{second.address}",
            slow.address,
            f"http://spider:wrong@{closed.address}",
        ]
        result = run("http://pages.wenhen-test.test/", host_map={}, proxies=proxies, warc_dir=str(tmp_path))
    assert len(result["pages"]) == 13
    assert not missed(result)
    assert {page["server"] for page in result["pages"].values()} == {None}, "the proxy's address is not the server's"
    assert len(first.carried) >= 5
    assert len(second.carried) >= 5
    assert len(slow.carried) <= 1
    assert not closed.carried
    (archive,) = tmp_path.iterdir()
    kept = gzip.decompress(archive.read_bytes())
    assert kept.count(b"WARC-Type: response") >= 13
    assert b"Proxy-Authorization" not in kept
    assert b"WARC-IP-Address: 127.0.0.1" not in kept
    assert b"s3cret" not in kept, "the state of the machine names the proxies, without their passwords"


def test_a_proxy_that_breaks_half_way_loses_no_page(targets: dict[str, str]) -> None:
    good, breaking = ForwardProxy(targets), ForwardProxy(targets, breaks_after=3)
    with proxying(good, breaking):
        result = run("http://pages.wenhen-test.test/", host_map={}, proxies=[good.address, breaking.address], retries=0)
    assert len(result["pages"]) == 13
    assert not missed(result)
    assert len(breaking.carried) == 3


def test_without_a_proxy_that_works_nothing_goes_out_directly(targets: dict[str, str]) -> None:
    result = run("http://pages.wenhen-test.test/", host_map=targets, proxies=["127.0.0.1:9", "127.0.0.1:19"])
    assert not result["pages"]
    assert missed(result) == {"failed_proxy": 1}
    assert "none of the site's 2 proxies works" in next(iter(result["reasons"].values()))
    assert not Pages.seen


def test_a_proxy_is_asked_for_the_address_that_was_looked_at_and_never_for_the_name(targets: dict[str, str]) -> None:
    (there,) = targets.values()
    proxy = ForwardProxy({"127.0.0.2": there, "pages.wenhen-test.test": there})
    with proxying(proxy):
        for start, port in (("http://pages.wenhen-test.test/", 80), ("https://pages.wenhen-test.test/", 443)):
            proxy.carried.clear()
            public = {"pages.wenhen-test.test": f"127.0.0.2:{port}"}
            result = run(
                start,
                internal=False,
                host_map=public,
                proxies=[proxy.address],
                retries=0,
                test={"public": "127.0.0.2"},
            )
            assert len(result["pages"]) == (13 if port == 80 else 0)  # no TLS is spoken there
            assert proxy.carried
            assert not [line for line in proxy.carried if "wenhen-test" in line or f"127.0.0.2:{port}" not in line]
    assert Pages.names == {"pages.wenhen-test.test"}


def test_a_target_at_a_private_address_is_refused_before_a_proxy_hears_of_it(targets: dict[str, str]) -> None:
    proxy = ForwardProxy(targets)
    with proxying(proxy):
        for start in ("http://127.0.0.1:80/", "http://pages.wenhen-test.test/", f"http://{proxy.address}/"):
            result = run(start, internal=False, host_map=targets, proxies=[proxy.address])
            assert missed(result) == {"refused_private_address": 1}


def test_a_site_of_https_is_reached_through_a_tunnel_which_a_dead_end_tells(targets: dict[str, str]) -> None:
    proxy = ForwardProxy(targets)
    with proxying(proxy):
        result = run("https://pages.wenhen-test.test/", host_map={}, proxies=[proxy.address], retries=0)
    assert proxy.carried[0].startswith("CONNECT pages.wenhen-test.test:443"), proxy.carried
    assert sum(missed(result).values()) == 1, "our site speaks no TLS"


def test_https_goes_through_a_tunnel_to_the_vetted_address_and_names_the_site_inside_it_alone(tmp_path: Path) -> None:
    authority, own = make_certificates(tmp_path)
    (shown := tmp_path / "shown.pem").write_bytes(own.read_bytes() + authority.read_bytes())
    with serving(Pages, certificate=shown) as there:
        proxy = ForwardProxy({"127.0.0.2": there}, login="spider:s3cret")
        with proxying(proxy):
            result = run(
                "https://pages.wenhen-test.test/",
                internal=False,
                host_map={"pages.wenhen-test.test": "127.0.0.2:443"},
                proxies=[f"http://spider:s3cret@{proxy.address}"],
                retries=0,
                warc_dir=str(tmp_path / "warc"),
                test={"public": "127.0.0.2"},
            )
        assert Pages.tls_names == {"pages.wenhen-test.test"}
    assert len(result["pages"]) == 13
    assert not missed(result)
    assert {line.split(" ")[1] for line in proxy.carried} == {"127.0.0.2:443"}
    (archive,) = (tmp_path / "warc").iterdir()
    kept = gzip.decompress(archive.read_bytes())
    assert kept.count(b"certificate: -----BEGIN CERTIFICATE-----") >= 2, "of the server and of its authority"
    assert b"Proxy-Authorization" not in kept
    assert b"s3cret" not in kept
