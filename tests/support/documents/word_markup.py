"""Word documents written as markup, for what no library writes."""

from collections.abc import Mapping

from tests.support.documents.files import packed

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PREFIXES = (
    f'xmlns:w="{W}" xmlns:r="{R}" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml" '
    'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
)


def run(text: str, properties: str = "") -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"


def paragraph(*inside: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{''.join(inside)}</w:p>"


def field(code: str, result: str) -> str:
    return (
        f'<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>{code}</w:instrText></w:r>'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{result}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def document(
    *body: str,
    related: Mapping[str, tuple[str, str, bytes]] | None = None,
    stated: Mapping[str, str] | None = None,
    dangling: str = "",
) -> bytes:
    """A .docx. related: id → kind, name and content of a part. dangling: the target of a picture that is not there."""
    relations = "".join(
        f'<Relationship Id="{id}" Type="{R}/{kind}" Target="{name}"/>'
        for id, (kind, name, _) in (related or {}).items()
    )
    if dangling:
        relations += f'<Relationship Id="rX" Type="{R}/image" Target="{dangling}"/>'
    core = "".join(f"<dc:{name}>{text}</dc:{name}>" for name, text in (stated or {}).items())
    main = f'<Relationship Id="r1" Type="{R}/officeDocument" Target="/word/document.xml"/>'
    parts = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": f"<Relationships>{main}</Relationships>",
        "word/_rels/document.xml.rels": f"<Relationships>{relations}</Relationships>",
        "docProps/core.xml": f'<coreProperties xmlns:dc="http://purl.org/dc/elements/1.1/">{core}</coreProperties>',
        "word/document.xml": part("document", f"<w:body>{''.join(body)}</w:body>"),
    }
    contents = {name: content for _, name, content in (related or {}).values()}
    return packed(
        {name: text.encode() for name, text in parts.items()}
        | {f"word/{name}": content for name, content in contents.items()}
    )


def part(root: str, inside: str) -> str:
    return f"<w:{root} {_PREFIXES}>{inside}</w:{root}>"
