"""Pages that are read to look something up: lists, entries, code, two languages side by side, threads with quotes."""

# ruff: noqa: E501  markup reads best in the lines in which it is written

from collections.abc import Iterator

from tests.support.pages.kinds.kind import KindOfPage, kinds, p, whole
from tests.support.pages.kinds.sentences import Prose
from tests.support.pages.kinds.tails import COOKIES, LEGAL, MENU, REPLIES


@kinds
def long_lists_of_links(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    rows = {
        "dated": "<li><a href=/{n}.html>{title}</a><span>2023-05-01</span></li>",
        "table": "<tr><td>{n}</td><td><a href=/{n}.html>{title}</a></td><td>河口</td><td>05-01</td></tr>",
        "bare": "<div><a href=/{n}.html>{title}</a></div>",
    }
    for row, pattern in rows.items():
        for size, count in {"one": 1, "four": 4}.items():
            text = prose.paragraphs(count)
            listed = prose.links(80, pattern)
            holder = f"<table>{listed}</table>" if row == "table" else f"<ul>{listed}</ul>"
            body = f"<ul>{MENU}</ul><div class=c><h1>窑</h1>{p(text)}</div><div class=more>{holder}</div>"
            yield f"{row}, beside, {size}", KindOfPage(whole(body), tuple(text), ("窑",))
            body = f"<ul>{MENU}</ul><div class=c><h1>窑</h1>{p(text)}{holder}</div>"
            yield f"{row}, inside, {size}", KindOfPage(whole(body), tuple(text), ("窑",))


@kinds
def wiki_with_boxes(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    for size, count in {"long": 8, "short": 2}.items():
        text = prose.paragraphs(count)
        linked = [
            one.replace("老码头", "<a href=/w/1>老码头</a>").replace("茶馆", "<a href=/w/2>茶馆</a>") for one in text
        ]
        facts = "".join(
            f"<tr><th>{name}</th><td>{value}</td></tr>"
            for name, value in (("位置", "河口"), ("建成", "1932年"), ("高度", "18米"))
        )
        sources = "".join(f"<li>林溪：《河口志》，河口出版社，19{n}年，第{n}页。</li>" for n in range(60, 66))
        body = (
            f"<div id=nav><ul>{MENU}</ul></div><div id=bodyContent><h1>灯塔</h1><div id=siteSub>维基百科，自由的百科全书</div><div class=hatnote>关于其他用法，请见“<a href=/d>灯塔（消歧义）</a>”。</div>"
            f"<table class=infobox>{facts}</table>{p(linked[: count // 2])}<h2>历史<span>[<a href=/e>编辑</a>]</span></h2>{p(linked[count // 2 :])}<h2>参考资料</h2><ol class=references>{sources}</ol>"
            f"<div class=navbox>{prose.links(60, '<a href=/w/{n}>{title}</a> · ')}</div></div><div id=footer><p>本页面的文字允许在相同方式共享的条件下修改和再使用。</p></div>"
        )
        heads = (
            "灯塔",
            "位置",
            "河口",
            "建成",
            "1932年",
            "高度",
            "18米",
            "历史[编辑]",
            "参考资料",
            "历史",
            *(f"林溪：《河口志》，河口出版社，19{n}年，第{n}页。" for n in range(60, 66)),
            "关于其他用法，请见“灯塔（消歧义）”。",
            "维基百科，自由的百科全书",
        )
        yield size, KindOfPage(whole(body), tuple(text), heads)


@kinds
def code_documentation(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    entries = [
        (f"read_level{n}(river, *, unit='m')", prose.sentence(), f">>> read_level{n}('hekou')") for n in range(6)
    ]
    lines = tuple(line for entry in entries for line in entry)
    inner = "".join(
        f"<dl class=function><dt id=f{n}><code>{name}</code><a class=headerlink href=#f{n}>¶</a></dt><dd><p>{says}</p><pre>{code}</pre></dd></dl>"
        for n, (name, says, code) in enumerate(entries)
    )
    tree = "".join(f"<li><a href=/m{n}>{prose.title()}</a></li>" for n in range(50))
    body = f"<div class=tree><ul>{tree}</ul></div><div class=body><h1>hekou.level</h1>{inner}</div><div class=ft>© 2023 hekou. Built with Sphinx.</div>"
    either = ("hekou.level",)
    marked = tuple(f"{line}¶" if line.startswith("read") else line for line in lines)
    yield "functions", KindOfPage(whole(body), marked, either)


@kinds
def two_languages(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    english = [
        "Before the rain stopped, the old boatman had already counted the steps of the pier twice.",
        "Nobody in the town remembered when the bell was cast, and nobody wanted to ask.",
        "She kept the letter in the wall for thirty years without opening it once.",
        "When the water fell, they found the boundary stone under the bridge.",
    ]
    chinese = [prose.sentence() for _ in english]
    lines = tuple(line for pair in zip(english, chinese, strict=True) for line in pair)
    for name, inner in {
        "alternating": p(lines),
        "table": f"<table>{''.join(f'<tr><td>{e}</td><td>{c}</td></tr>' for e, c in zip(english, chinese, strict=True))}</table>",
        "classes": "".join(
            f"<div class=en>{e}</div><div class=zh>{c}</div>" for e, c in zip(english, chinese, strict=True)
        ),
    }.items():
        body = (
            f"<ul>{MENU}</ul><div class=c><h1>渡口</h1>{inner}</div><ul>{prose.links(20)}</ul><div>{p(COOKIES)}</div>"
        )
        yield name, KindOfPage(whole(body), lines, ("渡口",))


@kinds
def short_article_with_long_comments(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    said = [REPLIES[n % 4] * 3 for n in range(30)]
    forms = {
        "named": f"<div class=comments>{''.join(f'<div class=cm><b>网友{n}</b><p>{one}</p></div>' for n, one in enumerate(said))}</div>",
        "headed": f"<div class=x><h3>全部评论（30）</h3>{''.join(f'<div class=y><b>网友{n}</b><p>{one}</p><span>05-01 回复</span></div>' for n, one in enumerate(said))}</div>",
        "list": f"<ol class=commentlist>{''.join(f'<li><cite>网友{n}</cite><p>{one}</p></li>' for n, one in enumerate(said))}</ol>",
    }
    for size, (paragraphs, sentences) in {"short": (2, 1), "some": (4, 2)}.items():
        for name, comments in forms.items():
            text = prose.paragraphs(paragraphs, sentences)
            body = f"<ul>{MENU}</ul><div class=art><h1>窑</h1><div class=z>{p(text)}</div></div>{comments}<ul>{prose.links(10)}</ul>"
            yield f"{name}, {size}", KindOfPage(whole(body), tuple(text), ("窑",))


@kinds
def poems_and_lists(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    poem = ["渡口无人雨自横", "旧船一夜听潮生", "灯前欲写当年事", "落笔方知水有声"]
    steps = [
        f"第{n}步，把{what}洗净切好"
        for n, what in zip("一二三四五六", ("青菜", "豆腐", "河虾", "姜丝", "香菇", "笋尖"), strict=True)
    ]
    for name, text in {"poem": poem, "recipe": steps}.items():
        for form, inner in {
            "paragraphs": p(text),
            "list": f"<ol>{''.join(f'<li>{one}</li>' for one in text)}</ol>",
            "breaks": f"<div>{'<br>'.join(text)}</div>",
        }.items():
            body = f"<ul>{MENU}</ul><div class=c><h1>河口</h1>{inner}</div><div class=more><ul>{prose.links(30)}</ul></div><div>{p(LEGAL[:2])}</div>"
            yield f"{name}, {form}", KindOfPage(whole(body), tuple(text), ("河口",))
