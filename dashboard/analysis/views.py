"""Show the analysis of cases by period, site, work and kind of change, and the map of hosts that copy works."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from flask import Blueprint, Response, render_template, request, url_for

from crawler.addresses import readable_host
from dashboard.analysis.figures import (
    cases_over_time,
    plain_columns,
    text_groups,
    texts_over_time,
    write_analysis_workbook,
)
from dashboard.frame.context import services, t
from dashboard.frame.requests import choice_argument, day_argument, file_response, ordered_days
from dashboard.frame.security import needs
from matcher.model import Level
from wenhen.analysis.model import ChartPeriod, Delay, Period, period_last_day
from wenhen.analysis.service import (
    CopyMap,
    Edge,
    Node,
    NodeKind,
    Question,
    analyse_cases,
    build_copy_map,
    make_question,
)
from wenhen.cases.filters import Counted, Filter, YesNo
from wenhen.cases.model import AmountKind
from wenhen.kit.clock import china_day
from wenhen.kit.rights import Right
from wenhen.reports.service import MEDIA_TYPES
from wenhen.sites.service import is_known_host
from wenhen.works.model import Work

analysis_blueprint = Blueprint("analysis", __name__, url_prefix="/analysis")

_MAX_WORK_CHARACTERS: Final = 1000
_MAX_HOLDER_CHARACTERS: Final = 200
_MAX_PERSON_CHARACTERS: Final = 200


@analysis_blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """Show all figures, each with a table of its numbers."""
    analysis = analyse_cases(services().product, requested_question())
    return render_template(
        "figures/analysis.html",
        analysis=analysis,
        question=analysis.question,
        work=named_work(analysis.question),
        host_known=not analysis.question.host or is_known_host(services().product, analysis.question.host),
        arguments=question_arguments(analysis.question),
        listed=partial(case_list_address, analysis.question),
        over_time=cases_over_time(analysis.periods, analysis.question.pace),
        delays=plain_columns([(delay_words(delay), delay.cases) for delay in analysis.delays], "copies"),
        shares={
            measure: plain_columns([(f"{round(bin.high * 100)}%", bin.cases) for bin in bins], "copies")
            for measure, bins in analysis.shares.items()
        },
        parts=plain_columns(
            [(f"{round((part + 1) * 100 / len(analysis.parts))}%", count) for part, count in enumerate(analysis.parts)],
            "copies",
        ),
        delay_words=delay_words,
        last_day=period_last_day,
        texts_over_time=texts_over_time(analysis.question, analysis.texts),
        text_groups=text_groups(analysis.texts),
        site_names={site.id: site.name for site in services().store.sites.all()},
        people=sorted(user.id for user in services().store.users.all()),
        paces=list(ChartPeriod),
        levels=list(Level),
        amount_kinds=list(AmountKind),
    )


@analysis_blueprint.get("/analysis.xlsx")
@needs(Right.EXPORT)
def download() -> Response:
    """Download the figures as a workbook."""
    analysis = analyse_cases(services().product, requested_question())
    return file_response(
        f"{t('analysis.file')}-{china_day(analysis.asked_at):%Y%m%d}.xlsx",
        write_analysis_workbook(analysis),
        MEDIA_TYPES["xlsx"],
    )


def requested_question() -> Question:
    """Parse the question in the current address. Raise BadInput for an invalid value."""
    first, last = ordered_days(day_argument("since"), day_argument("until"))
    return make_question(
        services().product,
        first=first,
        last=last,
        pace=choice_argument("pace", ChartPeriod),
        host=request.args.get("host"),
        work_id=request.args.get("work", "").strip()[:_MAX_WORK_CHARACTERS],
        holder=request.args.get("holder", "")[:_MAX_HOLDER_CHARACTERS],
        level=choice_argument("level", Level),
        confirmed=bool(request.args.get("confirmed")),
        person=request.args.get("person", "")[:_MAX_PERSON_CHARACTERS],
    )


def named_work(question: Question) -> Work | None:
    """Return the work that the question names, or None if it names none that exists."""
    works = services().store.works
    return works.many([question.work_id]).get(question.work_id) if question.work_id else None


def question_arguments(question: Question) -> dict[str, str]:
    """Return the question as address arguments."""
    values = {
        "since": question.first.isoformat(),
        "until": question.last.isoformat(),
        "pace": question.pace.value,
        "host": question.host,
        "work": question.work_id,
        "holder": question.holder,
        "level": question.level,
        "confirmed": "1" if question.confirmed else None,
        "person": question.person,
    }
    return {name: value for name, value in values.items() if value}


def case_list_address(question: Question, *, of: Period | None = None, copies: bool = False, **narrower: object) -> str:
    """Return the address of the case list behind a figure. `of` restricts it to one period."""
    wanted = Filter(
        since=max(of.start, question.first) if of else question.first,
        until=min(period_last_day(of, question.pace), question.last) if of else question.last,
        host=question.host,
        work=question.work_id,
        holder=question.holder,
        level=question.level,
        counted=Counted.CONFIRMED if question.confirmed else Counted.COPIES if copies else None,
        licensed=YesNo.NO if question.confirmed and copies else None,
    )
    return url_for("suspects.find", _external=False, **wanted.arguments(**narrower))


def delay_words(delay: Delay) -> str:
    """Return the label of a range of delays in the reader's language."""
    if delay.low is None:
        return t("analysis.before")
    if delay.high is None:
        return t("analysis.later", days=delay.low)
    last = delay.high - 1
    return t("analysis.day", day=last) if last == delay.low else t("analysis.days", first=delay.low, last=last)


copy_map_blueprint = Blueprint("copy_map", __name__, url_prefix="/analysis/map")


@copy_map_blueprint.get("/")
@needs(Right.READ)
def show_map() -> str:
    """Show the copy map and its list for the cases of the requested days."""
    question = requested_question()
    copy_map = build_copy_map(services().product, question)
    return render_template(
        "figures/copy_map.html",
        question=question,
        work=named_work(question),
        host_known=not question.host or is_known_host(services().product, question.host),
        arguments=question_arguments(question),
        carried=copy_map.carried,
        titles=copy_map.titles,
        full=copy_map.full,
        listed=case_list_address,
        drawn=_map_for_script(copy_map, question) if copy_map.nodes else None,
    )


def _map_for_script(copies: CopyMap, question: Question) -> dict[str, object]:
    """Return the copy map in the form that its script reads."""
    kinds = list(NodeKind)
    return {
        "kinds": [{"name": kind, "words": t(f"map.{kind}")} for kind in kinds],
        "nodes": [
            {
                "id": f"{node.kind}:{node.key}",
                "title": t("map.of_cluster", count=node.copies)
                if node.kind is NodeKind.CLUSTER
                else readable_host(node.title)
                if node.kind is NodeKind.HOST
                else node.title,
                "category": kinds.index(node.kind),
                "copies": node.copies,
                "told": t("map.copies", count=node.copies),
                "link": _node_address(question, node),
            }
            for node in copies.nodes
        ],
        "edges": [
            {
                "source": ":".join(edge.source),
                "target": ":".join(edge.target),
                "copies": edge.copies,
                "words": t("map.copies", count=edge.copies),
                "link": _edge_address(question, edge),
            }
            for edge in copies.edges
        ],
    }


def _node_address(question: Question, node: Node) -> str:
    return _cases_through_nodes(question, {node.kind: node.key})


def _edge_address(question: Question, edge: Edge) -> str:
    return _cases_through_nodes(question, dict((edge.source, edge.target)))


def _cases_through_nodes(question: Question, nodes: Mapping[NodeKind, str]) -> str:
    """Return the address of the cases of these nodes. The filter has one condition for each kind of node."""
    narrower: dict[str, Any] = {kind.value: key for kind, key in nodes.items()}
    return case_list_address(question, copies=True, **narrower)
