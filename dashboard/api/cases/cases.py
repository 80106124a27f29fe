"""The suspected piracy: the same filters, decisions and comments as on the screen."""

import dataclasses
from collections.abc import Iterator
from typing import Any

from marshmallow import Schema, fields, post_load, validate

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.cursors import by_number, by_rows
from dashboard.api.schemas import ListQuery, choice, day, list_of, moment, shown, words
from dashboard.frame.context import acting, services
from dashboard.frame.place_words import place_words
from dashboard.frame.reason_words import reason_text_in, speaks_against
from services.cases import assignments, decisions, second_opinion, undoing
from services.cases.assignments import ASSIGNEE_LENGTH, Assigned
from services.cases.case_filter import Band, Counted, Filter, YesNo
from services.cases.comments import COMMENT_LENGTH
from services.cases.comments import comment as add_comment
from services.cases.decisions import COURT_LENGTH, MOST, NOTE_LENGTH, Decided
from services.cases.passage_places import places_of
from services.cases.site_record import SiteRecord, site_record
from services.cases.suspicion_sentences import SentencePair, sentence_pairs
from services.cases.who_looked import view
from services.texts.posts import PassagePost, posts_of_case
from store.records import Case, CaseOrder, CaseStatus, Comment, Lawsuit, Level, Match
from store.rules.role_rights import Right

blp = blueprint("cases", "The suspected piracy")

_SHARE = validate.Range(0, 1)


CaseBrief = shown(
    Case,
    leave_out=("history", "extent", "found"),
    also={
        "match": fields.Nested(
            shown(Match, leave_out=("passages", "common", "page_fingerprints", "work_fingerprints")), required=True
        )
    },
)


class PlaceTold(Schema):
    """Where in its file, or in which of its pictures, a passage of the page begins."""

    passage = fields.Integer(required=True, metadata={"description": "of `match.passages`, from 1"})
    pictures = fields.List(
        fields.Integer(), required=True, metadata={"description": "the pictures or scanned pages that it stands in"}
    )
    zh = fields.String(required=True)
    en = fields.String(required=True)


PostTold = shown(
    PassagePost,
    also={"passage": fields.Integer(required=True, metadata={"description": "of `match.passages`, from 1"})},
)


class ReasonTold(Schema):
    """One of the match's reasons in words."""

    reason = fields.String(required=True, metadata={"description": "as in `match.reasons`"})
    against = fields.Boolean(required=True, metadata={"description": "it speaks against a suspicion"})
    zh = fields.String(required=True)
    en = fields.String(required=True)


CaseWhole = shown(
    Case,
    also={
        "reasons_told": fields.List(fields.Nested(ReasonTold), required=True),
        "sentences": fields.List(
            fields.Nested(shown(SentencePair)),
            required=True,
            metadata={"description": "of a suspicion, those of `match.retold` in the words of both texts"},
        ),
        "places": fields.List(fields.Nested(PlaceTold), required=True),
        "posts": fields.List(
            fields.Nested(PostTold),
            required=True,
            metadata={"description": "of a thread: the posts that each passage stands in"},
        ),
    },
)


class CaseFilter(Schema):
    """Which cases; the names are those of the address of the screen."""

    status = choice(CaseStatus)
    q = words(200, metadata={"description": "words of the titles or the address"})
    host = words(300)
    site = words(300, metadata={"description": "id of a watched site"})
    work = words(1000, metadata={"description": "id of a work"})
    on = words(100, metadata={"description": "id of a page"})
    cluster = words(100)
    counted = choice(
        Counted,
        metadata={"description": "what the figures count: copies are neither dismissed nor licensed"},
    )
    level = choice(Level)
    band = choice(Band)
    licensed = choice(YesNo)
    licence = words(100, metadata={"description": "id of a licence"})
    credited = choice(YesNo)
    present = choice(YesNo)
    removal = choice(YesNo)
    returned = choice(YesNo, metadata={"description": "`yes`: back after its removal"})
    asked = words(100, metadata={"description": "whose second opinion is asked for: a name, or `me`"})
    assignee = words(100, metadata={"description": "a name, `me` or `none`"})
    score_from = fields.Float(validate=_SHARE)
    score_to = fields.Float(validate=_SHARE)
    share_from = fields.Float(validate=_SHARE)
    share_to = fields.Float(validate=_SHARE)
    since = day(metadata={"description": "opened on this day or later, Asia/Shanghai"})
    until = day(metadata={"description": "opened on this day or before"})


class CasesQuery(CaseFilter, ListQuery):
    """Which page of which cases."""

    order = choice(CaseOrder, load_default=CaseOrder.NEWEST)


class Numbers(Schema):
    """Which cases, by number."""

    numbers = fields.List(
        fields.Integer(strict=True, validate=validate.Range(1, 2**53)),
        required=True,
        validate=validate.Length(1, MOST),
    )


class LawsuitIn(Schema):
    """Where a case is before a court, and since when."""

    court = words(COURT_LENGTH, least=1, required=True)
    number = words(COURT_LENGTH, least=1, required=True, metadata={"description": "the court's (案号)"})
    filed_at = moment(required=True)

    @post_load
    def made(self, given: dict[str, Any], **_: object) -> Lawsuit:
        """The record."""
        return Lawsuit(**given)


class DecisionIn(Numbers):
    """To which status; a dismissal and a refusal need a note, a notice may name its days."""

    status = choice(CaseStatus, required=True)
    note = words(NOTE_LENGTH, load_default=None, allow_none=True)
    notice_at = moment(load_default=None, allow_none=True)
    deadline = moment(load_default=None, allow_none=True)
    until = moment(load_default=None, allow_none=True, metadata={"description": "when a quiet case is a lead again"})
    lawsuit = fields.Nested(LawsuitIn, load_default=None, allow_none=True, metadata={"description": "what court needs"})
    in_passing = fields.Boolean(
        load_default=False, metadata={"description": "leave out cases that the status would take back on their path"}
    )


class Undone(Schema):
    """The cases that are back where they stood."""

    numbers = fields.List(fields.Integer(), required=True)


class Assignment(Numbers):
    """To whom; null is nobody."""

    assignee = words(ASSIGNEE_LENGTH, required=True, allow_none=True)


class SecondOpinionIn(Numbers):
    """Whom to ask, and what."""

    name = words(ASSIGNEE_LENGTH, least=1, required=True)
    text = words(COMMENT_LENGTH, load_default=None, allow_none=True)


class CommentIn(Schema):
    """A remark."""

    text = words(COMMENT_LENGTH, least=1, required=True)


@blp.get("/cases")
@blp.arguments(CasesQuery, location="query")
@blp.response(200, list_of(CaseBrief))
@scope(Right.READ, part="cases")
def find(query: dict[str, Any]) -> Any:
    """The cases that fit, with cursors that new cases do not upset in the orders newest and oldest."""
    order: CaseOrder = query["order"]
    where = Filter(**{name: value for name, value in query.items() if name not in {"order", "cursor", "limit"}})
    conditions, cases = where.conditions(acting()), services().store.cases
    if order not in (CaseOrder.NEWEST, CaseOrder.OLDEST):
        return by_rows(query, lambda skip, limit: cases.find(order=order, skip=skip, limit=limit, **conditions), order)

    def beyond(number: int | None, limit: int) -> list[Case]:
        conditions["below" if order is CaseOrder.NEWEST else "above"] = number
        return cases.find(order=order, limit=limit, **conditions)

    return by_number(query, beyond, lambda case: case.number)


@blp.get("/cases/<int:number>")
@blp.response(200, CaseWhole)
@scope(Right.READ, part="cases")
def get(number: int) -> dict[str, Any]:
    """One case with its passages, its reasons in words and its history."""
    case = services().store.cases.get(str(number))
    view(acting(), number)
    return {
        **{one.name: getattr(case, one.name) for one in dataclasses.fields(case)},
        "reasons_told": [_told(reason) for reason in case.match.reasons],
        "sentences": sentence_pairs(services().product, case),
        "places": list(_places(case)),
        "posts": list(_posts(case)),
    }


@blp.get("/cases/<int:number>/site")
@blp.response(200, shown(SiteRecord, also={"repeats": fields.Boolean(required=True)}))
@scope(Right.READ, part="cases")
def site(number: int) -> SiteRecord:
    """What else the site of the case, with its mirrors, has taken, and whether it is a repeat offender."""
    product = services().product
    return site_record(product, product.store.cases.get(str(number)))


def _places(case: Case) -> Iterator[dict[str, Any]]:
    places, pictured = places_of(services().product, case)
    for number, passage in enumerate(case.match.passages, 1):
        if passage in places:
            yield {"passage": number, "pictures": pictured.get(passage, ()), **place_words(places[passage])}


def _posts(case: Case) -> Iterator[dict[str, Any]]:
    posts = posts_of_case(services().product, case)
    for number, passage in enumerate(case.match.passages, 1):
        yield from ({"passage": number, **dataclasses.asdict(post)} for post in posts.get(passage, ()))


def _told(reason: str) -> dict[str, Any]:
    words = {chosen: reason_text_in(chosen, reason) for chosen in ("zh", "en")}
    return {"reason": reason, "against": speaks_against(reason), **words}


@blp.post("/cases/moves")
@blp.arguments(DecisionIn)
@blp.response(200, shown(Decided))
@scope(Right.DECIDE, part="cases")
def decide(given: dict[str, Any]) -> Decided:
    """Decide on cases, those whose path leads to the status; beyond the confirmation `proceed` is needed."""
    return decisions.decide(acting(), **given)


@blp.post("/cases/moves/<string:batch>/undo")
@blp.response(200, Undone)
@scope(Right.DECIDE, part="cases")
def undo(batch: str) -> dict[str, tuple[int, ...]]:
    """Take a decision back, but for cases that somebody has decided since."""
    return {"numbers": undoing.undo(acting(), batch)}


@blp.post("/cases/assignments")
@blp.arguments(Assignment)
@blp.response(200, shown(Assigned, leave_out=("assignee",)))
@scope(Right.ASSIGN, part="cases")
def assign(given: dict[str, Any]) -> Assigned:
    """Give cases to somebody."""
    return assignments.assign(acting(), given["numbers"], given["assignee"])


@blp.post("/cases/questions")
@blp.arguments(SecondOpinionIn)
@blp.response(204)
@scope(Right.DECIDE, part="cases")
def ask(given: dict[str, Any]) -> None:
    """Ask somebody for a second opinion."""
    second_opinion.ask(acting(), given["numbers"], given["name"], given["text"])


@blp.get("/cases/<int:number>/comments")
@blp.response(200, shown(Comment)(many=True))
@scope(Right.READ, part="cases")
def comments(number: int) -> list[Comment]:
    """The newest 200 remarks, in the order in which they were written."""
    services().store.cases.get(str(number))
    return services().store.comments.of_case(number)


@blp.post("/cases/<int:number>/comments")
@blp.arguments(CommentIn)
@blp.response(201, shown(Comment))
@scope(Right.COMMENT, part="cases")
def comment(given: dict[str, str], number: int) -> Comment:
    """Say something about a case."""
    return add_comment(acting(), number, given["text"])
