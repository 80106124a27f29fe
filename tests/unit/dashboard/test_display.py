"""Figures, times and addresses as people read them."""

from datetime import UTC, datetime, timedelta

import pytest

from dashboard.frame.display import duration, file_size, web_link, when
from wenhen.kit.text import percent
from wenhen.reports.wording import reason_text_in


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0, "0.0%"), (0.0001, "<0.1%"), (0.832, "83.2%"), (0.9999, "99.9%"), (1, "100%"), (0.5, "50.0%")],
)
def test_a_share_is_never_rounded_to_the_whole_or_to_nothing(share: float, shown: str) -> None:
    assert percent(share) == shown


def test_times_are_shown_in_beijing() -> None:
    shown = when(datetime(2026, 12, 31, 16, 5, tzinfo=UTC))
    assert "2027-01-01 00:05<" in shown
    assert 'datetime="2027-01-01T00:05:00+08:00"' in shown


def test_a_duration_reads_as_a_clock() -> None:
    assert duration(timedelta(hours=3, seconds=4.9)) == "3:00:04"


def test_an_address_is_escaped_in_its_link() -> None:
    assert 'href="http://a.example/?x=&lt;b&gt;&amp;y=&#34;"' in web_link('http://a.example/?x=<b>&y="')


def test_an_internationalised_host_stands_as_people_write_it_and_leads_to_what_was_fetched() -> None:
    link = web_link("http://xn--1jq370b.test:8080/1", ascii_beside=True)
    assert 'href="http://xn--1jq370b.test:8080/1"' in link
    assert ">http://书库.test:8080/1</a>" in link
    assert '<code class="address">http://xn--1jq370b.test:8080/1</code>' in link
    assert "code" not in web_link("http://xn--1jq370b.test/1")
    assert "code" not in web_link("http://a.test/1", ascii_beside=True)


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("share_of_page:0.83", "83.0% of the page agrees with the work"),
        ("longest_run:26", "26 characters in a row without a change"),
        ("moon_phase:full", "moon_phase:full"),
        ("share_of_page", "share_of_page"),
        ("passages:{0}", "passages: {0}"),
    ],
)
def test_a_reason_is_put_into_words_and_an_unknown_one_is_shown_as_it_is(reason: str, words: str) -> None:
    assert reason_text_in("en", reason) == words


def test_a_size_is_never_rounded_down_to_nothing() -> None:
    sizes = (4, 14_336, 2_000_000, 1_500_000_000)
    assert [file_size(size) for size in sizes] == ["4 B", "14 KB", "1.9 MB", "1,430.5 MB"]
