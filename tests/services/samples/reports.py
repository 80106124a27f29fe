"""Reports, which are taken away."""

from services import reports
from services.acting import Acting
from tests.support.seed import Seeder
from tests.support.use_cases import Samples


def report(acting: Acting) -> object:
    Seeder(acting.product.store).library()
    return reports.report(acting)


SAMPLES: Samples = {reports.report: report}
