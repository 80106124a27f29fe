"""Manuals and documentation: sections with notes, code and tables; lists of sections; what to see also."""

# ruff: noqa: E501  markup reads best in the lines in which it is written

from collections.abc import Iterator

from tests.support.pages.kinds.kind import KindOfPage, kinds, p, whole
from tests.support.pages.kinds.sentences import Prose
from tests.support.pages.kinds.tails import AGREEMENT, COOKIES, LEGAL

_LINKS = '<link rel="up" href="index.html" title="手册"><link rel="prev" href="a.html" title="前言"><link rel="next" href="c.html" title="后续">'


def _sections(prose: Prose, count: int) -> list[str]:
    return [f"{n}. {prose.title()}" for n in range(1, count + 1)]


@kinds
def docbook(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    head = '<meta name="generator" content="DocBook XSL Stylesheets">' + _LINKS
    navigation = "<div class=navheader><table><tr><th colspan=3>第 2 章</th></tr><tr><td><a href=a.html>上一页</a></td><td><a href=c.html>下一页</a></td></tr></table><hr></div>"
    for size, (paragraphs, listed) in {
        "section": (8, 0),
        "chapter with contents": (1, 12),
        "contents alone": (0, 25),
    }.items():
        title, text, sections = "第 2 章 修缮", prose.paragraphs(paragraphs), _sections(prose, listed)
        rows = "".join(
            f"<dt><span class=section><a href=s{n}.html>{one}</a></span></dt>" for n, one in enumerate(sections)
        )
        contents = f"<div class=toc><p><b>目录</b></p><dl class=toc>{rows}</dl></div>" if sections else ""
        body = f"{navigation}<div class=chapter><div class=titlepage><h1 class=title>{title}</h1></div>{contents}{p(text)}</div><div class=navfooter><hr><table><tr><td><a href=a.html>上一页</a></td><td><a href=index.html>起始页</a></td><td>前言</td></tr></table></div>"
        yield size, KindOfPage(whole(body, head, title), (*sections, *text), (title, "目录"))


@kinds
def docbook_with_notes(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    """Nearly every paragraph has notes; they stand at the foot of the page, each with its number as in the text."""
    text, notes = prose.paragraphs(6), [prose.sentence() for _ in range(12)]

    def mark(kind: str, n: int, to: str) -> str:
        return f"<a href=#{to}{n} class={kind} name={n}><sup class={kind}>[{n}]</sup></a>"

    marked = [
        f"{one}{mark('footnote', 2 * n, 'ftn.')}{mark('footnote', 2 * n + 1, 'ftn.')}" for n, one in enumerate(text)
    ]
    rows = "".join(
        f"<div id=ftn.{n} class=footnote><p>{mark('para', n, 'id')} {one}</p></div>" for n, one in enumerate(notes)
    )
    body = f"<div class=section><h1 class=title>修缮</h1>{p(marked)}<div class=footnotes><br><hr>{rows}</div></div>"
    said = (
        *(f"{one}[{2 * n}][{2 * n + 1}]" for n, one in enumerate(text)),
        *(f"[{n}] {one}" for n, one in enumerate(notes)),
    )
    yield "page", KindOfPage(whole(body, _LINKS), said, ("修缮",))


@kinds
def sphinx(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    head = '<link rel="index" title="索引" href="genindex.html"><link rel="search" href="search.html">' + _LINKS
    for size, (paragraphs, listed) in {
        "page": (8, 0),
        "index with a sentence": (1, 30),
        "index alone": (0, 30),
    }.items():
        title, text, sections = "河口手册", prose.paragraphs(paragraphs, 1), _sections(prose, listed)
        tree = "".join(
            f"<li class=toctree-l1><a class='reference internal' href=s{n}.html>{one}</a></li>"
            for n, one in enumerate(sections)
        )
        contents = f"<div class='toctree-wrapper compound'><ul>{tree}</ul></div>" if sections else ""
        body = (
            f"<div class=related role=navigation><h3>导航</h3><ul><li><a href=genindex.html>索引</a></li><li><a href=c.html>下一页</a> |</li></ul></div>"
            f"<div class=document><div class=documentwrapper><div class=bodywrapper><div class=body role=main><section><h1>{title}<a class=headerlink href=#a>¶</a></h1>{p(text)}{contents}</section></div></div></div>"
            f"<div class=sphinxsidebar role=navigation><h3>目录</h3><ul>{tree}</ul><h3>快速搜索</h3></div></div><div class=footer role=contentinfo>© 版权所有 2023, 河口. 由 Sphinx 5.0 创建。</div>"
        )
        yield size, KindOfPage(whole(body, head, title), (*text, *sections), (title, f"{title}¶"))


@kinds
def help_with_related_topics(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    """A help page whose last part names other pages; a reader of the manual sees it as a part of the page."""
    for heading, label in (
        ("相关主题", "relatedtopics"),
        ("另请参阅", "seealso"),
        ("参见", "section"),
        ("另見", "box"),
    ):
        text = prose.paragraphs(5)
        topics = _sections(prose, 8)
        rows = "".join(f"<p><a href=t{n}.html>{one}</a></p>" for n, one in enumerate(topics))
        body = f"<div class=index><ul>{prose.links(40)}</ul></div><div id=DisplayArea><h1>校准水位</h1>{p(text)}<div class={label}><p class=related>{heading}</p><div>{rows}</div></div></div><div class=donate>请支持我们！</div>"
        yield heading, KindOfPage(whole(body, _LINKS), (*text, *topics), ("校准水位", heading))


@kinds
def mkdocs(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    text, code = prose.paragraphs(6), ("water --level 3 --river hekou", "water --report > report.txt")
    tree = "".join(
        f"<li class=md-nav__item><a href=../{n}/ class=md-nav__link>{prose.title()}</a></li>" for n in range(80)
    )
    body = (
        f"<header class=md-header><a href=/>河口文档</a></header><div class=md-sidebar><nav class=md-nav><ul>{tree}</ul></nav></div><div class=md-content><article class='md-content__inner md-typeset'>"
        f"<h1>校准水位</h1>{p(text[:3])}<div class=highlight><pre>{chr(10).join(code)}</pre></div><div class='admonition tip'><p class=admonition-title>提示</p><p>{text[3]}</p></div>{p(text[4:])}</article></div>"
        f"<footer class=md-footer><a href=../a/>上一页 安装</a><a href=../b/>下一页 配置</a><div>Made with Material for MkDocs</div></footer>"
    )
    yield "page", KindOfPage(whole(body), (*text[:3], *code, *text[3:]), ("校准水位", "提示"))
    cards = [prose.sentence() for _ in range(6)]
    front = "".join(
        f"<li><p><strong>第{n}步</strong></p><hr><p>{one}</p><p><a href=s{n}/>开始</a></p></li>"
        for n, one in enumerate(cards)
    )
    body = f"<div class=md-sidebar><nav><ul>{tree}</ul></nav></div><div class=md-content><article><h1>河口文档</h1><div class='grid cards'><ul>{front}</ul></div></article></div>"
    yield "cards", KindOfPage(whole(body), tuple(cards), ("河口文档", *(f"第{n}步" for n in range(6))))


@kinds
def reference_with_tables(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    text = prose.paragraphs(2, 1)
    rows = [(f"level{n}", "整数", prose.sentence()) for n in range(8)]
    table = "".join(f"<tr><td>{name}</td><td>{kind}</td><td>{says}</td></tr>" for name, kind, says in rows)
    tree = "".join(f"<li><a href=/r/{n}>{prose.title()}</a></li>" for n in range(60))
    body = f"<div class=menu-wrap><ul>{tree}</ul></div><div class=doc-body><h1>参数</h1>{p(text)}<table>{table}</table></div><div class=feedback>此页面是否有帮助？ 是 否</div>{p(COOKIES)}"
    yield "options", KindOfPage(whole(body, _LINKS), (*text, *(line for row in rows for line in row)), ("参数",))


@kinds
def legal_notice_of_a_manual(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    """A short section whose page also carries the manual's licence, which is longer."""
    licence = (*AGREEMENT, *LEGAL)
    for size, count in {"one": 1, "three": 3}.items():
        text = prose.paragraphs(count)
        body = f"<div class=book><div class=titlepage><h1>河口手册</h1><div class=legalnotice>{p(licence)}</div></div><div class=preface><h2>前言</h2>{p(text)}</div></div>"
        yield size, KindOfPage(whole(body, _LINKS), tuple(text), ("河口手册", "前言"))
