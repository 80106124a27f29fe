"""A worker with the product's own settings of Celery, and one task, which only takes its time."""

import time

from wenhen.celery_app import broker_from_environment, make_celery

celery = make_celery(broker_from_environment())


@celery.task(name="wait")  # type: ignore[untyped-decorator]  # Celery is untyped
def wait(seconds: float) -> None:
    """Do nothing for so long."""
    time.sleep(seconds)
