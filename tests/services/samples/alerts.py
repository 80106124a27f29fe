"""Rules of alerts, which people keep for themselves."""

from tests.support.use_cases import Samples
from wenhen.alerts.alert_rules import create_alert_rule, delete_alert_rule, update_alert_rule
from wenhen.alerts.model import AlertEvent, AlertRule
from wenhen.cases.filters import Filter
from wenhen.context.use_cases import Acting


def rule(acting: Acting) -> AlertRule:
    """A rule of theirs."""
    return create_alert_rule(acting, "新案件", Filter(), [AlertEvent.NEW])


SAMPLES: Samples = {
    create_alert_rule: rule,
    update_alert_rule: lambda acting: update_alert_rule(acting, rule(acting).id, paused=True),
    delete_alert_rule: lambda acting: delete_alert_rule(acting, rule(acting).id),
}
