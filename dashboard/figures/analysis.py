"""The analysis: what the cases say by period, site, work and kind of change."""

from functools import partial
from typing import Final

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.export.formats import TYPES
from dashboard.figures import charts, text_figures
from dashboard.figures.analysis_workbook import to_excel
from dashboard.frame.context import services
from dashboard.frame.downloads import as_file
from dashboard.frame.language import t
from dashboard.frame.permissions import needs
from dashboard.frame.strict_arguments import chosen, day
from services.analysis import Analysis, Question, analyse, asking
from services.cases.case_filter import Counted, Filter, YesNo
from store.records import CaseStatus, ChartPeriod, Delay, Level, Period
from store.rules.cases.chart_periods import last_day
from store.rules.china_time import day_of
from store.rules.role_rights import Right

blueprint = Blueprint("analysis", __name__, url_prefix="/analysis")

_STATUSES: Final = tuple(status.value for status in CaseStatus)


@blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """Every figure, each with its numbers as a table."""
    analysis = analyse(services().product, asked())
    return render_template(
        "figures/analysis.html",
        analysis=analysis,
        question=analysis.question,
        arguments=arguments(analysis.question),
        listed=partial(listed, analysis.question),
        over_time=_over_time(analysis),
        delays=charts.plain([(delay_words(one), one.cases) for one in analysis.delays], "copies"),
        shares={
            measure: charts.plain([(f"{round(one.high * 100)}%", one.cases) for one in bins], "copies")
            for measure, bins in analysis.shares.items()
        },
        parts=charts.plain(
            [(f"{round((at + 1) * 100 / len(analysis.parts))}%", count) for at, count in enumerate(analysis.parts)],
            "copies",
        ),
        delay_words=delay_words,
        last_day=last_day,
        texts_over_time=text_figures.over_time(analysis.question, analysis.texts),
        text_groups=text_figures.groups(analysis.texts),
        site_names={site.id: site.name for site in services().store.sites.all()},
        paces=list(ChartPeriod),
        levels=list(Level),
    )


@blueprint.get("/analysis.xlsx")
@needs(Right.EXPORT)
def download() -> Response:
    """The same figures as a workbook."""
    analysis = analyse(services().product, asked())
    name = f"{t('analysis.file')}-{day_of(analysis.asked_at):%Y%m%d}.xlsx"
    return as_file(name, to_excel(analysis), TYPES["xlsx"])


def asked() -> Question:
    """The question in the present address; BadInput for a value that does not exist."""
    return asking(
        services().product,
        first=day("since"),
        last=day("until"),
        pace=chosen("pace", ChartPeriod),
        host=request.args.get("host"),
        work_id=request.args.get("work"),
        level=chosen("level", Level),
        confirmed=bool(request.args.get("confirmed")),
    )


def arguments(question: Question) -> dict[str, str]:
    """The question as an address carries it."""
    values = {
        "since": question.first.isoformat(),
        "until": question.last.isoformat(),
        "pace": question.pace.value,
        "host": question.host,
        "work": question.work_id,
        "level": question.level,
        "confirmed": "1" if question.confirmed else None,
    }
    return {name: value for name, value in values.items() if value}


def listed(question: Question, *, of: Period | None = None, copies: bool = False, **narrower: object) -> str:
    """The address of the list of the cases that a figure counts; of: only those of this period."""
    wanted = Filter(
        since=max(of.start, question.first) if of else question.first,
        until=min(last_day(of, question.pace), question.last) if of else question.last,
        host=question.host,
        work=question.work_id,
        level=question.level,
        counted=Counted.CONFIRMED if question.confirmed else Counted.COPIES if copies else None,
        licensed=YesNo.NO if question.confirmed and copies else None,
    )
    return url_for("suspects.find", _external=False, **wanted.arguments(**narrower))


def delay_words(delay: Delay) -> str:
    """A group of delays in the reader's language."""
    if delay.low is None:
        return t("analysis.before")
    if delay.high is None:
        return t("analysis.later", days=delay.low)
    last = delay.high - 1
    return t("analysis.day", day=last) if last == delay.low else t("analysis.days", first=delay.low, last=last)


def _over_time(analysis: Analysis) -> charts.Columns:
    rows = [
        (f"{one.start:%m-%d}" if analysis.question.pace is not ChartPeriod.MONTH else f"{one.start:%Y-%m}", one.cases)
        for one in analysis.periods
    ]
    return charts.stacked([(label, {key.value: n for key, n in cases.items()}) for label, cases in rows], _STATUSES)
