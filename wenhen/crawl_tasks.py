"""The Celery application of a worker that does nothing but crawl: without what the steps of works and pages import,
which is half of a worker's start.
"""

from celery import Celery

from wenhen.celery_app import broker_from_environment, make_celery
from wenhen.crawl_in_own_process import run_crawl
from wenhen.settings import load
from wenhen.telemetry import celery_hooks
from wenhen.wiring import worker_app


def build(broker: str) -> Celery:
    """With the one task, as `wenhen.tasks` has it among the others."""
    celery = make_celery(broker)

    @celery.task(name="crawl")
    def crawl(run_id: str) -> None:
        run_crawl(worker_app(), run_id)

    return celery


celery = build(broker_from_environment())
celery_hooks.install(load())
