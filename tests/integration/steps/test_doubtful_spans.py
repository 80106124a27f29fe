"""A page whose sentences hold spans of which nobody can tell whether a reader sees them."""

import random
import re
from typing import Final

from tests.support.way import capture, pairs, store_work, work_through
from wenhen.kit.progress import page_id
from wenhen.runtime.wiring import App

PAGE: Final = "http://a.test/1"
WORK: Final = (
    "磨坊在两条溪水合拢的地方，水轮转得慢，磨出来的面却最细。管磨的是一对姐妹，姐姐看水，妹妹看石头，两个人一天说不上十句话。"
    "有一年大旱，溪里只剩一条线，水轮停了整整四十天。姐姐每天早晨去上游看一趟，回来就坐在门槛上补筛子。"
    "村里的人劝她们买一台电磨，妹妹摇头，说石头歇一歇也好，歇过的石头吃得住麦子。到了秋天下了第一场雨，"
    "水轮先是响了一声，像有人在屋里咳嗽，随后一格一格地动起来。全村的人都跑来看，谁也没有带麦子。"
)
OTHER: Final = (
    "渔具店的老板从不钓鱼，他说看见浮子动心里就慌。店里最贵的一根竿子挂了十九年，价钱改过三回，竿梢上的红线也褪成了白的。"
    "有个中学生每个星期六都来看它，从初一看到高三，临考那年夏天忽然不来了。老板把竿子取下来擦了一遍，又挂回原处。"
    "后来学生在外地做了水文，写信来问竿子还在不在。老板回信说在，只是红线断了，要等他自己来接。"
)
DECOYS: Final = "草窗铁雪盐钟梯布灰桥"


def with_spans(text: str, *, decoys: bool) -> str:
    """Return a text with spans at random places, around decoys or around its own characters."""
    chance = random.Random(3)
    return re.sub(
        r"(?<=[^\W\d_])([^\W\d_])(?=[^\W\d_])",
        lambda match: _spanned(match[1], chance, decoys=decoys) if chance.random() < 0.3 else match[1],
        text,
    )


def _spanned(character: str, chance: random.Random, *, decoys: bool) -> str:
    name = f"{chance.choice('kqz')}{chance.randrange(90)}"
    shown = chance.choice(DECOYS) if decoys else character
    return f'{character if decoys else ""}<span class="{name}">{shown}</span>'


def page(text: str) -> bytes:
    """A page whose style sheet nobody fetched."""
    return (
        "<!DOCTYPE html><html><head><meta charset='utf-8'><title>旧闻</title>"
        "<link rel='stylesheet' href='/gone.css'></head>"
        f"<body><article><h1>旧闻</h1><p>{text}</p></article></body></html>"
    ).encode()


def text_of(app: App) -> str:
    """The text that is stored of the page, without its heading."""
    digest = app.store.pages.get(page_id(PAGE)).text_digest
    return app.store.blobs.get_text(digest or "").removeprefix("旧闻\n")


def test_spans_without_which_a_work_explains_the_page_are_left_out(app: App) -> None:
    store_work(app, "mill", WORK)
    work_through(app)
    capture(app, PAGE, page(with_spans(WORK, decoys=True)))
    work_through(app)
    assert text_of(app) == WORK
    assert pairs(app) == {(PAGE, "mill")}


def test_spans_that_are_words_of_the_work_stay(app: App) -> None:
    store_work(app, "mill", WORK)
    work_through(app)
    capture(app, PAGE, page(with_spans(WORK, decoys=False)))
    work_through(app)
    assert text_of(app) == WORK
    assert pairs(app) == {(PAGE, "mill")}


def test_a_page_that_no_work_explains_is_read_as_it_stands(app: App) -> None:
    store_work(app, "mill", WORK)
    work_through(app)
    capture(app, PAGE, page(with_spans(OTHER, decoys=False)))
    work_through(app)
    assert text_of(app) == OTHER
    assert pairs(app) == set()
