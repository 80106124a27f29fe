"""Indexes are built anew by one at a time."""

import pytest

from wenhen.crawls.model import RunKind
from wenhen.kit.errors import Conflict
from wenhen.kit.progress import OwnerKind, Subject, SubjectKind
from wenhen.matching.index_rebuild import request_index_rebuild, verify_index
from wenhen.runtime.wiring import App


def test_whoever_comes_second_is_told_that_the_index_is_being_rebuilt(product: App) -> None:
    product.store.runs.start(RunKind.REBUILD, Subject(SubjectKind.INDEX, str(OwnerKind.WORK)), product.now())
    with pytest.raises(Conflict, match="the work index is being rebuilt already"):
        request_index_rebuild(product, OwnerKind.WORK)
    assert request_index_rebuild(product, OwnerKind.PAGE).subject == Subject(SubjectKind.INDEX, "page")
    assert verify_index(product, OwnerKind.PAGE).missing == 0
