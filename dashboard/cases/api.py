"""Serve the API of cases: search, decisions, assignments, questions and comments."""

from collections.abc import Iterator, Sequence
from typing import Final

from marshmallow import Schema, fields, post_load, validate

from crawler.extraction.model import PartKind
from dashboard.frame.api import (
    OPTIONAL,
    ApiBlueprint,
    JsonObject,
    ListQuery,
    choice_field,
    day_field,
    list_conditions,
    list_schema,
    moment_field,
    page_by_number,
    page_by_rows,
    record_fields,
    record_schema,
    text_field,
)
from dashboard.frame.context import current_actor, numbered_case, services
from dashboard.frame.display import speaks_against
from matcher.model import Level, Match
from wenhen.alerts.mentions import CommentOutcome, UntoldMention, comment_on_case, correct_own_comment
from wenhen.cases.comments_and_amounts import (
    DEFAULT_CURRENCY,
    MAX_AMOUNT_NOTE_CHARACTERS,
    MAX_COMMENT_CHARACTERS,
    add_amount,
    remove_amount,
    withdraw_comment,
)
from wenhen.cases.decisions import (
    MAX_ASSIGNEE_CHARACTERS,
    MAX_CASES_PER_ACTION,
    MAX_COURT_CHARACTERS,
    MAX_NOTE_CHARACTERS,
    Assigned,
    Decided,
    ask_second_opinion,
    assign_cases,
    decide_cases,
    undo_decision,
)
from wenhen.cases.filters import Band, Counted, Filter, YesNo
from wenhen.cases.model import Amount, AmountKind, Case, CaseOrder, CaseStatus, Comment, Lawsuit
from wenhen.cases.passages import SentencePair, find_passage_places, find_sentence_pairs
from wenhen.cases.service import Absence, explain_absences, record_case_view
from wenhen.dossiers.service import SiteRecord, load_site_record
from wenhen.kit.rights import Right
from wenhen.notices.content import OutdatedFigures, find_outdated_figures
from wenhen.notices.sending import find_case_notices
from wenhen.pages.service import PassagePost, posts_of_case
from wenhen.reports.wording import place_words, reason_text_in

cases_blp = ApiBlueprint("cases", "The suspected piracy")

_SHARE_RANGE = validate.Range(0, 1)


_ABSENT: Final = {
    "absent": fields.Nested(
        record_schema(Absence, computed=("said",)),
        required=True,
        allow_none=True,
        metadata={"description": "why it is not `present`, and since when if a record says that"},
    )
}
CaseBrief = record_schema(
    Case,
    leave_out=("history", "extent", "found"),
    also={
        "match": fields.Nested(
            record_schema(Match, leave_out=("passages", "common", "page_fingerprints", "work_fingerprints")),
            required=True,
        ),
        **_ABSENT,
    },
)


class PlaceTold(Schema):
    """The place where a passage of the page begins in its file, or in which of its pictures."""

    passage = fields.Integer(required=True, metadata={"description": "of `match.passages`, from 1"})
    pictures = fields.List(
        fields.Integer(), required=True, metadata={"description": "the pictures or scanned pages that it stands in"}
    )
    second = fields.Integer(
        required=True, allow_none=True, metadata={"description": "of the recording, where the file is its transcript"}
    )
    zh = fields.String(required=True)
    en = fields.String(required=True)


PostTold = record_schema(
    PassagePost,
    also={"passage": fields.Integer(required=True, metadata={"description": "of `match.passages`, from 1"})},
)


class ReasonTold(Schema):
    """One reason of the match in words."""

    reason = fields.String(required=True, metadata={"description": "as in `match.reasons`"})
    against = fields.Boolean(required=True, metadata={"description": "it speaks against a suspicion"})
    zh = fields.String(required=True)
    en = fields.String(required=True)


CaseWhole = record_schema(
    Case,
    also={
        **_ABSENT,
        "reasons_told": fields.List(fields.Nested(ReasonTold), required=True),
        "sentences": fields.List(
            fields.Nested(record_schema(SentencePair)),
            required=True,
            metadata={"description": "of a suspicion, those of `match.retold` in the words of both texts"},
        ),
        "places": fields.List(fields.Nested(PlaceTold), required=True),
        "posts": fields.List(
            fields.Nested(PostTold),
            required=True,
            metadata={"description": "of a thread: the posts that each passage stands in"},
        ),
        "outdated_figures": fields.List(
            fields.Nested(record_schema(OutdatedFigures)),
            required=True,
            metadata={"description": "sent notices that rest on other figures than those of now, with both"},
        ),
    },
)


class CaseFilter(Schema):
    """The conditions of the cases to list. Names are the same as in the screen's address."""

    status = choice_field(CaseStatus)
    q = text_field(200, metadata={"description": "words of the titles or the address"})
    host = text_field(300)
    site = text_field(300, metadata={"description": "id of a watched site"})
    work = text_field(1000, metadata={"description": "id of a work"})
    holder = text_field(200, metadata={"description": "name of the rights holder of the work"})
    on = text_field(100, metadata={"description": "id of a page"})
    cluster = text_field(100)
    counted = choice_field(
        Counted,
        metadata={"description": "what the figures count: copies are neither dismissed nor licensed"},
    )
    level = choice_field(Level)
    band = choice_field(Band)
    licensed = choice_field(YesNo)
    licence = text_field(100, metadata={"description": "id of a licence"})
    credited = choice_field(YesNo)
    present = choice_field(YesNo)
    removal = choice_field(YesNo)
    returned = choice_field(YesNo, metadata={"description": "`yes`: back after its removal"})
    asked = text_field(100, metadata={"description": "whose second opinion is asked for: a name, or `me`"})
    assignee = text_field(100, metadata={"description": "a name, `me` or `none`"})
    score_from = fields.Float(validate=_SHARE_RANGE)
    score_to = fields.Float(validate=_SHARE_RANGE)
    share_from = fields.Float(validate=_SHARE_RANGE)
    share_to = fields.Float(validate=_SHARE_RANGE)
    since = day_field(metadata={"description": "opened on this day or later, Asia/Shanghai"})
    until = day_field(metadata={"description": "opened on this day or before"})


class CasesQuery(CaseFilter, ListQuery):
    """The conditions, the order and the page of a case list."""

    order = choice_field(CaseOrder, load_default=CaseOrder.NEWEST)


class Numbers(Schema):
    """The numbers of cases."""

    numbers = fields.List(
        fields.Integer(strict=True, validate=validate.Range(1, 2**53)),
        required=True,
        validate=validate.Length(1, MAX_CASES_PER_ACTION),
    )


class LawsuitIn(Schema):
    """The court of a lawsuit, its case number, and the day of filing."""

    court = text_field(MAX_COURT_CHARACTERS, least=1, required=True)
    number = text_field(MAX_COURT_CHARACTERS, least=1, required=True, metadata={"description": "the court's (案号)"})
    filed_at = moment_field(required=True)

    @post_load
    def make_lawsuit(self, body: JsonObject, **_: object) -> Lawsuit:
        """Return the record of the lawsuit."""
        return Lawsuit(**body)


class DecisionIn(Numbers):
    """The new status. A dismissal and a refusal require a note. A notice may name its days."""

    status = choice_field(CaseStatus, required=True)
    note = text_field(MAX_NOTE_CHARACTERS, **OPTIONAL)
    notice_at = moment_field(**OPTIONAL)
    deadline = moment_field(**OPTIONAL)
    until = moment_field(**OPTIONAL, metadata={"description": "when a quiet case is a lead again"})
    lawsuit = fields.Nested(LawsuitIn, **OPTIONAL, metadata={"description": "what court needs"})
    in_passing = fields.Boolean(
        load_default=False, metadata={"description": "leave out cases that the status would take back on their path"}
    )


class Undone(Schema):
    """The cases that have their previous status again."""

    numbers = fields.List(fields.Integer(), required=True)


class Assignment(Numbers):
    """The user to assign. Null removes the assignment."""

    assignee = text_field(MAX_ASSIGNEE_CHARACTERS, required=True, allow_none=True)


class SecondOpinionIn(Numbers):
    """The user to ask, and the question."""

    name = text_field(MAX_ASSIGNEE_CHARACTERS, least=1, required=True)
    text = text_field(MAX_COMMENT_CHARACTERS, **OPTIONAL)


class CommentIn(Schema):
    """A comment."""

    text = text_field(MAX_COMMENT_CHARACTERS, least=1, required=True)


WrittenComment = record_schema(
    Comment,
    also={
        "untold": fields.List(
            fields.Nested(record_schema(UntoldMention, computed=("said",))),
            required=True,
            metadata={"description": "names behind an `@` by which nobody was told, and the names that are near"},
        )
    },
    name="WrittenComment",
)
AmountOut = record_schema(
    Amount,
    leave_out=("cents",),
    also={"amount": fields.Float(required=True, metadata={"description": "of `currency`"})},
)


class AmountIn(Schema):
    """An amount of money of a case."""

    kind = choice_field(AmountKind, required=True)
    amount = text_field(40, least=1, required=True, metadata={"description": "above 0, with at most two decimals"})
    currency = text_field(3, least=3, load_default=DEFAULT_CURRENCY, metadata={"description": "ISO 4217 code"})
    day = day_field(**OPTIONAL, metadata={"description": "by default today, Asia/Shanghai"})
    note = text_field(MAX_AMOUNT_NOTE_CHARACTERS, **OPTIONAL)


@cases_blp.get("/cases")
@cases_blp.arguments(CasesQuery, location="query")
@cases_blp.response(200, list_schema(CaseBrief))
@cases_blp.scope(Right.READ)
def find(query: JsonObject) -> JsonObject:
    """The cases that fit, with cursors that new cases do not upset in the orders newest and oldest."""
    order: CaseOrder = query["order"]
    where = Filter(**list_conditions(query))
    conditions, cases = where.conditions(current_actor()), services().store.cases
    if order not in (CaseOrder.NEWEST, CaseOrder.OLDEST):
        return page_by_rows(
            query,
            lambda skip, limit: _told_cases(cases.find(order=order, skip=skip, limit=limit, **conditions)),
            order,
        )

    def beyond(number: int | None, limit: int) -> list[JsonObject]:
        conditions["below" if order is CaseOrder.NEWEST else "above"] = number
        return _told_cases(cases.find(order=order, limit=limit, **conditions))

    return page_by_number(query, beyond, lambda told: told["number"])


def _told_cases(cases: Sequence[Case]) -> list[JsonObject]:
    """Return the values of cases, and of absent ones why and since when."""
    absences = explain_absences(services().product, cases)
    return [{**record_fields(case), "absent": absences.get(case.number)} for case in cases]


@cases_blp.get("/cases/<int:number>")
@cases_blp.response(200, CaseWhole)
@cases_blp.scope(Right.READ)
def get(number: int) -> JsonObject:
    """One case with its passages, its reasons in words and its history."""
    case = numbered_case(number)
    notices = find_case_notices(services().product, number)
    record_case_view(current_actor(), number)
    [told] = _told_cases([case])
    return {
        **told,
        "reasons_told": [_reason_in_words(reason) for reason in case.match.reasons],
        "sentences": find_sentence_pairs(services().product, case),
        "places": list(_passage_places(case)),
        "posts": list(_passage_posts(case)),
        "outdated_figures": find_outdated_figures(case, notices),
    }


@cases_blp.get("/cases/<int:number>/site")
@cases_blp.response(200, record_schema(SiteRecord, computed=("repeats",)))
@cases_blp.scope(Right.READ)
def site(number: int) -> SiteRecord:
    """What else the site of the case, with its mirrors, has taken, and whether it is a repeat offender."""
    return load_site_record(services().product, numbered_case(number))


def _passage_places(case: Case) -> Iterator[JsonObject]:
    places, pictured = find_passage_places(services().product, case)
    for number, passage in enumerate(case.match.passages, 1):
        if passage in places:
            place = places[passage]
            second = place.number if place.kind is PartKind.TIME else None
            yield {
                "passage": number,
                "pictures": pictured.get(passage, ()),
                "second": second,
                **place_words(place),
            }


def _passage_posts(case: Case) -> Iterator[JsonObject]:
    posts = posts_of_case(services().product, case)
    for number, passage in enumerate(case.match.passages, 1):
        yield from ({"passage": number, **record_fields(post)} for post in posts.get(passage, ()))


def _reason_in_words(reason: str) -> JsonObject:
    words = {chosen: reason_text_in(chosen, reason) for chosen in ("zh", "en")}
    return {"reason": reason, "against": speaks_against(reason), **words}


@cases_blp.post("/cases/moves")
@cases_blp.arguments(DecisionIn)
@cases_blp.response(200, record_schema(Decided))
@cases_blp.scope(Right.DECIDE)
def decide(body: JsonObject) -> Decided:
    """Decide on cases, those whose path leads to the status; beyond the confirmation `proceed` is needed."""
    return decide_cases(current_actor(), **body)


@cases_blp.post("/cases/moves/<string:batch>/undo")
@cases_blp.response(200, Undone)
@cases_blp.scope(Right.DECIDE)
def undo(batch: str) -> dict[str, tuple[int, ...]]:
    """Take a decision back, but for cases that somebody has decided since."""
    return {"numbers": undo_decision(current_actor(), batch)}


@cases_blp.post("/cases/assignments")
@cases_blp.arguments(Assignment)
@cases_blp.response(200, record_schema(Assigned, leave_out=("assignee",)))
@cases_blp.scope(Right.ASSIGN)
def assign(body: JsonObject) -> Assigned:
    """Give cases to somebody."""
    return assign_cases(current_actor(), body["numbers"], body["assignee"])


@cases_blp.post("/cases/questions")
@cases_blp.arguments(SecondOpinionIn)
@cases_blp.response(204)
@cases_blp.scope(Right.DECIDE)
def ask(body: JsonObject) -> None:
    """Ask somebody for a second opinion."""
    ask_second_opinion(current_actor(), body["numbers"], body["name"], body["text"])


@cases_blp.get("/cases/<int:number>/comments")
@cases_blp.response(200, record_schema(Comment)(many=True))
@cases_blp.scope(Right.READ)
def comments(number: int) -> list[Comment]:
    """The newest 200 remarks, in the order in which they were written."""
    numbered_case(number)
    return services().store.comments.of_case(number)


@cases_blp.post("/cases/<int:number>/comments")
@cases_blp.arguments(CommentIn)
@cases_blp.response(201, WrittenComment)
@cases_blp.scope(Right.COMMENT)
def comment(body: dict[str, str], number: int) -> JsonObject:
    """Say something about a case. An `@name` tells that person of it."""
    return _told_comment(comment_on_case(current_actor(), number, body["text"]))


@cases_blp.put("/cases/<int:number>/comments/<string:id>")
@cases_blp.arguments(CommentIn)
@cases_blp.response(200, WrittenComment)
@cases_blp.scope(Right.COMMENT)
def correct(body: dict[str, str], number: int, id: str) -> JsonObject:
    """Correct a remark of your own, for a day after it was written."""
    return _told_comment(correct_own_comment(current_actor(), number, id, body["text"]))


def _told_comment(done: CommentOutcome) -> JsonObject:
    return {**record_fields(done.comment), "untold": done.untold}


@cases_blp.delete("/cases/<int:number>/comments/<string:id>")
@cases_blp.response(200, record_schema(Comment))
@cases_blp.scope(Right.COMMENT)
def withdraw(number: int, id: str) -> Comment:
    """Withdraw a remark of your own, for a day after it was written. That it was there stays to be seen."""
    return withdraw_comment(current_actor(), number, id)


@cases_blp.get("/cases/<int:number>/amounts")
@cases_blp.response(200, AmountOut(many=True))
@cases_blp.scope(Right.READ)
def amounts(number: int) -> list[Amount]:
    """What was claimed, offered, agreed and paid, and what the case cost, the earliest first."""
    numbered_case(number)
    return services().store.amounts.of_case(number)


@cases_blp.post("/cases/<int:number>/amounts")
@cases_blp.arguments(AmountIn)
@cases_blp.response(201, AmountOut)
@cases_blp.scope(Right.PROCEED)
def record_money(body: JsonObject, number: int) -> Amount:
    """Record an amount of money of a case."""
    return add_amount(current_actor(), number, **body)


@cases_blp.delete("/cases/<int:number>/amounts/<string:id>")
@cases_blp.response(204)
@cases_blp.scope(Right.PROCEED)
def remove_money(number: int, id: str) -> None:
    """Remove an amount that was recorded by mistake."""
    remove_amount(current_actor(), number, id)
