"""Who runs a site and how to reach them, as its pages say."""

from dataclasses import dataclass
from enum import StrEnum


class ContactKind(StrEnum):
    """What is said."""

    OPERATOR = "operator"
    ICP = "icp"  # ICP备案: the registration of a site with the ministry of industry
    POLICE = "police"  # 公网安备: its registration with the public security
    MAIL = "mail"
    TELEPHONE = "telephone"
    QQ = "qq"
    ADDRESS = "address"


@dataclass(frozen=True, slots=True)
class SiteContact:
    """One thing that a page says of its site; nobody has verified it."""

    kind: ContactKind
    value: str
