"""Indexes are built anew by one at a time."""

import pytest

from services.upkeep.rebuilding import rebuild_index, verify_index
from store.errors import Conflict
from store.records import OwnerKind, RunKind, Subject, SubjectKind
from wenhen.wiring import App


def test_whoever_comes_second_is_told_that_the_index_is_being_rebuilt(product: App) -> None:
    product.store.runs.start(RunKind.REBUILD, Subject(SubjectKind.INDEX, str(OwnerKind.WORK)), product.now())
    with pytest.raises(Conflict, match="the work index is being rebuilt already"):
        rebuild_index(product, OwnerKind.WORK)
    assert rebuild_index(product, OwnerKind.PAGE).subject == Subject(SubjectKind.INDEX, "page")
    assert verify_index(product, OwnerKind.PAGE).missing == 0
