"""Pages that send on from within, and parts of a site that have no end, on a real site on loopback."""

from tests.support.crawls.crawling import HOST, missed, run


def test_a_page_that_sends_on_by_refresh_or_script_is_followed_where_it_leads() -> None:
    for path in ("/refreshing", "/scripted"):
        result = run(path, max_depth=0)
        assert set(result["pages"]) == {f"{HOST}/one"}, "the page that sends on is not stored"
        assert not missed(result)


def test_pages_that_send_in_a_circle_or_elsewhere_are_refused() -> None:
    result = run("/ping", "/scripted-away", "/one")
    assert set(result["pages"]) == {f"{HOST}/one"}
    assert missed(result) == {"refused_redirects": 1, "refused_other_host": 1}
    assert "elsewhere.test" not in result["hosts"]


def test_a_site_that_sends_its_visitors_to_its_name_with_www_is_followed_there() -> None:
    names = ("news.wenhen-test.test", "www.news.wenhen-test.test")
    result = run("/to-www", host_map=dict.fromkeys(names, "127.0.0.1:{port}"))
    assert set(result["pages"]) == {"http://www.news.wenhen-test.test/one"}
    assert not missed(result)


def test_links_that_are_no_addresses_keep_back_none_of_the_others() -> None:
    assert set(run("/bad-links", max_depth=1)["pages"]) == {f"{HOST}/bad-links", f"{HOST}/one"}


def test_what_is_found_at_a_mirror_is_fetched_at_the_main_host() -> None:
    result = run(
        "http://m.wenhen-test.test/",
        hosts=["news.wenhen-test.test"],
        mirrors=["m.wenhen-test.test"],
        host_map=dict.fromkeys(("news.wenhen-test.test", "m.wenhen-test.test"), "127.0.0.1:{port}"),
    )
    assert set(result["pages"]) == {f"{HOST}/", f"{HOST}/one", f"{HOST}/two?b=2&a=1"}
    assert result["hosts"] == ["news.wenhen-test.test"]


def test_the_address_that_a_page_calls_its_own_is_fetched_too() -> None:
    assert set(run("/variant?from=list", max_depth=0)["pages"]) == {f"{HOST}/variant?from=list", f"{HOST}/one"}


def test_a_calendar_without_end_is_left_when_its_pages_say_nothing_new() -> None:
    result = run("/day/1", max_depth=500, max_pages=500)
    assert len(result["pages"]) == 20
    assert missed(result) == {"refused_trap": 1}
    (reason,) = result["reasons"].values()
    assert "20 pages of this form said the same" in reason


def test_a_path_that_grows_by_itself_is_left() -> None:
    result = run("/winding/", max_depth=500, max_pages=500)
    assert set(result["pages"]) == {HOST + "/winding/" + "on/" * times for times in range(4)}
    assert missed(result) == {"refused_trap": 1}
