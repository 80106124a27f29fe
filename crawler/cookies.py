"""The session of a site: cookies that a person brought along, and what the site makes of them while it is crawled."""

import re
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from http.cookiejar import Cookie as JarCookie
from http.cookiejar import LoadError, MozillaCookieJar
from pathlib import Path

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware

from crawler.spiders.site import SiteSpider
from store.errors import BadInput
from store.records import Cookie

COMMENT = re.compile(r"\s*#(?!HttpOnly_)|\s*\$")
MAGIC = "# Netscape HTTP Cookie File\n"
LATEST = 253402300799  # 9999-12-31: some extensions write "never" as a time beyond every calendar


def read_cookies(text: str, host: str) -> tuple[Cookie, ...]:
    """Cookies of a Netscape cookies.txt, or of a Cookie header ("a=1; b=2"), which are then the host's.

    Raises `BadInput` for what is neither.
    """
    if "\t" not in text:
        return _of_header(text.strip().removeprefix("Cookie:"), host)
    if any(line.strip() and not COMMENT.match(line) and line.count("\t") != 6 for line in text.splitlines()):
        raise BadInput("this is no cookies.txt: each line has seven fields, separated by tabs")
    jar = MozillaCookieJar()
    with tempfile.TemporaryDirectory() as folder:  # the library reads files alone
        path = Path(folder, "cookies.txt")
        path.write_text(text if text.startswith("#") else MAGIC + text, encoding="utf-8")
        try:
            jar.load(str(path), ignore_discard=True, ignore_expires=True)
        except (LoadError, OSError, ValueError):
            # The library repeats the line, and with it the value.
            raise BadInput("this cookies.txt cannot be read: a line is not as browsers export them") from None
    cookies = tuple(map(_record, jar))
    if not cookies:
        raise BadInput("this cookies.txt holds no cookie")
    return cookies


def _of_header(text: str, host: str) -> tuple[Cookie, ...]:
    pairs = [pair.strip().partition("=") for pair in text.split(";") if pair.strip()]
    if not pairs or any(not sign or not name.strip() for name, sign, _ in pairs) or "\n" in text:
        raise BadInput("cookies are given as a cookies.txt, or as in the Cookie header: name=value; other=value")
    return tuple(Cookie(name=name.strip(), value=value.strip(), domain=host) for name, _, value in pairs)


class SessionMiddleware(CookiesMiddleware):
    """Scrapy's, begun with the cookies of the job; at the end the sink gets those that the site has set last."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "SessionMiddleware":
        """Scrapy's constructor."""
        middleware: SessionMiddleware = super().from_crawler(crawler)
        assert isinstance(crawler.spider, SiteSpider)
        middleware._spider = crawler.spider
        for cookie in crawler.spider.job.cookies:
            middleware.jars[None].set_cookie(_for_jar(cookie))
        if crawler.spider.job.cookies:
            crawler.signals.connect(middleware.hand_over, signals.spider_closed)
        return middleware

    _spider: SiteSpider

    def present(self) -> Sequence[Cookie]:
        """The cookies as they stand now, without those that have expired."""
        jar = self.jars[None]
        jar.jar.clear_expired_cookies()
        return tuple(map(_record, jar))

    def hand_over(self) -> None:
        """Give the session to the sink, if the site changed it."""
        cookies = self.present()
        if set(cookies) != set(self._spider.job.cookies):
            self._spider.ledger.session(cookies)


def _record(cookie: JarCookie) -> Cookie:
    return Cookie(
        name=cookie.name,
        value=cookie.value or "",
        domain=cookie.domain,
        path=cookie.path,
        secure=cookie.secure,
        expires=datetime.fromtimestamp(min(cookie.expires, LATEST), UTC) if cookie.expires else None,
    )


def _for_jar(cookie: Cookie) -> JarCookie:
    return JarCookie(
        version=0,
        name=cookie.name,
        value=cookie.value,
        port=None,
        port_specified=False,
        domain=cookie.domain,
        domain_specified=cookie.domain.startswith("."),
        domain_initial_dot=cookie.domain.startswith("."),
        path=cookie.path,
        path_specified=True,
        secure=cookie.secure,
        expires=int(cookie.expires.timestamp()) if cookie.expires else None,
        discard=cookie.expires is None,
        comment=None,
        comment_url=None,
        rest={},
    )
