"""Reports, which are taken away."""

from tests.support.seed import Seeder
from tests.support.use_cases import Samples
from wenhen.product.use_cases import Acting
from wenhen.reports.repository import KeptReport
from wenhen.reports.service import delete_report, export_report, hand_out_report, make_due_reports, request_report


def report(acting: Acting) -> object:
    Seeder(acting.product.store).library()
    return export_report(acting, "json", lambda *_: b"{}", name="r.json")


def kept(acting: Acting) -> KeptReport:
    """A kept report with its file."""
    Seeder(acting.product.store).library()
    asked = request_report(acting, "三月", "json")
    make_due_reports(acting.product, lambda *_: b"{}")
    return asked


SAMPLES: Samples = {
    export_report: report,
    request_report: kept,
    hand_out_report: lambda acting: hand_out_report(acting, kept(acting).id),
    delete_report: lambda acting: delete_report(acting, kept(acting).id),
}
