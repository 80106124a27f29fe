"""Pages that carry their text as data: in scripts, in attributes, encoded as scripts and servers encode it."""

import base64
import json
from html import escape
from urllib.parse import quote

import pytest

from crawler.extraction.inline_data import parse_written_json
from crawler.extraction.page import extract_html
from tests.support.pages.page_parts import FERRY, KILN, p, page

LINES = (*FERRY, *KILN)
MARKUP, PLAIN = p(LINES), "\n".join(LINES)
DATA = json.dumps({"app": {"title": "渡口", "content": MARKUP}}, ensure_ascii=False)


def percent_u(text: str) -> str:
    """As JavaScript's `escape` writes it."""
    return "".join(
        sign if sign.isascii() and sign.isalnum() else f"%u{ord(sign):04X}" if ord(sign) > 0xFF else f"%{ord(sign):02X}"
        for sign in text
    )


def to_base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def text_of(body: str) -> str:
    return extract_html(page(f"<div id=app></div>{body}").encode(), [], "http://a.test/1.html").text


@pytest.mark.parametrize(
    "script",
    [
        f"var a = decodeURIComponent('{quote(MARKUP, safe='')}');",
        f'data = JSON.parse(decodeURIComponent("{quote(DATA)}"))',
        f'document.write(decodeURI("{quote(MARKUP, safe=":/")}"))',
        f"document.write(unescape('{percent_u(MARKUP)}'))",
        f'x = unescape("{percent_u(PLAIN)}")',
        f"a = '{quote(MARKUP.encode('gb18030'), safe='')}'",
        f"a = atob('{to_base64(MARKUP)}')",
        f"a=atob('{to_base64(MARKUP)}')",
        f"a = '{base64.urlsafe_b64encode(DATA.encode()).decode().rstrip('=')}'",
        f"a = decodeURIComponent(atob('{to_base64(quote(MARKUP))}'))",
        f"data = {{content: '{escape(json.dumps(MARKUP, ensure_ascii=False))}'.slice(6, -6)}}",
        "data = {content: '" + escape('"' + MARKUP.replace("<", "\\u003C") + '"') + "'.slice(6, -6)}",
        f"d = '{escape(escape(MARKUP))}'",
        "d = '" + "".join(f"&#{ord(sign)};" for sign in MARKUP) + "'",
        "d = " + json.dumps({"a": json.dumps({"b": json.dumps([{"c": MARKUP}])})}),
        "d = JSON.parse('" + json.dumps(json.loads(DATA)).replace("\\", "\\\\") + "')",
        "//<![CDATA[\nd = " + DATA + "\n//]]>",
    ],
)
def test_text_that_a_script_decodes_is_read_as_text(script: str) -> None:
    assert text_of(f"<script>{script}</script>") == PLAIN


@pytest.mark.parametrize(
    "body",
    [
        f"<script id=RENDER_DATA type='application/json'>{quote(DATA, safe='')}</script>",
        f"<script id=RENDER_DATA type='application/json'>{quote(DATA)}</script>",
        "<script type='application/json'>" + quote(DATA, safe="~@#$&()*!+=:;,?/'") + "</script>",
        f"<script type='text/base64'>{to_base64(DATA)}</script>",
        f'<div data-page="{escape(DATA)}"></div>',
        f'<div data-page="{quote(DATA)}"></div>',
        f'<div data-page="{to_base64(MARKUP)}"></div>',
    ],
)
def test_data_that_is_encoded_as_a_whole_is_read_as_text(body: str) -> None:
    assert text_of(body) == PLAIN


@pytest.mark.parametrize("noise", ["%E6%B2" * 200, "%zz" * 200, "QUJD" * 200, "&lt;" * 300, "%uD800" * 200, "{" * 900])
def test_encoded_noise_gives_no_text(noise: str) -> None:
    assert text_of(f"<script>a = '{noise}'</script><script type='application/json'>{noise}</script>") == ""


def test_half_a_character_costs_no_more_than_itself() -> None:
    written = percent_u(PLAIN) + "%uD83D%uDE00%uD83D" + percent_u("。船来了。")
    assert text_of(f"<script>a = unescape('{written}')</script>") == PLAIN + "\U0001f600\ufffd。船来了。"


ARTICLE = '"@type": "NewsArticle", "headline": "渡口的灯"'
BODY = json.dumps(PLAIN, ensure_ascii=False)


@pytest.mark.parametrize(
    "data",
    [
        f'/* <![CDATA[ */{{{ARTICLE}, "articleBody": {BODY}}}/* ]]> */',
        f'//<![CDATA[\n{{{ARTICLE}, "articleBody": {BODY}}}\n//]]>',
        f'//<![CDATA[{{{ARTICLE}, "articleBody": {BODY}}}//]]>',
        f'<![CDATA[{{{ARTICLE}, "articleBody": {BODY}}}]]>',
        f'<!--{{{ARTICLE}, "articleBody": {BODY}}}-->',
        f'{{{ARTICLE}, "articleBody": {BODY},}}',
        f'[{{"@type": "WebSite",}}, {{{ARTICLE}, "articleBody": {BODY}, /* end */ }},]',
        f'// of the site\n{{{ARTICLE}, "articleBody": {BODY}}}',
        f'{{{ARTICLE}, "articleBody": {BODY}}};',
        f'{{"@type": "WebSite"}}{{{ARTICLE}, "articleBody": {BODY}}}',
        f'{{{ARTICLE}, "url": "a\\.b", "articleBody": "{PLAIN}"}}',
        f'{{"@type": "NewsArticle", "headline": "渡口"的"灯", "articleBody": "{PLAIN}"}}',
        f'{{"@type": "WebPage", "mainEntity": {{{ARTICLE}, "articleBody": {BODY}}}}}',
        f'{{{ARTICLE}, "articleBody": {json.dumps(MARKUP, ensure_ascii=False)}}}',
        f'{{{ARTICLE}, "articleBody": {json.dumps(escape(MARKUP), ensure_ascii=False)}}}',
        escape(f'{{{ARTICLE}, "articleBody": {BODY}}}'),
    ],
)
@pytest.mark.parametrize("kind", ["application/ld+json", "Application/LD+JSON; charset=utf-8"])
def test_linked_data_is_read_as_sites_write_it(kind: str, data: str) -> None:
    assert text_of(f"<script type='{kind}'>{data}</script>") == PLAIN


def test_a_string_of_linked_data_keeps_what_only_looks_like_a_comment_or_a_comma() -> None:
    said = "见 http://a.test/*.html ,} 与 // 之后 <!-- 灯 -->"
    assert parse_written_json(json.dumps({"a": said})[:-1] + ",}") == [{"a": said}]
