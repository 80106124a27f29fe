"""What the processes write down: lines to read, or one JSON object a line, with the record that was worked at.

Neither holds a secret or personal data: words of addresses, headers and settings that are secret, mail addresses and
telephone numbers are covered before a line is written, wherever they came from.
"""

import logging
import logging.config
import re
from typing import Any, Final

from pythonjsonlogger.json import JsonFormatter

from store.at_work import record_at_work
from wenhen.settings import LogSettings

_COVER: Final = "***"
_SECRETS: Final = (
    (re.compile(r"(?<=://)[^\s/@:]*:[^\s/@]+(?=@)"), _COVER),  # name and password of an address
    (re.compile(r"(?i)\b(authorization|cookie|set-cookie|x-api-key)(\W{1,4})[^\r\n]+"), rf"\1\2{_COVER}"),
    (
        re.compile(
            r"(?i)\b([\w-]{0,40}(?:password|passwd|secret|token|session|api_?key|signature))(\W{1,4})[^\s&,;'\"]+"
        ),
        rf"\1\2{_COVER}",
    ),
    (re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+"), _COVER),  # mail
    (re.compile(r"(?<!\d)1[3-9]\d{9}(?!\d)"), _COVER),  # a mobile number in China
)


def covered(text: str) -> str:
    """The text without what nobody should find in a log.

    >>> covered("redis://wenhen:geheim@redis:6379/0 refused; Cookie: a=b")
    'redis://***@redis:6379/0 refused; Cookie: ***'
    >>> covered("write to zhang@example.com or 13800138000, token=abc")
    'write to *** or ***, token=***'
    """
    for pattern, cover in _SECRETS:
        text = pattern.sub(cover, text)
    return text


class LineFormatter(logging.Formatter):
    """A line to read."""

    def format(self, record: logging.LogRecord) -> str:
        """Covered as a whole, the trace of an error too."""
        return covered(super().format(record))


class ObjectFormatter(JsonFormatter):
    """One JSON object: time, level, logger, process, message, the record at work, and the trace of an error."""

    def add_fields(self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]) -> None:
        """Each text among them covered."""
        super().add_fields(log_data, record, message_dict)
        if at_work := record_at_work():
            log_data["record"] = at_work
        for name, value in log_data.items():
            if isinstance(value, str):
                log_data[name] = covered(value)


_FIELDS: Final = {"levelname": "level", "name": "logger", "process": "process"}


def log_config(settings: LogSettings) -> dict[str, Any]:
    """The configuration of `logging.config`: everything to stderr, which whoever started the process keeps."""
    formatters = {
        "text": {"()": LineFormatter, "format": "%(asctime)s %(levelname)s %(name)s %(process)d: %(message)s"},
        "json": {
            "()": ObjectFormatter,
            "fmt": "%(levelname)s %(name)s %(process)d %(message)s",
            "rename_fields": _FIELDS,
            "timestamp": "time",
            "json_ensure_ascii": False,
        },
    }
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": formatters,
        "handlers": {  # of its own level: Scrapy gives its loggers another
            "stderr": {"class": "logging.StreamHandler", "formatter": settings.format, "level": settings.level}
        },
        "root": {"level": settings.level, "handlers": ["stderr"]},
        # gunicorn's and Celery's own would write each line twice.
        "loggers": {
            name: {"level": settings.level, "handlers": [], "propagate": True}
            for name in ("gunicorn.error", "gunicorn.access", "celery")
        },
    }


def set_up_logs(settings: LogSettings) -> None:
    """Write this process' log so from now on."""
    logging.config.dictConfig(log_config(settings))
