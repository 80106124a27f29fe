"""The process that tells Prometheus of the whole, queues, indexes, schedule: `python -m wenhen.processes.exporter`."""

import signal
import threading

from wenhen.settings import load
from wenhen.telemetry.logs import set_up_logs
from wenhen.telemetry.metrics_address import serve
from wenhen.telemetry.server_metrics import StateCollector
from wenhen.wiring import worker_app


def main() -> None:
    """Until SIGTERM or SIGINT."""
    over = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: over.set())
    settings = load()
    set_up_logs(settings.log)
    serve(settings.metrics, [StateCollector(worker_app)])
    while not over.wait(1.0):  # an endless wait would not let a handler run
        pass


if __name__ == "__main__":
    main()
