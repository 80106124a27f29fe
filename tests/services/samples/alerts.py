"""Rules of alerts, which people keep for themselves."""

from services.acting import Acting
from services.alerts import rules
from services.cases.case_filter import Filter
from store.records import AlertEvent, AlertRule
from tests.support.use_cases import Samples


def rule(acting: Acting) -> AlertRule:
    """A rule of theirs."""
    return rules.add(acting, "新案件", Filter(), [AlertEvent.NEW])


SAMPLES: Samples = {
    rules.add: rule,
    rules.change: lambda acting: rules.change(acting, rule(acting).id, paused=True),
    rules.remove: lambda acting: rules.remove(acting, rule(acting).id),
}
