"""Who may carry which work: what the demo registers with the product before it crawls."""

from dataclasses import dataclass
from datetime import UTC, datetime

from lab.demo.sites import BLOG, NEWS


@dataclass(frozen=True, slots=True)
class DemoLicence:
    """An authorised reprint. `url_prefix` is host or host/path, without a scheme; the dates are in UTC."""

    licensee: str
    url_prefix: str
    work_title: str
    valid_from: datetime
    valid_until: datetime

    def covers(self, host: str, path: str, work_title: str) -> bool:
        """Whether the page at this address may carry the work."""
        return work_title == self.work_title and f"{host}{path}".startswith(self.url_prefix)


_FROM = datetime(2024, 1, 1, tzinfo=UTC)
_UNTIL = datetime(2099, 12, 31, tzinfo=UTC)

LICENCES: tuple[DemoLicence, ...] = (
    DemoLicence("江声在线", NEWS, "镇卫生院来了牙医", _FROM, _UNTIL),
    DemoLicence("半亩方糖", f"{BLOG}/licensed/", "潮汐公交试跑三个月", _FROM, _UNTIL),
)
