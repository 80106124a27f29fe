"""The columns of a table by their headings: the name of a field, or what people in China call it."""

from collections.abc import Collection, Iterable
from typing import Final

_CALLED: Final = {
    "id": ("编号", "作品编号"),
    "title": ("标题", "题名", "篇名", "书名", "作品名", "作品名称"),
    "text": ("正文", "内容", "全文", "作品内容"),
    "author": ("作者", "署名"),
    "owner": ("权利人", "著作权人", "版权人"),
    "kind": ("体裁", "类型", "类别"),
    "series": ("系列", "丛书"),
    "chapter": ("章", "章节", "章序", "章节号"),
    "url": ("发表地址", "网址", "链接", "原文链接"),
    "published_at": (
        "首次发表",
        "首次发表日期",
        "首发日期",
        "发表日期",
        "发表时间",
        "发布日期",
        "发布时间",
        "出版日期",
    ),
    "proof": ("首次发表证明", "证明", "登记号", "著作权登记号"),
}
_FIELDS: Final = {called: field for field, every in _CALLED.items() for called in every}


def fields_of(headings: Iterable[str], known: Collection[str]) -> list[str]:
    """The field of each column; a heading that names none of the known ones, or one that another column has by its own
    name, stays as it is, in small letters.

    >>> fields_of(["书名", " Text ", "发表日期", "备注"], ["title", "text", "published_at"])
    ['title', 'text', 'published_at', '备注']
    """
    written = [heading.strip().lower() for heading in headings]
    found: list[str] = []
    for heading in written:
        field = _FIELDS.get(heading, heading)
        taken = heading != field and (field in written or field in found)
        found.append(heading if taken or field not in known else field)
    return found
