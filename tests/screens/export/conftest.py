"""What the reports of these tests tell of."""

import pytest

from services.acting import Acting
from services.reporting.report_contents import Report
from services.reporting.report_contents import report as gather
from store.records import CaseStatus
from tests.support.seed import NOW, Seeder, move_case


@pytest.fixture
def report(seed: Seeder, acting: Acting) -> Report:
    """One case, confirmed."""
    seed.work()
    seed.case()
    move_case(seed.store, "1", CaseStatus.CONFIRMED, by="沈", reason="整篇转载", at=NOW)
    return gather(acting)
