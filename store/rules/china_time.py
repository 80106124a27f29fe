"""The time of day that people mean who name none: of schedules, quiet hours, and the dates of works and cases."""

from typing import Final
from zoneinfo import ZoneInfo

CHINA: Final = ZoneInfo("Asia/Shanghai")
