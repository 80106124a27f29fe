"""Bytes of pages to text: declarations, true and false."""

import codecs
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extraction.charset import DecodedText, declared_charset, decode_bytes, find_codec

SIMPLIFIED = "他沿着河岸慢慢走回家去，想起昨天夜里的那场大雨，心里忽然难过起来。"
TRADITIONAL = "他沿著河岸慢慢走回家去，想起昨天夜裡的那場大雨，心裡忽然難過起來。"
DECLARATIONS = (None, "", "utf-8", "gb2312", "big5", "iso-8859-1", "shift_jis", "no-such-charset", "base64")


@given(st.binary(max_size=400), st.one_of(st.none(), st.text(max_size=20), st.sampled_from(DECLARATIONS)))
def test_any_bytes_under_any_declaration_give_a_text(body: bytes, declared: str | None) -> None:
    decoded = decode_bytes(body, declared)
    assert isinstance(decoded, DecodedText)
    codecs.lookup(decoded.charset)


@pytest.mark.parametrize("declared", DECLARATIONS)
@pytest.mark.parametrize(
    ("text", "encoding", "charset"),
    [
        (SIMPLIFIED, "gb18030", "gb18030"),
        (TRADITIONAL, "big5", "big5hkscs"),
        (SIMPLIFIED, "utf-8", "utf-8"),
        (TRADITIONAL, "utf-8", "utf-8"),
        (SIMPLIFIED, "utf-8-sig", "utf-8"),
        (SIMPLIFIED, "utf-16", "utf-16-le"),
    ],
)
def test_chinese_comes_out_right_whatever_was_declared(
    text: str, encoding: str, charset: str, declared: str | None
) -> None:
    html = f"<html><head><title>x</title></head><body><p>{text * 2}</p></body></html>"
    decoded = decode_bytes(html.encode(encoding), declared)
    assert decoded.text == html
    assert decoded.charset == charset


def told(decoded: DecodedText) -> list[str]:
    return [*map(str, decoded.problems)]


def test_a_declaration_that_was_overruled_is_noted_and_a_true_one_is_not() -> None:
    assert decode_bytes(SIMPLIFIED.encode("gb18030"), "gbk").problems == ()
    assert told(decode_bytes(SIMPLIFIED.encode("gb18030"), "utf-8")) == ["declared as utf-8, read as gb18030"]
    assert told(decode_bytes(TRADITIONAL.encode("big5"), "gb2312")) == ["declared as gb18030, read as big5hkscs"]


def test_the_header_goes_before_the_page_s_own_word_where_both_make_sense() -> None:
    body = b'<meta charset="windows-1251">' + "тишина".encode("koi8-r")
    assert decode_bytes(body, "koi8-r").text.endswith("тишина")
    body = b'<meta charset="koi8-r">' + "тишина".encode("koi8-r")
    assert decode_bytes(body).text.endswith("тишина")


@pytest.mark.parametrize(
    "head",
    [
        b"<meta charset=gbk>",
        b"<META http-equiv='Content-Type' content='text/html; charset=GBK'>",
        b'<?xml version="1.0" encoding="gbk"?><html>',
    ],
)
def test_a_page_declares_its_charset_in_several_ways(head: bytes) -> None:
    assert (declared_charset(head) or "").lower() == "gbk"


def test_gb2312_and_gbk_are_read_as_their_superset() -> None:
    rare = "㐀𠮷镕"
    assert decode_bytes((SIMPLIFIED + rare).encode("gb18030"), "gb2312").text == SIMPLIFIED + rare
    assert find_codec("GB2312") == find_codec("x-gbk") == "gb18030"


def test_big5_is_read_with_the_characters_of_hong_kong_and_of_microsoft() -> None:
    assert decode_bytes((TRADITIONAL + "喺嘅嚟咗").encode("big5hkscs"), "big5").text == TRADITIONAL + "喺嘅嚟咗"
    euro = b"\xa3\xe1"  # Microsoft's addition, which the Hong Kong set lacks
    assert decode_bytes(TRADITIONAL.encode("big5") + euro, "big5").text == TRADITIONAL + "€"


def test_a_few_damaged_characters_do_not_overrule_a_declaration() -> None:
    body = (SIMPLIFIED * 5).encode() + b"\xff\xfe" + SIMPLIFIED.encode()
    decoded = decode_bytes(body, "utf-8")
    assert decoded.charset == "utf-8"
    assert told(decoded) == ["2 characters cannot be decoded"]


def test_a_body_cut_inside_a_character_is_still_utf_8() -> None:
    decoded = decode_bytes((SIMPLIFIED * 2).encode()[:-1], "gb2312")
    assert decoded.charset == "utf-8"
    assert decoded.text.startswith(SIMPLIFIED)


def test_ascii_is_no_problem_and_an_empty_body_is_an_empty_text() -> None:
    assert decode_bytes(b"plain", "big5") == DecodedText("plain", "big5hkscs")
    assert decode_bytes(b"") == DecodedText("", "utf-8")


@pytest.mark.parametrize("charset", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_its_mark_is_known_by_its_zeros(charset: str) -> None:
    html = f"<!DOCTYPE html><html><head><meta charset=utf-16><title>x</title></head><body>{SIMPLIFIED}</body></html>"
    assert decode_bytes(html.encode(charset)) == DecodedText(html, charset)


@pytest.mark.parametrize("body", [b"", b"\0", b"\0" * 100, b"\0a" * 3 + b"\0", b"<html>\0\0</html>" * 9])
def test_zeros_alone_make_no_utf_16(body: bytes) -> None:
    assert decode_bytes(body).charset == "utf-8"


def test_of_two_declarations_in_a_page_the_one_that_fits_is_right() -> None:
    both = "<meta charset={}><meta http-equiv=Content-Type content='text/html; charset={}'>"
    for first, second in (("utf-8", "gb2312"), ("gb2312", "utf-8")):
        html = both.format(first, second) + SIMPLIFIED
        assert decode_bytes(html.encode("gb18030")).text == html
        assert decode_bytes(html.encode("utf-8")).text == html


def test_broken_bytes_cost_no_more_than_themselves() -> None:
    for charset in ("gb18030", "utf-8"):
        body = bytearray((SIMPLIFIED * 20).encode(charset))
        body[300:302] = b"\xff\xff"
        decoded = decode_bytes(bytes(body), charset)
        assert decoded.charset == charset
        assert 1 <= decoded.text.count("\ufffd") <= 4
        assert decoded.text.count(SIMPLIFIED) >= 18


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        ("川は秋になると静かに流れ、岸辺の柳は葉を落とす。", "iso2022_jp_2"),
        ("강은 가을이면 조용히 흐른다.", "iso2022_kr"),
        (SIMPLIFIED, "hz"),
        (SIMPLIFIED + "\n", "utf-16-le"),
        (TRADITIONAL + "\n", "utf-16-be"),
    ],
)
def test_a_plain_text_in_a_charset_that_browsers_hardly_know_comes_out_right(text: str, charset: str) -> None:
    assert decode_bytes((text * 20).encode(charset)) == DecodedText(text * 20, charset)


def test_ascii_with_the_signs_of_another_charset_stays_what_it_is() -> None:
    code = b"PATH=~{home}/bin; echo $HOME ~{ x ~}"
    assert decode_bytes(code).text == code.decode()


ADVERT = "本站地址有变，请收藏新的地址"
PAGE = f"<html><head><title>渡口</title></head><body><p>{SIMPLIFIED * 3}</p>\n<p>{SIMPLIFIED}</p></body></html>"
TRADITIONAL_PAGE = f"<html><head><title>渡口</title></head><body><p>{TRADITIONAL * 3}</p></body></html>"
RUSSIAN_PAGE = f"<html><body><p>{'Лодка стояла у самого берега, и снег лежал на вёслах. ' * 4}</p></body></html>"
# EUC-TW by its own table, so that the tests do not ask the decoder what is right. Each is a row and a cell of plane 1.
EUC_TW_BYTES = {"一": b"\xc4\xa1", "人": b"\xc4\xa9", "不": b"\xc4\xe2", "中": b"\xc4\xe3", "，": b"\xa1\xa2"}


@pytest.mark.parametrize("declared", [None, "utf-8", "gbk"])
@pytest.mark.parametrize("mark", [codecs.BOM_UTF8, codecs.BOM_UTF8 * 2, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE])
@pytest.mark.parametrize(
    ("html", "charset"),
    [(PAGE, "gb18030"), (TRADITIONAL_PAGE, "big5hkscs"), (PAGE, "utf-8"), (RUSSIAN_PAGE, "utf-8")],
)
def test_a_byte_order_mark_before_bytes_of_another_charset_is_not_believed(
    html: str, charset: str, mark: bytes, declared: str | None
) -> None:
    decoded = decode_bytes(mark + html.encode(charset), declared)
    assert (decoded.text, decoded.charset) == (html, charset)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("España".encode() + b" \xff", "España \ufffd"),
        ("<title>España</title>".encode() + b"<p>caf\xe9s</p>", "<title>España</title><p>caf\ufffds</p>"),
        (b"<p>caf\xe9s</p>", "<p>caf\ufffds</p>"),
        (RUSSIAN_PAGE.encode() + b"\xe9", RUSSIAN_PAGE + "\ufffd"),
        (PAGE.encode() + b"\xb5\xff<p>", PAGE + "\ufffd\ufffd<p>"),
    ],
)
def test_a_mark_decides_over_single_bad_bytes(body: bytes, text: str) -> None:
    decoded = decode_bytes(codecs.BOM_UTF8 + body)
    assert (decoded.text, decoded.charset) == (text, "utf-8")
    assert [problem.code for problem in decoded.problems] == ["page.undecoded"]
    assert decoded.problems[0].figures == {"count": text.count("\ufffd")}


def test_an_overruled_mark_is_noted() -> None:
    body = codecs.BOM_UTF8 + PAGE.encode("gb18030")
    assert told(decode_bytes(body)) == ["declared as utf-8, read as gb18030"]


@pytest.mark.parametrize("declared", [None, "utf-8", "utf-32"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("charset", ["utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", [PAGE, SIMPLIFIED * 2, RUSSIAN_PAGE, "\n\n" + TRADITIONAL * 2])
def test_utf_32_is_known_by_its_mark_and_by_its_zeros(text: str, charset: str, mark: str, declared: str | None) -> None:
    assert decode_bytes((mark + text).encode(charset), declared) == DecodedText(text, charset)


def test_characters_of_euc_tw_stand_where_the_standard_puts_them() -> None:
    for character, sign in EUC_TW_BYTES.items():
        assert sign.decode("euc_tw") == (b"\x8e\xa1" + sign).decode("euc_tw") == character
    assert b"\x8e\xa2\xa1\xa1".decode("euc_tw") == "乂"  # the first of plane 2
    assert b"a\xc4".decode("euc_tw", "replace") == "a\ufffd"


@given(st.text(alphabet="".join((TRADITIONAL, *EUC_TW_BYTES, "abc <>")), max_size=60))
def test_euc_tw_is_read_back_as_it_was_written(text: str) -> None:
    assert text.encode("euc_tw").decode("euc_tw") == text
    with io.TextIOWrapper(io.BytesIO(text.encode("euc_tw")), "euc_tw") as lines:
        assert lines.read() == text


@pytest.mark.parametrize("declared", [None, "euc-tw", "x-euc-tw", "big5", "gb2312", "utf-8"])
def test_euc_tw_is_known_whatever_was_declared(declared: str | None) -> None:
    decoded = decode_bytes(TRADITIONAL_PAGE.encode("euc_tw"), declared)
    assert (decoded.text, decoded.charset) == (TRADITIONAL_PAGE, "euc_tw")


@pytest.mark.parametrize("declared", [None, "utf-8", "gbk"])
@pytest.mark.parametrize("part", [ADVERT, "广告", f"{ADVERT}，免费阅读", f"<a href=x>{ADVERT}</a>{ADVERT}"])
@pytest.mark.parametrize(("main", "other"), [("utf-8", "gb18030"), ("gb18030", "utf-8"), ("utf-8", "big5hkscs")])
def test_a_part_in_another_charset_is_read_in_its_own(main: str, other: str, part: str, declared: str | None) -> None:
    if other == "big5hkscs":
        part = TRADITIONAL
    begin, end = PAGE.split("<p>", 1)
    body = b"".join((begin.encode(main), b"<div>", part.encode(other), b"</div><p>", end.encode(main)))
    decoded = decode_bytes(body, declared)
    assert (decoded.text, decoded.charset) == (f"{begin}<div>{part}</div><p>{end}", main)
    assert any("in another charset" in problem for problem in told(decoded))


@pytest.mark.parametrize(("main", "other"), [("utf-8", "gb18030"), ("gb18030", "utf-8")])
def test_two_charsets_in_one_line_come_apart(main: str, other: str) -> None:
    body = PAGE.encode(main) + "天气：".encode(main) + "多云转晴，西风三级".encode(other) + "。今夜有雨".encode(main)
    assert decode_bytes(body, main).text == f"{PAGE}天气：多云转晴，西风三级。今夜有雨"


@pytest.mark.parametrize("damage", ["Café Béla".encode("latin-1"), "雨".encode()[:2], b"\xff", b"\xa9 2020"])
def test_damaged_characters_are_no_part_in_another_charset(damage: bytes) -> None:
    decoded = decode_bytes(PAGE.encode() + b"<p>" + damage + b"</p>")
    assert decoded.charset == "utf-8"
    assert decoded.text.startswith(PAGE)
    assert "\ufffd" in decoded.text
    assert told(decoded) == [f"{decoded.text.count(chr(0xFFFD))} characters cannot be decoded"]


@pytest.mark.parametrize("declared", [None, "utf-8", "gbk"])
def test_one_bad_byte_does_not_make_chinese_of_another_script(declared: str | None) -> None:
    decoded = decode_bytes(RUSSIAN_PAGE.encode() + b"\xff", declared)
    assert (decoded.text, decoded.charset) == (RUSSIAN_PAGE + "\ufffd", "utf-8")
