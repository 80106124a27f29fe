"""What the JSON report holds is what its published schema says, name by name."""

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from crawler.capture import Brought, WarcPlace
from crawler.extraction.model import PartKind, TextPlace
from matcher.model import Change, Level
from tests.support.screens import MakeCaller
from tests.support.seed import NOW, Seeder
from wenhen.cases.model import CaseStatus
from wenhen.cases.passages import FramedPicture
from wenhen.context.use_cases import Acting
from wenhen.evidence.model import Receipt
from wenhen.kit.errors import plain_message
from wenhen.reports.contents import gather_report as gather
from wenhen.reports.csv_and_json import JSON_FORMAT, JSON_VERSION, json_schema, to_json
from wenhen.reports.model import Method

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

SCHEMA: dict[str, Any] = json.loads(json_schema())

RECEIPT = Receipt(
    id="1", issuer="公证处", file_name="a.pdf", digest="d", size=4, manifest_digest="e", added_at=NOW, added_by="沈"
)


def checked(schema: Any) -> "Draft202012Validator":
    """What says whether something fits a schema, which fits its own."""
    from jsonschema import Draft202012Validator  # a second, which tests of other files need not wait for

    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def closed(value: Any) -> Any:
    """The schema with no room for names that it does not have; for readers it is open to those of later releases."""
    if isinstance(value, list):
        return [closed(one) for one in value]
    if not isinstance(value, dict):
        return value
    inner = {name: closed(one) for name, one in value.items()}
    return {**inner, "additionalProperties": False} if "required" in value else inner


@pytest.fixture
def written(seed: Seeder, acting: Acting) -> Any:
    """A report with everything in it that can be, and with cases that lack what can be missing."""
    seed.library()
    report = gather(acting)
    full = replace(
        report.cases[0].capture,
        problems=(plain_message("cut short"),),
        warc=WarcPlace(file="a.warc.gz", offset=1, record_id="<urn:uuid:1>"),
        brought=Brought(by="沈", seen_at=NOW, files=("1.png",)),
    )
    place, pictures = TextPlace(PartKind.PAGE, 2, 1, "a.pdf"), (FramedPicture(2, b"PNG"),)
    placed = tuple(replace(one, place=place, pictures=pictures) for one in report.cases[0].passages)
    cases = (
        replace(report.cases[0], capture=full, notice_at=NOW, credited=True, receipts=(RECEIPT,), passages=placed),
        *report.cases[1:],
    )
    return json.loads(to_json(replace(report, cases=cases, methods=(Method(scheme="frequency", parameters={"n": 1}),))))


def test_a_report_fits_its_schema_and_says_nothing_beside_it(written: Any) -> None:
    found = checked(closed(SCHEMA)).iter_errors(written)
    assert [f"{one.json_path}: {one.message}" for one in found] == []
    assert any(case["licence"] for case in written["cases"])


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (("version",), 2),
        (("generated_at",), "2026-03-05 17:30"),
        (("cases", 0, "similarity"), 97.3),
        (("cases", 0, "status"), "known"),
        (("cases", 0, "capture", "body_digest"), "0"),
        (("cases", 0, "passages", 0, "page_start"), None),
    ],
)
def test_what_is_wrong_is_found(written: Any, path: tuple[Any, ...], wrong: object) -> None:
    holder = written
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = wrong
    assert not checked(SCHEMA).is_valid(written)


def test_its_words_are_those_of_the_records() -> None:
    for kind in (CaseStatus, Level, Change):
        assert SCHEMA["$defs"][kind.__name__]["enum"] == list(kind)
    assert SCHEMA["properties"]["format"]["const"] == JSON_FORMAT
    assert SCHEMA["properties"]["version"]["const"] == JSON_VERSION


def test_the_api_hands_it_out(caller: MakeCaller) -> None:
    answer = caller()("GET", "/reports/schema.json")
    assert answer.mimetype == "application/schema+json"
    assert answer.data == json_schema()
