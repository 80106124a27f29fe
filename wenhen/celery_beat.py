"""The clock, as a Celery application: it sends the two periodic tasks, and knows neither what they do."""

import os
from typing import Any

from services.upkeep.clock_alarm import SWEEP, TICK, TICK_SECONDS
from wenhen.celery_app import broker_from_environment, make_celery
from wenhen.queue_names import BEAT_VARIABLE, UPKEEP
from wenhen.settings import Settings, load
from wenhen.telemetry import celery_hooks


def beat_schedule(settings: Settings) -> dict[str, dict[str, Any]]:
    """The two periodic tasks; a message that waited for longer than its period is dropped."""
    every = {SWEEP: settings.worker.sweep_seconds, TICK: TICK_SECONDS}
    sent = os.environ.get(BEAT_VARIABLE, f"{SWEEP},{TICK}").split(",")
    return {
        name: {
            "task": name,
            "schedule": float(seconds),
            "options": {"queue": UPKEEP, "expires": seconds},
        }
        for name, seconds in every.items()
        if name in sent
    }


settings = load()
celery = make_celery(broker_from_environment())
celery.conf.beat_schedule = beat_schedule(settings)
celery_hooks.install(settings)
