"""What the blueprints of the API share."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from flask import Flask, Request, abort
from flask_smorest import Blueprint
from marshmallow import RAISE, Schema
from webargs.flaskparser import FlaskParser

from dashboard.frame.permissions import needs
from dashboard.frame.rate_limits import limit_calls
from store.rules.role_rights import Right

V = TypeVar("V", bound=Callable[..., Any])


class _Strict(FlaskParser):
    """An argument that no view knows is refused: a filter with a slip in its name would let everything pass."""

    DEFAULT_UNKNOWN_BY_LOCATION = {**FlaskParser.DEFAULT_UNKNOWN_BY_LOCATION, "query": RAISE}  # noqa: RUF012  webargs declares it so

    def load_json(self, req: Request, schema: Schema) -> Any:
        """The JSON of a request; what nests too deep and numbers of thousands of digits are refused as no JSON is."""
        try:
            return super().load_json(req, schema)
        except (RecursionError, ValueError):
            abort(400, "the JSON nests too deep, or has a number of too many digits")


class _ApiBlueprint(Blueprint):
    ARGUMENTS_PARSER = _Strict()

    def register_views_in_doc(self, api: Any, app: Flask, spec: Any, *, name: str, parameters: Any) -> None:
        """Put the description off until somebody asks for it: it takes longer than the rest of a start."""
        api.to_describe.append(partial(super().register_views_in_doc, api, app, spec, name=name, parameters=parameters))


def blueprint(name: str, description: str) -> Blueprint:
    """A part of the API, below /api/v1."""
    made = _ApiBlueprint(name, __name__, url_prefix="/api/v1", description=description)
    made.name = f"api-{name}"
    limit_calls(made)
    return made


def scope(right: Right, *, part: str | None = None) -> Callable[[V], V]:
    """Declare what a view needs, for the table of rights and for the description. part: of which part of the API it is,
    where its file is not named as that: programs know an operation by both names.
    """

    def mark(view: V) -> V:
        name = f"{part or view.__module__.rpartition('.')[2]}_{view.__name__}"
        described: V = Blueprint.doc(security=[{"bearer": [str(right)]}], operationId=name)(needs(right)(view))
        return described

    return mark
