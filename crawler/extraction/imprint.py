"""Extract who runs a site: operator, registrations and contacts."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser

from crawler.extraction.model import ContactKind, SiteContact
from crawler.extraction.parsing import parse_without_scripts

MAX_IMPRINT_CHARACTERS: Final = 400_000  # characters of one page that are examined
MAX_CONTACTS: Final = 30  # of one page; a longer list is a directory of other sites

_PROVINCES: Final = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
_ORGANIZATION_WORDS: Final = "公司|集团|工作室|事务所|杂志社|出版社|报社|研究院|协会|学校|大学|学院|中心|经营部"
_OPERATOR_NAME: Final = (
    rf"[一-鿿][一-鿿A-Za-z0-9()·&]{{1,38}}?(?:{_ORGANIZATION_WORDS})(?:(?:股份|传媒)?有限(?:责任)?公司)?"
)
_FILE_ENDINGS: Final = frozenset(("png", "jpg", "jpeg", "gif", "webp", "svg", "css", "js"))
_BLANKS: Final = re.compile(r"\s+")

# Each repetition is bounded, so that the time is linear in the length of the text. NFKC has normalized the colons.
_CONTACT_PATTERNS: Final = {
    ContactKind.OPERATOR: re.compile(
        rf"(?:(?:主办|运营|经营|运维)(?:单位|方|者|主体)|公司名称|单位名称|版权所有)[:\s©]{{1,6}}({_OPERATOR_NAME})"
        rf"|(?:©|Copyright)[^\n一-鿿]{{0,80}}({_OPERATOR_NAME})",
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
_POSTAL_ADDRESS: Final = re.compile(r"[省市区县州].{0,60}[路街道巷号村镇楼]")
_FOLLOWING_LABEL: Final = re.compile(r"\s{2,}|[,;|。]|\s?(?:邮编|邮政编码|电话|联系电话|传真|邮箱|QQ)", re.IGNORECASE)


def extract_contacts(text: str) -> tuple[SiteContact, ...]:
    """Return the operator's data in a page's whole text, each item once, by kind, at most `MAX_CONTACTS`."""
    narrow = unicodedata.normalize("NFKC", text[:MAX_IMPRINT_CHARACTERS])
    return tuple(dict.fromkeys(_iter_contacts(narrow)))[:MAX_CONTACTS]


def _iter_contacts(text: str) -> Iterator[SiteContact]:
    for kind, pattern in _CONTACT_PATTERNS.items():
        for match in pattern.finditer(text):
            if value := _normalize_contact(kind, next(filter(None, match.groups()))):
                yield SiteContact(kind, value)


def _normalize_contact(kind: ContactKind, raw: str) -> str | None:
    """Return the value in comparable form, or None for a false match."""
    if kind in (ContactKind.ICP, ContactKind.POLICE):
        return _BLANKS.sub("", raw).replace("icp", "ICP")
    if kind is ContactKind.MAIL:
        mail = raw.lower()
        return None if mail.rpartition(".")[2] in _FILE_ENDINGS else mail
    if kind is ContactKind.TELEPHONE:
        return raw if 7 <= sum(map(str.isdigit, raw)) <= 15 else None
    if kind is ContactKind.ADDRESS:
        address = _FOLLOWING_LABEL.split(raw, maxsplit=1)[0].strip()
        return address if _POSTAL_ADDRESS.search(address) else None
    return raw


# The operator in a page's footer and links, which the main text leaves out.


_MAX_IMPRINT_LINKS: Final = 5_000  # of one page
_CONTACT_LINKS: Final = (  # the scheme of a link, and the label that the pattern expects
    (re.compile(r"mailto:([^?]{3,120})", re.IGNORECASE), ""),
    (re.compile(r"tel:([+\d() -]{7,20})", re.IGNORECASE), "电话: "),
    (re.compile(r"(?:wpa\.qq\.com|tencent://)[^\s]{0,80}?uin=([1-9]\d{4,10})", re.IGNORECASE), "QQ: "),
)


def extract_imprint(body: bytes, headers: Sequence[tuple[str, str]]) -> tuple[SiteContact, ...]:
    """Return the operator, registrations and contacts that a page names."""
    tree = parse_without_scripts(body, headers)
    if tree.body is None:
        return ()
    # Links first: a page longer than the limit usually has its contacts there.
    return extract_contacts("\n".join((*_linked_contacts(tree), tree.body.text(separator="\n"))))


def _linked_contacts(tree: LexborHTMLParser) -> Iterator[str]:
    for link in tree.css("a[href]")[:_MAX_IMPRINT_LINKS]:
        address = unquote((link.attributes.get("href") or "")[:400])
        for pattern, label in _CONTACT_LINKS:
            if match := pattern.search(address):
                yield label + match[1]
