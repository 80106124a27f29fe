"""Every search engine answers the same questions in the same way, by a real server in the form of its API."""

import logging
from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from tests.support.servers.search_engine import KEY, Web, search_engine
from wenhen.discovery.engines import MAX_ANSWER_BYTES, SearchEngine, open_engine
from wenhen.kit.errors import SetupError, Unavailable
from wenhen.settings.crawling_and_search import DiscoverSettings

PHRASE = "渡口的灯还亮着"
PAGES = [f"http://pirate.test/{number}" for number in range(45)]


@pytest.fixture(params=["searxng", "brave", "baidu", "bocha"])
def web(request: pytest.FixtureRequest) -> Iterator[Web]:
    with search_engine(Web(dict.fromkeys(PAGES[:3], f"夜里，{PHRASE}。"), form=request.param)) as served:
        yield served


def settings(web: Web, **changed: object) -> DiscoverSettings:
    given = {"engine": web.form, "url": web.address, "key": KEY, "delay": 0, "timeout": 5}
    return DiscoverSettings.model_validate({**given, **changed})


@pytest.fixture
def engine(web: Web) -> Iterator[SearchEngine]:
    opened = open_engine(settings(web))
    yield opened
    opened.close()


def test_the_phrase_is_asked_for_in_quotation_marks_and_gives_addresses_that_can_be_crawled(
    web: Web, engine: SearchEngine
) -> None:
    answer = engine.search(PHRASE)
    assert [one.url for one in answer.hits] == PAGES[:3], "what is no address of a page is left out"
    assert answer.hits[0].title == f"转载 {PAGES[0]} ?", "a title is storable text"
    assert [query["q"] for query in web.asked] == [[f'"{PHRASE}"']]
    assert engine.search("雪落在瓦上").hits == ()
    assert engine.name == web.form


@pytest.mark.parametrize(
    ("status", "body", "error", "told"),
    [
        (403, None, SetupError, r"search\.formats|discover\.key"),
        (429, None, Unavailable, r"raise discover\.delay"),
        (500, None, Unavailable, "does not answer"),
        (200, b"<html>", SetupError, "does not answer in JSON"),
        (200, b"[]", SetupError, r"check discover\.url"),
        (200, b" " * (MAX_ANSWER_BYTES + 1), Unavailable, "more than 4 MB"),
    ],
)
def test_an_engine_that_does_not_answer_as_it_should_says_what_to_do(
    web: Web, engine: SearchEngine, status: int, body: bytes | None, error: type[Exception], told: str
) -> None:
    web.status, web.body = status, body
    with pytest.raises(error, match=told):
        engine.search(PHRASE)


@pytest.mark.parametrize(
    "waits",
    [
        {"Retry-After": "0"},
        {"X-RateLimit-Remaining": "0, 1999", "X-RateLimit-Reset": "0, 1419704"},
        {"X-RateLimit-Reset": "0"},
    ],
)
def test_an_engine_that_limits_questions_is_asked_again_once_after_the_pause_that_it_wants(
    web: Web, engine: SearchEngine, waits: dict[str, str]
) -> None:
    web.limits = [waits]
    assert engine.search(PHRASE).hits
    assert len(web.asked) == 2
    web.limits = [waits, waits, waits]
    with pytest.raises(Unavailable, match=r"raise discover\.delay"):
        engine.search(PHRASE)
    assert len(web.limits) == 1


@pytest.mark.parametrize(
    "waits",
    [
        {"Retry-After": "3600"},
        {"Retry-After": "tomorrow"},
        {"X-RateLimit-Remaining": "0, 0", "X-RateLimit-Reset": "1, 1419704"},
        {},
    ],
)
def test_nobody_waits_for_a_limit_that_ends_in_days_or_says_nothing(
    web: Web, engine: SearchEngine, waits: dict[str, str]
) -> None:
    web.limits = [waits, waits]
    with pytest.raises(Unavailable, match=r"raise discover\.delay"):
        engine.search(PHRASE)
    assert len(web.limits) == 1


def test_an_engine_that_redirects_is_not_followed(web: Web, engine: SearchEngine) -> None:
    with search_engine(Web({}, form=web.form)) as other:
        web.leads_to = other.address
        with pytest.raises(Unavailable, match="does not answer"):
            engine.search(PHRASE)
        assert other.asked == []


def test_an_engine_that_is_not_there_or_no_address_is_told(web: Web) -> None:
    with pytest.raises(Unavailable, match="does not answer"):
        open_engine(settings(web, url="http://127.0.0.1:9")).search(PHRASE)
    for wrong in ("searx.test", "ftp://searx.test", "http://"):
        with pytest.raises(SetupError, match="no address"):
            open_engine(settings(web, url=wrong))
    keyed = [({"engine": name, "key": None}, "_KEY") for name in ("brave", "baidu", "bocha")]
    for lacking, told in [({"engine": "searxng", "url": None}, "_URL"), *keyed]:
        with pytest.raises(SetupError, match=f"WENHEN_DISCOVER{told}"):
            open_engine(settings(web, **lacking))


def test_searxng_tells_which_engines_behind_it_did_not_answer() -> None:
    with search_engine(Web({PAGES[0]: PHRASE}, silent=[["google", "timeout"]])) as web:
        answer = open_engine(settings(web)).search(PHRASE)
        assert (answer.hits[0].engines, answer.silent) == (("bing",), ("google",))
        with pytest.raises(Unavailable, match=r"google.*timeout"):
            open_engine(settings(web)).search(PHRASE, "google")


def test_brave_gives_as_many_addresses_as_are_wanted_over_several_answers() -> None:
    with search_engine(Web(dict.fromkeys(PAGES, PHRASE), form="brave")) as web:
        assert [one.url for one in open_engine(settings(web, results=40)).search(PHRASE).hits] == PAGES[:40]
        assert [(one["count"], one["offset"]) for one in web.asked] == [(["20"], ["0"]), (["20"], ["1"])]
        assert len(open_engine(settings(web, results=1000)).search(PHRASE).hits) == len(PAGES), "until there are none"


def test_brave_tells_of_itself_alone() -> None:
    with search_engine(Web({PAGES[0]: PHRASE}, form="brave")) as web:
        engine = open_engine(settings(web))
        assert engine.search(PHRASE, "brave").hits
        with pytest.raises(SetupError, match="google"):
            engine.search(PHRASE, "google")
    assert [settings(web).answers_for(one) for one in ("brave", "google", None)] == [True, False, False]
    assert not DiscoverSettings(engine="brave").answers_for("brave"), "without a key"
    assert DiscoverSettings(url="http://127.0.0.1:8888").answers_for("google")


def test_the_key_goes_to_the_api_alone_and_stands_in_no_message_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    secret = SecretStr("BSA-wrong-0f9e8d")
    with search_engine(Web({}, form="brave")) as web:
        given = settings(web, key=secret)
        with pytest.raises(SetupError, match=r"discover\.key") as refused:
            open_engine(given).search(PHRASE)
        assert all("0f9e8d" not in str(query) for query in web.asked), "it is no part of an address"
    for told in (str(refused.value), repr(refused.value), repr(given), given.model_dump_json(), caplog.text):
        assert "0f9e8d" not in told
    for url in ("http://gateway.test", "http://10.0.0.1"):
        with pytest.raises(SetupError, match="https://"):
            open_engine(settings(web, url=url))
    with pytest.raises(SetupError, match="characters") as odd:
        open_engine(settings(web, key="密钥"))
    assert "密钥" not in str(odd.value)


@pytest.mark.parametrize("form", ["baidu", "bocha"])
def test_an_engine_of_china_takes_its_key_tells_of_itself_alone_and_why_it_did_not_search(form: str) -> None:
    with search_engine(Web(dict.fromkeys(PAGES, PHRASE), form=form)) as web:
        opened = open_engine(settings(web, results=30))
        assert [hit.url for hit in opened.search(PHRASE, form).hits] == PAGES[:30]
        assert web.asked[-1]["count"] == ["30"]
        with pytest.raises(SetupError, match="google"):
            opened.search(PHRASE, "google")
        with pytest.raises(SetupError, match=r"discover\.key") as refused:
            open_engine(settings(web, key="wrong-0f9e8d")).search(PHRASE)
        assert "0f9e8d" not in str(refused.value)
        with pytest.raises(SetupError, match="https://"):
            open_engine(settings(web, url="http://gateway.test"))
        web.body = b'{"code": 18, "message": "Open api qps request limit reached"}'
        with pytest.raises(Unavailable, match=r"18.*qps"):
            opened.search(PHRASE)
        web.body = b'{"answer": 42}'
        with pytest.raises(SetupError, match=r"check discover\.url"):
            opened.search(PHRASE)
        assert [settings(web).answers_for(one) for one in (form, "google")] == [True, False]


def test_baidu_is_asked_for_no_more_than_it_reads() -> None:
    sentence = "渡口的灯还亮着" * 6
    with search_engine(Web({PAGES[0]: sentence}, form="baidu")) as web:
        assert open_engine(settings(web)).search(sentence).hits
        assert web.asked[-1]["q"] == [f'"{sentence[:34]}"']
