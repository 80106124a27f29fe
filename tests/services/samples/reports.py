"""Reports, which are taken away."""

from services.acting import Acting
from services.reporting import kept_reports, report_file
from store.records import KeptReport
from tests.support.seed import Seeder
from tests.support.use_cases import Samples


def report(acting: Acting) -> object:
    Seeder(acting.product.store).library()
    return report_file.export(acting, "json", lambda *_: b"{}", name="r.json")


def kept(acting: Acting) -> KeptReport:
    """A kept report with its file."""
    Seeder(acting.product.store).library()
    asked = kept_reports.ask(acting, "三月", "json")
    kept_reports.make_due(acting.product, lambda *_: b"{}")
    return asked


SAMPLES: Samples = {
    report_file.export: report,
    kept_reports.ask: kept,
    kept_reports.hand_out: lambda acting: kept_reports.hand_out(acting, kept(acting).id),
    kept_reports.remove: lambda acting: kept_reports.remove(acting, kept(acting).id),
}
