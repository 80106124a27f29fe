"""Captures that are put together become the same pages as one by one, whatever there was before."""

from datetime import timedelta
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawler.capture import Capture
from tests.support.samples import NOON, at_once, capture, digest
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import BadInput
from wenhen.kit.progress import Step, page_id
from wenhen.pages.model import Page

HOUR = timedelta(hours=1)


def taken(hours: float, body: str) -> Capture:
    return capture(fetched_at=NOON + hours * HOUR, body_digest=digest(body))


def put(store: Store, *captures: tuple[str, Capture]) -> list[Page]:
    return store.pages.put_captures(captures, site_id="s1")


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    captures=st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(0, 3), st.sampled_from(["one", "other"])), max_size=8
    ),
    parts=st.lists(st.integers(0, 8), max_size=3),
    salt=st.uuids(),
)
def test_in_one_go_in_several_or_one_by_one_is_the_same(
    store: Store, captures: list[tuple[str, int, str]], parts: list[int], salt: object
) -> None:
    def result(way: str, bounds: list[int]) -> list[tuple[object, ...]]:
        all_of_them = [(f"http://{way}.test/{salt}/{name}", taken(at, body)) for name, at, body in captures]
        for begin, end in zip([0, *bounds], [*bounds, len(captures)], strict=True):
            assert [page.url for page in put(store, *all_of_them[begin:end])] == [
                url for url, _ in all_of_them[begin:end]
            ]
        pages = store.pages.many([page_id(url) for url, _ in all_of_them]).values()
        told = [
            (page.url[-1], page.captures, page.capture, page.look_at, page.progress.step, store.pages.captures(page.id))
            for page in pages
        ]
        return sorted(told, key=lambda one: str(one[0]))

    singly = result("singly", list(range(1, len(captures))) if captures else [])
    assert result("together", []) == singly
    assert result("parts", sorted(min(part, len(captures)) for part in parts)) == singly


def test_what_is_put_again_after_an_error_is_stored_once(store: Store) -> None:
    """One address that no store can keep: whatever of the others was stored is not stored a second time."""
    good = [(f"http://a.test/{number}", taken(0, str(number))) for number in range(5)]
    bad = ("http://a.test/bad", taken(0, "bad"))
    with pytest.raises(BadInput):
        put(store, *good[:3], (bad[0], capture(status="no number")), *good[3:])
    pages = put(store, *good)
    assert [(page.captures, page.progress.step) for page in pages] == [(1, Step.EXTRACT)] * 5
    assert all(len(store.pages.captures(page.id)) == 1 for page in pages)


def test_batches_at_once_that_share_pages_count_every_capture(store: Store) -> None:
    urls = [f"http://a.test/{number}" for number in range(4)]
    at_once(*[partial(put, store, *((url, taken(at, str(at))) for url in urls)) for at in range(6)])
    for url in urls:
        page = store.pages.get(page_id(url))
        assert (page.captures, page.capture.body_digest) == (6, digest("5"))


def test_the_first_page_with_a_body_is_known_however_many_have_it(store: Store) -> None:
    put(store, *[(f"http://a.test/{number}", taken(9 - number, "same")) for number in range(9)])
    put(store, ("http://b.test/", taken(3, "own")))
    firsts = store.pages.first_with_body([digest("same"), digest("own"), digest("nobody's")])
    assert firsts == {digest("same"): page_id("http://a.test/8"), digest("own"): page_id("http://b.test/")}
