"""Build the Celery application of a worker that only crawls."""

from celery import Celery

from wenhen.pipeline.crawl_runner import run_crawl
from wenhen.runtime.celery_app import broker_from_environment, install_telemetry_hooks, make_celery
from wenhen.runtime.settings_sources import load_settings
from wenhen.runtime.wiring import worker_app


def build_crawl_celery(broker: str) -> Celery:
    """Make the application with the crawl task only, which `wenhen.pipeline.tasks` also has."""
    celery = make_celery(broker)

    @celery.task(name="crawl")
    def crawl(run_id: str) -> None:
        run_crawl(worker_app(), run_id)

    return celery


celery = build_crawl_celery(broker_from_environment())
install_telemetry_hooks(load_settings())
