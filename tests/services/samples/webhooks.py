"""Who is told of cases."""

from services.acting import Acting
from services.webhooks import registry
from tests.support.use_cases import Samples


def hook(acting: Acting) -> str:
    return registry.add(acting, "https://receiver.example/", registry.TELLABLE).id


SAMPLES: Samples = {
    registry.add: hook,
    registry.set_paused: lambda acting: registry.set_paused(acting, hook(acting), True),
    registry.remove: lambda acting: registry.remove(acting, hook(acting)),
    registry.again: lambda acting: registry.again(acting, registry.test(acting, hook(acting)).id),
}
