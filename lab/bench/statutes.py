"""Statutes of our own making: few clauses, repeated with small changes, as laws repeat theirs."""

import random

_BODIES = ("主管部门", "县级以上人民政府", "监督管理机构", "登记机关", "所在地的有关单位", "审批机关")
_THINGS = ("渔业资源", "公共档案", "城市绿地", "集体牧场", "内河航道", "古树名木", "地下水源", "商业招牌")
_CLAUSES = (
    "{body}应当自收到申请之日起{days}日内作出是否批准的决定，不予批准的，应当书面说明理由。",
    "违反本法规定，擅自处置{thing}的，由{body}责令改正，没收违法所得，并处{fine}万元以上{more}万元以下的罚款；构成犯罪的，依法追究刑事责任。",
    "任何单位和个人都有保护{thing}的义务，对违反本法规定的行为，有权向{body}举报。",
    "{body}的工作人员滥用职权、玩忽职守、徇私舞弊的，依法给予处分；构成犯罪的，依法追究刑事责任。",
    "使用{thing}的单位应当按照规定向{body}报送有关情况，并对所报送材料的真实性负责。",
    "当事人对{body}作出的决定不服的，可以自接到通知之日起{days}日内依法申请行政复议，也可以直接向人民法院提起诉讼。",
)
_NUMERALS = "零一二三四五六七八九"


def statute(seed: int, size: int) -> str:
    """One of this many characters; the same seed gives the same."""
    rng = random.Random(seed)
    articles: list[str] = []
    length = 0
    while length < size:
        clause = rng.choice(_CLAUSES).format(
            body=rng.choice(_BODIES),
            thing=rng.choice(_THINGS),
            days=rng.choice(("十五", "二十", "三十", "六十")),
            fine=rng.choice("一二三五"),
            more=rng.choice(("十", "二十", "五十")),
        )
        number = "".join(_NUMERALS[int(digit)] for digit in str(len(articles) + 1))
        articles.append(f"第{number}条　{clause}\n")
        length += len(articles[-1])
    return "".join(articles)[:size]
