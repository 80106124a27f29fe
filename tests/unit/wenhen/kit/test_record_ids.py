"""Ids follow from what a record is about."""

from hypothesis import given
from hypothesis import strategies as st

from wenhen.kit.progress import Owner, OwnerKind, copy_id, match_id, page_id, parse_copy_id


def test_the_id_of_a_page_is_the_digest_of_its_address() -> None:
    assert page_id("abc") == "ba7816bf8f01cfea414140de5dae2223"  # FIPS 180-2, appendix B.1


@given(st.text(), st.text())
def test_different_addresses_have_different_ids(first: str, second: str) -> None:
    assert (page_id(first) == page_id(second)) == (first == second)
    assert len(page_id(first)) == 32


ids = st.text(min_size=1)
works = st.builds(Owner.of_work, ids)
pages = st.text().map(page_id).map(Owner.of_page)


@given(st.builds(Owner, st.sampled_from(OwnerKind), ids))
def test_an_owner_comes_back_from_its_text(owner: Owner) -> None:
    assert Owner.parse(str(owner)) == owner


@given(works | pages)
def test_what_copies_comes_back_from_the_name_that_a_match_has_for_it(copy: Owner) -> None:
    assert parse_copy_id(copy_id(copy)) == copy


def test_matches_that_are_stored_are_read_as_ever() -> None:
    page = Owner.of_page("ba7816bf8f01cfea414140de5dae2223")
    assert parse_copy_id(page.id) == page
    assert parse_copy_id("work:river") == Owner.of_work("river")
    assert match_id(page, "w1") == "ba7816bf8f01cfea414140de5dae2223:w1"
    assert match_id(Owner.of_work("river"), "collected") == "work:river:collected"
