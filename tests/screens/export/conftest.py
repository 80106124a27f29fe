"""What the reports of these tests tell of."""

import pytest

from tests.support.seed import NOW, Seeder, move_case
from wenhen.cases.model import CaseStatus
from wenhen.context.use_cases import Acting
from wenhen.reports.contents import gather_report as gather
from wenhen.reports.model import Report


@pytest.fixture
def report(seed: Seeder, acting: Acting) -> Report:
    """One case, confirmed."""
    seed.work()
    seed.case()
    move_case(seed.store, "1", CaseStatus.CONFIRMED, by="沈", reason="整篇转载", at=NOW)
    return gather(acting)
