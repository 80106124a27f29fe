"""How long requests take, by the view and never by the address, which may name a work."""

import time

from flask import Flask, Response, g, request

from store.metrics import REQUEST_SECONDS


def install(app: Flask) -> None:
    """Measure every request."""

    def begin() -> None:
        g.began = time.perf_counter()

    def end(response: Response) -> Response:
        if "began" in g:
            took = time.perf_counter() - g.began
            REQUEST_SECONDS.labels(request.endpoint or "none", request.method, response.status_code).observe(took)
        return response

    app.before_request(begin)
    app.after_request(end)
