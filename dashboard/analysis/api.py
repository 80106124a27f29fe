"""Serve the API of the analysis and the copy map."""

from marshmallow import Schema, fields

from dashboard.frame.api import ApiBlueprint, JsonObject, choice_field, day_field, record_schema, text_field
from dashboard.frame.context import services
from matcher.model import Level
from wenhen.analysis.model import Bin, Carried, ChartPeriod
from wenhen.analysis.service import Analysis, CopyMap, Question, analyse_cases, build_copy_map, make_question
from wenhen.kit.rights import Right
from wenhen.pages.model import TextFigures

analysis_blp = ApiBlueprint("analysis", "What the cases say by period, site, work and kind of change")


class AnalysisQuery(Schema):
    """The conditions of the cases to count. Names are the same as in the screen's address."""

    since = day_field(
        metadata={"description": "opened on this day or later, Asia/Shanghai; by default the last 90 days"}
    )
    until = day_field(metadata={"description": "opened on this day or before; by default today"})
    pace = choice_field(
        ChartPeriod, metadata={"description": "of the periods; a longer one where there would be too many"}
    )
    host = text_field(300)
    work = text_field(1000, metadata={"description": "id of a work"})
    holder = text_field(200, metadata={"description": "name of the rights holder of the works"})
    level = choice_field(Level)
    person = text_field(200, metadata={"description": "whose decisions `months` counts; by default everybody's"})
    confirmed = fields.Boolean(
        load_default=False,
        truthy={"1", "true"},
        falsy={"0", "false"},
        metadata={"description": "only those that a person has confirmed"},
    )


Answer = record_schema(
    Analysis,
    leave_out=("asked_at",),  # an unchanged analysis keeps its ETag
    also={
        "copies": fields.Integer(required=True, metadata={"description": "cases that count as copies"}),
        "levels": fields.Dict(keys=fields.String(), values=fields.Integer(), required=True),
        "texts": fields.Nested(
            record_schema(TextFigures),
            required=True,
            metadata={"description": "of all pages of these days, by the least length of a group, by name of the rest"},
        ),
        "shares": fields.Dict(
            keys=fields.String(), values=fields.List(fields.Nested(record_schema(Bin))), required=True
        ),
    },
)


class MapOut(Schema):
    """The hosts that copy works. `full` is true if there are more."""

    carried = fields.List(fields.Nested(record_schema(Carried)), required=True)
    titles = fields.Dict(keys=fields.String(), values=fields.String(), required=True)
    full = fields.Boolean(required=True)


@analysis_blp.get("/analysis")
@analysis_blp.arguments(AnalysisQuery, location="query")
@analysis_blp.response(200, Answer)
@analysis_blp.scope(Right.READ)
def get(query: JsonObject) -> Analysis:
    """All figures of the screen; `question` says what was not asked for and so filled in."""
    return analyse_cases(services().product, _question_from_query(query))


@analysis_blp.get("/analysis/map")
@analysis_blp.arguments(AnalysisQuery, location="query")
@analysis_blp.response(200, MapOut)
@analysis_blp.scope(Right.READ)
def map_of(query: JsonObject) -> CopyMap:
    """Which hosts carry which works, those with the most copies first: what the map of copies is drawn from."""
    return build_copy_map(services().product, _question_from_query(query))


def _question_from_query(query: JsonObject) -> Question:
    return make_question(
        services().product,
        first=query.get("since"),
        last=query.get("until"),
        pace=query.get("pace"),
        host=query.get("host"),
        work_id=query.get("work"),
        holder=query.get("holder"),
        level=query.get("level"),
        confirmed=query["confirmed"],
        person=query.get("person"),
    )
