# ruff: noqa: E501  sentences are easier to read whole
"""Texts of formulaic genres, each filled in from a seed: what two of a kind share is nobody's."""

import random
from collections.abc import Callable

Filled = Callable[[random.Random], str]

SURNAMES, NAMES = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨",
    ("建军", "晓明", "丽华", "志远", "文静", "国庆", "海燕", "启明", "素芬", "立春"),
)
PLACES = ("临江", "白石", "柳河", "东桥", "望海", "青岭", "安平", "双井", "金沙", "长渡", "石门", "云台")
SKIES = ("晴转多云", "小到中雨", "阴有阵雨", "多云转阴", "雷阵雨", "晴", "雨夹雪", "大雾转晴")
THINGS = ("铸铁暖气片", "棉纺筒子纱", "净水滤芯", "折叠课桌椅", "低压配电柜", "竹纤维面巾", "防滑地砖", "铝合金窗框")
SUBJECTS = ("水文测量", "纺织史话", "果树栽培", "河工图说", "方志目录", "古建修缮", "盐业旧档", "民间剪纸")


def person(rng: random.Random) -> str:
    return rng.choice(SURNAMES) + rng.choice(NAMES)


def date(rng: random.Random) -> str:
    return f"{rng.randint(1998, 2024)}年{rng.randint(1, 12)}月{rng.randint(1, 28)}日"


def _contract(rng: random.Random) -> str:
    return (
        f"出租人：{person(rng)}。承租人：{person(rng)}。双方经当面商议，就位于{rng.choice(PLACES)}街{rng.randint(1, 300)}号的房屋订立本约。"
        f"租期自{date(rng)}起至{date(rng)}止，月租{rng.randint(600, 9000)}元，押金{rng.randint(1000, 20000)}元，于每月{rng.randint(1, 28)}日前付清。"
        f"承租人不得擅自拆改房屋结构，不得转租他人，水电费用凭单据自理。出租人应当保证房屋可以正常居住，遇有漏雨、墙面开裂应当在"
        f"{rng.randint(2, 15)}日内派人修理。任何一方提前解约，应当在{rng.randint(10, 60)}日前告知对方。本约一式两份，签字之日起生效。"
    )


def _weather(rng: random.Random) -> str:
    return (
        f"{rng.choice(PLACES)}气象站{date(rng)}发布：今天白天到夜间{rng.choice(SKIES)}，东南风{rng.randint(1, 6)}级，"
        f"最高气温{rng.randint(8, 38)}度，最低气温{rng.randint(-9, 7)}度。明天{rng.choice(SKIES)}，后天{rng.choice(SKIES)}，气温略有起伏。"
        "早晚温差较大，请适时增减衣物，外出的市民请关注路面湿滑情况，农户应当做好大棚的通风和保温。"
    )


def _match(rng: random.Random) -> str:
    home, guest = rng.sample(PLACES, 2)
    return (
        f"{date(rng)}，联赛第{rng.randint(2, 30)}轮在{home}体育场开赛，{home}队主场以{rng.randint(2, 5)}比{rng.randint(0, 1)}战胜来访的{guest}队。"
        f"上半场第{rng.randint(3, 44)}分钟，{person(rng)}接队友传中头球破门，为主队先拔头筹。易边再战，双方攻防转换加快，第{rng.randint(50, 80)}分钟"
        f"{person(rng)}禁区前沿远射得手。此后客队大举压上，但门前把握机会的能力欠佳，直到终场哨响也没能改写比分。"
        f"全场比赛主队控球率为百分之{rng.randint(40, 65)}，射门{rng.randint(6, 22)}次，角球{rng.randint(1, 12)}个。"
    )


def _prayer(rng: random.Random) -> str:
    return (
        f"维{date(rng)}，{rng.choice(PLACES)}众姓弟子{person(rng)}等，谨以香花清酒，敬告于{rng.choice(PLACES)}神前：伏以时和岁稔，皆赖神庥，"
        "风调雨顺，实承灵贶。今值秋成，敢忘所自？爰集乡邻，虔修祀事，牲醴既陈，钟鼓斯举。惟愿四时无灾，六畜兴旺，老者康宁，幼者成立，"
        f"出入平安，百事顺遂。{person(rng)}代书。尚飨。"
    )


def _privacy(rng: random.Random) -> str:
    who = rng.choice(PLACES) + rng.choice(("出行", "读书", "买菜", "听书", "问诊"))
    return (
        f"欢迎使用{who}。本政策自{date(rng)}起施行。为了向您提供注册、下单和客服等功能，我们需要收集您的手机号码、设备型号和必要的日志，"
        f"保存期限为{rng.randint(3, 36)}个月，期满即删除或者作匿名处理。未经您的同意，我们不会把这些信息提供给任何第三方，法律另有规定的除外。"
        f"您可以在设置中查阅、更正或者注销，我们将在{rng.randint(3, 30)}个工作日内答复，客服电话{rng.randint(200, 899)}{rng.randint(1000, 9999)}，联系人{person(rng)}。"
    )


def _product(rng: random.Random) -> str:
    return (
        f"品名：{rng.choice(THINGS)}。型号：{rng.randint(100, 999)}。产地：{rng.choice(PLACES)}。净重{rng.randint(2, 90)}千克，外形尺寸"
        f"{rng.randint(20, 300)}乘{rng.randint(20, 300)}毫米，质保{rng.randint(6, 36)}个月。使用之前请仔细阅读说明书并妥善保管，切勿在潮湿或者高温的环境"
        f"中存放，清洁时应当先断开电源，用拧干的软布擦拭，不得使用腐蚀性溶剂。若有异响、异味或者渗漏，应当立即停止使用并联系售后{person(rng)}，"
        "自行拆卸造成的损坏不在保修之列。"
    )


def _exam(rng: random.Random) -> str:
    return (
        f"{rng.choice(PLACES)}中学{date(rng)}阶段测验。本卷共{rng.randint(4, 30)}题，满分{rng.randint(50, 150)}分，限时{rng.randint(40, 180)}分钟，命题{person(rng)}，"
        f"审题{person(rng)}。注意事项：答题前请将姓名、班级和座号填写清楚，选择题用铅笔涂黑，其余各题用黑色墨水的签字笔书写，字迹要端正，"
        "写在答题区域以外的一律无效，交卷时试卷和答题纸一并上交，不得带出考场。"
    )


def _preface(rng: random.Random) -> str:
    return (
        f"{rng.choice(SUBJECTS)}一书凡{rng.randint(3, 40)}卷，{person(rng)}先生积{rng.randint(5, 40)}年之力而成。付印之前先生嘱我写几句话放在卷首，"
        "我于此道所知甚浅，再三推辞不得，只好就所见所感略陈一二。书中材料翔实，条理分明，凡有疑难必反复推求，不肯轻下断语，足见用力之勤。"
        f"错漏之处在所难免，还望读者诸君不吝指正。{person(rng)}，{date(rng)}于{rng.choice(PLACES)}。"
    )


FORMS: dict[str, Filled] = {
    "contract": _contract,
    "weather report": _weather,
    "match report": _match,
    "prayer": _prayer,
    "privacy policy": _privacy,
    "product": _product,
    "exam paper": _exam,
    "preface": _preface,
}
