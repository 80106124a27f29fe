"""Libraries that run in the browser, served by ourselves out of the Python wheels that carry them, and so pinned by the
lock: nothing is fetched from elsewhere, and none of it lies in our source.
"""

from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final, NamedTuple

from flask import Blueprint, Flask, abort, send_file, url_for
from werkzeug.wrappers import Response

from dashboard.frame.permissions import open_to_all


class Asset(NamedTuple):
    """A file of a wheel."""

    wheel: str
    path: str
    type: str


_JS, _CSS = "text/javascript", "text/css"
_SWAGGER: Final = "flask_swagger_ui/dist/"
ASSETS: Final = {
    "swagger-ui.js": Asset("flask-swagger-ui", f"{_SWAGGER}swagger-ui-bundle.js", _JS),
    "swagger-ui.css": Asset("flask-swagger-ui", f"{_SWAGGER}swagger-ui.css", _CSS),
    "echarts.js": Asset("instaui-echarts", "instaui_echarts/static/echarts.esm.min.js", _JS),
}
ENDPOINT: Final = "assets.file"
_YEAR: Final = 365 * 24 * 3600  # seconds; the address carries the version

blueprint = Blueprint("assets", __name__, url_prefix="/assets")


@blueprint.get("/<string:name>")
@open_to_all
def file(name: str) -> Response:
    """One of `ASSETS`."""
    found = _place(name) if name in ASSETS else None
    if found is None:
        abort(404)
    return send_file(found[0], ASSETS[name].type, max_age=_YEAR)


def asset_url(name: str) -> str | None:
    """The address of one of `ASSETS`, with its version; None where its wheel is not installed."""
    found = _place(name)
    return found and url_for(ENDPOINT, name=name, v=found[1])


@cache
def _place(name: str) -> tuple[Path, str] | None:
    try:
        wheel = distribution(ASSETS[name].wheel)
    except PackageNotFoundError:
        return None
    return Path(str(wheel.locate_file(ASSETS[name].path))), wheel.version


def install(app: Flask) -> None:
    """Offer the addresses to templates."""
    app.add_template_global(asset_url)
