"""Send alerts to plain mail addresses through the mail server of notices."""

import re
from email.utils import parseaddr
from typing import Final
from urllib.parse import quote, urlencode

from wenhen.kit.errors import SetupError
from wenhen.product.mail_delivery import has_mail_server
from wenhen.product.settings import NoticeSettings

MAIL_KIND: Final = "mail"  # kind of a rule whose channel is a plain mail address
_MAIL_ADDRESS: Final = re.compile(r"[^\s@:/?#&<>,;\"]{1,64}@[^\s@:/?#&<>,;\"]{1,253}")


def is_mail_address(channel: str) -> bool:
    """Return whether a channel is a plain mail address, such as `name@example.org`."""
    return _MAIL_ADDRESS.fullmatch(channel) is not None


def make_mail_channel(address: str, settings: NoticeSettings) -> str:
    """Return the Apprise channel that sends mail to this address through the mail server of notices.

    It is made when a letter is sent, so that a changed server or password needs no change of the rule.

    Raises `SetupError` if the settings name no mail server.
    """
    if not has_mail_server(settings):
        raise SetupError("alerts.no_mail_server")
    host, _, port = settings.smtp.rpartition(":")
    password = settings.smtp_password.get_secret_value() if settings.smtp_password else ""
    login = f"{quote(settings.smtp_user, safe='')}:{quote(password, safe='')}@" if settings.smtp_user else ""
    name, sender = parseaddr(settings.sender)
    options = {"smtp": host, "to": address, "from": sender} | ({"name": name} if name else {})
    scheme, mode = ("mailtos", "starttls") if settings.smtp_tls else ("mailto", "insecure")
    return f"{scheme}://{login}{host}:{port}?{urlencode(options | {'mode': mode})}"
