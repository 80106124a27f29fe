"""Build the Celery application of the scheduler (beat). It sends two periodic tasks."""

import os
from typing import Any

from wenhen.runtime.celery_app import broker_from_environment, install_telemetry_hooks, make_celery
from wenhen.runtime.settings_sources import BEAT_TASKS_VARIABLE, Settings, load_settings
from wenhen.steps.duties import SWEEP_DUTY, TICK_DUTY, TICK_SECONDS
from wenhen.steps.fair_queue import UPKEEP_QUEUE


def beat_schedule(settings: Settings) -> dict[str, dict[str, Any]]:
    """Return the two periodic tasks. A message that waits longer than its period is dropped."""
    every = {SWEEP_DUTY: settings.worker.sweep_seconds, TICK_DUTY: TICK_SECONDS}
    sent = os.environ.get(BEAT_TASKS_VARIABLE, f"{SWEEP_DUTY},{TICK_DUTY}").split(",")
    return {
        name: {
            "task": name,
            "schedule": float(seconds),
            "options": {"queue": UPKEEP_QUEUE, "expires": seconds},
        }
        for name, seconds in every.items()
        if name in sent
    }


settings = load_settings()
celery = make_celery(broker_from_environment())
celery.conf.beat_schedule = beat_schedule(settings)
install_telemetry_hooks(settings)
