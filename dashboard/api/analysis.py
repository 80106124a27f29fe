"""What the cases say by period, site, work and kind of change."""

from typing import Any

from marshmallow import Schema, fields

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.schemas import choice, day, shown, words
from dashboard.frame.context import services
from services.analysis import Analysis, Question, analyse, asking
from services.library.copy_map import CopyMap, copy_map
from store.records import Bin, Carried, ChartPeriod, Level, TextFigures
from store.rules.role_rights import Right

blp = blueprint("analysis", "What the cases say by period, site, work and kind of change")


class AnalysisQuery(Schema):
    """Which cases; the names are those of the address of the screen."""

    since = day(metadata={"description": "opened on this day or later, Asia/Shanghai; by default the last 90 days"})
    until = day(metadata={"description": "opened on this day or before; by default today"})
    pace = choice(ChartPeriod, metadata={"description": "of the periods; a longer one where there would be too many"})
    host = words(300)
    work = words(1000, metadata={"description": "id of a work"})
    level = choice(Level)
    confirmed = fields.Boolean(
        load_default=False,
        truthy={"1", "true"},
        falsy={"0", "false"},
        metadata={"description": "only those that a person has confirmed"},
    )


Answer = shown(
    Analysis,
    leave_out=("asked_at",),  # what has not changed keeps its ETag
    also={
        "copies": fields.Integer(required=True, metadata={"description": "cases that count as copies"}),
        "levels": fields.Dict(keys=fields.String(), values=fields.Integer(), required=True),
        "texts": fields.Nested(
            shown(TextFigures),
            required=True,
            metadata={"description": "of all pages of these days, by the least length of a group, by name of the rest"},
        ),
        "shares": fields.Dict(keys=fields.String(), values=fields.List(fields.Nested(shown(Bin))), required=True),
    },
)


class MapOut(Schema):
    """Which hosts carry which works. full: there are more."""

    carried = fields.List(fields.Nested(shown(Carried)), required=True)
    titles = fields.Dict(keys=fields.String(), values=fields.String(), required=True)
    full = fields.Boolean(required=True)


@blp.get("/analysis")
@blp.arguments(AnalysisQuery, location="query")
@blp.response(200, Answer)
@scope(Right.READ, part="analysis")
def get(query: dict[str, Any]) -> Analysis:
    """All figures of the screen; `question` says what was not asked for and so filled in."""
    return analyse(services().product, _question(query))


@blp.get("/analysis/map")
@blp.arguments(AnalysisQuery, location="query")
@blp.response(200, MapOut)
@scope(Right.READ, part="analysis")
def map_of(query: dict[str, Any]) -> CopyMap:
    """Which hosts carry which works, those with the most copies first: what the map of copies is drawn from."""
    return copy_map(services().product, _question(query))


def _question(query: dict[str, Any]) -> Question:
    return asking(
        services().product,
        first=query.get("since"),
        last=query.get("until"),
        pace=query.get("pace"),
        host=query.get("host"),
        work_id=query.get("work"),
        level=query.get("level"),
        confirmed=query["confirmed"],
    )
