"""A record that goes through BSON comes back equal, whatever it holds."""

from collections.abc import Mapping
from dataclasses import is_dataclass
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from typing import Any, get_args, get_origin

import bson
import pytest
from bson.codec_options import CodecOptions
from hypothesis import given
from hypothesis import strategies as st

from crawler.capture import Capture
from matcher.model import Candidate, Match
from wenhen.cases.model import Case, CaseStatus
from wenhen.crawls.model import Run
from wenhen.fingerprints.model import Fingerprint
from wenhen.kit.errors import BadInput, Message, message, plain_message
from wenhen.kit.mongo.codec import (
    encode,
    field_types,
    from_document,
    schema_of,
    split_optional,
    to_document,
    to_milliseconds,
)
from wenhen.kit.progress import Step, Subject, SubjectKind
from wenhen.kit.text import to_storable
from wenhen.licences.model import Licence
from wenhen.pages.model import Page
from wenhen.sites.model import Site
from wenhen.steps.problems import Problem
from wenhen.works.model import Work

LONG = st.integers(-(2**63), 2**63 - 1)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
KEYS = TEXTS.filter(lambda key: "\0" not in key)
TIMES = st.datetimes(
    datetime(1971, 1, 1),  # noqa: DTZ001  hypothesis takes naive bounds
    datetime(2200, 1, 1),  # noqa: DTZ001  hypothesis takes naive bounds
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=8))]),
).map(lambda time: time.replace(microsecond=time.microsecond // 1000 * 1000))
SIMPLE: dict[Any, st.SearchStrategy[Any]] = {
    str: TEXTS,
    int: LONG,
    float: st.floats(allow_nan=False),
    bool: st.booleans(),
    bytes: st.binary(max_size=40),
    datetime: TIMES,
    Subject: st.builds(Subject.read, TEXTS | TEXTS.map("discovered:{}".format) | TEXTS.map("http://{}".format)),
    Message: st.recursive(
        st.builds(plain_message, TEXTS) | st.builds(partial(message, "fetch.answered"), status=LONG),
        lambda inner: st.builds(partial(message, "crawls.of_address"), url=TEXTS, reason=inner),
        max_leaves=3,
    ),
}


def values_of(hint: Any) -> st.SearchStrategy[Any]:
    """Any value of a record's field of this type."""
    hint, optional = split_optional(hint)
    return st.none() | present_values_of(hint) if optional else present_values_of(hint)


def present_values_of(hint: Any) -> st.SearchStrategy[Any]:
    if hint in SIMPLE:
        return SIMPLE[hint]
    if is_dataclass(hint):
        assert isinstance(hint, type)
        return st.builds(hint, **{name: values_of(one) for name, one in field_types(hint).items()})
    if get_origin(hint) is tuple:
        first, *others = get_args(hint)
        if others == [Ellipsis]:
            return st.lists(values_of(first), max_size=2).map(tuple)
        return st.tuples(values_of(first), *map(values_of, others))
    if get_origin(hint) is Mapping:
        return st.dictionaries(KEYS, LONG, max_size=3)
    return st.sampled_from(hint)


def through_bson(document: dict[str, Any]) -> dict[str, Any]:
    return bson.decode(bson.encode(document), CodecOptions(tz_aware=True, tzinfo=UTC))


RUN = {"_id": "r", "kind": "crawl", "subject": None, "started_at": NEW_YEAR, "heartbeat_at": NEW_YEAR}
RECORDS = [Work, Page, Capture, Fingerprint, Candidate, Match, Case, Site, Licence, Run, Problem]


@pytest.mark.parametrize("record_type", RECORDS)
@given(data=st.data())
def test_a_record_comes_back_equal(record_type: type[Any], data: st.DataObject) -> None:
    record = data.draw(values_of(record_type))
    assert from_document(record_type, through_bson(to_document(record))) == record


@given(values_of(Fingerprint))
def test_bytes_come_back_as_bytes(fingerprint: Fingerprint) -> None:
    back = from_document(Fingerprint, through_bson(to_document(fingerprint)))
    assert type(back.positions) is type(back.values) is bytes  # which equality does not tell
    assert back.positions == fingerprint.positions


def test_the_id_becomes_the_documents_own_and_those_inside_keep_their_name(sample_case: Case) -> None:
    document = to_document(sample_case)
    assert document["_id"] == sample_case.id
    assert "id" not in document
    assert document["match"]["id"] == sample_case.match.id


def test_what_a_document_lacks_gets_the_default_and_what_it_has_beyond_is_left_out() -> None:
    time = datetime(2026, 3, 1, tzinfo=UTC)
    document = {"_id": "r", "kind": "crawl", "subject": None, "started_at": time, "heartbeat_at": time, "later": 1}
    run = from_document(Run, document)
    assert (run.id, run.ended_at, dict(run.counts)) == ("r", None, {})


def test_documents_from_before_are_read_and_written_under_the_names_that_they_have() -> None:
    run = from_document(Run, RUN | {"subject": "discovered:7f3a", "problem": "its worker died", "looks": True})
    assert run.subject == Subject(SubjectKind.BATCH, "7f3a")
    assert (run.problem, run.recrawl) == (plain_message("its worker died"), True)
    written = to_document(run)
    assert (written["subject"], written["looks"], "recrawl" in written) == ("discovered:7f3a", True, False)
    properties = schema_of(Run)["properties"]
    assert properties["subject"] == {"bsonType": ["string", "null"]}
    assert properties["problem"] == {"bsonType": ["object", "string", "null"]}
    assert properties["looks"] == {"bsonType": "bool"}


@given(st.text())
def test_what_a_message_repeats_can_always_be_stored(text: str) -> None:
    document = RUN | {"problem": encode(plain_message(text))}
    assert from_document(Run, through_bson(document)).problem == plain_message(to_storable(text))


def test_enums_come_back_as_enums(sample_case: Case) -> None:
    back = from_document(Case, through_bson(to_document(sample_case)))
    assert back.status is CaseStatus.LEAD
    assert type(back.match.passages) is tuple


def test_times_are_kept_in_utc_to_the_millisecond() -> None:
    beijing = datetime(2026, 3, 1, 8, 0, 0, 123999, tzinfo=timezone(timedelta(hours=8)))
    kept = to_milliseconds(beijing)
    assert kept == datetime(2026, 3, 1, 0, 0, 0, 123000, tzinfo=UTC)
    assert kept.tzinfo is UTC


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(BadInput, match="time zone"):
        to_milliseconds(datetime(2026, 3, 1))  # noqa: DTZ001  the mistake under test


@given(st.text())
def test_what_tells_of_a_failure_can_always_be_stored(text: str) -> None:
    kept = to_storable(text)
    assert kept.encode().decode() == kept
    assert len(kept) == len(text)


def test_a_schema_asks_for_what_has_no_default_and_allows_none_where_the_type_does() -> None:
    schema = schema_of(Work, extra={"bsonType": "bool"})
    assert {"_id", "title", "progress"} <= set(schema["required"])
    assert not {"author", "versions", "extra"} & set(schema["required"])
    properties = schema["properties"]
    assert properties["title"] == {"bsonType": "string"}
    assert properties["author"] == {"bsonType": ["string", "null"]}
    assert properties["extra"] == {"bsonType": "bool"}
    assert properties["progress"]["properties"]["step"] == {"enum": [step.value for step in Step]}
    assert None in properties["progress"]["properties"]["failed_step"]["enum"]
    assert properties["versions"]["items"]["properties"]["stored_at"] == {"bsonType": "date"}
