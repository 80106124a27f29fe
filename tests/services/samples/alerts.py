"""Rules of alerts, which people keep for themselves."""

from services.acting import Acting
from services.alerts import own_rules
from services.cases.case_filter import Filter
from store.records import AlertEvent, AlertRule
from tests.support.use_cases import Samples


def rule(acting: Acting) -> AlertRule:
    """A rule of theirs."""
    return own_rules.add(acting, "新案件", Filter(), [AlertEvent.NEW])


SAMPLES: Samples = {
    own_rules.add: rule,
    own_rules.change: lambda acting: own_rules.change(acting, rule(acting).id, paused=True),
    own_rules.remove: lambda acting: own_rules.remove(acting, rule(acting).id),
}
