"""The dashboard served on loopback, for a browser."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime

from flask import Flask
from werkzeug.serving import make_server

from dashboard.app import create_app
from tests.support.seed import NOW, healthy
from tests.support.templates import with_compiled_templates
from wenhen.runtime.wiring import App


@contextmanager
def served_dashboard(app: Flask) -> Iterator[str]:
    """Serve the dashboard on loopback for the block; its address."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()


@contextmanager
def dashboard_over(
    product: App, *, sign_in: bool = False, clock: Callable[[], datetime] = lambda: NOW
) -> Iterator[str]:
    """Serve the dashboard over a product without workers for the block; its address."""
    app = create_app(
        replace(product, now=clock),
        secret_key="only for tests",
        sign_in=sign_in,
        health=healthy,
    )
    with served_dashboard(with_compiled_templates(app)) as address:
        yield address
