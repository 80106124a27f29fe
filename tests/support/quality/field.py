# ruff: noqa: E501  what sites share is easier to read whole
"""A field of works and pages: copies that were planted, and petty things that texts share without copying each other."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from tests.support.quality.library import Library
from wenhen.demo.articles import OWN_TEXTS_DIR, load_works, own_paragraphs, work_paragraphs

CODE = """def read_levels(path):
    levels = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if not line.strip() or line.startswith("#"):
                continue
            name, _, value = line.partition("=")
            levels.append((name.strip(), float(value)))
    return sorted(levels, key=lambda pair: pair[1])"""
CONFIGURATION = """[server]
listen = 127.0.0.1:8080
workers = 4
log_file = /var/log/levels/access.log
log_level = info

[storage]
path = /srv/levels/data
keep_days = 30
compress = true"""
CONSOLE = """$ sudo systemctl status levels.service
● levels.service - Water levels
   Loaded: loaded (/lib/systemd/system/levels.service; enabled)
   Active: active (running) since Mon 2023-05-01 09:30:12 CST; 2h 3min ago
 Main PID: 2481 (levels)
    Tasks: 5 (limit: 4915)
   Memory: 12.3M
   CGroup: /system.slice/levels.service
$ journalctl -u levels -n 3"""
OPTIONS = """-a, --all 列出所有的条目，包括隐藏的条目
-d, --directory 只显示目录本身，不显示目录里面的内容
-h, --human-readable 以容易阅读的单位显示文件的大小
-r, --reverse 把排列的顺序颠倒过来
-s, --size 在每个条目前面显示它所占的块数
-v, --version 显示版本信息并退出"""
PATHS = """/etc/levels/levels.conf
/usr/share/doc/levels/README.gz
/usr/lib/levels/plugins/river.so
/var/cache/levels/index.db
/home/user/.config/levels/settings.json"""
MENUS = """文件 → 导出 → 导出为表格…
编辑 → 首选项 → 常规 → 语言和地区
视图 → 工具栏 → 自定义工具栏…
工具 → 选项 → 高级 → 网络 → 代理设置
帮助 → 检查更新 → 关于本程序"""
CREDITS = """via: https://levels.test/articles/2023/05/reading-water-levels
作者：Jane River 选题：lanlan 译者：qingwei 校对：dukou
本文由 河口译社 原创编译，河口中国 荣誉推出"""
SIGN_OFF = """以上就是今天的全部内容，感谢你读到这里。
我是写水的人，住在河口，每周六晚上更新一篇，如果你也喜欢河流和旧物，欢迎把它转给你的朋友，我们下周六再见。"""
ENGLISH = """It is far better to measure the river twice than to drown in it once, as the old pilots used to say.
Nobody steps into the same water again, and nobody reads the same gauge on two mornings."""
QUOTATION = "正如《河口县志》卷七所载：“每岁清明，渔户集于东津，焚香告水，量石级之没者几何，刻于柱侧，以验丰歉，父老相传，未尝一岁废也。”"
PHRASE = (
    "千里之行始于足下，愿我们都能在这个喧闹的世界里守住内心的安宁，把平凡的日子过成自己喜欢的样子，不负时光也不负自己"
)

# By name: what is shared, and how many of the works have it.
PETTY: Mapping[str, tuple[str, int]] = {
    "code": (CODE, 2),
    "configuration": (CONFIGURATION, 2),
    "console": (CONSOLE, 2),
    "options": (OPTIONS, 2),
    "paths": (PATHS, 2),
    "menus": (MENUS, 2),
    "credits": (CREDITS, 4),
    "sign-off": (SIGN_OFF, 3),
    "English": (ENGLISH, 2),
    "quotation": (QUOTATION, 1),
    "phrase": (PHRASE, 3),
}
PAGES_OF_EACH = 14
_LEAST = 110  # characters of a copied paragraph
_LONG = 600  # characters of a work between whose paragraphs something petty is nothing


class FieldPage(NamedTuple):
    """A page with the work that it copies; what is petty about it where it copies none."""

    text: str
    copied: str | None
    petty: str = ""


@cache
def library() -> Library:
    """The demo's works, with petty things between their paragraphs."""
    texts = {title: list(work_paragraphs(title)) for title in load_works()}
    titles = sorted(title for title, lines in texts.items() if len("".join(lines)) >= _LONG)
    for place, (thing, holders) in enumerate(PETTY.values()):
        for number in range(holders):
            lines = texts[titles[(3 * place + number) % len(titles)]]
            lines.insert(len(lines) if thing in (CREDITS, SIGN_OFF) else len(lines) // 2, thing)
    return Library({title: "\n".join(lines) for title, lines in texts.items()})


def pages() -> Iterator[FieldPage]:
    """Own text around each paragraph of a work that is long enough, and around each petty thing, several times."""
    owns = sorted(path.stem for path in OWN_TEXTS_DIR.glob("*.txt"))
    turn = iter(range(10_000))
    for title in sorted(load_works()):
        long = [line for line in work_paragraphs(title) if len(line) >= _LEAST and "。" in line]
        for line in long:
            yield FieldPage(_around(line, owns[next(turn) % len(owns)], 2), title)
    for name, (thing, _) in PETTY.items():
        for _ in range(PAGES_OF_EACH):
            place = next(turn)
            yield FieldPage(_around(thing, owns[place % len(owns)], place % 4), None, name)


def _around(inside: str, own: str, cut: int) -> str:
    lines = own_paragraphs(own)
    return "\n".join((*lines[:cut], inside, *lines[cut:]))
