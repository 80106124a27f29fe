"""Read CSV files that people upload, and match column headings in English and Chinese."""

import csv
import io
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from crawler.extraction.charset import decode_bytes
from crawler.extraction.documents.document import MAX_REPLACED_SHARE
from wenhen.kit.errors import BadInput, Message

# The columns of a table by their headings: the name of a field, or what people in China call it.


_FIELD_HEADINGS: Final = {
    "id": ("编号", "作品编号"),
    "title": ("标题", "题名", "题目", "篇名", "篇目", "书名", "作品名", "作品名称", "名称"),
    "text": ("正文", "内容", "全文", "内文", "原文"),
    "author": ("作者", "作者姓名", "作者名", "署名", "笔名"),
    "owner": ("权利人", "著作权人", "版权人"),
    "kind": ("体裁", "类型", "类别"),
    "series": ("系列", "丛书"),
    "chapter": ("章", "章节", "章序", "章节号"),
    "url": ("发表地址", "网址", "链接", "原文链接"),
    "published_at": (
        "首次发表",
        "首次发表日期",
        "首发日期",
        "刊发日期",
        "刊登日期",
        "发表日期",
        "发表时间",
        "发布日期",
        "发布时间",
        "出版日期",
    ),
    "proof": ("首次发表证明", "证明", "登记号", "著作权登记号"),
    "shortest_passage": ("最短片段", "最短字数"),
}
_FIELD_BY_HEADING: Final = {called: field for field, every in _FIELD_HEADINGS.items() for called in every}


def chinese_heading(field: str) -> str:
    """Return what people in China call the column of a field."""
    return _FIELD_HEADINGS[field][0]


# The characters of headings as Taiwan and Hong Kong write them.
_SIMPLIFIED_FORMS: Final = str.maketrans(
    "編號標題書內權體類別叢發網鏈結連證錄記節長稱", "编号标题书内权体类别丛发网链结连证录记节长称"
)
_REMARK: Final = re.compile(r"[(\[【][^()\[\]【】]*[)\]】]|[\s*:：]")  # as in "标题（必填）" and "正 文*"
_WHOSE: Final = ("文章", "作品", "稿件", "文稿")  # a table may say before each heading what it lists


def match_headings(headings: Iterable[str], known: Collection[str]) -> list[str]:
    """The field of each column; a heading that names none of the known ones, or one that another column has by its own
    name, stays as it is, in small letters.

    Remarks in brackets, stars and blanks do not count.

    >>> match_headings(["书名*", " Text ", "發表日期（必填）", "备注"], ["title", "text", "published_at"])
    ['title', 'text', 'published_at', '备注']
    """
    written = [heading.strip().lower() for heading in headings]
    matched: list[str] = []
    for heading in written:
        field = heading if heading in known else _find_field(heading) or heading
        taken = heading != field and (field in written or field in matched)
        matched.append(heading if taken or field not in known else field)
    return matched


def _find_field(heading: str) -> str | None:
    """The field that a heading names, or None."""
    plain = _REMARK.sub("", unicodedata.normalize("NFKC", heading)).translate(_SIMPLIFIED_FORMS)
    if plain in _FIELD_HEADINGS:
        return plain
    beginning = next((word for word in _WHOSE if plain.startswith(word)), "")
    return _FIELD_BY_HEADING.get(plain) or _FIELD_BY_HEADING.get(plain.removeprefix(beginning))


# A CSV file that people hand in, line by line: what cannot be read of it is refused, and the rest goes on.


_CSV_SEPARATORS: Final = (",", "\t", ";")
_STATED_SEPARATOR: Final = re.compile(r'"?sep=([,;\t|])"?\r?$', re.IGNORECASE)  # a first line for Excel
_LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")
_EXTRA_CELLS_KEY: Final = "\n"  # no column can be called so: what stands beyond the last one
_MAX_COLUMN_NAME_CHARACTERS: Final = 60  # characters of a column's name that a message shows


class CsvLine(NamedTuple):
    """A line by the names of its columns. row: as a spreadsheet counts, if cells with line breaks make it another."""

    line: int
    written: Mapping[str, str]
    row: int | None = None


class RefusedLine(NamedTuple):
    """A line that was not taken, and why. row: as of `CsvLine`."""

    line: int
    reason: Message
    row: int | None = None

    @property
    def place(self) -> Message:
        """Return the line in words, with the row that a spreadsheet shows if that is another."""
        if self.row is None:
            return Message("csv.line", {"line": self.line})
        return Message("csv.line_and_row", {"line": self.line, "row": self.row})


def read_csv_lines(
    text: str, known: Sequence[str], *, needed: Sequence[str], others: bool = False
) -> Iterator[CsvLine | RefusedLine]:
    """The lines of a file whose first one names the columns; tabs or semicolons may stand between them. known: the
    columns that there may be (`match_headings`); needed: those that must be there; others: any other one
    is left alone. Raises `BadInput` for the first line.
    """
    rows, columns = _open_csv(text, known)
    if not others and (unknown := [name for name in columns if name and name not in known]):
        raise BadInput("csv.unknown_column", column=unknown[0][:_MAX_COLUMN_NAME_CHARACTERS], choices=", ".join(known))
    require_columns(columns, known, needed)
    breaks: int | None = rows.line_num - 1  # line breaks inside of cells, and the stated separator, which no row shows
    while (row := _next_row(rows)) is not None:
        if isinstance(row, RefusedLine):
            breaks = None  # how a spreadsheet goes on from here is its own affair
            yield row
            continue
        extra = [row.pop("", None) or "", *row.pop(_EXTRA_CELLS_KEY, ())]
        if breaks is not None:
            breaks += sum(len(_LINE_BREAK.findall(cell)) for cell in (*row.values(), *extra) if cell)
        shown = rows.line_num - breaks if breaks else None
        if "".join(extra).strip():
            yield RefusedLine(rows.line_num, Message("csv.more_fields"), shown)
        elif any((value or "").strip() for value in row.values()):
            yield CsvLine(rows.line_num, {name: value or "" for name, value in row.items()}, shown)


def require_columns(columns: Collection[str], known: Sequence[str], needed: Sequence[str]) -> None:
    """Raises `BadInput` where a needed column is not there."""
    if lacking := [name for name in needed if name not in columns]:
        raise BadInput("csv.missing_column", needed=lacking[0], choices=", ".join(known))


def _open_csv(text: str, known: Collection[str]) -> tuple["csv.DictReader[str]", list[str]]:
    first = text.partition("\n")[0]
    stated = _STATED_SEPARATOR.match(first)
    between = stated[1] if stated else next((sign for sign in _CSV_SEPARATORS if sign in first), _CSV_SEPARATORS[0])
    csv.field_size_limit(2**31 - 1)  # a cell may hold a whole work
    rows = csv.DictReader(io.StringIO(text, newline=""), restkey=_EXTRA_CELLS_KEY, delimiter=between, strict=True)
    try:
        if stated:
            next(rows.reader)
        columns = match_headings(rows.fieldnames or (), known)
    except csv.Error as error:
        raise BadInput("csv.not_csv", error=str(error)) from None
    rows.fieldnames = columns
    return rows, columns


def decode_csv(content: bytes) -> str:
    """Return the text of such a file. Raises `BadInput` for bytes that are no text.

    A table may hold few Chinese characters: UTF-8 is proved by its form, and GB18030 is believed where it makes sense.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        decoded = decode_bytes(content, "gb18030")
    text = decoded.text if len(decoded.text) != len(content) else content.decode("gb18030", "replace")
    if text.count("\N{REPLACEMENT CHARACTER}") + text.count("\0") > MAX_REPLACED_SHARE * len(text):
        raise BadInput("csv.not_text")
    return text


def _next_row(rows: "csv.DictReader[str]") -> dict[str, Any] | RefusedLine | None:
    try:
        return next(rows)
    except StopIteration:
        return None
    except csv.Error as error:  # where it begins
        return RefusedLine(rows.line_num + 1, Message("csv.bad_line", {"error": str(error)}))
