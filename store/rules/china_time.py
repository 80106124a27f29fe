"""China's time: what people mean by an hour or a day, and Chinese pages by a time without a zone."""

from typing import Final
from zoneinfo import ZoneInfo

CHINA: Final = ZoneInfo("Asia/Shanghai")
