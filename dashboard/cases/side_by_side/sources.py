"""All that one page takes from the works: how much of it together, and how much from which. Shares are in [0, 1]."""

from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import NamedTuple

from dashboard.cases.side_by_side.marking import hatch_of, look_of
from matcher.verdict.copied_shares import Side, share
from store.records import Case


class OtherWork(NamedTuple):
    """A work that holds the same text as a source of the page; no title where it is not on record."""

    work_id: str
    title: str


class PageSource(NamedTuple):
    """A work that a page copies, and the works that hold the same text."""

    number: int  # from 1, which is the work of the present case
    case: Case
    also_in: tuple[OtherWork, ...]

    @property
    def letter(self) -> str:
        """Its name in the text: A to Z, then AA."""
        turn, place = divmod(self.number - 1, len(ascii_uppercase))
        return ascii_uppercase[place] * (turn + 1)

    @property
    def look(self) -> str:
        """How its text is marked."""
        return look_of(self.number)

    @property
    def hatch(self) -> int:
        """The number of its hatch on the ruler; of the present case's work none is asked for."""
        return hatch_of(self.number)


def found_together(case: Case, others: Sequence[Case]) -> list[Case]:
    """The case, then those of other works that were found in the same text of the page and still are, by size."""
    same = [
        one
        for one in others
        if one.id != case.id and one.page_text_digest == case.page_text_digest and (one.present or not case.present)
    ]
    return [case, *sorted(same, key=lambda one: (-one.match.share_of_page, one.number))]


def sources(cases: Sequence[Case], titles: Mapping[str, str]) -> list[PageSource]:
    """The sources among the cases of one page, in their order. titles: of works that hold the same text, by id.

    A work all of whose text another one holds is no source of its own: it is named there.
    """
    own: list[Case] = []
    for case in cases:
        if not any(one.work_id in case.match.also_in for one in own):
            own.append(case)
    return [PageSource(number, case, _also_in(case, cases, own, titles)) for number, case in enumerate(own, 1)]


def together(sources: Sequence[PageSource], page_length: int) -> float:
    """The share of the page that was copied from any of them, what several share counted once."""
    passages = (one for source in sources for one in source.case.match.passages)
    return max(share(passages, Side.PAGE, page_length), largest(sources).case.match.share_of_page)


def largest(sources: Sequence[PageSource]) -> PageSource:
    """The source that most of the page comes from."""
    return max(sources, key=lambda one: (one.case.match.share_of_page, -one.case.number))


def _also_in(
    case: Case, cases: Sequence[Case], own: Sequence[Case], titles: Mapping[str, str]
) -> tuple[OtherWork, ...]:
    """The works that hold the text of a source, but for those that are sources themselves."""
    held = [one.work_id for one in cases if case.work_id in one.match.also_in]
    without = {one.work_id for one in own}
    names = {one.work_id: one.work_title for one in cases}
    ids = [id for id in dict.fromkeys([*case.match.also_in, *held]) if id not in without]
    return tuple(OtherWork(id, names.get(id) or titles.get(id, "")) for id in ids)
