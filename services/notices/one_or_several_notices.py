"""Over how many notices the copies that one subject has are spread, and which of them are still to be written about."""

from typing import Final

from services.context import Product
from services.notices.notice_subject import NoticeSubject
from store.records import Case, CaseStatus, Platform

MOST: Final = 200  # copies of one notice


def copies_of_each(product: Product, subject: NoticeSubject, to: Platform) -> list[list[Case]]:
    """The copies of each notice to this receiver: as many as it takes links, and as one letter bears; none where
    nothing is left to write about.
    """
    copies = _unwritten(product, subject, to)
    most = min(to.links or MOST, MOST)
    return [copies[at : at + most] for at in range(0, len(copies), most)]


def _unwritten(product: Product, subject: NoticeSubject, to: Platform) -> list[Case]:
    """The copies that no notice to this receiver names."""
    there = {
        number
        for one in product.store.notices.of_cases([copy.number for copy in subject.copies])
        if one.platform == to.id
        for number in one.case_numbers
    }
    return [one for one in subject.copies if one.number not in there and one.status is not CaseStatus.LEAD]
