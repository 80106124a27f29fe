"""Who runs a site and how to reach them, as far as a page says it of itself."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from store.records import ContactKind, SiteContact

LONGEST: Final = 400_000  # characters of one page that are looked at
MOST: Final = 30  # of one page; what lists more is a directory of others

_PROVINCES: Final = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
_BODIES: Final = "公司|集团|工作室|事务所|杂志社|出版社|报社|研究院|协会|学校|大学|学院|中心|经营部"
_NAME: Final = rf"[一-鿿][一-鿿A-Za-z0-9()·&]{{1,38}}?(?:{_BODIES})(?:(?:股份|传媒)?有限(?:责任)?公司)?"
_PICTURES: Final = frozenset(("png", "jpg", "jpeg", "gif", "webp", "svg", "css", "js"))
_BLANKS: Final = re.compile(r"\s+")

# Each repetition is bounded, so that the time grows with the length of the text alone. NFKC has made the colons narrow.
_PATTERNS: Final = {
    ContactKind.OPERATOR: re.compile(
        rf"(?:(?:主办|运营|经营|运维)(?:单位|方|者|主体)|公司名称|单位名称|版权所有)[:\s©]{{1,6}}({_NAME})"
        rf"|(?:©|Copyright)[^\n一-鿿]{{0,80}}({_NAME})",
        re.IGNORECASE,
    ),
    ContactKind.ICP: re.compile(
        rf"([{_PROVINCES}]\s?ICP\s?[备備证證]案?\s{{0,2}}\d{{5,10}}\s?[号號](?:\s?-\s?\d{{1,4}}(?!\d))?)", re.IGNORECASE
    ),
    ContactKind.POLICE: re.compile(rf"([{_PROVINCES}]\s?公网安备\s{{0,2}}第?\s?\d{{8,14}}(?!\d)\s?号?)"),
    ContactKind.MAIL: re.compile(
        r"(?<![\w.%+-])([a-z0-9][a-z0-9._%+-]{0,63}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4})(?![\w-])", re.IGNORECASE
    ),
    ContactKind.TELEPHONE: re.compile(
        r"(?:电话|热线|手机号?|传真|\bTel)[^\S\n]?[:\s]{1,4}(\+?\(?\d[\d()\- ]{5,18}\d)(?!\d)", re.IGNORECASE
    ),
    ContactKind.QQ: re.compile(r"(?<![a-z])QQ(?:客服|交流)?[群号]?[:\s]{0,4}([1-9]\d{4,10})(?!\d)", re.IGNORECASE),
    ContactKind.ADDRESS: re.compile(r"地址[^\S\n]?:\s{0,4}([一-鿿][^\n:]{5,79})"),
}
_PLACE: Final = re.compile(r"[省市区县州].{0,60}[路街道巷号村镇楼]")
_LABEL_AFTER: Final = re.compile(r"\s{2,}|[,;|。]|\s?(?:邮编|邮政编码|电话|联系电话|传真|邮箱|QQ)", re.IGNORECASE)


def contacts_in(text: str) -> tuple[SiteContact, ...]:
    """What a page's whole text, line by line, says of who runs the site; each once, by kind, at most `MOST`."""
    narrow = unicodedata.normalize("NFKC", text[:LONGEST])
    return tuple(dict.fromkeys(_each(narrow)))[:MOST]


def _each(text: str) -> Iterator[SiteContact]:
    for kind, pattern in _PATTERNS.items():
        for found in pattern.finditer(text):
            if value := _tidy(kind, next(filter(None, found.groups()))):
                yield SiteContact(kind, value)


def _tidy(kind: ContactKind, raw: str) -> str | None:
    """The value in the form in which it is compared; None where it is something else after all."""
    if kind in (ContactKind.ICP, ContactKind.POLICE):
        return _BLANKS.sub("", raw).replace("icp", "ICP")
    if kind is ContactKind.MAIL:
        mail = raw.lower()
        return None if mail.rpartition(".")[2] in _PICTURES else mail
    if kind is ContactKind.TELEPHONE:
        return raw if 7 <= sum(map(str.isdigit, raw)) <= 15 else None
    if kind is ContactKind.ADDRESS:
        address = _LABEL_AFTER.split(raw, maxsplit=1)[0].strip()
        return address if _PLACE.search(address) else None
    return raw
