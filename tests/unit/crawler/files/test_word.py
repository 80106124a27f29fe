"""A Word document is read as it is shown: what was put in, what fields say, and not what was taken out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extraction.documents.document import Document, join_parts, stated_title
from crawler.extraction.documents.file_kinds import FileKind
from crawler.extraction.documents.read_document import read_document
from crawler.extraction.documents.word_xml import equation_text
from tests.support.documents.files import packed, rich_text, word
from tests.support.documents.word_markup import document, field, paragraph, part, run
from wenhen.kit.errors import Unreadable

SENTENCE = "茶农把新芽摊在竹匾里，等露水散尽才下锅。"
OTHER = "锅边的老人不看火，只听叶子在铁上翻动的声音。"


def read(content: bytes) -> Document:
    return read_document(content, FileKind.DOCX)


def text(content: bytes) -> str:
    return join_parts(read(content).parts)[0]


def changed(kind: str, inside: str) -> str:
    return f'<w:{kind} w:id="1" w:author="编辑">{inside}</w:{kind}>'


DELETED = "<w:r><w:delText>删去的话</w:delText></w:r>"


@pytest.mark.parametrize(
    ("inside", "shown"),
    [
        (changed("ins", run(SENTENCE)), SENTENCE),
        (changed("moveTo", run(SENTENCE)), SENTENCE),
        (run(SENTENCE) + changed("del", DELETED), SENTENCE),
        (run(SENTENCE) + changed("moveFrom", run("搬走的话")), SENTENCE),
        (changed("ins", run("茶农") + changed("del", DELETED)) + run("起得早"), "茶农起得早"),
        (f"<w:sdt><w:sdtPr/><w:sdtContent>{run(SENTENCE)}</w:sdtContent></w:sdt>", SENTENCE),
        (
            run(SENTENCE)
            + f"<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{run('单击此处')}</w:sdtContent></w:sdt>",
            SENTENCE,
        ),
        (f'<w:smartTag w:element="place"><w:smartTag>{run("杭州")}</w:smartTag></w:smartTag>{run("的茶")}', "杭州的茶"),
        (f'<w:customXml w:element="a">{run(SENTENCE)}</w:customXml>', SENTENCE),
        (f'<w:hyperlink r:id="r9">{run(SENTENCE)}</w:hyperlink>', SENTENCE),
        (f'<w:fldSimple w:instr="TITLE">{run(SENTENCE)}</w:fldSimple>', SENTENCE),
        (field("MERGEFIELD 名", run("阿岸")) + run("写的信"), "阿岸写的信"),
        (field("IF " + "x", field("PAGE", run("7"))) + run("页"), "7页"),
        ('<w:r><w:fldChar w:fldCharType="begin"/></w:r>' + run(SENTENCE), SENTENCE),
        (
            f"<w:r><w:ruby><w:rt>{run('chá')}</w:rt><w:rubyBase>{run('茶')}</w:rubyBase></w:ruby></w:r>{run('叶')}",
            "茶叶",
        ),
        (field("EQ \\* jc2 \\o\\ad(\\s\\up 9(chá),茶)", "") + run("叶"), "茶叶"),
        (run("看得见") + run("看不见", "<w:vanish/>") + run("的茶", '<w:vanish w:val="0"/>'), "看得见的茶"),
        (f"<m:oMath><m:r><m:t>{SENTENCE}</m:t></m:r></m:oMath>", SENTENCE),
        ("<w:r><w:t>一</w:t><w:noBreakHyphen/><w:t>二</w:t><w:tab/><w:t>三</w:t></w:r>", "一-二 三"),
        (f'<w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>{run(SENTENCE)}', SENTENCE),
        (f'<w:newKindOfBox>{run(SENTENCE)}</w:newKindOfBox>', SENTENCE),
    ],
)  # fmt: skip
def test_a_paragraph_says_what_is_shown_of_it(inside: str, shown: str) -> None:
    assert text(document(paragraph(inside))) == shown


def box(*words: str) -> str:
    return f"<w:txbxContent>{''.join(paragraph(run(one)) for one in words)}</w:txbxContent>"


def test_a_text_box_is_read_once_behind_the_paragraph_that_it_is_anchored_to() -> None:
    drawn = (
        f"<w:r><mc:AlternateContent><mc:Choice Requires='wps'><wps:txbx>{box('盒里', '的话')}</wps:txbx></mc:Choice>"
        f"<mc:Fallback><w:pict><v:textbox>{box('盒里', '的话')}</v:textbox></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r>"
    )
    assert text(document(paragraph(run("前半"), drawn, run("后半")))) == "前半后半\n盒里\n的话"
    old = f"<w:r><w:pict><v:textbox>{box('旧盒')}</v:textbox></w:pict></w:r>"
    assert text(document(paragraph(run("段"), old))) == "段\n旧盒"


def test_tables_are_read_by_their_cells_without_the_rows_that_were_deleted() -> None:
    def row(words: str, properties: str = "") -> str:
        return f"<w:tr><w:trPr>{properties}</w:trPr><w:tc>{paragraph(run(words))}</w:tc></w:tr>"

    assert text(document(f"<w:tbl>{row('甲')}{row('乙', '<w:del/>')}{row('丙')}</w:tbl>")) == "甲\n丙"


def test_paragraphs_whose_mark_was_deleted_are_one() -> None:
    first = paragraph(run("一句话"), properties="<w:rPr><w:del/></w:rPr>")
    assert text(document(first, paragraph(run("没有断")), paragraph(run("下一段")))) == "一句话没有断\n下一段"


@pytest.mark.parametrize("way", ["drop", "margin"])
def test_large_first_letters_stand_in_the_paragraph_that_they_begin(way: str) -> None:
    first = paragraph(run("磨"), properties=f'<w:framePr w:dropCap="{way}" w:lines="3"/>')
    framed = paragraph(run("页边的话"), properties='<w:framePr w:dropCap="none"/>')
    assert text(document(first, paragraph(run("坊在溪边。")), framed, paragraph(run("下一段")))) == (
        "磨坊在溪边。\n页边的话\n下一段"
    )


def test_notes_stand_at_the_end_as_far_as_the_text_refers_to_them() -> None:
    notes = part(
        "footnotes",
        "".join(f'<w:footnote w:id="{id}">{paragraph(run(f"脚注{id}"))}</w:footnote>' for id in (-1, 1, 2, 3)),
    )
    first = paragraph(run("正文"), '<w:r><w:footnoteReference w:id="2"/></w:r>')
    gone = paragraph(changed("del", '<w:r><w:footnoteReference w:id="3"/></w:r>'))
    book = document(first, gone, paragraph(run("末段")), related={"r5": ("footnotes", "footnotes.xml", notes.encode())})
    assert text(book) == "正文\n末段\n脚注2"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.html", f"<html><body><p>{SENTENCE}</p></body></html>".encode()),
        ("a.txt", SENTENCE.encode("gb18030")),
        ("a.rtf", rich_text([SENTENCE])),
        ("a.docx", word([SENTENCE])),
        (
            "a.mht",
            b'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"\r\n\r\n--b\r\nContent-Type: '
            b'text/html; charset="utf-8"\r\nContent-Transfer-Encoding: 8bit\r\n\r\n<html><p>'
            + SENTENCE.encode()
            + b"</p></html>\r\n--b--\r\n",
        ),
    ],
)
def test_a_document_inside_of_a_document_is_read_where_it_stands(name: str, content: bytes) -> None:
    chunk = '<w:altChunk r:id="r5"/>'
    book = document(paragraph(run("前")), chunk, paragraph(run("后")), related={"r5": ("aFChunk", name, content)})
    assert text(book) == f"前\n{SENTENCE}\n后"


def test_a_diagram_is_read_where_it_stands() -> None:
    data = part("data", f"<dgm:t><a:p><a:r><a:t>{SENTENCE}</a:t></a:r></a:p></dgm:t>")
    book = document(
        paragraph(run("前"), '<w:r><w:drawing><dgm:relIds r:dm="r5"/></w:drawing></w:r>'),
        related={"r5": ("diagramData", "data1.xml", data.encode())},
    )
    assert text(book) == f"前\n{SENTENCE}"


@pytest.mark.parametrize("dangling", ["NULL", "media/image1.png", "../../../x"])
def test_a_missing_picture_is_no_missing_text(dangling: str) -> None:
    assert text(document(paragraph(run(SENTENCE)), dangling=dangling)) == SENTENCE


def test_a_part_that_is_not_read_may_unpack_to_any_size() -> None:
    picture = {"r5": ("image", "media/image1.emf", bytes(20_000_000))}
    assert text(document(paragraph(run(SENTENCE)), related=picture)) == SENTENCE


STYLES = part(
    "styles",
    '<w:style w:styleId="a"><w:name w:val="Title"/></w:style>'
    '<w:style w:styleId="1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:styleId="h"><w:basedOn w:val="b"/></w:style>'
    '<w:style w:styleId="b"><w:rPr><w:vanish/></w:rPr></w:style>',
)


def headed(*styles: str, title: str = "") -> bytes:
    lines = [paragraph(run(f"行{n}"), properties=f'<w:pStyle w:val="{style}"/>') for n, style in enumerate(styles)]
    related = {"r5": ("styles", "styles.xml", STYLES.encode())}
    return document(*lines, related=related, stated={"title": title, "creator": "阿岸"})


def test_the_title_is_the_stated_one_or_the_only_heading() -> None:
    assert read(headed("a", "1", title="春茶记")).title == "春茶记"
    assert read(headed("a", "1", title="Word Document")).title == "行0"
    assert read(headed("", "1")).title == "行1"
    assert read(headed("1", "1")).title is None
    assert read(headed("a")).author == "阿岸"


def test_a_style_hides_text_also_through_the_one_that_it_is_based_on() -> None:
    hidden = run("藏", '<w:rStyle w:val="h"/>')
    book = document(paragraph(run("见"), hidden), related={"r5": ("styles", "styles.xml", STYLES.encode())})
    assert text(book) == "见"


@pytest.mark.parametrize(
    ("stated", "title"),
    [
        ("Microsoft Word - 春茶记.doc", "春茶记"),
        ("C:\\稿\\春茶记.docx", "春茶记"),
        ("文档1", None),
        ("新建 Microsoft Word 文档 (2)", None),
        ("Untitled", None),
        ("untitled-3", None),
        (" ", None),
        ("文档的历史", "文档的历史"),
        ("标题党", "标题党"),
    ],
)
def test_what_a_program_calls_a_file_is_no_title(stated: str, title: str | None) -> None:
    assert stated_title(stated) == title


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        (r'EQ \* jc2 \* "Font:宋体" \* hps10 \o\ad(\s\up 9(chá),茶)', "茶"),
        (r"eq \o\ac(○,注)", "注"),
        ("PAGEREF _Toc1", ""),
        ("EQ", ""),
        ("", ""),
    ],
)
def test_of_an_equation_field_the_base_is_read(code: str, shown: str) -> None:
    assert equation_text(code) == shown


def test_a_document_in_the_strict_form_and_under_another_name_is_read() -> None:
    strict = "http://purl.oclc.org/ooxml"
    relation = f'Type="{strict}/officeDocument/relationships/officeDocument" Target="word\\Main.XML"'
    relations = f'<Relationships><Relationship Id="r1" {relation}/></Relationships>'
    body = f"<w:body>{paragraph(run(SENTENCE))}</w:body>"
    main = f'<w:document xmlns:w="{strict}/wordprocessingml/main">{body}</w:document>'
    members = {"[Content_Types].xml": "<Types/>", "_rels/.rels": relations, "word/main.xml": main}
    assert text(packed({name: one.encode() for name, one in members.items()})) == SENTENCE


def test_entities_are_never_expanded_and_what_is_nested_beyond_all_bounds_is_read_in_part() -> None:
    laughs = "".join(f'<!ENTITY l{n + 1} "{f"&l{n};" * 10}">' for n in range(9))
    bomb = f'<!DOCTYPE d [<!ENTITY l0 "笑">{laughs}]>' + part(
        "document", f"<w:body>{paragraph(run(SENTENCE), run('&l9;'))}</w:body>"
    )
    deep = part("document", f"<w:body>{paragraph(run(SENTENCE))}{'<w:sdt>' * 5_000}</w:body>")
    for main in (bomb, deep):
        content = packed({"[Content_Types].xml": b"<Types/>", "word/document.xml": main.encode()})
        assert text(content).startswith(SENTENCE)


@given(noise=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.binary(max_size=4)), max_size=6))
def test_foreign_bytes_are_read_in_part_or_refused(noise: list[tuple[float, bytes]]) -> None:
    main = bytearray(part("document", f"<w:body>{paragraph(run(SENTENCE))}{paragraph(run(OTHER))}</w:body>").encode())
    for place, put in noise:
        at = int(place * len(main))
        main[at : at + 1] = put
    content = packed({"[Content_Types].xml": b"<Types/>", "word/document.xml": bytes(main)})
    try:
        read(content)
    except Unreadable as error:
        refused = error.message.code
    else:
        refused = "documents.no_text"
    assert refused in ("documents.broken", "documents.garbled", "documents.no_text")
