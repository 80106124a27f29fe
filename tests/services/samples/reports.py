"""Reports, which are taken away."""

from tests.support.seed import Seeder
from tests.support.use_cases import Samples
from wenhen.context.use_cases import Acting
from wenhen.reports.repository import KeptReport, SharedLink
from wenhen.reports.service import delete_report, export_report, hand_out_report, make_due_reports, request_report
from wenhen.reports.shared_links import open_link, revoke_link, share_case, share_file, share_report


def report(acting: Acting) -> object:
    Seeder(acting.product.store).library()
    return export_report(acting, "json", lambda *_: b"{}", name="r.json")


def kept(acting: Acting) -> KeptReport:
    """A kept report with its file."""
    Seeder(acting.product.store).library()
    asked = request_report(acting, "三月", "json")
    make_due_reports(acting.product, lambda *_: b"{}")
    return asked


def shared(acting: Acting) -> SharedLink:
    """A link to a file."""
    return share_file(acting, "notice:2026-0001", "a.pdf", b"%PDF")[0]


def shared_case(acting: Acting) -> object:
    Seeder(acting.product.store).library()
    return share_case(acting, 1)


SAMPLES: Samples = {
    export_report: report,
    request_report: kept,
    hand_out_report: lambda acting: hand_out_report(acting, kept(acting).id),
    share_case: shared_case,
    share_report: lambda acting: share_report(acting, kept(acting).id),
    share_file: shared,
    revoke_link: lambda acting: revoke_link(acting, shared(acting).id),
    open_link: lambda acting: open_link(acting, shared(acting)),
    delete_report: lambda acting: delete_report(acting, kept(acting).id),
}
