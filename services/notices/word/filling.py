"""A Word template filled in: in a sandbox, and one that somebody brought in a child process with bounds."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any, Final

from docxtpl import DocxTemplate
from jinja2.sandbox import ImmutableSandboxedEnvironment

from crawler.isolated.child_bounds import ReadingBounds
from crawler.isolated.read_in_child import read
from store.rules.xml_characters import for_xml

_FILL: Final = f"{__name__}:filled"
_BOUNDS: Final = ReadingBounds(seconds=20, memory=600, output=40)


def filled_foreign(template: bytes, values: Mapping[str, Any]) -> bytes:
    """A template of unknown origin, filled in. Unreadable: it is no Word file, asks for what there is not, or takes
    more than it may.
    """
    content: bytes = read(_FILL, template, values, bounds=_BOUNDS)
    return content


def filled(template: bytes, values: Mapping[str, Any]) -> bytes:
    """A template of ours, filled in; what the values hold is text, whatever it looks like."""
    document = DocxTemplate(BytesIO(template))
    document.render(_plain(values), ImmutableSandboxedEnvironment(autoescape=True), autoescape=True)
    out = BytesIO()
    document.save(out)
    return out.getvalue()


def _plain(value: Any) -> Any:
    """Without the characters that XML cannot hold."""
    if isinstance(value, str):
        return for_xml(value)
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, Sequence):
        return [_plain(one) for one in value]
    return value
