"""Who is told of cases."""

from tests.support.use_cases import Samples
from wenhen.context.use_cases import Acting
from wenhen.webhooks.service import (
    CASE_EVENTS,
    add_webhook,
    remove_webhook,
    resend_delivery,
    send_test_delivery,
    set_webhook_paused,
)


def hook(acting: Acting) -> str:
    return add_webhook(acting, "https://receiver.example/", CASE_EVENTS).id


SAMPLES: Samples = {
    add_webhook: hook,
    set_webhook_paused: lambda acting: set_webhook_paused(acting, hook(acting), True),
    remove_webhook: lambda acting: remove_webhook(acting, hook(acting)),
    resend_delivery: lambda acting: resend_delivery(acting, send_test_delivery(acting, hook(acting)).id),
}
