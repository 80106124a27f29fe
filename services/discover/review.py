"""What people decide about addresses that searches found, with the audit log; the browser and the API share it."""

from collections.abc import Sequence

from dashboard import audit
from dashboard.frame.context import services
from store.errors import BadInput
from store.records import DiscoveryStatus


def decide(ids: Sequence[str], status: DiscoveryStatus) -> None:
    """Let the crawler fetch these addresses, or leave them alone from now on. BadInput, NotFound."""
    if status is DiscoveryStatus.ACCEPTED:
        services().actions.accept_discoveries(ids)
    elif status is DiscoveryStatus.REFUSED:
        services().actions.refuse_discoveries(ids)
    else:
        raise BadInput(f"an address is accepted or refused; {status} is no decision")
    audit.record(f"discovery.{status}", f"discoveries:{len(ids)}", new=" ".join(ids)[:1000])
