"""Write parallels as CSV, and as TEI with parallel segmentation."""

import csv
from collections.abc import Iterable, Iterator
from io import StringIO
from typing import Final
from xml.etree import ElementTree as ET

from matcher.alignment.edits import EditKind
from wenhen.kit.text import replace_illegal_xml
from wenhen.reports.columns import escape_formula
from wenhen.texts.parallels import Parallel

CSV_COLUMNS: Final = (
    "number",
    "first_id",
    "first_title",
    "first_start",
    "first_end",
    "second_id",
    "second_title",
    "second_start",
    "second_end",
    "letters",
    "similarity",
    "first_aligned",
    "second_aligned",
)
_PADDING: Final = "＿"  # in a cell where the other side has a character
_TEI: Final = "http://www.tei-c.org/ns/1.0"
_XML_ID: Final = "{http://www.w3.org/XML/1998/namespace}id"


def csv_lines(parallels: Iterable[Parallel]) -> Iterator[str]:
    """Yield the lines of a CSV file, the heading first. The cells of both texts have the same length."""
    yield _csv_line(CSV_COLUMNS)
    for number, parallel in enumerate(parallels, 1):
        first, second = aligned_texts(parallel)
        yield _csv_line(
            (
                number,
                escape_formula(parallel.first_id),
                escape_formula(parallel.first_title),
                parallel.first_start,
                parallel.first_end,
                escape_formula(parallel.second_id),
                escape_formula(parallel.second_title),
                parallel.second_start,
                parallel.second_end,
                parallel.letters,
                f"{parallel.similarity:.4f}",
                escape_formula(first),
                escape_formula(second),
            )
        )


def aligned_texts(parallel: Parallel) -> tuple[str, str]:
    """Return both texts, padded where one side has no character, so that corresponding runs are aligned."""
    first = second = ""
    for run in parallel.runs:
        width = max(len(run.first), len(run.second))
        first += run.first.ljust(width, _PADDING)
        second += run.second.ljust(width, _PADDING)
    return first, second


def _csv_line(cells: Iterable[object]) -> str:
    line = StringIO()
    csv.writer(line, lineterminator="").writerow(cells)
    return line.getvalue()


def tei_document(parallels: Iterable[Parallel], shortest: int) -> str:
    """Return a TEI document: the texts as witnesses, and each parallel with readings where these differ."""
    ET.register_namespace("", _TEI)
    root = ET.Element(f"{{{_TEI}}}TEI")
    file = _child(_child(root, "teiHeader"), "fileDesc")
    _child(_child(file, "titleStmt"), "title").text = f"Parallels of {shortest} letters and more"
    _child(_child(file, "publicationStmt"), "p").text = "Made by wenhen parallels"
    witnesses = _child(_child(file, "sourceDesc"), "listWit")
    body = _child(_child(root, "text"), "body")
    keys: dict[str, str] = {}
    for number, parallel in enumerate(parallels, 1):
        sides = ((parallel.first_id, parallel.first_title), (parallel.second_id, parallel.second_title))
        for id, title in sides:
            if id not in keys:
                keys[id] = f"t{len(keys) + 1}"
                witness = _child(witnesses, "witness", **{_XML_ID: keys[id], "n": id})
                witness.text = title
        _add_parallel(body, number, parallel, f"#{keys[parallel.first_id]}", f"#{keys[parallel.second_id]}")
    return replace_illegal_xml(ET.tostring(root, encoding="unicode", xml_declaration=True))


def _add_parallel(body: ET.Element, number: int, parallel: Parallel, first: str, second: str) -> None:
    div = _child(body, "div", type="parallel", **{_XML_ID: f"p{number}"})
    places = ((first, parallel.first_start, parallel.first_end), (second, parallel.second_start, parallel.second_end))
    for witness, start, end in places:
        _child(_child(div, "p"), "ref", target=witness, n=f"{start}-{end}")
    div.tail = "\n"
    block = _child(div, "ab")
    last: ET.Element | None = None
    for run in parallel.runs:
        if run.kind is EditKind.SAME:
            if last is None:
                block.text = (block.text or "") + run.first
            else:
                last.tail = (last.tail or "") + run.first
            continue
        last = _child(block, "app", type=run.kind)
        for witness, text in ((first, run.first), (second, run.second)):
            _child(last, "rdg", wit=witness).text = text


def _child(parent: ET.Element, name: str, **attributes: str) -> ET.Element:
    return ET.SubElement(parent, f"{{{_TEI}}}{name}", attributes)
