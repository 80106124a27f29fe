# ruff: noqa: E501  sentences are easier to read whole
"""Texts of twelve kinds whose language is everybody's: each tells its own facts, in one of several customary wordings.

Forms of `tests.support.quality.formulae` are filled in word for word. These vary as independent writers do: each
sentence has several wordings, some are left out, and names, numbers and things differ.
"""

import random
from collections.abc import Callable, Sequence

from tests.support.quality.formulae import NAMES, PLACES, SURNAMES

Writer = Callable[[random.Random], str]

_TOWNS = (*PLACES, "清溪", "南关", "凤岭", "沙洲", "乌石", "黄渡", "赤湖", "永丰", "栖霞", "芦荡", "松口", "北固")
_PROVINCES = ("江苏", "湖北", "四川", "福建", "辽宁", "甘肃", "云南", "河南", "山西", "贵州", "黑龙江", "广西")
_SCHOOLS = ("水利学院", "师范学院", "农业大学", "财经学院", "机械学院", "中医学院", "林业大学", "理工大学")
_MAJORS = ("农田水利", "汉语言文学", "工业会计", "机械制造", "作物栽培", "行政管理", "土木工程", "化学工程")
_COLOURS = ("银灰", "黄褐", "青黑", "橙红", "淡绿", "暗紫", "灰白", "棕黄")
_TEAMS = ("雄鹰", "铁马", "海浪", "星火", "猛虎", "飞鱼", "长城", "骏马")


def _pick(rng: random.Random, *wordings: str) -> str:
    return rng.choice(wordings)


def _person(rng: random.Random) -> str:
    return rng.choice(SURNAMES) + rng.choice((*NAMES, "伯涛", "春生", "婉如", "庆余", "承志", "雪梅", "光耀", "子衡"))


def _town(rng: random.Random) -> str:
    return rng.choice(_TOWNS)


def _some(rng: random.Random, sentences: Sequence[str], left_out: int = 1) -> str:
    """Return the sentences in their order, without some of the middle ones."""
    gone = set(rng.sample(range(1, len(sentences) - 1), left_out))
    return "".join(sentence for number, sentence in enumerate(sentences) if number not in gone)


def _month(rng: random.Random, since: int, until: int) -> str:
    return f"{rng.randint(since, until)}年{rng.randint(1, 12)}月"


def _career(rng: random.Random) -> str:
    home, province = _town(rng), rng.choice(_PROVINCES)
    start = rng.randint(1968, 1988)
    posts = [
        f"{start + 4}年任{home}县委办公室秘书",
        f"{start + 7}年后历任{_town(rng)}县副县长、县长、县委书记",
        f"{_month(rng, start + 12, start + 14)}任中共{_town(rng)}市委副书记、市长",
        f"{_month(rng, start + 16, start + 18)}任{province}省{_pick(rng, '财政厅', '水利厅', '农业厅', '教育厅', '交通厅')}厅长、党组书记",
        f"{_month(rng, start + 20, start + 22)}任中共{rng.choice(_PROVINCES)}省委常委、副省长",
        f"{_month(rng, start + 24, start + 26)}任第{rng.choice('九十')}届全国人民代表大会{_pick(rng, '农业与农村', '财政经济', '教育科学文化卫生')}委员会副主任委员",
    ]
    kept = sorted(rng.sample(range(len(posts)), 4))
    return _some(
        rng,
        [
            f"{_person(rng)}，{_pick(rng, '男', '女')}，{_pick(rng, '汉族', '回族', '满族', '壮族')}，{_month(rng, start - 22, start - 18)}{_pick(rng, '出生', '生')}，{province}{home}人。",
            f"{_month(rng, start, start + 2)}{_pick(rng, '参加工作', '参加革命工作')}，{_month(rng, start + 2, start + 5)}加入中国共产党。",
            f"{rng.choice(_PROVINCES)}{rng.choice(_SCHOOLS)}{rng.choice(_MAJORS)}专业毕业，{_pick(rng, '大学学历', '大学文化程度', '研究生学历')}，{_pick(rng, '高级工程师', '高级经济师', '教授')}。",
            _pick(rng, "；", "，").join(posts[number] for number in kept) + "。",
            f"{_pick(rng, '是', '曾当选为')}中共第{rng.choice('十二十三十四十五')}届中央{_pick(rng, '委员', '候补委员', '纪律检查委员会委员')}，第{rng.choice('八九十')}届全国{_pick(rng, '人大代表', '政协委员')}。",
        ],
    )


def _species(rng: random.Random) -> str:
    place = rng.choice(("太平洋西部", "印度洋", "长江上游", "珠江水系", "黄海", "南海诸岛", "黑龙江流域", "澜沧江下游"))
    name = (
        rng.choice("斑纹棘盾青赤长短")
        + rng.choice("鳍吻尾颌鳃鳞")
        + rng.choice(("鲷", "鲈", "鲤", "鳅", "鲀", "鲹", "鲇"))
    )
    order = rng.choice(("鲈形", "鲤形", "鲇形", "鲀形"))
    return _some(
        rng,
        [
            f"{name}，为{_pick(rng, '辐鳍鱼纲', '硬骨鱼纲')}{order}目的其中一种鱼类，{_pick(rng, '分布于', '主要分布于', '见于')}{place}{_pick(rng, '海域', '各地', '一带')}。",
            f"{_pick(rng, '栖息深度', '栖息水深', '生活水深')}{rng.randint(2, 60)}至{rng.randint(70, 400)}{_pick(rng, '公尺', '米')}，{_pick(rng, '体长可达', '本鱼体长可达', '最大体长')}{rng.randint(8, 180)}{_pick(rng, '公分', '厘米')}。",
            f"{_pick(rng, '体呈长椭圆形，侧扁', '体延长而侧扁', '体高而侧扁，呈卵圆形')}，{_pick(rng, '头中大', '头小', '头部略尖')}，{_pick(rng, '口端位', '口下位', '口裂倾斜')}，{_pick(rng, '眼大', '眼中大，侧位')}。",
            f"体{_pick(rng, '呈', '色')}{rng.choice(_COLOURS)}色，{_pick(rng, '腹部', '腹面')}{rng.choice(_COLOURS)}色，{_pick(rng, '体侧有', '体侧具')}{rng.randint(2, 9)}条{_pick(rng, '暗色横带', '纵带', '垂直条纹')}。",
            f"背鳍{_pick(rng, '硬棘', '鳍棘')}{rng.randint(7, 14)}枚、{_pick(rng, '软条', '鳍条')}{rng.randint(8, 22)}枚，臀鳍硬棘{rng.randint(2, 4)}枚、软条{rng.randint(6, 15)}枚。",
            f"{_pick(rng, '栖息于', '栖息在', '喜栖于')}{_pick(rng, '岩礁区', '沙泥底质海域', '水流平缓的河段', '珊瑚礁')}，{_pick(rng, '属肉食性', '杂食性', '属杂食性')}，以{_pick(rng, '小鱼、甲壳类', '藻类、水生昆虫', '底栖无脊椎动物')}等为食，{_pick(rng, '可作为食用鱼', '可供食用', '多作为观赏鱼', '无食用价值')}。",
        ],
    )


def _obituary(rng: random.Random) -> str:
    who = _person(rng)
    return _some(
        rng,
        [
            f"{_pick(rng, '著名', '我国著名', '')}{_pick(rng, '戏曲演员', '农学家', '水利专家', '画家', '语言学家')}、{_town(rng)}{_pick(rng, '大学教授', '剧院原院长', '研究所研究员')}{who}{_pick(rng, '同志', '先生', '')}，因病{_pick(rng, '医治无效', '抢救无效')}，于{_month(rng, 1995, 2023)}{rng.randint(1, 28)}日{rng.randint(0, 23)}时{rng.randint(1, 59)}分在{_town(rng)}{_pick(rng, '逝世', '与世长辞')}，享年{rng.randint(61, 99)}岁。",
            f"{who}{rng.randint(1905, 1945)}年{_pick(rng, '生于', '出生于')}{rng.choice(_PROVINCES)}{_town(rng)}{_pick(rng, '一个农民家庭', '一个教师家庭', '的一个普通工人家庭')}。",
            f"{_pick(rng, '新中国成立后', '大学毕业后', '解放后')}{_pick(rng, '分配到', '先后在', '进入')}{_town(rng)}{_pick(rng, '工作', '任教', '从事研究')}，{_pick(rng, '历任组长、主任、副院长等职', '先后担任助教、讲师、教授')}。",
            f"{_pick(rng, '他一生勤勤恳恳，任劳任怨', '几十年来他兢兢业业，严谨治学', '他为人正直，生活俭朴')}，{_pick(rng, '培养了一大批优秀人才', '深受同事和学生的爱戴', '在群众中享有很高的威望')}。",
            f"{_pick(rng, '代表作有', '主要著作有')}《{_town(rng)}{_pick(rng, '纪事', '散论', '图说')}》《{rng.choice(_MAJORS)}{_pick(rng, '概论', '丛稿', '二十讲')}》等。",
            f"{_pick(rng, '遗体告别仪式定于', '遗体告别仪式将于', '追悼会定于')}{rng.randint(1, 12)}月{rng.randint(1, 28)}日上午{rng.randint(8, 11)}时在{_town(rng)}殡仪馆{_pick(rng, '举行', '大礼堂举行')}。",
        ],
    )


def _tender(rng: random.Random) -> str:
    town = _town(rng)
    return _some(
        rng,
        [
            f"{town}{_pick(rng, '市第二人民医院', '区教育局', '县水务局', '镇人民政府')}{_pick(rng, '办公楼维修', '道路照明改造', '医疗设备采购', '食堂食材配送', '校园绿化')}项目{_pick(rng, '招标公告', '公开招标公告', '竞争性磋商公告')}。",
            f"项目编号：{rng.choice('ABCDEFG')}{rng.choice('HJKLMN')}{rng.randint(2015, 2024)}-{rng.randint(100, 999)}。{_pick(rng, '预算金额', '采购预算')}：{rng.randint(20, 900)}.{rng.randint(10, 99)}万元。",
            f"{_pick(rng, '投标人应具备', '供应商须具备', '申请人的资格要求：具备')}{_pick(rng, '独立法人资格', '《中华人民共和国政府采购法》第二十二条规定的条件')}，{_pick(rng, '具有良好的商业信誉和健全的财务会计制度', '有依法缴纳税收和社会保障资金的良好记录')}，{_pick(rng, '本项目不接受联合体投标', '不得转包和分包')}。",
            f"{_pick(rng, '招标文件获取时间', '报名时间')}：{_month(rng, 2015, 2024)}{rng.randint(1, 12)}日至{rng.randint(13, 28)}日，{_pick(rng, '每天上午', '工作日上午')}{rng.randint(8, 9)}:{rng.choice(('00', '30'))}至{rng.randint(11, 12)}:00（{_pick(rng, '北京时间，法定节假日除外', '节假日除外')}）。",
            f"{_pick(rng, '获取地点', '报名地点')}：{_town(rng)}路{rng.randint(1, 400)}号{_pick(rng, '公共资源交易中心', '招标代理有限公司')}{rng.randint(2, 20)}楼，售价{rng.randint(1, 8)}00元，{_pick(rng, '售后不退', '过期不售')}。",
            f"{_pick(rng, '投标截止时间', '提交响应文件截止时间')}{_pick(rng, '和开标时间', '')}：{_month(rng, 2015, 2024)}{rng.randint(1, 28)}日{rng.randint(9, 15)}时{rng.choice(('00', '30'))}分，{_pick(rng, '逾期送达的投标文件不予受理', '逾期不予接收')}。",
            f"联系人：{_person(rng)}，{_pick(rng, '电话', '联系电话')}：0{rng.randint(300, 999)}-{rng.randint(2000000, 8999999)}。",
        ],
        2,
    )


def _match_report(rng: random.Random) -> str:
    home, guest = (_town(rng) + team for team in rng.sample(_TEAMS, 2))
    minute = sorted(rng.sample(range(3, 90), 4))
    events = [
        f"第{minute[0]}分钟，{_person(rng)}{_pick(rng, '禁区外远射', '右路传中', '左侧角球开出')}，{_person(rng)}{_pick(rng, '头球攻门偏出', '抢点射门被门将扑出', '推射击中门柱')}",
        f"第{minute[1]}分钟，{_person(rng)}{_pick(rng, '单刀赴会，冷静推射破门', '接队友直塞后低射入网', '主罚任意球直接破门')}，{rng.randint(1, 2)}比{rng.randint(0, 1)}",
        f"第{minute[2]}分钟，{_person(rng)}{_pick(rng, '铲球犯规吃到黄牌', '因手球被出示黄牌', '两黄变一红被罚下')}",
        f"第{minute[3]}分钟，{_pick(rng, '替补登场的', '刚刚上场的', '')}{_person(rng)}{_pick(rng, '补射得手', '头槌破门', '近距离扫射得分')}，将比分改写为{rng.randint(1, 4)}比{rng.randint(0, 3)}",
    ]
    return _some(
        rng,
        [
            f"{_month(rng, 2005, 2024)}{rng.randint(1, 28)}日晚，{_pick(rng, '甲级联赛', '足协杯', '超级联赛')}第{rng.randint(2, 30)}轮{_pick(rng, '展开争夺', '继续进行', '打响一场焦点战')}，{home}{_pick(rng, '主场迎战', '坐镇主场迎战')}{guest}。",
            *(event + "。" for event in events),
            f"{_pick(rng, '下半场双方易边再战', '中场休息之后', '易边之后')}，{_pick(rng, '场上节奏明显加快', '客队加强了进攻', '主队依然占据主动')}，{_pick(rng, '但没能取得进球', '可惜没能改写比分', '双方各有机会')}。",
            f"{_pick(rng, '最终', '全场比赛结束')}，{home}{_pick(rng, '战胜', '击败', '不敌')}{guest}，{_pick(rng, '取得', '遭遇')}{_pick(rng, '联赛三连胜', '两连败', '赛季第五场胜利', '主场首胜')}。",
        ],
        2,
    )


def _horoscope(rng: random.Random) -> str:
    sign = rng.choice(("白羊", "金牛", "双子", "巨蟹", "狮子", "处女", "天秤", "天蝎", "射手", "摩羯", "水瓶", "双鱼"))
    return _some(
        rng,
        [
            f"{sign}座{_pick(rng, '今日运势', '本周运势', '本月运势')}：综合指数{rng.randint(40, 98)}，幸运数字{rng.randint(1, 30)}，幸运颜色{rng.choice(_COLOURS)}色，速配星座{rng.choice('羊牛蟹狮女秤蝎')}座。",
            f"{_pick(rng, '爱情方面', '感情方面', '爱情运势')}，{_pick(rng, '单身者有机会在聚会上遇到心仪的对象', '单身的人容易错过身边的缘分', '单身者异性缘不错，不妨主动一些')}，{_pick(rng, '有伴者要多体谅对方', '恋爱中的人容易因为小事发生争执', '有伴的人感情升温，甜蜜指数高')}。",
            f"{_pick(rng, '工作方面', '事业方面', '事业运势')}，{_pick(rng, '容易得到上司的赏识', '会遇到一些阻碍，需要耐心应对', '工作效率很高，有贵人相助')}，{_pick(rng, '注意与同事之间的沟通', '切忌意气用事', '可以放手去做想做的事')}。",
            f"{_pick(rng, '财运方面', '财富运势', '理财方面')}，{_pick(rng, '财运平平，不宜进行大的投资', '正财运不错，偏财运一般', '容易冲动消费，要管好自己的钱包')}。",
            f"{_pick(rng, '健康方面', '健康运势')}，{_pick(rng, '注意肠胃的保养', '容易疲劳，要保证充足的睡眠', '适当做些运动有助于缓解压力')}，{_pick(rng, '少吃生冷食物', '不要熬夜', '多喝水')}。",
        ],
    )


def _weather_notice(rng: random.Random) -> str:
    kinds = ("中雨", "大雨", "雷阵雨", "小雪", "大雾", "大风", "沙尘", "霜冻")
    first, second = rng.sample(kinds, 2)
    return _some(
        rng,
        [
            f"{_town(rng)}市气象台{_month(rng, 2010, 2024)}{rng.randint(1, 28)}日{rng.randint(6, 22)}时{rng.randint(0, 59)}分{_pick(rng, '发布', '继续发布')}{first}{_pick(rng, '蓝色', '黄色', '橙色')}预警信号。",
            f"{_pick(rng, '受冷空气和暖湿气流共同影响', '受副热带高压边缘影响', '受高空槽和低层切变影响')}，{_pick(rng, '预计', '预计未来')}{rng.randint(6, 48)}小时内{_pick(rng, '我市大部分地区', '全市各区县', '北部山区')}{_pick(rng, '将出现', '有')}{first}，{_pick(rng, '局部', '部分乡镇')}{second}，{_pick(rng, '累积雨量', '过程雨量')}{rng.randint(5, 40)}到{rng.randint(50, 180)}毫米。",
            f"{_pick(rng, '最高气温', '白天最高气温')}{rng.randint(5, 38)}到{rng.randint(6, 39)}℃，{_pick(rng, '最低气温', '早晨最低气温')}{rng.randint(-12, 5)}到{rng.randint(-8, 22)}℃，{_pick(rng, '偏北风', '偏南风', '东南风')}{rng.randint(2, 4)}到{rng.randint(5, 8)}级，{_pick(rng, '阵风', '瞬间最大风力')}{rng.randint(6, 9)}级。",
            f"{_pick(rng, '请有关单位和人员做好防范准备', '请注意防范', '各有关部门要按照职责做好应急工作')}，{_pick(rng, '驾驶人员应当注意道路湿滑，控制车速', '户外作业人员注意安全', '学校、幼儿园采取适当措施保证学生安全')}，{_pick(rng, '检查城市、农田排水系统', '加固大棚和临时搭建物', '尽量减少外出')}。",
            f"{_pick(rng, '后天起天气转好', '后期天气以多云为主', '周末气温回升')}，{_pick(rng, '请关注最新预报', '市民可以合理安排出行', '注意早晚保暖')}。",
        ],
    )


def _exam_notice(rng: random.Random) -> str:
    year = rng.randint(2006, 2024)
    return _some(
        rng,
        [
            f"{year}年{rng.choice(_PROVINCES)}省{_pick(rng, '全国会计专业技术资格考试', '事业单位公开招聘工作人员笔试', '高等教育自学考试', '教师资格考试')}{_pick(rng, '报名通知', '有关事项公告', '报考须知')}。",
            f"{_pick(rng, '报名采取网上报名的方式', '采用网上报名、网上缴费的方式')}，{_pick(rng, '报名时间为', '时间为')}{rng.randint(1, 6)}月{rng.randint(1, 14)}日{rng.randint(8, 9)}:00至{rng.randint(15, 28)}日{rng.randint(16, 18)}:00，{_pick(rng, '逾期不予补报', '逾期不再受理')}。",
            f"{_pick(rng, '凡遵守中华人民共和国宪法和法律', '遵守国家法律法规')}，{_pick(rng, '具有良好的道德品质', '品行端正')}，{_pick(rng, '具备国家承认的大学专科以上学历', '具备高中以上学历')}，{_pick(rng, '均可报名参加考试', '符合岗位要求的其他条件者，可以报考')}。",
            f"{_pick(rng, '考生须上传近期免冠证件照', '上传本人近期彩色证件照')}，{_pick(rng, '照片大小', '文件大小')}{rng.randint(10, 60)}KB以下，{_pick(rng, '报名费每科', '考务费每人')}{rng.randint(20, 90)}元。",
            f"准考证{_pick(rng, '打印时间', '下载时间')}为{rng.randint(7, 9)}月{rng.randint(1, 20)}日至{rng.randint(21, 28)}日，{_pick(rng, '考生凭准考证和有效身份证件参加考试', '请携带准考证和本人身份证入场')}，{_pick(rng, '开考三十分钟后不得入场', '迟到十五分钟不得进入考场')}。",
            f"咨询电话：0{rng.randint(300, 999)}-{rng.randint(2000000, 8999999)}，{_pick(rng, '监督电话', '技术咨询')}：0{rng.randint(300, 999)}-{rng.randint(2000000, 8999999)}，{_town(rng)}{_pick(rng, '人事考试中心', '市教育考试院')}。",
        ],
    )


def _station(rng: random.Random) -> str:
    name, line = _town(rng), _town(rng)
    return _some(
        rng,
        [
            f"{name}{_pick(rng, '站', '车站')}是{_pick(rng, '一个位于', '位于')}{rng.choice(_PROVINCES)}省{_town(rng)}市{_town(rng)}{_pick(rng, '区', '县')}的{_pick(rng, '铁路车站', '地铁车站')}，{_pick(rng, '隶属', '由')}{line}{_pick(rng, '铁路局管辖', '铁路公司管理')}，{_pick(rng, '为三等站', '现为四等站', '是二等站')}。",
            f"{_pick(rng, '建于', '始建于', '启用于')}{rng.randint(1903, 2012)}年，{_pick(rng, '离', '距')}{_town(rng)}站{rng.randint(3, 90)}{_pick(rng, '公里', '千米')}，离{_town(rng)}站{rng.randint(91, 900)}{_pick(rng, '公里', '千米')}。",
            f"{_pick(rng, '车站设有', '站内设有', '该站设有')}{rng.randint(1, 6)}座{_pick(rng, '岛式站台', '侧式站台')}、{rng.randint(2, 12)}条{_pick(rng, '到发线', '股道')}，{_pick(rng, '站房面积', '站房总建筑面积')}{rng.randint(300, 9000)}平方米。",
            f"{_pick(rng, '主要办理旅客乘降', '办理客运业务')}、{_pick(rng, '行李包裹托运', '整车货物发到')}，{_pick(rng, '每日停靠列车', '日均停靠旅客列车')}{rng.randint(4, 120)}{_pick(rng, '班', '列')}，{_pick(rng, '日均发送旅客', '平均每日上下车人数')}{rng.randint(100, 9000)}人。",
            f"{_pick(rng, '邻近设施有', '附近有', '周边有')}{_town(rng)}{_pick(rng, '小学', '公园', '邮局')}、{_town(rng)}{_pick(rng, '大桥', '市场', '医院')}，{_pick(rng, '相邻车站为', '上一站为')}{_town(rng)}站{_pick(rng, '', '，下一站为' + _town(rng) + '站')}。",
        ],
    )


def _market(rng: random.Random) -> str:
    things = rng.sample(("白菜", "黄瓜", "鸡蛋", "猪肉", "带鱼", "苹果", "大葱", "土豆", "豆角", "草鱼"), 4)
    return _some(
        rng,
        [
            f"{_month(rng, 2008, 2024)}{rng.randint(1, 28)}日{_town(rng)}{_pick(rng, '农产品批发市场', '蔬菜批发市场')}{_pick(rng, '价格行情', '行情综述')}：{_pick(rng, '总上市量', '当日总交易量')}{rng.randint(80, 900)}万公斤，{_pick(rng, '较前一日', '与昨日相比')}{_pick(rng, '增加', '减少')}{rng.randint(1, 9)}.{rng.randint(0, 9)}%。",
            *(
                f"{thing}{_pick(rng, '平均批发价', '批发均价')}每{_pick(rng, '公斤', '千克')}{rng.randint(1, 30)}.{rng.randint(10, 99)}元，{_pick(rng, '环比', '较上周')}{_pick(rng, '上涨', '下跌', '下降')}{rng.randint(1, 12)}.{rng.randint(0, 9)}%，{_pick(rng, '货源充足', '销售平稳', '走货较慢', '供应偏紧')}。"
                for thing in things
            ),
            f"{_pick(rng, '分析认为', '业内人士分析', '市场人士表示')}，{_pick(rng, '随着气温回升，产地供应量增加', '受降雨影响，采摘和运输受阻', '节日临近，需求有所增加')}，{_pick(rng, '预计后期价格稳中有降', '短期内价格将小幅上涨', '后市以平稳运行为主')}。",
        ],
        2,
    )


def _town_entry(rng: random.Random) -> str:
    return _some(
        rng,
        [
            f"{_town(rng)}镇{_pick(rng, '位于', '地处')}{rng.choice(_PROVINCES)}省{_town(rng)}县{_pick(rng, '东部', '西南部', '北部', '东南部')}，{_pick(rng, '距县城', '距县政府驻地')}{rng.randint(4, 60)}公里，{_pick(rng, '总面积', '辖区面积')}{rng.randint(20, 300)}平方公里。",
            f"{_pick(rng, '全镇辖', '下辖', '现辖')}{rng.randint(5, 40)}个{_pick(rng, '行政村', '村民委员会')}、{rng.randint(1, 6)}个{_pick(rng, '社区', '居委会')}，{_pick(rng, '总人口', '户籍人口')}{rng.randint(8000, 90000)}人，{_pick(rng, '以汉族为主', '有回、满等少数民族')}。",
            f"{_pick(rng, '属亚热带季风气候', '属暖温带半湿润气候', '属温带大陆性气候')}，{_pick(rng, '年平均气温', '年均气温')}{rng.randint(3, 22)}.{rng.randint(0, 9)}℃，{_pick(rng, '年降水量', '年均降水量')}{rng.randint(300, 1900)}毫米，无霜期{rng.randint(120, 340)}天。",
            f"{_pick(rng, '农业以种植', '主要农作物有', '粮食作物以')}{_pick(rng, '水稻、小麦', '玉米、大豆', '油菜、花生', '马铃薯、荞麦')}{_pick(rng, '为主', '等')}，{_pick(rng, '特产有', '盛产')}{_pick(rng, '板栗', '柑橘', '茶叶', '核桃', '莲藕')}{_pick(rng, '', '，素有“' + _pick(rng, '鱼米之乡', '板栗之乡', '橘乡') + '”之称')}。",
            f"{rng.randint(1950, 1958)}年{_pick(rng, '设乡', '建乡')}，{rng.randint(1958, 1960)}年{_pick(rng, '改公社', '成立人民公社')}，{rng.randint(1983, 1985)}年{_pick(rng, '复置乡', '改乡')}，{rng.randint(1986, 2002)}年{_pick(rng, '撤乡设镇', '改镇')}。",
            f"{_pick(rng, '境内有', '镇域内有')}{_town(rng)}{_pick(rng, '古塔', '石桥', '祠堂', '书院')}{_pick(rng, '等文物古迹', '，为县级文物保护单位', '等名胜')}，{_pick(rng, '省道', '国道', '县道')}{rng.randint(101, 399)}{_pick(rng, '穿境而过', '贯穿全境')}。",
        ],
        2,
    )


def _recall(rng: random.Random) -> str:
    thing = rng.choice(("电热水壶", "儿童推车", "电动自行车", "移动电源", "空气炸锅", "折叠梯", "婴儿床", "取暖器"))
    maker = _town(rng) + rng.choice(("电器", "日用品", "车业", "家居"))
    return _some(
        rng,
        [
            f"{_pick(rng, '近日', '日前')}，{maker}有限公司{_pick(rng, '按照《消费品召回管理暂行规定》的要求', '根据有关规定')}，向{_town(rng)}市{_pick(rng, '市场监督管理局', '质量技术监督局')}{_pick(rng, '备案了召回计划', '报告了召回计划')}，{_pick(rng, '将自', '决定自')}{_month(rng, 2012, 2024)}{rng.randint(1, 28)}日起召回{_pick(rng, '部分', '以下')}{thing}。",
            f"{_pick(rng, '涉及产品型号为', '召回产品的型号为')}{rng.choice('ABCDEFG')}{rng.choice('HKLMNP')}-{rng.randint(100, 999)}，{_pick(rng, '生产日期', '生产时间')}为{_month(rng, 2010, 2016)}至{_month(rng, 2017, 2023)}，{_pick(rng, '数量为', '共计', '涉及数量')}{rng.randint(100, 90000)}{_pick(rng, '台', '件')}。",
            f"{_pick(rng, '本次召回范围内的产品', '召回原因：该产品')}，{_pick(rng, '由于', '因')}{_pick(rng, '电源线连接处松动', '锁紧装置失效', '温控器精度不足', '焊接强度不够')}，{_pick(rng, '使用中可能', '极端情况下可能')}{_pick(rng, '引起过热', '导致部件脱落', '造成使用者划伤')}，存在安全隐患。",
            f"{_pick(rng, '消费者应立即停止使用', '请消费者停止使用')}，{_pick(rng, '公司将免费更换', '公司将为消费者免费维修', '公司将办理退货退款')}，{_pick(rng, '以消除安全隐患', '相关费用由公司承担')}。",
            f"{_pick(rng, '消费者可拨打', '用户可拨打')}{_pick(rng, '客服热线', '服务电话')}{rng.randint(400, 800)}-{rng.randint(100, 999)}-{rng.randint(1000, 9999)}，{_pick(rng, '或登录公司网站了解详情', '咨询召回事宜')}。",
        ],
    )


KINDS: dict[str, Writer] = {
    "career": _career,
    "species": _species,
    "obituary": _obituary,
    "tender": _tender,
    "match report": _match_report,
    "horoscope": _horoscope,
    "weather": _weather_notice,
    "exam": _exam_notice,
    "station": _station,
    "market": _market,
    "town": _town_entry,
    "recall": _recall,
}
