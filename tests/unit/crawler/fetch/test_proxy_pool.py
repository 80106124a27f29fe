"""Which proxy takes the next request."""

import pytest

from crawler.fetch.proxy_pool import MAX_PROXY_COOLDOWN_SECONDS, ProxyPool, parse_proxy
from wenhen.kit.errors import BadInput


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_proxy_never_shows_its_password() -> None:
    proxy = parse_proxy("http://me:s3cret@proxy.test:3128")
    assert proxy.url == "http://proxy.test:3128"
    assert proxy.authorization == b"Basic bWU6czNjcmV0"
    assert "s3cret" not in repr(proxy)
    assert "bWU6" not in repr(proxy)
    assert parse_proxy("[::1]:3128").url == "http://[::1]:3128"


@pytest.mark.parametrize(
    "url", ["", "proxy.test", "https://me:s3cret@a.test:1", "socks5://a:1", "http://a:99999", "::"]
)
def test_what_is_no_proxy_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(BadInput, match="host:port") as refusal:
        parse_proxy(url)
    assert "s3cret" not in str(refusal.value)


def test_proxies_take_turns_and_one_that_was_tried_comes_last() -> None:
    pool = ProxyPool(["a:1", "b:1", "c:1"])
    chosen = [proxy.host for _ in range(6) if (proxy := pool.choose())]
    assert chosen == ["a", "b", "c", "a", "b", "c"]
    again = pool.choose(tried=["http://a:1", "http://b:1"])
    assert again
    assert again.host == "c"
    only = pool.choose(tried=["http://a:1", "http://b:1", "http://c:1"])
    assert only, "better one that was tried than none"


def test_one_that_fails_rests_longer_each_time_and_is_back_when_it_works() -> None:
    clock = Clock()
    pool = ProxyPool(["a:1", "b:1"], clock)
    bad = pool.proxies[0]
    rests = []
    for _ in range(12):
        pool.note_failure(bad)
        rests.append(bad.rests_until - clock.now)
        assert {proxy.host for _ in range(4) if (proxy := pool.choose())} == {"b"}
        clock.now = bad.rests_until
    assert rests == sorted(rests)
    assert rests[1] == 2 * rests[0]
    assert rests[-1] == MAX_PROXY_COOLDOWN_SECONDS
    assert pool.due_for_check() == [bad]
    pool.note_success(bad)
    assert pool.due_for_check() == []
    assert {proxy.host for _ in range(4) if (proxy := pool.choose())} == {"a", "b"}


def test_when_all_rest_there_is_none() -> None:
    pool = ProxyPool(["a:1"], Clock())
    pool.note_failure(pool.proxies[0])
    assert pool.choose() is None
