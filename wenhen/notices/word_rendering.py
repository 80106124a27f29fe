"""Fill in Word templates, foreign ones in a child process, and create the default templates."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from io import BytesIO
from typing import Any, Final

import docx
from docx.document import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, Pt
from docx.table import Table
from docx.text.paragraph import Paragraph
from docxtpl import DocxTemplate
from jinja2.sandbox import ImmutableSandboxedEnvironment

from crawler.sandbox.pool import read_in_child
from wenhen.kit.errors import Language
from wenhen.kit.size_and_time_limits import WORD_TEMPLATE_BOUNDS
from wenhen.kit.text import replace_illegal_xml

# Templates are rendered in a sandbox, and uploaded ones in a child process with limited resources.


_FILL_FUNCTION: Final = f"{__name__}:fill_template"


def fill_foreign_template(template: bytes, values: Mapping[str, Any]) -> bytes:
    """Fill in an uploaded template.

    Raises `Unreadable` if it is no Word file, uses unknown values, or exceeds a limit.
    """
    content: bytes = read_in_child(_FILL_FUNCTION, template, values, bounds=WORD_TEMPLATE_BOUNDS)
    return content


def fill_template(template: bytes, values: Mapping[str, Any]) -> bytes:
    """Fill in a trusted template. Values are inserted as plain text."""
    document = DocxTemplate(BytesIO(template))
    document.render(_plain_value(values), ImmutableSandboxedEnvironment(autoescape=True), autoescape=True)
    out = BytesIO()
    document.save(out)
    return out.getvalue()


def _plain_value(value: Any) -> Any:
    """Return the value without characters that are illegal in XML."""
    if isinstance(value, str):
        return replace_illegal_xml(value)
    if isinstance(value, Mapping):
        return {name: _plain_value(entry) for name, entry in value.items()}
    if isinstance(value, Sequence):
        return [_plain_value(entry) for entry in value]
    return value


# Default Word templates, which users may download, edit and replace. Their tags are those of docxtpl: ``{{ value }}``,
# ``{%p … %}`` for paragraphs, ``{%tr … %}`` for table rows.


_CHINESE_FONT: Final = "宋体"
_LATIN_FONT: Final = "Times New Roman"
_FIXED_DATE: Final = datetime(2000, 1, 1, tzinfo=UTC)
_ITEM_COLUMNS: Final = (  # heading in Chinese and English, name of the value, width in millimetres
    (("编号", "No."), "number", 12),
    (("名称", "Name"), "name", 36),
    (("来源", "Source"), "source", 38),
    (("证明内容", "What it proves"), "proves", 36),
    (("时间", "Time"), "at", 22),
    (("SHA-256", ""), "digest", 30),
)


@cache
def default_template(kind: str, language: Language | None = None) -> bytes:
    """Return the default template of this kind: notice, authority or evidence.

    language: of the list of evidence. None: Chinese and English. The others have one language.
    """
    document = docx.Document()
    style = document.styles["Normal"]
    style.font.name, style.font.size = _LATIN_FONT, Pt(11)
    style.element.rPr.rFonts.set(qn("w:eastAsia"), _CHINESE_FONT)
    document.core_properties.author = document.core_properties.comments = ""  # python-docx sets its own name
    document.core_properties.created = document.core_properties.modified = _FIXED_DATE
    _remove_effects(document)
    page = document.sections[0]
    page.page_width, page.page_height = Mm(210), Mm(297)  # A4
    page.left_margin = page.right_margin = Mm(18)
    _number_pages(page.footer.paragraphs[0])
    _WRITERS[kind](document, language)
    out = BytesIO()
    document.save(out)
    return out.getvalue()


def _remove_effects(document: Document) -> None:
    """Remove the duplicate styles for Word 2010 from the template of python-docx.

    They differ from the others, so Word may report a damaged file.
    """
    relations = document.part.rels
    for id in [id for id, relation in relations.items() if relation.reltype.endswith("/stylesWithEffects")]:
        del relations[id]


def _number_pages(paragraph: Paragraph) -> None:
    """Add fields for page number and page count, computed by Word."""
    paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER
    for field in ("PAGE", "NUMPAGES"):
        if field == "NUMPAGES":
            paragraph.add_run(" / ")
        counted = OxmlElement("w:fldSimple")
        counted.set(qn("w:instr"), field)
        paragraph.paragraph_format.element.append(counted)


def _write_notice(document: Document, _: Language | None) -> None:
    _add_title(document, "{{ title }}")
    _add_lines(document, "{%p for line in lines %}", "{{ line }}", "{%p endfor %}")


def _write_authority(document: Document, _: Language | None) -> None:
    _add_title(document, "授权委托书")
    _add_lines(
        document,
        "委托人：{{ holder.name }}",
        "证件号码：{{ holder.identity }}",
        "地址：{{ holder.address }}",
        "联系方式：{{ holder.contact }}",
        "受托人：{{ holder.representative }}",
        "委托人就其享有权利的下列作品，委托受托人以委托人名义向网络服务提供者发出侵权通知、接收答复和反通知、提起投诉，并办理相关事宜：",
        "{%p for work in works %}",
        "《{{ work }}》",
        "{%p endfor %}",
        "委托期限：自        年    月    日至        年    月    日",
        "委托人（签章）：",
        "日期：{{ today }}",
    )


def _write_evidence(document: Document, language: Language | None) -> None:
    def words(zh: str, en: str) -> str:
        return {"zh": zh, "en": en or zh}.get(language or "", f"{zh} {en}".strip())

    _add_title(document, words("证据目录", "List of evidence"))
    comma = ", " if language == "en" else "，"
    holder = f"{words('权利人', 'Rights holder')} {{{{ holder.name }}}}"
    _add_lines(document, f"{words('通知', 'Notice')} {{{{ number }}}}{comma}{holder}")
    table = document.add_table(rows=4, cols=len(_ITEM_COLUMNS), style="Table Grid")
    _fill_cells(table.rows[0].cells, [words(*heading) for heading, *_ in _ITEM_COLUMNS])
    table.rows[1].cells[0].text = "{%tr for item in items %}"
    _fill_cells(table.rows[2].cells, [f"{{{{ item.{name} }}}}" for _, name, _ in _ITEM_COLUMNS])
    table.rows[3].cells[0].text = "{%tr endfor %}"
    _lay_out_table(table)
    signed, colon = words("提交人（签章）", "Submitted by (signature)"), "：" if language == "zh" else ":"
    _add_lines(document, "", f"{signed}{colon}", f"{words('日期', 'Date')}{colon} {{{{ today }}}}")


def _lay_out_table(table: Table) -> None:
    """Set column widths, repeat the heading row on every page, and keep rows on one page."""
    table.autofit = False
    for column, (_, _, width) in zip(table.columns, _ITEM_COLUMNS, strict=True):
        column.width = Mm(width)
    for row in table.rows:
        _row_properties(row.cells).append(OxmlElement("w:cantSplit"))
        for cell, (_, _, width) in zip(row.cells, _ITEM_COLUMNS, strict=True):
            cell.width = Mm(width)
            for run in (run for paragraph in cell.paragraphs for run in paragraph.runs):
                run.font.size = Pt(9)
    _row_properties(table.rows[0].cells).append(OxmlElement("w:tblHeader"))


def _row_properties(cells: Sequence[Any]) -> Any:
    """Return the element `w:trPr`. python-docx offers public access only through a paragraph."""
    paragraph = cells[0].paragraphs[0].paragraph_format.element
    return next(paragraph.iterancestors(qn("w:tr"))).get_or_add_trPr()


def _fill_cells(cells: Sequence[object], words: Sequence[str]) -> None:
    for cell, text in zip(cells, words, strict=True):
        cell.text = text  # type: ignore[attr-defined]  # python-docx types rows of cells as a plain tuple


def _add_title(document: Document, words: str) -> None:
    paragraph = document.add_paragraph()
    paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER
    run = paragraph.add_run(words)
    run.bold, run.font.size = True, Pt(16)


def _add_lines(document: Document, *lines: str) -> None:
    for line in lines:
        document.add_paragraph(line)


_WRITERS: Final[Mapping[str, Callable[[Document, Language | None], None]]] = {
    "notice": _write_notice,
    "authority": _write_authority,
    "evidence": _write_evidence,
}
