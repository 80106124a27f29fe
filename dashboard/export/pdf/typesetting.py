"""What is done in the child: the pages set by Typst from the files of a folder."""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import typst

from dashboard.export.pdf import CONTENT
from dashboard.export.pdf.characters import on_paper
from dashboard.export.pdf.fonts import families_for

STANDARDS: Final = ("a-3a", "ua-1")  # for archives, with files inside; and for those who hear what others see
_TEMPLATE: Final = Path(__file__).with_name("report.typ")


def typeset(folder: str, created: datetime, fonts: str) -> bytes:
    """The PDF of what `report_content` gave, in the file `CONTENT` of the folder, beside the workbook that it names;
    the same bytes of the same.

    fonts: a folder with fonts beside the system's, or nothing. BadInput where no font has a sign for a character.
    """
    found = typst.Fonts(include_embedded_fonts=False, font_paths=[fonts] if fonts else [])
    compiler = typst.Compiler(
        _TEMPLATE.read_bytes(),
        root=folder,
        font_paths=found,
        sys_inputs={"content": _content(Path(folder, CONTENT), found), "created": created.isoformat()},
    )
    whole = created.replace(microsecond=0)  # Typst refuses fractions of a second
    pdf: Any = compiler.compile(format="pdf", pdf_standards=list(STANDARDS), timestamp=whole)
    return bytes(pdf)


def _content(path: Path, found: typst.Fonts) -> str:
    """The content with every text as it can be printed, and the families of fonts that this takes."""
    content = _on_paper(json.loads(path.read_text(encoding="utf-8")))
    content["families"] = families_for(set().union(*_texts(content)), found)
    return json.dumps(content, ensure_ascii=False)


def _on_paper(value: Any) -> Any:
    """The same with every text as it can be printed."""
    if isinstance(value, str):
        return on_paper(value)
    if isinstance(value, dict):
        return {name: _on_paper(one) for name, one in value.items()}
    return [_on_paper(one) for one in value] if isinstance(value, list) else value


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
