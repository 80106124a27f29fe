"""Report which works stand in a training set, how much of each, and where."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from jinja2 import Environment, PackageLoader

from matcher.alignment.aligned_span import covered_length
from wenhen.bulk.frozen_library import FrozenLibrary
from wenhen.bulk.job import CASES_FILE, JobOutcome
from wenhen.cases.model import CaseStatus
from wenhen.kit.remote_files import join_url, read_lines, write_all_lines, write_whole_file
from wenhen.kit.text import escape_invisible, percent
from wenhen.reports.columns import escape_formula
from wenhen.works.model import Work

REPORT_FILE: Final = "report.html"
WORKS_FILE: Final = "works.csv"
PLACES_FILE: Final = "places.csv"
EXCERPT_CHARACTERS: Final = 60  # of a passage, from the work
MAX_PLACES: Final = 20  # of a work in the report, largest first; places.csv has all
MAX_WORKS: Final = 500  # in the report; works.csv has all
_MADE_HOST: Final = ".row.invalid"

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class WorkInSet:
    """What a set holds of a work. places: texts with passages. share: of the work's characters."""

    id: str
    title: str
    places: int
    passages: int
    characters: int
    share: float
    longest: int


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """The works that were found, most of a work first. looked_for: works of the library."""

    looked_for: int
    works: Sequence[WorkInSet]
    file: str


@dataclass(slots=True)
class _Findings:
    """Passages of one work. shown: its largest texts, each with its characters and its first passage."""

    title: str
    spans: list[Span] = field(default_factory=list)
    places: int = 0
    passages: int = 0
    longest: int = 0
    shown: list[tuple[int, str, Span]] = field(default_factory=list)


def write_training_report(
    library: FrozenLibrary, out: str, archives: Sequence[str], outcome: JobOutcome
) -> TrainingReport:
    """Write the report and its two tables beside the cases of a job."""
    findings_by_work: dict[str, _Findings] = {}
    header: tuple[object, ...] = (
        "work_id",
        "work",
        "place",
        "address",
        "text_start",
        "text_end",
        "work_start",
        "work_end",
        "similarity",
    )
    rows = _place_rows(join_url(out, CASES_FILE), findings_by_work)
    write_all_lines(join_url(out, PLACES_FILE), (_csv_line(row) for row in _with_header(header, rows)))
    works = _known_works(library, list(findings_by_work))
    measured = sorted(
        (_measure(id, findings, works.get(id)) for id, findings in findings_by_work.items()),
        key=lambda work: (-work.share, -work.characters, work.id),
    )
    header = ("work_id", "work", "texts", "passages", "characters", "share", "longest")
    lines = [(w.id, w.title, w.places, w.passages, w.characters, f"{w.share:.4f}", w.longest) for w in measured]
    write_all_lines(join_url(out, WORKS_FILE), (_csv_line(row) for row in _with_header(header, iter(lines))))
    report = TrainingReport(library.store.file.count(), measured, join_url(out, REPORT_FILE))
    excerpts = {
        work.id: _excerpts(library, findings_by_work[work.id], works.get(work.id)) for work in measured[:MAX_WORKS]
    }
    page = (
        _environment()
        .get_template("training_report.html")
        .render(
            report=report,
            outcome=outcome,
            archives=archives,
            excerpts=excerpts,
            places_file=PLACES_FILE,
            most=MAX_WORKS,
        )
    )
    write_whole_file(report.file, page.encode())
    return report


def _place_rows(cases_url: str, findings_by_work: dict[str, _Findings]) -> Iterator[tuple[object, ...]]:
    """Yield a row for each passage, and collect the passages of each work."""
    for line in read_lines(cases_url):
        case = json.loads(line)
        passages = case["match"]["passages"]
        if case["status"] == CaseStatus.SUSPECTED or not passages:
            continue
        findings = findings_by_work.setdefault(case["work_id"], _Findings(case["work_title"]))
        place = describe_place(case["page_url"])
        spans = [span for passage in passages for span in _copied_spans(passage)]
        findings.spans += spans
        findings.places += 1
        findings.passages += len(passages)
        findings.longest = max(findings.longest, *(_length(passage) for passage in passages))
        first = max(passages, key=_length)
        findings.shown.append((int(covered_length(spans)), place, (first["work_start"], first["work_end"])))
        findings.shown = sorted(findings.shown, key=lambda shown: -shown[0])[:MAX_PLACES]
        for passage in passages:
            yield (
                case["work_id"],
                case["work_title"],
                place,
                case["capture"]["url"],
                *(passage[name] for name in ("page_start", "page_end", "work_start", "work_end")),
                f"{passage['similarity']:.3f}",
            )


def describe_place(url: str) -> str:
    """Return the file and the row of a made address, or any other address as it is.

    >>> describe_place("https://0.5a1f.row.invalid/set.parquet%200%3A12")
    'set.parquet 0:12'
    """
    parts = urlsplit(url)
    return unquote(parts.path[1:]) if (parts.hostname or "").endswith(_MADE_HOST) else url


def _copied_spans(passage: Mapping[str, Any]) -> Iterator[Span]:
    """Yield the spans of the work that a passage holds, without its gaps."""
    begin = passage["work_start"]
    for start, end in passage.get("work_gaps") or ():
        yield begin, start
        begin = end
    yield begin, passage["work_end"]


def _length(passage: Mapping[str, Any]) -> int:
    return int(passage["work_end"] - passage["work_start"])


def _known_works(library: FrozenLibrary, ids: Sequence[str]) -> Mapping[str, Work]:
    return library.store.works.many(ids) if ids else {}


def _measure(id: str, findings: _Findings, work: Work | None) -> WorkInSet:
    characters = int(covered_length(findings.spans))
    share = min(1.0, characters / work.length) if work and work.length else 0.0
    return WorkInSet(id, findings.title, findings.places, findings.passages, characters, share, findings.longest)


def _excerpts(library: FrozenLibrary, findings: _Findings, work: Work | None) -> list[tuple[str, int, str]]:
    """Return the largest places of a work: the place, its characters, and how its longest passage begins."""
    text = library.store.blobs.get_text(work.text_digest) if work else ""
    return [
        (escape_invisible(place), characters, escape_invisible(text[begin : min(end, begin + EXCERPT_CHARACTERS)]))
        for characters, place, (begin, end) in findings.shown
    ]


def _with_header(header: tuple[object, ...], rows: Iterator[tuple[object, ...]]) -> Iterator[tuple[object, ...]]:
    yield header
    yield from rows


def _csv_line(row: Sequence[object]) -> bytes:
    line = StringIO()
    csv.writer(line, lineterminator="").writerow(
        [escape_formula(cell) if isinstance(cell, str) else cell for cell in row]
    )
    return line.getvalue().replace("\n", " ").encode("utf-8", "replace") + b"\n"


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("wenhen.bulk"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["percent"] = percent
    return environment
