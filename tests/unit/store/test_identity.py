"""Ids follow from what a record is about."""

from hypothesis import given
from hypothesis import strategies as st

from store.rules.identity import page_id


def test_the_id_of_a_page_is_the_digest_of_its_address() -> None:
    assert page_id("abc") == "ba7816bf8f01cfea414140de5dae2223"  # FIPS 180-2, appendix B.1


@given(st.text(), st.text())
def test_different_addresses_have_different_ids(first: str, second: str) -> None:
    assert (page_id(first) == page_id(second)) == (first == second)
    assert len(page_id(first)) == 32
