"""The first screen says what waits, and every figure agrees with the list that it leads to."""

import re

from flask.testing import FlaskClient
from selectolax.lexbor import LexborHTMLParser

from matcher.attribution.calibration import MEASURED_CALIBRATION, Decision, report_thresholds
from tests.support.seed import NOW, Seeder, move_case
from wenhen.cases.calibration import CalibrationMark, store_calibration_mark
from wenhen.cases.model import CaseStatus


def shown(client: FlaskClient) -> LexborHTMLParser:
    return LexborHTMLParser(client.get("/?lang=en").text)


def listed(client: FlaskClient, address: str | None) -> int:
    """How many cases the list at this address has, folded ones included."""
    assert address
    rows = LexborHTMLParser(client.get(address).text).css("tbody tr [name=case]")
    return sum(len((row.attributes["value"] or "").split(",")) for row in rows)


def test_the_histogram_counts_what_its_columns_lead_to(client: FlaskClient, seed: Seeder) -> None:
    seed.work()
    for at, share in enumerate((0.12, 0.14, 0.97, 1.0)):
        seed.case(f"https://copies.example/{at}", share=share)
    move_case(seed.store, "1", CaseStatus.DISMISSED, by="沈", reason="x", at=NOW)
    seed.case("https://morning.example/", share=0.5, licence_id="l1")
    columns = shown(client).css("[data-histogram] a")
    counts = {}
    for column in columns:
        bar = column.css_first("[data-cases]")
        assert bar is not None
        if count := int(bar.attributes["data-cases"] or 0):
            counts[bar.attributes["data-low"]] = count
            assert listed(client, column.attributes["href"]) == count
    assert counts == {"10": 1, "95": 2}


def test_what_was_opened_today_counts_by_the_day_in_beijing(client: FlaskClient, seed: Seeder) -> None:
    seed.work()
    seed.case("https://copies.example/1", opened_at=NOW)
    seed.case("https://copies.example/2", opened_at=NOW.replace(hour=15))  # the day before, in Beijing
    page = shown(client)
    today = page.css_first('[data-figure="opened-today"]')
    assert today is not None
    assert today.text() == "1"
    link = today.parent
    assert link is not None
    assert listed(client, link.attributes["href"]) == 1


def test_both_thresholds_stand_with_their_false_alarms_once_they_are_measured(
    client: FlaskClient, seed: Seeder
) -> None:
    assert "Not measured yet" in client.get("/?lang=en").text
    decisions = [Decision(weight=400.0, copied=True)] * 30 + [Decision(weight=60.0, copied=False)] * 2
    measured = report_thresholds(
        MEASURED_CALIBRATION, open_score=0.5, certain_score=0.95, decisions=decisions, waiting=[50.0, 500.0]
    )
    store_calibration_mark(
        seed.store.marks, CalibrationMark(calibration=MEASURED_CALIBRATION, at=NOW, thresholds=measured)
    )
    rows = [" ".join(row.text().split()) for row in shown(client).css('[aria-labelledby="thresholds"] tbody tr')]
    assert [re.findall(r"[\d.]+%", row)[0] for row in rows] == ["50.0%", "95.0%"]
    assert f"({measured[0].dismissed} dismissed)" in rows[0]


def test_where_there_is_nothing_yet_no_chart_is_drawn_and_the_next_step_is_offered(
    client: FlaskClient, seed: Seeder
) -> None:
    empty = shown(client)
    assert empty.css(".chart, [data-threshold]") == []
    step = ".first-steps [aria-current=step] form"
    assert [form.attributes["action"] for form in empty.css(step)] == ["/works/import/"]
    seed.work()
    assert [form.attributes["action"] for form in shown(client).css(step)] == ["/addresses/"]
    seed.library()
    assert shown(client).css(".first-steps") == []
    analysis = LexborHTMLParser(client.get("/analysis/?since=2020-01-01&until=2020-01-31").text)
    assert analysis.css(".chart") == []


def test_a_column_of_the_last_days_leads_to_the_cases_of_its_day(client: FlaskClient, seed: Seeder) -> None:
    seed.library()
    columns = shown(client).css("section[aria-labelledby=over-time] svg a")
    told = [(column.attributes["href"], column.attributes["aria-label"] or "") for column in columns]
    assert [int(words.rpartition(" ")[2]) for _, words in told] == [4]
    assert listed(client, told[0][0]) == 4
