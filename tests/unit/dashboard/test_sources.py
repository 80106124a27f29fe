"""What a page takes from several works, and which of them are named together."""

from dataclasses import replace
from typing import Any

from dashboard.cases.side_by_side import OtherWork, cases_of_same_text, combined_share, largest_source, page_sources
from tests.support.samples import case, match
from wenhen.cases.model import Case


def taken(work: str, number: int, start: int, end: int, **values: Any) -> Case:
    """A case of one page, of 100 characters, that copied this stretch of it from a work."""
    (passage,) = match().passages
    also_in = values.pop("also_in", ())
    found = match(
        "p",
        work,
        passages=(replace(passage, page_start=start, page_end=end),),
        share_of_page=(end - start) / 100,
        also_in=also_in,
    )
    return case("p", work, match=found, number=number, work_title=f"《{work}》", **values)


FIRST, SECOND = taken("a", 1, 0, 40), taken("b", 2, 30, 50)


def test_what_several_works_share_counts_once_and_the_largest_is_named() -> None:
    found = page_sources([SECOND, FIRST], {})
    assert [(one.number, one.letter, one.case.number) for one in found] == [(1, "A", 2), (2, "B", 1)]
    assert combined_share(found, "字" * 100) == 0.5
    assert largest_source(found).case is FIRST
    assert combined_share(found, None) == 0.4  # a text that is lost


def test_the_present_case_comes_first_then_those_of_the_same_text_by_size() -> None:
    other_text = taken("c", 3, 0, 90, page_text_digest="0" * 64)
    gone = taken("d", 4, 0, 90, present=False)
    larger = taken("e", 5, 0, 60)
    assert cases_of_same_text(SECOND, [other_text, gone, FIRST, larger, SECOND]) == [SECOND, larger, FIRST]
    assert cases_of_same_text(gone, [FIRST, gone]) == [gone, FIRST]


def test_two_works_that_hold_the_same_text_are_one_source_and_named_once() -> None:
    series, collection = taken("a", 1, 0, 40, also_in=("b", "x")), taken("b", 2, 0, 40, also_in=("a",))
    (source,) = page_sources([series, collection], {"x": "选本"})
    assert source.case is series
    assert source.also_in == (OtherWork("b", "《b》"), OtherWork("x", "选本"))


def test_a_larger_work_that_holds_the_text_of_another_one_stays_a_source_and_is_not_named_twice() -> None:
    part, whole = taken("a", 1, 0, 40, also_in=("b",)), taken("b", 2, 0, 90)
    found = page_sources([part, whole], {})
    assert [(one.case.number, one.also_in) for one in found] == [(1, ()), (2, ())]
    (source,) = page_sources([whole, part], {})
    assert (source.case.number, source.also_in) == (2, (OtherWork("a", "《a》"),))


def test_letters_name_as_many_sources_as_there_are() -> None:
    found = page_sources([taken(f"w{n}", n, 0, 10) for n in range(30)], {})
    assert [one.letter for one in found][24:28] == ["Y", "Z", "AA", "BB"]
    assert [one.look for one in found][:3] == ["same", "source source-1", "source source-2"]
    assert found[7].look == found[1].look
