"""What is told of the processes: metrics of the whole, of each process, logs without secrets, traces of one record."""

import io
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr
from pathlib import Path

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client import REGISTRY, CollectorRegistry, generate_latest

from tests.support.way import capture, made_page, made_text, store_work, work_through
from wenhen.kit.errors import BadInput, Unavailable
from wenhen.kit.progress import Owner, OwnerKind, Step
from wenhen.kit.telemetry import _tracers, record_context
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.monitoring import set_up_logs, set_up_traces, trace_id
from wenhen.runtime.processes.metrics_exporter import StateCollector
from wenhen.runtime.wiring import App
from wenhen.settings.servers_and_logs import LogSettings, TracingSettings
from wenhen.steps.duties import TICK_DUTY, note_duty_done
from wenhen.steps.runner import run_step

URL = "http://site.test/a"


def told(app: App) -> dict[str, float]:
    """What Prometheus would read of the whole."""
    registry = CollectorRegistry()
    registry.register(StateCollector(lambda: app))
    lines = generate_latest(registry).decode().splitlines()
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))}


def test_the_whole_is_told_queues_records_clock_indexes(app: App) -> None:
    store_work(app, "river", made_text("river"))
    note_duty_done(app, TICK_DUTY)
    seen = told(app)
    assert seen['wenhen_up{part="MongoDB"}'] == 1
    assert seen['wenhen_up{part="workers"}'] == 0
    assert seen['wenhen_queue_messages{queue="text"}'] >= 1
    assert 0 < seen['wenhen_queue_oldest_seconds{queue="text"}'] < 600
    assert 0 < seen['wenhen_oldest_due_seconds{kind="work"}'] < 600
    assert seen['wenhen_records{kind="work",step="fingerprint"}'] == 1
    assert seen['wenhen_clock_seconds{duty="tick"}'] < 600
    assert seen['wenhen_clock_seconds{duty="sweep"}'] == float("inf"), "there was none"
    assert seen['wenhen_index_postings{index="work"}'] == 0
    assert seen["wenhen_database_free_bytes"] > 0


def test_where_the_store_is_gone_that_is_told() -> None:
    def gone() -> App:
        raise Unavailable("server.mongo_silent", address="x", error="y")

    registry = CollectorRegistry()
    registry.register(StateCollector(gone))
    assert 'wenhen_up{part="store"} 0.0' in generate_latest(registry).decode()


def value(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def test_steps_are_timed_and_their_failures_counted_by_reason(app: App) -> None:
    def refuse(*_: object) -> None:
        raise BadInput("importing.no_text")

    of_step = {"kind": "work", "step": "fingerprint"}
    before = value("wenhen_step_seconds_count", **of_step)
    failed = value("wenhen_step_failures_total", **of_step, reason="importing.no_text")
    store_work(app, "river", made_text("river"))
    run_step(app, OwnerKind.WORK, "river", Step.FINGERPRINT, refuse)
    assert value("wenhen_step_seconds_count", **of_step) == before + 1
    assert value("wenhen_step_failures_total", **of_step, reason="importing.no_text") == failed + 1


def test_captured_bytes_are_counted(app: App) -> None:
    before = value("wenhen_captured_bytes_total")
    capture(app, URL, b"<p>1234")
    assert value("wenhen_captured_bytes_total") == before + 7


TELLS = (
    "import prometheus_client as p; from wenhen.runtime.monitoring import metrics_registry; "
    "print(p.generate_latest(metrics_registry()).decode())"
)
COUNTS = "from wenhen.kit.telemetry import CRAWLED_ADDRESSES as crawled; crawled.labels('stored', 'new').inc()"


def test_crawls_one_after_the_other_count_in_the_place_of_their_worker(tmp_path: Path) -> None:
    """Else each would leave a file behind."""
    environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path), "WENHEN_FIGURES_OF": "crawl-7"}
    for _ in range(2):
        subprocess.run([sys.executable, "-c", COUNTS], env=environment, check=True)
    assert [file.name for file in tmp_path.glob("counter_*")] == ["counter_crawl-7.db"]
    environment.pop("WENHEN_FIGURES_OF")
    seen = subprocess.run([sys.executable, "-c", TELLS], env=environment, check=True, capture_output=True, text=True)
    assert 'wenhen_crawl_addresses_total{outcome="stored",reason="new"} 2.0' in seen.stdout


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    root, written = logging.getLogger(), io.StringIO()
    before = root.handlers[:], root.level
    with redirect_stderr(written):
        set_up_logs(LogSettings(format="json"))
        yield written
    root.handlers[:], root.level = before


def test_logs_are_objects_that_name_the_record_at_work_and_hold_no_secret(logged: io.StringIO) -> None:
    error = ValueError("redis://wenhen:geheim@redis:6379/0 of zhang@example.com; Cookie: sid=geheim")
    with record_context("page:abc"):
        logging.getLogger("pipeline").error("password=%s 电话 13800138000", "geheim", exc_info=error)
    line = logged.getvalue()
    read = json.loads(line)
    assert read["record"] == "page:abc"
    assert (read["level"], read["logger"]) == ("ERROR", "pipeline")
    assert "ValueError" in read["exc_info"]
    for secret in ("geheim", "zhang", "13800138000"):
        assert secret not in line


def test_a_page_is_one_trace_from_its_capture_to_its_case(app: App) -> None:
    spans = InMemorySpanExporter()
    set_up_traces(TracingSettings(), spans)
    try:
        store_work(app, "river", made_text("river"))
        id = capture(app, URL, made_page("转载", made_text("river")))
        work_through(app)
    finally:
        _tracers.clear()
    of_page = trace_id(str(Owner.of_page(id)))
    names = [one.name for one in spans.get_finished_spans() if one.context and one.context.trace_id == of_page]
    assert names == [
        *("page.capture", "page.extract", "page.fingerprint", "page.index", "page.look_up"),
        *("case.open", "page.align"),
    ]


def test_without_an_endpoint_nothing_is_traced() -> None:
    set_up_traces(TracingSettings())
    assert not _tracers


def test_requests_are_timed_by_view_and_never_by_address(servers: ServerAddresses) -> None:
    from flask import Flask

    from dashboard.frame.context import install_request_timing

    flask = Flask(__name__)
    install_request_timing(flask)
    flask.add_url_rule("/works/<id>", "work", lambda id: id)
    before = value("wenhen_request_seconds_count", endpoint="work", method="GET", status="200")
    flask.test_client().get("/works/secret")
    assert value("wenhen_request_seconds_count", endpoint="work", method="GET", status="200") == before + 1
    assert "secret" not in generate_latest(REGISTRY).decode()
