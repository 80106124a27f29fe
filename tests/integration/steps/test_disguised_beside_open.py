"""A page that copies one work openly, and another disguised beside it."""

from typing import Final

from tests.support.way import capture, made_page, pairs, store_work, work_through
from wenhen.runtime.wiring import App

PAGE: Final = "http://a.test/1"
OPEN: Final = (
    "老城的钟楼每到整点敲一次，声音能传到江对岸的菜市场。卖藕的阿婆不戴表，听见钟响就知道该收摊还是该吃饭。"
    "有一年钟停了三个月，修钟的人从外省请来，在楼顶上住了半个冬天。那段日子街上的人都有些慌，店铺开门也早晚不一。"
    "后来钟又响了，阿婆说比从前低了半个音，没有人信她。修钟的师傅听说以后，专门过江来找她，两个人坐在藕筐边上谈了一个下午。"
    "师傅说她的耳朵没有错，旧钟裂了一道缝，补过以后声音确实沉了一些。临走的时候，他把拆下来的一颗铜钉留给她做纪念。"
)
DISGUISED: Final = (
    "县里的小火车只有两节车厢，早上拉学生进城，晚上拉菜农回村。司机姓段，车头里挂着一只鸟笼，画眉跟着汽笛一起叫。"
    "铁路要拆的消息传了好几年，每次来人量地，段师傅就把鸟笼摘下来，请他们坐到车头里看看沿路的风景。过了桥是一片荷塘，"
    "再往前是烧砖的窑和废弃的糖厂，孩子们在车窗边数烟囱，数到第七个就该下车了。最后一班车开走那天，没有人放鞭炮，"
    "大家站在月台上，等汽笛响完才慢慢散去。段师傅把画眉放在月台的柱子上，打开笼门，它却不肯飞，只是歪着头听远处的声音。"
)
BETWEEN: Final = "\n下面这一段是读者投来的稿子，编者没有改动，只是把错字挑了出来，请大家看看写得怎么样。\n"
PUT_IN: Final = "的了是一在有我不"


def put_in_every_third(text: str) -> str:
    """Return the text with a character behind every third."""
    return "".join(text[begin : begin + 3] + PUT_IN[begin // 3 % len(PUT_IN)] for begin in range(0, len(text), 3))


def test_a_page_is_a_case_of_the_work_that_it_copies_and_of_that_which_it_disguises(app: App) -> None:
    store_work(app, "clock", OPEN)
    store_work(app, "train", DISGUISED)
    work_through(app)
    capture(app, PAGE, made_page("旧事", OPEN + BETWEEN + put_in_every_third(DISGUISED)))
    work_through(app)
    assert pairs(app) == {(PAGE, "clock"), (PAGE, "train")}
