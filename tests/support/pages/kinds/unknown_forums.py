"""Threads of programs that nobody knows: posts of one kind, each with a name, a time, buttons, some with a signature."""

# ruff: noqa: E501  markup reads best in the lines in which it is written

from collections.abc import Callable, Iterator, Sequence

from tests.support.pages.kinds.kind import KindOfPage, kinds, p, whole
from tests.support.pages.kinds.sentences import Prose
from tests.support.pages.kinds.tails import MENU

_NAMES = ("渔火", "waterman", "青釉2009", "河边的人", "第七个灯笼", "Kiln_fan")


def _ranked(n: int, post: Sequence[str]) -> str:
    return (
        f"<div class=lou id=lou{n}><div class=l><p>{_NAMES[n]}</p><p>Lv.{n + 2}</p><p>{n * 17} 积分</p></div><div class=r>{p(post)}"
        f"<div class=t>{n + 1}楼 发表于 {n + 1} 天前 来自 安徽 <a href=#>赞({n})</a> <a href=#>回复</a></div></div></div>"
    )


def _english(n: int, post: Sequence[str]) -> str:
    return (
        f"<div class='entry e{n}'><div class=who><h4><a href=/u{n}>{_NAMES[n]}</a></h4><ul><li>Newbie</li><li>Posts: {n * 7}</li></ul></div><div class=area><h5><a href=#p{n}>Re: 渡口</a></h5>"
        f"<div class=small>« Reply #{n} on: May 12, 2011, 09:1{n}:22 AM »</div><div class=inner>{'<br>'.join(post)}</div><div class=small>Logged</div><div class=sig>知足常乐，随遇而安。</div></div></div>"
    )


def _listed(n: int, post: Sequence[str]) -> str:
    return (
        f"<li><b>{_NAMES[n]}</b> <time>{n + 1} days ago</time><section>{p(post)}</section><i>#{n + 1}</i><div><a href=#>Like</a> <a href=#>Report</a></div>"
        f"<p>Joined</p><p>May {n + 1}, 2021</p></li>"
    )


def _with_a_list(n: int, post: Sequence[str]) -> str:
    return (
        f"<div class=lou><div class=hd><a href=/u{n}>{_NAMES[n]}</a> <span>{n + 1}楼</span></div><div class=bd>{p(post[:-1])}<ul><li>{post[-1]}</li></ul></div>"
        f"<div class=ft><span>2023-05-0{n + 1} 09:1{n}</span> <a href=#>回复</a></div></div>"
    )


def _in_a_table(n: int, post: Sequence[str]) -> str:
    return (
        f"<table class=read><tr><td rowspan=2><a href=/u{n}>{_NAMES[n]}</a><p>级别: 论坛版主</p><p>发帖: {n * 7}</p><p>最后登录: 2011-05-12</p></td><td><div class=tip>发表于: 2011-05-12 09:1{n} 只看楼主 倒序阅读 小 中 大</div>"
        f"<div class=tpc>{'<br>'.join(post)}</div></td></tr><tr><td><a href=#>引用</a> <a href=#>举报</a></td></tr></table>"
    )


_WRITTEN: dict[str, Callable[[int, Sequence[str]], str]] = {
    "ranks and floors": _ranked,
    "in English, with signatures": _english,
    "a list, days ago": _listed,
    "a table each": _in_a_table,
    "lists beside paragraphs": _with_a_list,
}


@kinds
def thread_of_an_unknown_program(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    for name, written in _WRITTEN.items():
        posts = [[*prose.paragraphs(3), "旧缆绳"], *([prose.sentence(), "铁锚"] for _ in _NAMES[1:])]
        rows = "".join(written(n, post) for n, post in enumerate(posts))
        body = f"<ul>{MENU}</ul><h1>渡口</h1><div>{rows}</div><div>登录后才能发表内容</div>"
        yield name, KindOfPage(whole(body), tuple(line for post in posts for line in post), ("渡口", "Re: 渡口"))


@kinds
def rows_that_are_no_posts(prose: Prose) -> Iterator[tuple[str, KindOfPage]]:
    parts = [(f"{1953 + n}年5月{n + 1}日", prose.paragraphs(1)[0]) for n in range(6)]
    rows = "".join(f"<div class=year><h4>{day}</h4><p>{line}</p></div>" for day, line in parts)
    yield (
        "a chronicle",
        KindOfPage(whole(f"<ul>{MENU}</ul>{rows}"), tuple(line for part in parts for line in part)),
    )
    asked = [(f"第{n}问，旧码头为什么搬到了上游？", *prose.paragraphs(1)) for n in range(1, 6)]
    rows = "".join(f"<section><h3>{ask}</h3><p>{answer}</p></section>" for ask, answer in asked)
    yield "questions", KindOfPage(whole(f"<ul>{MENU}</ul>{rows}"), tuple(line for part in asked for line in part))
